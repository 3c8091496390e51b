"""Tables of the store's file, and how a connection to the file is opened.

Standard library only. Design choices, each measured on 100,000 short passages:

- The text is stored once, in `documents`; a passage is a range of it.

- A document's passages have consecutive ids, so they need no index and a neighbour is `id ± 1`.

- Keyword tokens carry their scope (`7_결제`), so that a scope is a partition of the index itself: its
  statistics and its cost do not depend on what other scopes hold. The table is contentless (tokens
  can be made again from the text).

- The tokenizer is `ascii`, which only cuts at spaces a text that is lower case already; `unicode61`
  would fold and cut letters by its own, older Unicode tables.

- `synchronous=NORMAL` in WAL mode: a killed process loses nothing that was committed.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from gieok.storage.index.prepared import are_keywords_old, hashed_lines
from gieok.storage.index.rows import count_keyword_tokens, marks, prefix_scope_tokens
from gieok.storage.index.sqlite.ranking import SCHEMA_VERSION
from gieok.storage.sqlite import files
from gieok.storage.sqlite.files import pragma, split_sql_script, transaction
from gieok.text import keywords, lines
from gieok.text.keywords import keyword_text

#: "GIEK": marks the file as ours.
_APPLICATION_ID = 0x4749454B
_SAID_EVERY = 200

_KEYWORD_TABLES = """
CREATE VIRTUAL TABLE keywords USING fts5(
    body, context, content='', tokenize="ascii tokenchars '_'"
);
CREATE VIRTUAL TABLE keyword_df USING fts5vocab(keywords, 'row');
CREATE VIRTUAL TABLE keyword_tf USING fts5vocab(keywords, 'instance');
"""
_LINE_TABLES = """
CREATE TABLE lines (
    -- in the text of the passage
    passage_id INTEGER NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL,
    text_hash BLOB NOT NULL,  -- finds its vector, and says whether it has one
    PRIMARY KEY (passage_id, start)
) WITHOUT ROWID;
CREATE INDEX lines_by_text ON lines (text_hash);
"""
_TABLES = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE scopes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE,
    -- grows with every write: readers that hold a scope in memory compare it
    generation INTEGER NOT NULL DEFAULT 0,
    passages INTEGER NOT NULL DEFAULT 0,
    tokens INTEGER NOT NULL DEFAULT 0  -- BM25's N and N * mean length
);
CREATE TABLE notes (
    scope_id INTEGER NOT NULL REFERENCES scopes, name TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (scope_id, name)
) WITHOUT ROWID;
CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT, scope_id INTEGER NOT NULL REFERENCES scopes,
    key TEXT NOT NULL,
    first_passage INTEGER NOT NULL, passage_count INTEGER NOT NULL,
    kind TEXT NOT NULL, title TEXT NOT NULL, content_hash TEXT NOT NULL, importance REAL NOT NULL,
    tier TEXT NOT NULL,
    -- Unix milliseconds:
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, valid_from INTEGER, valid_to INTEGER,
    metadata TEXT NOT NULL, provenance TEXT NOT NULL, text TEXT NOT NULL,
    UNIQUE (scope_id, key)
);
CREATE TABLE passages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, document_id INTEGER NOT NULL, scope_id INTEGER NOT NULL,
    start INTEGER NOT NULL, "end" INTEGER NOT NULL, start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
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
CREATE TABLE models (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
    dimension INTEGER NOT NULL);
{_KEYWORD_TABLES}
{_LINE_TABLES}
INSERT INTO meta VALUES ('lines_version', '{lines.VERSION}');
INSERT INTO meta VALUES ('keywords_version', '{keywords.VERSION}');
INSERT INTO meta VALUES ('unadopted', '1');  -- the journal may know what belongs here
INSERT INTO meta VALUES ('removed_passages', '0');  -- since the last time that space was given back
PRAGMA application_id = {_APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
"""


def connect_index_file(
    file: Path, busy_timeout_ms: int, what: str, say: Callable[[str], None]
) -> sqlite3.Connection:
    """Open the store's file, and bring its tables to this release.

    A new file is created (0600) with its tables. `say` is called with the progress of an upgrade.
    Raises StoreError, ShapeMismatch for a file of a newer release.
    """
    return files.open_private(
        file,
        what,
        busy_timeout_ms,
        lambda connection, file: _prepare_index_file(connection, file, say),
    )


