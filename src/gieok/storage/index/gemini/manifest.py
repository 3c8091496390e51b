"""Which documents the service holds, recorded in the store's own SQLite file.

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


class Upload(NamedTuple):
    """A document at the service. `hash` is of what was uploaded, `content_hash` the document's,
    `name` the service's.
    """

    id: str
    scope: str
    key: str
    hash: str
    content_hash: str
    store: str
    name: str


class Attempt(NamedTuple):
    """An upload that was begun; its label `nonce` finds it at the service."""

    nonce: str
    id: str
    hash: str
    store: str
    begun_at: int


class UploadUsage(NamedTuple):
    """Calls and tokens of some days, by kind of call."""

    calls: dict[str, int]
    input_tokens: int
    output_tokens: int


Transaction = Callable[[], AbstractContextManager[sqlite3.Connection]]


def document_id(scope: Scope, key: str) -> str:
    """Return the identifier of a document at the service: short, and without its name."""
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
        """Count the passages of documents that are at the service as they are here."""
        condition, values = (" WHERE s.path = ?", (scope.path,)) if scope else ("", ())
        with self._reading() as db:
            row = db.execute(
                "SELECT total(d.passage_count) FROM documents d JOIN scopes s ON s.id = "
                "d.scope_id JOIN gemini_uploads u "
                f"ON u.scope = s.path AND u.key = d.key AND u.content_hash = "
                f"d.content_hash{condition}",
                values,
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
        """Record an active upload; the one it replaces is to be deleted."""
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
        """Forget an attempt; the document `name` that it made is to be deleted."""
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
        """Return the service's names of what is to be deleted."""
        with self._reading() as db:
            return [name for (name,) in db.execute("SELECT name FROM gemini_retired ORDER BY name")]

    def lose(self, ids: list[str]) -> None:
        """Forget uploads that the service has lost: the next sync uploads them again."""
        with self._writing() as db:
            db.executemany("DELETE FROM gemini_uploads WHERE id = ?", [(i,) for i in ids])

    def note_file(self, name: str, nonce: str) -> None:
        """Record a file that an upload left at the file service."""
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO gemini_files VALUES (?, ?)", (name, nonce))

    def files(self, *, of_attempts: bool = True) -> list[str]:
        """Return the files that uploads left at the file service; without those that an unfinished
        one may still need.
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
        """Record that the service was asked what it holds, and how many documents of ours that
        were.
        """
        with self._writing() as db:
            db.execute("DELETE FROM gemini_compared")
            db.execute("INSERT INTO gemini_compared VALUES (?, ?)", (round(now.timestamp()), held))

    def compared(self) -> tuple[datetime, int] | None:
        """Return when the service was asked last what it holds, and how much that was; None for
        never.
        """
        with self._reading() as db:
            row = db.execute("SELECT at, held FROM gemini_compared").fetchone()
        return (datetime.fromtimestamp(row[0], UTC), row[1]) if row else None

    def note_lost(self, now: datetime) -> None:
        """Record that there was a manifest before this one: what it said is at the service
        alone.
        """
        with self._writing() as db:
            db.execute("INSERT INTO gemini_lost VALUES (?)", (round(now.timestamp()),))

    def is_empty(self) -> bool:
        """Say whether no document is recorded to be at the service, or on its way."""
        return not self._holds("uploads", "attempts", "retired", "files")

    def _holds(self, *tables: str) -> bool:
        with self._reading() as db:
            return any(
                db.execute(f"SELECT EXISTS (SELECT 1 FROM gemini_{table})").fetchone()[0]
                for table in tables
            )

    def is_clear(self) -> bool:
        """Say whether nothing was ever sent from here, or all of it was deleted and looked
        after.
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
        """Mark documents of no recorded upload for deletion."""
        with self._writing() as db:
            db.executemany(
                "INSERT OR IGNORE INTO gemini_retired VALUES (?)", [(name,) for name in names]
            )

    def deleted(self, name: str) -> None:
        """Forget what has been deleted."""
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
        """Count a call (`what`), or the tokens of one (`what` is '')."""
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
        calls = {what: count for what, count, _, _ in rows if what and count}
        return UploadUsage(calls, sum(row[2] for row in rows), sum(row[3] for row in rows))
