"""The tables, and how a connection to them is opened. Standard library only.

Design choices, each measured on 100,000 short passages:
- The text is stored once, in `documents`; a passage is a range of it.
- A document's passages have consecutive ids, so they need no index and a neighbour is `id ± 1`.
- Keyword tokens carry their scope (`7_결제`), so that a scope is a partition of the index itself: its statistics and
  its cost do not depend on what other scopes hold. The table is contentless (tokens can be made again from the text).
- The tokenizer is `ascii`, which only cuts at spaces what is lower case already; `unicode61` would fold and cut letters
  by its own, older Unicode tables.
- `synchronous=NORMAL` in WAL mode: a killed process loses nothing that was committed.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gieok import paths
from gieok.backends.stores.sqlite import readonly
from gieok.backends.stores.sqlite.ranking import SCHEMA_VERSION
from gieok.errors import (
    BadRequest,
    GieokError,
    ShapeMismatch,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from gieok.text import keywords

#: "GIEK": marks the file as ours.
_APPLICATION_ID = 0x4749454B
BUSY_TIMEOUT_MS = 30_000

_TABLES = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE scopes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE,
    generation INTEGER NOT NULL DEFAULT 0,  -- grows with every write: readers that hold a scope in memory compare it
    passages INTEGER NOT NULL DEFAULT 0, tokens INTEGER NOT NULL DEFAULT 0  -- BM25's N and N * mean length
);
CREATE TABLE notes (
    scope_id INTEGER NOT NULL REFERENCES scopes, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (scope_id, name)
) WITHOUT ROWID;
CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT, scope_id INTEGER NOT NULL REFERENCES scopes, key TEXT NOT NULL,
    first_passage INTEGER NOT NULL, passage_count INTEGER NOT NULL,
    kind TEXT NOT NULL, title TEXT NOT NULL, content_hash TEXT NOT NULL, importance REAL NOT NULL, tier TEXT NOT NULL,
    -- Unix milliseconds:
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, valid_from INTEGER, valid_to INTEGER,
    metadata TEXT NOT NULL, provenance TEXT NOT NULL, text TEXT NOT NULL,
    UNIQUE (scope_id, key)
);
CREATE TABLE passages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, document_id INTEGER NOT NULL, scope_id INTEGER NOT NULL,
    start INTEGER NOT NULL, "end" INTEGER NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
    length INTEGER NOT NULL,  -- keyword tokens of the text
    text_hash BLOB NOT NULL,  -- of the text to embed: finds its vector
    vector_id INTEGER, context TEXT NOT NULL
);
CREATE INDEX passages_by_scope ON passages (scope_id);
CREATE INDEX passages_without_vector ON passages (id) WHERE vector_id IS NULL;
CREATE INDEX texts_without_vector ON passages (text_hash) WHERE vector_id IS NULL;
CREATE TABLE vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT, model_id INTEGER NOT NULL, text_hash BLOB NOT NULL,
    data BLOB NOT NULL,  -- float32 scale, then int8 values
    UNIQUE (model_id, text_hash)
);
CREATE TABLE models (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL);
CREATE VIRTUAL TABLE keywords USING fts5(
    body, context, content='', tokenize="ascii tokenchars '_'"
);
CREATE VIRTUAL TABLE keyword_df USING fts5vocab(keywords, 'row');
CREATE VIRTUAL TABLE keyword_tf USING fts5vocab(keywords, 'instance');
INSERT INTO meta VALUES ('keywords_version', '{keywords.VERSION}');
INSERT INTO meta VALUES ('removed_passages', '0');  -- since the last time that space was given back
PRAGMA application_id = {_APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
"""

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
#: The second: no room for the file of shared memory, which reading needs too.
_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


