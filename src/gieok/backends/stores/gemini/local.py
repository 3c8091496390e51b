"""The part of the store that is here: SQLite, with the manifest in the same file."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from gieok.backends.stores.gemini.manifest import UploadManifest
from gieok.backends.stores.sqlite import schema
from gieok.backends.stores.sqlite.store import SqliteStore
from gieok.model.memory import PassageId, Scope


class LocalStore(SqliteStore):
    """Documents, passages, keywords; its vectors are never used."""

    def manifest(self) -> UploadManifest:
        """Return the manifest, its tables made where they are missing."""
        return UploadManifest(self._reading, self._writing)

    def first_passage(self, scope: Scope, key: str) -> PassageId | None:
        """Return the id of a document's first passage."""
        with self._reading() as db:
            row = db.execute(
                "SELECT first_passage FROM documents WHERE key = ? AND scope_id = (SELECT id FROM scopes WHERE path = ?)",
                (key, scope.path),
            ).fetchone()
        return int(row[0]) if row else None


@contextmanager
def alone(file: Path, busy_timeout_ms: int = schema.BUSY_TIMEOUT_MS) -> Iterator[None]:
    """Hold a lock of this machine that a killed process loses. Raises StoreBusy: two syncs would upload everything twice."""
    with (
        schema.translated(file),
        closing(sqlite3.connect(file, timeout=busy_timeout_ms / 1000, isolation_level=None)) as db,
    ):
        db.execute("BEGIN EXCLUSIVE")
        yield
