"""Manifest of the documents at the service, in the store's own SQLite file.

An upload is recorded before it begins (`attempts`) and once it is active (`uploads`), in one
transaction with the retirement of the version before it (`retired`): a sync that is killed at any
point resumes without a second copy of any document.
"""

import hashlib
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import NamedTuple

from gieok.model.memory import Scope
from gieok.places.scope import SESSIONS

#: Begins the keys of conversations, which the service does not get.
UNSENT_PREFIX = f"{SESSIONS}/"
_TABLES = """
CREATE TABLE IF NOT EXISTS gemini_uploads (
    id TEXT PRIMARY KEY, scope TEXT NOT NULL, key TEXT NOT NULL,
    hash TEXT NOT NULL,  -- of what was uploaded
    content_hash TEXT NOT NULL, store TEXT NOT NULL, name TEXT NOT NULL,
    uploaded_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS gemini_attempts (
    nonce TEXT PRIMARY KEY, id TEXT NOT NULL, hash TEXT NOT NULL, store TEXT NOT NULL,
    begun_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS gemini_retired (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS gemini_usage (
    day TEXT NOT NULL, what TEXT NOT NULL, calls INTEGER NOT NULL, input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    PRIMARY KEY (day, what)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS gemini_stores (display_name TEXT PRIMARY KEY,
    name TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS gemini_files (name TEXT PRIMARY KEY, nonce TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS gemini_compared (at INTEGER NOT NULL, held INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS gemini_dropped (at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS gemini_lost (at INTEGER NOT NULL);
"""

#: Kind under which the tokens of uploaded texts are counted: they have a price of their own.
INDEXING = "indexing"


class Upload(NamedTuple):
    """Document at the service.

    `hash` is that of the upload, '' where it is to be uploaded again, `content_hash` that of the
    document, `name` the service's name of it.
    """

    id: str
    scope: str
    key: str
    hash: str
    content_hash: str
    store: str
    name: str


class Attempt(NamedTuple):
    """Upload that was begun; its label `nonce` finds the upload at the service."""

    nonce: str
    id: str
    hash: str
    store: str
    begun_at: int


class UploadUsage(NamedTuple):
    """Calls and tokens of some days, by kind of call.

    `indexed_tokens` are those of the uploaded texts, by our own estimate: the service tells none.
    """

    calls: dict[str, int]
    input_tokens: int
    output_tokens: int
    indexed_tokens: int


Transaction = Callable[[], AbstractContextManager[sqlite3.Connection]]


def document_id(scope: Scope, key: str) -> str:
    """Return the identifier of a document at the service: short, and without the key."""
    return hashlib.sha256(f"{scope.path}\0{key}".encode()).hexdigest()[:32]


