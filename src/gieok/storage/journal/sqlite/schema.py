"""Tables of the journal, in a file of its own.

The journal outlives every index, and is backed up and moved alone. It holds raw messages, and the
documents that Gieok made itself: `made` holds the documents in hot (triggers on the outbox keep it,
so that no way of handing a document over can leave it out), `archived` names the places of the
others, `kept` holds the small values. Everything in a store can be made again from the journal,
from archives and from the user's files.

`synchronous=FULL`, unlike the store: a document that is handed over to the store is removed from
the outbox here, and must not be removed before it is on the store's disk (see `gieok.flow.distil`).
"""

import sqlite3
from pathlib import Path

from gieok.storage.sqlite.files import (
    create_tables,
    open_private,
    pragma,
    split_sql_script,
    upgrade,
    use_wal,
    verify_owner,
)

SCHEMA_VERSION = 6
#: "GIEJ": marks the file as ours.
_APPLICATION_ID = 0x4749454A

#: Since schema 2.
_DURABLE = """
CREATE TABLE made (scope_id INTEGER NOT NULL, key TEXT NOT NULL, entry TEXT NOT NULL,
    PRIMARY KEY (scope_id, key));
CREATE TRIGGER made_put AFTER INSERT ON outbox WHEN NEW.entry IS NOT NULL BEGIN
    INSERT OR REPLACE INTO made VALUES (NEW.scope_id, NEW.key, NEW.entry);
END;
CREATE TRIGGER made_gone AFTER INSERT ON outbox WHEN NEW.entry IS NULL BEGIN
    DELETE FROM made WHERE scope_id = NEW.scope_id AND key = NEW.key;
END;
CREATE INDEX messages_forgotten ON messages (scope_id, at, text_hash) WHERE retracted = 2;
CREATE TABLE kept (realm TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (realm,
    name)) WITHOUT ROWID;
"""

#: Since schema 3, for documents that are derived from messages: the number of the newest change
#: among the messages of a source, and the place of a later version of a message, which is the first
#: version's place (NULL: the message's own number).
_CHANGES = """
CREATE INDEX messages_moved ON messages (source_id, place) WHERE place IS NOT NULL;
CREATE TABLE changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, scope_id INTEGER NOT NULL, source_id INTEGER NOT NULL,
    UNIQUE (scope_id, source_id)
);
CREATE TRIGGER message_changed AFTER UPDATE OF text, retracted ON messages BEGIN
    INSERT OR REPLACE INTO changes (scope_id, source_id) VALUES (NEW.scope_id, NEW.source_id);
END;
"""

#: Since schema 5: memories that live in an archive. Triggers keep `archived` disjoint from `made`:
#: a memory that is made anew or forgotten leaves `archived`, and its place becomes stale.
#: `is_archived` marks outbox rows that tell the store of an archived memory; such a row adds
#: nothing to `made`.
_ARCHIVED = """
CREATE TABLE archived (
    scope_id INTEGER NOT NULL, key TEXT NOT NULL, tier TEXT NOT NULL, place TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    revision TEXT NOT NULL, tokens INTEGER NOT NULL, moved_at INTEGER NOT NULL, day TEXT NOT NULL,
    kind TEXT NOT NULL,
    stands INTEGER NOT NULL, PRIMARY KEY (scope_id, key)
) WITHOUT ROWID;
CREATE INDEX archived_by_place ON archived (scope_id, tier, place);
CREATE INDEX archived_standing ON archived (scope_id, day) WHERE stands = 1;
CREATE TABLE stale_places (
    id INTEGER PRIMARY KEY AUTOINCREMENT, scope_id INTEGER NOT NULL, tier TEXT NOT NULL,
    place TEXT NOT NULL,
    UNIQUE (scope_id, tier, place)
);
CREATE TRIGGER archived_gone AFTER DELETE ON archived BEGIN
    INSERT OR REPLACE INTO stale_places (scope_id, tier, place) VALUES (OLD.scope_id, OLD.tier,
    OLD.place);
END;
CREATE TRIGGER archived_moved AFTER UPDATE OF tier, place ON archived WHEN (OLD.tier,
    OLD.place) <> (NEW.tier, NEW.place) BEGIN
    INSERT OR REPLACE INTO stale_places (scope_id, tier, place) VALUES (OLD.scope_id, OLD.tier,
    OLD.place);
END;
ALTER TABLE outbox ADD COLUMN is_archived INTEGER NOT NULL DEFAULT 0;
DROP TRIGGER made_put;
CREATE TRIGGER made_put AFTER INSERT ON outbox WHEN NEW.entry IS NOT NULL
    AND NEW.is_archived = 0 BEGIN
    INSERT OR REPLACE INTO made VALUES (NEW.scope_id, NEW.key, NEW.entry);
    DELETE FROM archived WHERE scope_id = NEW.scope_id AND key = NEW.key;
END;
CREATE TRIGGER archived_forgotten AFTER INSERT ON outbox WHEN NEW.entry IS NULL BEGIN
    DELETE FROM archived WHERE scope_id = NEW.scope_id AND key = NEW.key;
END;
"""

