"""Creation, opening, upgrade and scrubbing of SQLite files. Standard library only."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from gieok import fs
from gieok.errors import (
    Phrase,
    ShapeMismatch,
    StoreCorrupt,
    StoreError,
    find_os_reason,
)
from gieok.storage.sqlite import driver, readonly
from gieok.storage.sqlite.failures import translated

BUSY_TIMEOUT_MS = 30_000
#: Free pages are given back where there are at least so many, and where they make at least one in
#: `_SHARE` pages of the file: fewer are soon filled again.
_MANY_PAGES = 2_560
_SHARE = 4
#: Pages freed in one transaction: other writers wait for milliseconds.
_PAGES_AT_ONCE = 256
_INCREMENTAL = 2

#: Creates the tables of a new file, or upgrades those of an older release.
Prepare = Callable[[sqlite3.Connection, Path], None]


@contextmanager
def transaction(connection: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    """Commit what the block does, or roll all of it back."""
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def open_private(
    file: Path, what: str, busy_timeout_ms: int, prepare: Prepare
) -> sqlite3.Connection:
    """Open a database file of Gieok; a new file is created with mode 0600.

    `what` says what the file is: see `failures.translated`. Where nothing can be written (the place
    is read-only, or the disk is full), an existing file is opened to read and a missing file counts
    as an empty database. Raises StoreError, ShapeMismatch.
    """
    with translated(file, what):
        if readonly.is_read_only(str(file)):
            return _open_to_read(file, busy_timeout_ms, prepare)
        try:
            return _open_to_write(file, what, busy_timeout_ms, prepare)
        except (OSError, *driver.ERRORS) as error:  # type: ignore[misc]
            if not readonly.is_disk_full(error):
                raise
        return _open_to_read(file, busy_timeout_ms, prepare)


def _open_to_write(
    file: Path, what: str, busy_timeout_ms: int, prepare: Prepare
) -> sqlite3.Connection:
    try:
        fs.create_private(file)
    except OSError as error:
        if readonly.is_disk_full(error):
            raise
        raise StoreError(
            "cannot create {what} {file!r}: {reason}",
            what=Phrase(f"the {what}"),
            file=file,
            reason=find_os_reason(error),
        ) from error
    # Each thread has its own connection, but the thread that closes the store closes all of them.
    connection = driver.connect_sqlite(str(file), timeout_s=busy_timeout_ms / 1000)
    try:
        # Removed data is overwritten with zeros. Debian's SQLite does so by default, others do not.
        connection.execute("PRAGMA secure_delete = ON")
        prepare(connection, file)
    except BaseException:
        connection.close()
        raise
    return connection


def _open_to_read(file: Path, busy_timeout_ms: int, prepare: Prepare) -> sqlite3.Connection:
    if file.exists():
        connection = readonly.connect_readonly(str(file), busy_timeout_ms / 1000, may_copy=True)
    else:
        connection = driver.connect_sqlite(":memory:", of=str(file))
    try:
        try:
            prepare(connection, file)
        except driver.OPERATIONAL as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_READONLY:
                raise
            connection.close()
            # a file of an older release in a read-only place: the copy in memory is upgraded
            connection = readonly.copy_database_to_memory(str(file), busy_timeout_ms / 1000)
            prepare(connection, file)
        connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def create_tables(
    connection: sqlite3.Connection,
    file: Path,
    script: str,
    finish: Callable[[sqlite3.Connection], None] = lambda connection: None,
) -> None:
    """Create the tables of a new file, unless another process was faster.

    `script` and `finish` run in one transaction.
    """
    with transaction(connection):
        if pragma(connection, "user_version"):
            return
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise StoreCorrupt("{file!r} is a database of another program", file=file)
        for statement in split_sql_script(script):
            connection.execute(statement)
        finish(connection)


def verify_owner(connection: sqlite3.Connection, file: Path, application_id: int) -> None:
    """Raise StoreCorrupt for a file that another program made."""
    if pragma(connection, "application_id") != application_id:
        raise StoreCorrupt(
            "{file!r} is a database of another program",
            file=file,
            hint="move it away, or set GIEOK_HOME",
        )


def upgrade(
    connection: sqlite3.Connection,
    file: Path,
    what: str,
    steps: Sequence[Callable[[sqlite3.Connection], None]],
) -> None:
    """Bring the tables of an older release up to this release, one transaction for each step.

    `steps[n]` leads from schema n + 1 to n + 2. Raises ShapeMismatch for a file of a newer release.
    """
    newest = len(steps) + 1
    while (version := pragma(connection, "user_version")) < newest:
        with transaction(connection):
            if pragma(connection, "user_version") == version:  # no other process was faster
                steps[version - 1](connection)
                connection.execute(f"PRAGMA user_version = {version + 1}")
    if version > newest:
        raise ShapeMismatch(
            "{what} {file!r} has schema {version}, this gieok reads {newest}",
            what=Phrase(f"the {what}"),
            file=file,
            version=version,
            newest=newest,
            hint="update gieok",
        )


def use_wal(connection: sqlite3.Connection) -> None:
    """Switch a database to WAL mode; leave a read-only database as it is.

    Called last, so that a database of another program is left as it is.
    """
    file = connection.execute("PRAGMA database_list").fetchone()[2]
    if pragma(connection, "query_only") or not file or _is_wal(connection):
        return
    # Under a lock: processes that switch to WAL at the same time keep each other from it for an
    # unpredictable time.
    with fs.exclusive(f"{file}.lock", must=False):
        _switch_to_wal(connection)


def _is_wal(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal")


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    while not _is_wal(connection):
        try:
            if connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
                raise StoreError(
                    "the file system cannot hold a WAL database",
                    hint="move GIEOK_HOME to a local disk",
                )
        except driver.OPERATIONAL:
            # Unlike other statements, the switch to WAL does not wait for a lock; `BEGIN EXCLUSIVE`
            # does, and it times out.
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("ROLLBACK")


def pragma(connection: sqlite3.Connection, name: str) -> int:
    """Return the value of a numeric pragma."""
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def split_sql_script(script: str) -> Iterator[str]:
    """Split a script into statements.

    `executescript` would commit first, and a killed process would leave half of the tables.
    """
    pending = ""
    for line in script.splitlines():
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


def scrub(connection: sqlite3.Connection, file: Path) -> list[str]:
    """Rewrite a file so that removed data is gone from it, and empty its log.

    Return a message for each part that could not be done.
    """
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat4'").fetchone():
        connection.execute("DELETE FROM sqlite_stat4")  # holds samples of keys
    before = pragma(connection, "temp_store")
    if not driver.is_sealed(connection):  # what is written there would be in the clear
        connection.execute("PRAGMA temp_store = FILE")  # the copy is as large as the file
    left = []
    try:
        connection.execute("VACUUM")
    except driver.ERRORS as error:
        if not readonly.is_disk_full(error):
            raise
        # No copy is needed for secrecy alone: `secure_delete` has overwritten the removed data with
        # zeros.
        left.append(
            f"{file.name}: no room to write it anew; run the command again once there is as "
            "much as it takes"
        )
    connection.execute(f"PRAGMA temp_store = {before}")
    if pragma(connection, "wal_checkpoint(TRUNCATE)"):
        left.append(
            f"{file.name}: another process is reading it; run the command again once it has ended"
        )
    return left


def give_back_pages(connection: sqlite3.Connection, spare_bytes: int = 0) -> None:
    """Give free pages back to the file system, where there are enough of them.

    A few pages are freed at a time, so that no other writer waits for long, and readers go on
    meanwhile. A file of an older release, whose `auto_vacuum` is not incremental, is rewritten
    once; a file is also rewritten where `spare_bytes`, the free bytes inside of pages in use, are
    many.
    """
    spare = spare_bytes // pragma(connection, "page_size")
    free = pragma(connection, "freelist_count") + spare
    if (
        pragma(connection, "query_only")
        or free < _MANY_PAGES
        or free * _SHARE < pragma(connection, "page_count")
    ):
        return
    if spare or pragma(connection, "auto_vacuum") != _INCREMENTAL:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("VACUUM")
    free_pages(connection)
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def free_pages(connection: sqlite3.Connection) -> None:
    """Give all free pages back to the file system, a few in each transaction."""
    while free := pragma(connection, "freelist_count"):
        # `executescript`, because `execute` runs a single step of the statement, which frees one
        # page.
        connection.executescript(f"PRAGMA incremental_vacuum({_PAGES_AT_ONCE})")
        if pragma(connection, "freelist_count") >= free:
            break  # others fill them