class UploadManifest:
    """Reads and writes the tables; every method is one transaction."""

    def __init__(self, reading: Transaction, writing: Transaction) -> None:
        self._reading = reading
        self._writing = writing
        with writing() as db:
            for statement in _TABLES.split(";\n"):
                db.execute(statement)

    def uploads(self) -> dict[str, Upload]:
        """Return id → upload."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT id, scope, key, hash, content_hash, store, name FROM gemini_uploads"
            ).fetchall()
        return {row[0]: Upload(*row) for row in rows}

    def uploaded_passages(self, scope: Scope | None) -> int:
        """Count the passages of documents whose current version is at the service."""
        condition, values = (" WHERE s.path = ?", (scope.path,)) if scope else ("", ())
        with self._reading() as db:
            row = db.execute(
                "SELECT total(d.passage_count) FROM documents d JOIN scopes s ON s.id = "
                "d.scope_id JOIN gemini_uploads u "
                "ON u.scope = s.path AND u.key = d.key AND u.content_hash = "
                f"d.content_hash{condition}",
                values,
            ).fetchone()
        return int(row[0])

    def count_unsent_passages(self, scope: Scope | None) -> int:
        """Count the passages of conversations, which the service does not get."""
        condition, values = (" AND s.path = ?", (scope.path,)) if scope else ("", ())
        with self._reading() as db:
            row = db.execute(
                "SELECT total(d.passage_count) FROM documents d JOIN scopes s ON s.id = d.scope_id "
                f"WHERE d.key GLOB ?{condition}",
                (f"{UNSENT_PREFIX}*", *values),
            ).fetchone()
        return int(row[0])

    def attempts(self) -> list[Attempt]:
        """Return the uploads that were begun and not finished."""
        with self._reading() as db:
            return [
                Attempt(*row) for row in db.execute("SELECT * FROM gemini_attempts ORDER BY nonce")
            ]

    def begin(self, attempt: Attempt) -> None:
        """Record an upload before it begins."""
        with self._writing() as db:
            db.execute("DELETE FROM gemini_dropped")
            db.execute("INSERT INTO gemini_attempts VALUES (?, ?, ?, ?, ?)", attempt)

    def finish(self, upload: Upload, nonce: str, now: datetime) -> None:
        """Record an active upload; mark the upload that it replaces for deletion."""
        with self._writing() as db:
            db.execute(
                (
                    "INSERT OR IGNORE INTO gemini_retired SELECT name FROM gemini_uploads WHERE "
                    "id = ? AND name <> ?"
                ),
                (upload.id, upload.name),
            )
            values = (*upload, round(now.timestamp()))
            db.execute(
                "INSERT OR REPLACE INTO gemini_uploads VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values
            )
            db.execute("DELETE FROM gemini_attempts WHERE nonce = ?", (nonce,))

    def abandon(self, nonce: str, name: str = "") -> None:
        """Forget an attempt; mark the document `name` that it made for deletion."""
        with self._writing() as db:
            db.execute("DELETE FROM gemini_attempts WHERE nonce = ?", (nonce,))
            if name:
                db.execute("INSERT OR IGNORE INTO gemini_retired VALUES (?)", (name,))

    def retire(self, ids: list[str]) -> None:
        """Mark uploads for deletion."""
        with self._writing() as db:
            for i in ids:
                db.execute(
                    (
                        "INSERT OR IGNORE INTO gemini_retired SELECT name FROM gemini_uploads "
                        "WHERE id = ?"
                    ),
                    (i,),
                )
                db.execute("DELETE FROM gemini_uploads WHERE id = ?", (i,))

    def retired(self) -> list[str]:
        """Return the service's names of the documents to delete."""
        with self._reading() as db:
            return [name for (name,) in db.execute("SELECT name FROM gemini_retired ORDER BY name")]

    def lose(self, ids: list[str]) -> None:
        """Forget uploads that the service has lost: the next sync uploads them again."""
        with self._writing() as db:
            db.executemany("DELETE FROM gemini_uploads WHERE id = ?", [(i,) for i in ids])

    def mark_all_stale(self) -> None:
        """Have the next syncs upload everything again; where some still do, let them go on."""
        with self._writing() as db:
            db.execute(
                "UPDATE gemini_uploads SET hash = '' WHERE NOT EXISTS "
                "(SELECT 1 FROM gemini_uploads WHERE hash = '')"
            )

    def note_file(self, name: str, nonce: str) -> None:
        """Record a file that an upload left at the file service."""
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO gemini_files VALUES (?, ?)", (name, nonce))

    def files(self, *, of_attempts: bool = True) -> list[str]:
        """Return the files that uploads left at the file service.

        With `of_attempts=False`, without files that an unfinished upload may still need.
        """
        condition = "" if of_attempts else " WHERE nonce NOT IN (SELECT nonce FROM gemini_attempts)"
        with self._reading() as db:
            return [
                name
                for (name,) in db.execute(f"SELECT name FROM gemini_files{condition} ORDER BY name")
            ]

    def file_deleted(self, name: str) -> None:
        """Forget a file that has been deleted."""
        with self._writing() as db:
            db.execute("DELETE FROM gemini_files WHERE name = ?", (name,))

    def note_compared(self, now: datetime, held: int) -> None:
        """Record a comparison with the service, and how many documents of ours it holds."""
        with self._writing() as db:
            db.execute("DELETE FROM gemini_compared")
            db.execute("INSERT INTO gemini_compared VALUES (?, ?)", (round(now.timestamp()), held))

    def compared(self) -> tuple[datetime, int] | None:
        """Return the time of the last comparison and the number of documents; None for never."""
        with self._reading() as db:
            row = db.execute("SELECT at, held FROM gemini_compared").fetchone()
        return (datetime.fromtimestamp(row[0], UTC), row[1]) if row else None

    def note_lost(self, now: datetime) -> None:
        """Record that a manifest before this one was lost.

        Its uploads are known to the service alone.
        """
        with self._writing() as db:
            db.execute("INSERT INTO gemini_lost VALUES (?)", (round(now.timestamp()),))

    def is_empty(self) -> bool:
        """Say whether no document is recorded as uploaded or on its way."""
        return not self._holds("uploads", "attempts", "retired", "files")

    def _holds(self, *tables: str) -> bool:
        with self._reading() as db:
            return any(
                db.execute(f"SELECT EXISTS (SELECT 1 FROM gemini_{table})").fetchone()[0]
                for table in tables
            )

    def is_clear(self) -> bool:
        """Say whether the service certainly holds nothing of ours.

        Nothing was ever sent from here, or all of it was deleted and the deletion verified.
        """
        if not self.is_empty() or self._holds("stores", "lost"):
            return False
        with self._reading() as db:
            sent, dropped = db.execute(
                "SELECT EXISTS (SELECT 1 FROM gemini_usage WHERE what = 'upload'), EXISTS "
                "(SELECT 1 FROM gemini_dropped)"
            ).fetchone()
        return bool(dropped or not sent)

    def note_dropped(self, now: datetime) -> None:
        """Record that the service holds nothing of ours any more."""
        with self._writing() as db:
            for table in ("stores", "uploads", "attempts", "retired", "files", "compared", "lost"):
                db.execute(f"DELETE FROM gemini_{table}")
            db.execute("INSERT INTO gemini_dropped VALUES (?)", (round(now.timestamp()),))

    def add_retired(self, names: list[str]) -> None:
        """Mark documents without a recorded upload for deletion."""
        with self._writing() as db:
            db.executemany(
                "INSERT OR IGNORE INTO gemini_retired VALUES (?)", [(name,) for name in names]
            )

    def deleted(self, name: str) -> None:
        """Forget a document that has been deleted."""
        with self._writing() as db:
            db.execute("DELETE FROM gemini_retired WHERE name = ?", (name,))

    def store_names(self) -> dict[str, str]:
        """Return display name → resource name of the stores that were found or made."""
        with self._reading() as db:
            return dict(db.execute("SELECT display_name, name FROM gemini_stores").fetchall())

    def know_store(self, display_name: str, name: str) -> None:
        """Remember a store."""
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO gemini_stores VALUES (?, ?)", (display_name, name))

    def forget_stores(self) -> None:
        """Forget the stores and all uploads to them: the next sync looks for them again."""
        with self._writing() as db:
            for table in ("stores", "uploads", "attempts", "retired"):
                db.execute(f"DELETE FROM gemini_{table}")

    def count(self, day: str, what: str, input_tokens: int, output_tokens: int) -> None:
        """Count a call of the kind `what`, or the tokens of a call (`what` is '').

        Of `INDEXING` only the tokens count: its call is counted as an upload.
        """
        with self._writing() as db:
            db.execute(
                "INSERT INTO gemini_usage VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                "calls = calls + excluded.calls, "
                "input = input + excluded.input, output = output + excluded.output",
                (day, what, int(bool(what)), input_tokens, output_tokens),
            )

    def usage(self, since_day: str) -> UploadUsage:
        """Add up the calls and tokens since a day."""
        with self._reading() as db:
            rows = db.execute(
                (
                    "SELECT what, sum(calls), sum(input), sum(output) FROM gemini_usage WHERE day "
                    ">= ? GROUP BY what"
                ),
                (since_day,),
            ).fetchall()
        asked = [row for row in rows if row[0] != INDEXING]
        return UploadUsage(
            calls={what: count for what, count, _, _ in asked if what and count},
            input_tokens=sum(row[2] for row in asked),
            output_tokens=sum(row[3] for row in asked),
            indexed_tokens=sum(row[2] for row in rows if row[0] == INDEXING),
        )
