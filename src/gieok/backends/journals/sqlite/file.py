"""The journal's file, its transactions, and the numbers of its scopes."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from gieok.backends.journals.sqlite import schema
from gieok.backends.journals.sqlite.talk_files import TalkFiles, plain
from gieok.backends.sqlite.connections import SqliteFile
from gieok.backends.sqlite.files import BUSY_TIMEOUT_MS
from gieok.errors import StoreError
from gieok.model.memory import Scope
from gieok.ports.archive import Sealer


class JournalFile(SqliteFile):
    """What the parts of the journal share."""

    what = "journal"

    def __init__(
        self, file: Path, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS, sealers: Callable[[], Sequence[Sealer]] = plain
    ) -> None:
        #: What was said long ago (`talk`).
        self.talk = TalkFiles(file.parent / "archive" / "talk", sealers)
        super().__init__(file, busy_timeout_ms)

    def _connect(self) -> sqlite3.Connection:
        connection = schema.connect(self._file, self._busy_timeout_ms)
        connection.create_function("spoken", 2, self.talk.text)
        return connection

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._failing_as_files_do(), super()._reading() as db:
            yield db

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._failing_as_files_do(), super()._writing() as db:
            yield db

    @contextmanager
    def _failing_as_files_do(self) -> Iterator[None]:
        """Raise what a file of talk raised, not that a function of SQLite failed."""
        self.talk.failed = None
        try:
            yield
        except StoreError as error:
            if self.talk.failed is not None:
                raise self.talk.failed from error
            raise

    @contextmanager
    def _reading_of(self, scope: Scope) -> Iterator[tuple[sqlite3.Connection, int]]:
        """Read in one snapshot; the scope's id is -1 where it has none."""
        with self._reading() as db:
            row = db.execute("SELECT id FROM scopes WHERE path = ?", (scope.path,)).fetchone()
            yield db, row[0] if row else -1

    @contextmanager
    def _writing_to(self, scope: Scope) -> Iterator[tuple[sqlite3.Connection, int]]:
        """Write in one transaction, in which the scope has an id."""
        with self._writing() as db:
            yield db, scope_id(db, scope)


def scope_id(db: sqlite3.Connection, scope: Scope) -> int:
    """Return the id of a scope, making the row when it is new."""
    db.execute("INSERT OR IGNORE INTO scopes (path) VALUES (?)", (scope.path,))
    return int(db.execute("SELECT id FROM scopes WHERE path = ?", (scope.path,)).fetchone()[0])