def _prepare_index_file(
    connection: sqlite3.Connection, file: Path, say: Callable[[str], None]
) -> None:
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA temp_store = MEMORY")
    if pragma(connection, "user_version") == 0:
        # Only an empty file takes this setting; `compact` gives space back.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        files.create_tables(connection, file, _TABLES, _leave_no_words)
    files.verify_owner(connection, file, _APPLICATION_ID)
    files.upgrade(connection, file, "store", (_upgrade_index_to_2, _upgrade_index_to_3))
    if _lines_version(connection) < lines.VERSION:
        with transaction(connection):
            if _lines_version(connection) < lines.VERSION:  # no other process was faster
                _renew_lines(connection)
    if are_keywords_old(_keywords_version(connection), f"the store {str(file)!r}"):
        with transaction(connection):  # other processes search the old tokens until it is committed
            if _keywords_version(connection) < keywords.VERSION:  # no other process was faster
                _renew_keywords(connection, say)
    files.use_wal(connection)


def _upgrade_index_to_2(connection: sqlite3.Connection) -> None:
    """Make the journal adopt the store's documents, and erase the words of removed rows."""
    connection.execute("INSERT INTO meta VALUES ('unadopted', '1')")
    _leave_no_words(connection)


def _upgrade_index_to_3(connection: sqlite3.Connection) -> None:
    """Make the tables of lines; `_renew_lines` fills them."""
    for statement in split_sql_script(_LINE_TABLES):
        connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES ('lines_version', '0')")


def _lines_version(connection: sqlite3.Connection) -> int:
    return int(
        connection.execute("SELECT value FROM meta WHERE name = 'lines_version'").fetchone()[0]
    )


def _renew_lines(connection: sqlite3.Connection) -> None:
    """Find the lines of all texts again.

    Lines with the same text as before keep their vector.
    """
    connection.execute("DELETE FROM lines")
    documents = connection.execute(
        (
            "SELECT kind, first_passage, passage_count, text FROM documents WHERE kind IN "
            f"({marks(lines.KINDS)})"
        ),
        sorted(lines.KINDS),
    )
    for kind, first, count, text in documents:
        rows = connection.execute(
            'SELECT id, start, "end" FROM passages WHERE id BETWEEN ? AND ?',
            (first, first + count - 1),
        ).fetchall()
        connection.executemany(
            "INSERT INTO lines VALUES (?, ?, ?, ?)",
            [
                (passage, *line)
                for passage, start, end in rows
                for line in hashed_lines(kind, text[start:end])
            ],
        )
    connection.execute(
        "UPDATE meta SET value = ? WHERE name = 'lines_version'", (str(lines.VERSION),)
    )


def _leave_no_words(connection: sqlite3.Connection) -> None:
    """Make FTS5 erase the words of a removed row at once.

    Before SQLite 3.42 the words stay until `scrub`.
    """
    if sqlite3.sqlite_version_info >= (3, 42):
        connection.execute("INSERT INTO keywords (keywords, rank) VALUES ('secure-delete', 1)")


def _keywords_version(connection: sqlite3.Connection) -> int:
    return int(
        connection.execute("SELECT value FROM meta WHERE name = 'keywords_version'").fetchone()[0]
    )


def _renew_keywords(connection: sqlite3.Connection, say: Callable[[str], None]) -> None:
    """Rebuild all keywords from the texts."""
    for table in ("keyword_df", "keyword_tf", "keywords"):
        connection.execute(f"DROP TABLE {table}")
    for statement in split_sql_script(_KEYWORD_TABLES):
        connection.execute(statement)
    _leave_no_words(connection)
    total = connection.execute("SELECT count(*) FROM documents").fetchone()[0]
    documents = connection.execute(
        "SELECT scope_id, first_passage, passage_count, text FROM documents ORDER BY id"
    )
    for number, (sid, first, count, text) in enumerate(documents, start=1):
        rows = connection.execute(
            'SELECT id, start, "end", context FROM passages WHERE id BETWEEN ? AND ?',
            (first, first + count - 1),
        ).fetchall()
        words = [
            (passage, keyword_text(text[start:end]), keyword_text(context))
            for passage, start, end, context in rows
        ]
        connection.executemany(
            "INSERT INTO keywords (rowid, body, context) VALUES (?, ?, ?)",
            [
                (passage, prefix_scope_tokens(sid, body), prefix_scope_tokens(sid, context))
                for passage, body, context in words
            ],
        )
        connection.executemany(
            "UPDATE passages SET length = ? WHERE id = ?",
            [(count_keyword_tokens(body), passage) for passage, body, _ in words],
        )
        if number % _SAID_EVERY == 0 or number == total:
            say(f"keywords made anew {number:,} of {total:,}")
    connection.execute(
        "UPDATE scopes SET generation = generation + 1, "
        "tokens = (SELECT coalesce(sum(length), 0) FROM passages WHERE scope_id = scopes.id)"
    )
    connection.execute(
        "UPDATE meta SET value = ? WHERE name = 'keywords_version'", (str(keywords.VERSION),)
    )
