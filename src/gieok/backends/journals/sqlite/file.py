"""The journal's file: its transactions, the numbers of its scopes, and what only SQLite has or lacks."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from gieok.backends.journals.sql.database import Db, Owner, SqlJournal
from gieok.backends.journals.sqlite import schema
from gieok.backends.sqlite.connections import SqliteFile
from gieok.backends.sqlite.files import BUSY_TIMEOUT_MS
from gieok.model.memory import Scope

_NOBODY = Owner("", "", "", ())


class JournalFile(SqliteFile, SqlJournal):
    """`SqlJournal` on a file. Triggers number changes and keep what is made; one process writes at a time."""

    what = "journal"
    _of_source = "s.id = m.source_id"
    _hash_of_entry = "json_extract(entry, '$[0][3]')"

    def __init__(self, file: Path, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> None:
        super().__init__(file, busy_timeout_ms)

    def _connect(self) -> sqlite3.Connection:
        return schema.connect(self._file, self._busy_timeout_ms)

    @contextmanager
    def _reading_of(self, scope: Scope) -> Iterator[tuple[sqlite3.Connection, int]]:
        with self._reading() as db:
            row = db.execute("SELECT id FROM scopes WHERE path = ?", (scope.path,)).fetchone()
            yield db, row[0] if row else -1

    @contextmanager
    def _writing_to(self, scope: Scope) -> Iterator[tuple[sqlite3.Connection, int]]:
        with self._writing() as db:
            yield db, _scope_id(db, scope)

    @contextmanager
    def _writing_to_all(self, scopes: Iterable[Scope]) -> Iterator[tuple[sqlite3.Connection, dict[Scope, int]]]:
        with self._writing() as db:
            yield db, {scope: _scope_id(db, scope) for scope in scopes}

    @contextmanager
    def _writing_to_realm(self, realm: str) -> Iterator[sqlite3.Connection]:  # noqa: ARG002 - one lock for all
        with self._writing() as db:
            yield db

    def _owner(self, sid: int) -> Owner:  # noqa: ARG002 - the file owns it
        return _NOBODY

    def _owner_of(self, realm: str) -> Owner:  # noqa: ARG002 - the file owns it
        return _NOBODY

    def _queue(self, db: Db, sid: int, rows: Sequence[tuple[str, str | None]], *, is_archived: bool = False) -> None:
        db.executemany(
            "INSERT INTO outbox (scope_id, key, entry, is_archived) VALUES (?, ?, ?, ?)",
            [(sid, *row, int(is_archived)) for row in rows],
        )


def _scope_id(db: sqlite3.Connection, scope: Scope) -> int:
    """Return the id of a scope, making the row when it is new."""
    db.execute("INSERT OR IGNORE INTO scopes (path) VALUES (?)", (scope.path,))
    return int(db.execute("SELECT id FROM scopes WHERE path = ?", (scope.path,)).fetchone()[0])