#: Since schema 6: messages whose text is in the file of their month. A change that gives a row a
#: text again, or forgets the message, removes it from `talk` (`stale` counts such changes until the
#: file is written anew). Moving a text to a file is no change of the message.
_TALK = """
CREATE TABLE talk_places (
    id INTEGER PRIMARY KEY, scope_id INTEGER NOT NULL, path TEXT NOT NULL UNIQUE,
    stale INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE talk (seq INTEGER PRIMARY KEY, place_id INTEGER NOT NULL REFERENCES talk_places);
CREATE INDEX talk_by_place ON talk (place_id);
CREATE TRIGGER talk_back AFTER UPDATE OF text, retracted ON messages
WHEN (NEW.text <> '' OR NEW.retracted = 2) AND EXISTS (SELECT 1 FROM talk WHERE seq = NEW.seq) BEGIN
    UPDATE talk_places SET stale = stale + 1 WHERE id = (SELECT place_id FROM talk
    WHERE seq = NEW.seq);
    DELETE FROM talk WHERE seq = NEW.seq;
END;
DROP TRIGGER message_changed;
CREATE TRIGGER message_changed AFTER UPDATE OF text, retracted ON messages
WHEN OLD.text = '' OR NEW.text <> '' OR NOT EXISTS (SELECT 1 FROM talk WHERE seq = NEW.seq) BEGIN
    INSERT OR REPLACE INTO changes (scope_id, source_id) VALUES (NEW.scope_id, NEW.source_id);
END;
"""

_TABLES = f"""
CREATE TABLE scopes (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);
CREATE TABLE sources (
    id INTEGER PRIMARY KEY, agent TEXT NOT NULL, session TEXT NOT NULL, path TEXT NOT NULL,
    UNIQUE (session, agent, path)
);
CREATE TABLE messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, scope_id INTEGER NOT NULL REFERENCES scopes,
    id TEXT NOT NULL,
    -- Unix milliseconds
    text_hash BLOB NOT NULL, role TEXT NOT NULL, text TEXT NOT NULL, at INTEGER NOT NULL,
    tokens INTEGER NOT NULL, source_id INTEGER NOT NULL REFERENCES sources, line INTEGER NOT NULL,
    -- 1: the transcript took it back; 2: a person forgot it, its text is gone
    retracted INTEGER NOT NULL DEFAULT 0,
    place INTEGER,
    UNIQUE (scope_id, id, text_hash)
);
CREATE INDEX messages_in_order ON messages (scope_id, seq) WHERE retracted = 0;
CREATE INDEX messages_by_source ON messages (source_id, seq);
CREATE TABLE cursors (
    identity TEXT PRIMARY KEY, path TEXT NOT NULL, "offset" INTEGER NOT NULL, line INTEGER NOT NULL,
    head TEXT NOT NULL, head_bytes INTEGER NOT NULL, tail TEXT NOT NULL,
    tail_bytes INTEGER NOT NULL,
    is_rereading INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE rejects (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, line INTEGER NOT NULL, "offset" INTEGER NOT NULL,
    length INTEGER NOT NULL,
    reason TEXT NOT NULL, UNIQUE (path, "offset", length)
);
CREATE TABLE positions (
    scope_id INTEGER NOT NULL, reader TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (scope_id,
    reader)
) WITHOUT ROWID;
CREATE TABLE chunks (
    scope_id INTEGER NOT NULL, reader TEXT NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL,
    tokens INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (scope_id, reader, start),
    CHECK (start < "end")
) WITHOUT ROWID;
CREATE TABLE outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, scope_id INTEGER NOT NULL,
    key TEXT NOT NULL, entry TEXT);
CREATE TABLE history (
    id INTEGER PRIMARY KEY AUTOINCREMENT, scope_id INTEGER NOT NULL, run_id INTEGER NOT NULL,
    document TEXT NOT NULL
);
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, scope_id INTEGER NOT NULL, reader TEXT NOT NULL,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, messages INTEGER NOT NULL,
    source_tokens INTEGER NOT NULL, documents INTEGER NOT NULL, document_tokens INTEGER NOT NULL,
    model TEXT NOT NULL
);
CREATE TABLE usage (
    day TEXT NOT NULL, role TEXT NOT NULL, calls INTEGER NOT NULL, input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL, failures INTEGER NOT NULL, seconds REAL NOT NULL,
    dollars REAL NOT NULL DEFAULT 0,  -- what the models said that it cost; since schema 4
    PRIMARY KEY (day, role)
) WITHOUT ROWID;
CREATE TABLE incidents (
    name TEXT PRIMARY KEY, detail TEXT NOT NULL, since INTEGER NOT NULL, tries INTEGER NOT NULL,
    next_try INTEGER NOT NULL
) WITHOUT ROWID;
{_DURABLE}
{_CHANGES}
{_ARCHIVED}
{_TALK}
PRAGMA application_id = {_APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
"""