@contextmanager
def translated(file: Path) -> Iterator[None]:
    """Turn an error of SQLite into one of ours that names the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translate(error, file) from error
    except UnicodeEncodeError as error:
        hint = "use a name without lone surrogates"
        raise BadRequest(f"{error.object!r} cannot be stored: it is not valid Unicode", hint=hint) from error


def _translate(error: sqlite3.Error, file: Path) -> GieokError:
    extended: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    code = extended & 0xFF
    if code in _BUSY:
        return StoreBusy(f"the store {str(file)!r} is locked by another process")
    if extended in _FULL:
        return StoreFull(f"no space left while writing {str(file)!r}")
    if code in _DAMAGED:
        return StoreCorrupt(f"the store {str(file)!r} is damaged or not a database: {error}")
    if code == sqlite3.SQLITE_READONLY:
        return StoreReadOnly(f"{str(file)!r} cannot be written: it is read-only here")
    return StoreError(f"the store {str(file)!r} failed: {error}")


def connect(file: Path, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> sqlite3.Connection:
    """Open the store's file, creating it (0600) with its tables when it is new. Raises StoreError, ShapeMismatch."""
    return open_private(file, "store", busy_timeout_ms, _prepare)


def open_private(
    file: Path, what: str, busy_timeout_ms: int, prepare: Callable[[sqlite3.Connection, Path], None]
) -> sqlite3.Connection:
    """Open a file of ours, creating it (0600) when it is new; `prepare` gives it its tables. Raises StoreError.

    Where nothing can be written, what is there can be read; what is not there is empty.
    """
    with translated(file):
        if readonly.is_read_only(str(file)):
            return _open_to_read(file, busy_timeout_ms, prepare)
        try:
            paths.create_private(file)
        except OSError as error:
            raise StoreError(f"cannot create the {what} {str(file)!r}: {error.strerror}") from error
        # Each thread has its own connection, but the thread that closes the store closes all of them.
        connection = sqlite3.connect(
            file, timeout=busy_timeout_ms / 1000, isolation_level=None, check_same_thread=False
        )
        try:
            prepare(connection, file)
        except BaseException:
            connection.close()
            raise
        return connection


def _open_to_read(
    file: Path, busy_timeout_ms: int, prepare: Callable[[sqlite3.Connection, Path], None]
) -> sqlite3.Connection:
    if file.exists():
        connection = readonly.connect(str(file), busy_timeout_ms / 1000, may_copy=True)
    else:
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        prepare(connection, file)
        connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, file: Path) -> None:
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA temp_store = MEMORY")
    if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
        connection.execute(
            "PRAGMA auto_vacuum = INCREMENTAL"
        )  # only an empty file takes it; `compact` gives space back
        create_tables(connection, file, _TABLES)
    _verify(connection, file)
    use_wal(connection)


def use_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL, last, so that another program's database is left as it is. One that is only read stays as it is."""
    if (
        connection.execute("PRAGMA query_only").fetchone()[0]
        or not connection.execute("PRAGMA database_list").fetchone()[2]
    ):
        return
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            if connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
                raise StoreError("the file system cannot hold a WAL database", hint="move GIEOK_HOME to a local disk")
        except sqlite3.OperationalError:
            # Unlike any other statement the switch does not wait for a lock; this one does, and gives up in time.
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("ROLLBACK")


def create_tables(connection: sqlite3.Connection, file: Path, script: str) -> None:
    """Run the script that makes the tables of a new file in one step, unless another process was faster."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if connection.execute("PRAGMA user_version").fetchone()[0] == 0:  # nobody was faster
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise StoreCorrupt(f"{str(file)!r} is a database of another program")  # noqa: TRY301 - rolls back
            for statement in statements(script):
                connection.execute(statement)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def statements(script: str) -> Iterator[str]:
    """Split a script; `executescript` would commit first and leave a killed process with half of the tables."""
    pending = ""
    for line in script.splitlines():
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


def _verify(connection: sqlite3.Connection, file: Path) -> None:
    found = connection.execute("PRAGMA application_id").fetchone()[0]
    if found != _APPLICATION_ID:
        raise StoreCorrupt(f"{str(file)!r} is a database of another program")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != SCHEMA_VERSION:
        raise ShapeMismatch(
            f"the store {str(file)!r} has schema {version}, this gieok reads {SCHEMA_VERSION}",
            hint="update gieok, or move the file away and index again",
        )
    stored = connection.execute("SELECT value FROM meta WHERE name = 'keywords_version'").fetchone()[0]
    if int(stored) != keywords.VERSION:
        raise ShapeMismatch(
            f"the store {str(file)!r} holds keyword tokens of version {stored}, this gieok makes {keywords.VERSION}",
            hint="move the file away and run `gieok index` again",
        )
