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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from gieok import fs
from gieok.backends.stores.rows import count_tokens, scoped
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
from gieok.text.keywords import keyword_text

#: "GIEK": marks the file as ours.
_APPLICATION_ID = 0x4749454B
BUSY_TIMEOUT_MS = 30_000
_SAID_EVERY = 200

_KEYWORD_TABLES = """
CREATE VIRTUAL TABLE keywords USING fts5(
    body, context, content='', tokenize="ascii tokenchars '_'"
);
CREATE VIRTUAL TABLE keyword_df USING fts5vocab(keywords, 'row');
CREATE VIRTUAL TABLE keyword_tf USING fts5vocab(keywords, 'instance');
"""
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
{_KEYWORD_TABLES}
INSERT INTO meta VALUES ('keywords_version', '{keywords.VERSION}');
INSERT INTO meta VALUES ('unadopted', '1');  -- the journal may know what belongs here
INSERT INTO meta VALUES ('removed_passages', '0');  -- since the last time that space was given back
PRAGMA application_id = {_APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
"""

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
#: The second: no room for the file of shared memory, which reading needs too.
_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


#: What to do about a damaged file, by what it is.
_MENDING = {
    "store": StoreCorrupt.hint,
    "code index": "run `gieok code init` in the project: it sets the file aside and makes another",
    "journal": "it is not derived from anything: restore it from a backup, or move it away to begin anew from the "
    "transcripts that are still on this disk (`gieok observe run --once`)",
}


@contextmanager
def translated(file: Path, what: str = "store") -> Iterator[None]:
    """Turn an error of SQLite into one of ours that names the file; `what` it is: a store, a journal, a code index."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translate(error, file, what) from error
    except UnicodeEncodeError as error:
        hint = "use a name without lone surrogates"
        raise BadRequest(f"{error.object!r} cannot be stored: it is not valid Unicode", hint=hint) from error


def _translate(error: sqlite3.Error, file: Path, what: str) -> GieokError:
    extended: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    code = extended & 0xFF
    if code in _BUSY:
        return StoreBusy(f"the {what} {str(file)!r} is locked by another process")
    if extended in _FULL:
        return StoreFull(f"no space left while writing {str(file)!r}")
    if "invalid fts5 file format" in str(error):
        return StoreCorrupt(
            f"the {what} {str(file)!r} was written with a newer SQLite than this Python's {sqlite3.sqlite_version}",
            hint=f"use the Python that wrote it, or {_MENDING[what]}",
        )
    if code in _DAMAGED:
        return StoreCorrupt(f"the {what} {str(file)!r} is damaged or not a database: {error}", hint=_MENDING[what])
    if code == sqlite3.SQLITE_READONLY:
        return StoreReadOnly(f"{str(file)!r} cannot be written: it is read-only here")
    return StoreError(f"the {what} {str(file)!r} failed: {error}")


def connect(
    file: Path,
    busy_timeout_ms: int = BUSY_TIMEOUT_MS,
    what: str = "store",
    say: Callable[[str], None] = lambda line: None,
) -> sqlite3.Connection:
    """Open the store's file, creating it (0600) with its tables when it is new, and bring it to this release.

    `say` is told how far that is. Raises StoreError, ShapeMismatch for a file of a newer release.
    """
    return open_private(file, what, busy_timeout_ms, lambda connection, file: _prepare(connection, file, say))


def open_private(
    file: Path, what: str, busy_timeout_ms: int, prepare: Callable[[sqlite3.Connection, Path], None]
) -> sqlite3.Connection:
    """Open a file of ours, creating it (0600) when it is new; `prepare` gives it its tables.

    `what` it is: a key of `_MENDING`. Where nothing can be written, what is there can be read; what is not there is empty.
    Raises StoreError, ShapeMismatch.
    """
    with translated(file, what):
        if readonly.is_read_only(str(file)):
            return _open_to_read(file, busy_timeout_ms, prepare)
        try:
            fs.create_private(file)
        except OSError as error:
            raise StoreError(f"cannot create the {what} {str(file)!r}: {error.strerror}") from error
        # Each thread has its own connection, but the thread that closes the store closes all of them.
        connection = sqlite3.connect(
            file, timeout=busy_timeout_ms / 1000, isolation_level=None, check_same_thread=False
        )
        try:
            # What is removed is overwritten with zeros. Debian's SQLite does so unasked, others do not.
            connection.execute("PRAGMA secure_delete = ON")
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
        try:
            prepare(connection, file)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_READONLY:
                raise
            connection.close()
            connection = readonly.copied(str(file), busy_timeout_ms / 1000)  # of an earlier release: upgraded in memory
            prepare(connection, file)
        connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, file: Path, say: Callable[[str], None]) -> None:
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA temp_store = MEMORY")
    if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
        connection.execute(
            "PRAGMA auto_vacuum = INCREMENTAL"
        )  # only an empty file takes it; `compact` gives space back
        create_tables(connection, file, _TABLES, _leave_no_words)
    _verify(connection, file, say)
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