def connect_journal_file(file: Path, busy_timeout_ms: int) -> sqlite3.Connection:
    """Open the journal's file; a new file is created (0600) with its tables.

    Raises StoreError, ShapeMismatch.
    """
    return open_private(file, "journal", busy_timeout_ms, _prepare_journal_file)


def _prepare_journal_file(connection: sqlite3.Connection, file: Path) -> None:
    if pragma(connection, "user_version") == 0:
        # Only an empty file takes this setting; `compact` gives space back.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        create_tables(connection, file, _TABLES)
    verify_owner(connection, file, _APPLICATION_ID)
    upgrade(
        connection,
        file,
        "journal",
        (_upgrade_journal_to_2, _upgrade_journal_to_3, _to_4, _to_5, _to_6),
    )
    use_wal(connection)


def _upgrade_journal_to_2(connection: sqlite3.Connection) -> None:
    """Make the documents that Gieok made durable.

    Documents in the outbox are newer than the store's (see `adopt`).
    """
    for statement in split_sql_script(_DURABLE):
        connection.execute(statement)
    connection.execute(
        "INSERT INTO made SELECT scope_id, key, entry FROM outbox o WHERE entry IS NOT NULL "
        "AND id = (SELECT max(id) FROM outbox WHERE scope_id = o.scope_id AND key = o.key)"
    )


def _upgrade_journal_to_3(connection: sqlite3.Connection) -> None:
    """Number the changes of messages, and keep the places of their versions."""
    connection.execute("ALTER TABLE messages ADD COLUMN place INTEGER")
    connection.execute(
        "UPDATE messages SET place = first FROM "
        "(SELECT scope_id, id, min(seq) AS first FROM messages GROUP BY scope_id, id HAVING "
        "count(*) > 1) AS v "
        "WHERE v.scope_id = messages.scope_id AND v.id = messages.id AND first < seq"
    )
    for statement in split_sql_script(_CHANGES):
        connection.execute(statement)


def _to_4(connection: sqlite3.Connection) -> None:
    """Add columns for the costs that models report."""
    connection.execute("ALTER TABLE usage ADD COLUMN dollars REAL NOT NULL DEFAULT 0")


def _to_5(connection: sqlite3.Connection) -> None:
    """Add the tables of archived memories and stale places."""
    for statement in split_sql_script(_ARCHIVED):
        connection.execute(statement)


def _to_6(connection: sqlite3.Connection) -> None:
    """Add the tables for texts of old messages in files."""
    for statement in split_sql_script(_TALK):
        connection.execute(statement)