def create_tables(
    connection: sqlite3.Connection,
    file: Path,
    script: str,
    finish: Callable[[sqlite3.Connection], None] = lambda connection: None,
) -> None:
    """Run the script that makes the tables of a new file, and `finish`, in one step, unless another process was faster."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if connection.execute("PRAGMA user_version").fetchone()[0] == 0:  # nobody was faster
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise StoreCorrupt(f"{str(file)!r} is a database of another program")  # noqa: TRY301 - rolls back
            for statement in statements(script):
                connection.execute(statement)
            finish(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def upgrade(
    connection: sqlite3.Connection, file: Path, what: str, steps: Sequence[Callable[[sqlite3.Connection], None]]
) -> None:
    """Bring the tables of an older release to this one, a transaction a step: `steps[n]` leads from schema n + 1 to n + 2.

    Raises ShapeMismatch for a file of a newer release.
    """
    newest = len(steps) + 1
    while (version := _version(connection)) < newest:
        connection.execute("BEGIN IMMEDIATE")
        try:
            if _version(connection) == version:  # nobody was faster
                steps[version - 1](connection)
                connection.execute(f"PRAGMA user_version = {version + 1}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    if version > newest:
        raise ShapeMismatch(
            f"the {what} {str(file)!r} has schema {version}, this gieok reads {newest}", hint="update gieok"
        )


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def statements(script: str) -> Iterator[str]:
    """Split a script; `executescript` would commit first and leave a killed process with half of the tables."""
    pending = ""
    for line in script.splitlines():
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


def _verify(connection: sqlite3.Connection, file: Path, say: Callable[[str], None]) -> None:
    found = connection.execute("PRAGMA application_id").fetchone()[0]
    if found != _APPLICATION_ID:
        raise StoreCorrupt(f"{str(file)!r} is a database of another program", hint="move it away, or set GIEOK_HOME")
    upgrade(connection, file, "store", (_to_2,))
    stored = _keywords_version(connection)
    if stored > keywords.VERSION:
        raise ShapeMismatch(
            f"the store {str(file)!r} holds keyword tokens of version {stored}, this gieok makes {keywords.VERSION}",
            hint="update gieok",
        )
    if stored < keywords.VERSION:
        renew_keywords(connection, say)


def _to_2(connection: sqlite3.Connection) -> None:
    """Let the journal know what so far only the store holds; leave no words of what is removed."""
    connection.execute("INSERT INTO meta VALUES ('unadopted', '1')")
    _leave_no_words(connection)


def _leave_no_words(connection: sqlite3.Connection) -> None:
    """Have FTS5 take out the words of a removed row at once. Before SQLite 3.42 they stay until `scrub`."""
    if sqlite3.sqlite_version_info >= (3, 42):
        connection.execute("INSERT INTO keywords (keywords, rank) VALUES ('secure-delete', 1)")


def _keywords_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT value FROM meta WHERE name = 'keywords_version'").fetchone()[0])


def renew_keywords(connection: sqlite3.Connection, say: Callable[[str], None]) -> None:
    """Make all keywords again from the texts, in one transaction: other processes search the old ones until it is done."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _keywords_version(connection) < keywords.VERSION:  # nobody was faster
            _make_keywords(connection, say)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _make_keywords(connection: sqlite3.Connection, say: Callable[[str], None]) -> None:
    for table in ("keyword_df", "keyword_tf", "keywords"):
        connection.execute(f"DROP TABLE {table}")
    for statement in statements(_KEYWORD_TABLES):
        connection.execute(statement)
    _leave_no_words(connection)
    total = connection.execute("SELECT count(*) FROM documents").fetchone()[0]
    documents = connection.execute("SELECT scope_id, first_passage, passage_count, text FROM documents ORDER BY id")
    for done, (sid, first, count, text) in enumerate(documents, start=1):
        rows = connection.execute(
            'SELECT id, start, "end", context FROM passages WHERE id BETWEEN ? AND ?', (first, first + count - 1)
        ).fetchall()
        made = [
            (passage, keyword_text(text[start:end]), keyword_text(context)) for passage, start, end, context in rows
        ]
        connection.executemany(
            "INSERT INTO keywords (rowid, body, context) VALUES (?, ?, ?)",
            [(passage, scoped(sid, body), scoped(sid, context)) for passage, body, context in made],
        )
        connection.executemany(
            "UPDATE passages SET length = ? WHERE id = ?", [(count_tokens(body), passage) for passage, body, _ in made]
        )
        if done % _SAID_EVERY == 0 or done == total:
            say(f"keywords made anew {done:,} of {total:,}")
    connection.execute(
        "UPDATE scopes SET generation = generation + 1, "
        "tokens = (SELECT coalesce(sum(length), 0) FROM passages WHERE scope_id = scopes.id)"
    )
    connection.execute("UPDATE meta SET value = ? WHERE name = 'keywords_version'", (str(keywords.VERSION),))


def scrub(connection: sqlite3.Connection, file: Path) -> list[str]:
    """Write a file anew without what was removed from it, and empty its log; return what could not be done."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat4'").fetchone():
        connection.execute("DELETE FROM sqlite_stat4")  # holds samples of keys
    before = connection.execute("PRAGMA temp_store").fetchone()[0]
    connection.execute("PRAGMA temp_store = FILE")  # the copy is as large as the file
    connection.execute("VACUUM")
    connection.execute(f"PRAGMA temp_store = {before}")
    is_busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    return [f"{file.name}: another process is reading it; run the command again once it has ended"] if is_busy else []
