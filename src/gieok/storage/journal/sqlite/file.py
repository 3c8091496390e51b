"""The journal's SQLite file: transactions, scope numbers, and SQLite's peculiarities."""

import sqlite3
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, tzinfo
from pathlib import Path

from gieok.errors import StoreError
from gieok.model.memory import Scope
from gieok.ports.archive import Sealer
from gieok.storage.journal.sql.database import (
    NO_SCOPE,
    Db,
    JoinedTransaction,
    Owner,
    SqlJournal,
    ThreadTransactions,
)
from gieok.storage.journal.sqlite import schema
from gieok.storage.journal.sqlite.talk_files import TalkFiles, list_plain_sealers
from gieok.storage.sqlite.connections import SqliteFile
from gieok.storage.sqlite.files import BUSY_TIMEOUT_MS

_NOBODY = Owner("", "", "", ())


class _JoinedFile(JoinedTransaction):
    """Transaction of a thread on the file."""

    def __init__(self, db: sqlite3.Connection) -> None:
        super().__init__()
        self.db = db


class JournalFile(SqliteFile, SqlJournal):
    """`SqlJournal` on a file.

    Triggers number changes and keep made documents; one process writes at a time.
    """

    what = "journal"
    _of_source = "s.id = m.source_id"
    _hash_of_entry = "json_extract(entry, '$[0][3]')"

    #: Where a row has no text, the file of its month may have the text (`talk`).
    _text = (
        "CASE m.text WHEN '' THEN coalesce((SELECT spoken(p.path, t.seq) FROM talk t "
        "JOIN talk_places p ON p.id = t.place_id WHERE t.seq = m.seq), '') ELSE m.text END"
    )

    def __init__(
        self,
        file: Path,
        *,
        busy_timeout_ms: int = BUSY_TIMEOUT_MS,
        sealers: Callable[[], Sequence[Sealer]] = list_plain_sealers,
        zone: tzinfo = UTC,
    ) -> None:
        #: Files of old messages.
        self.talk = TalkFiles(file.parent / "archive" / "talk", sealers, zone)
        self._own: ThreadTransactions[_JoinedFile] = ThreadTransactions()
        super().__init__(file, busy_timeout_ms)

    def _connect(self) -> sqlite3.Connection:
        connection = schema.connect_journal_file(self._file, self._busy_timeout_ms)
        # A weak reference: the garbage collector cannot see what a connection holds, so a journal
        # that nobody uses would stay for ever.
        talk = weakref.ref(self.talk)

        def spoken(place: str, seq: int) -> str:
            there = talk()
            return there.text(place, seq) if there else ""

        connection.create_function("spoken", 2, spoken)
        return connection

    @contextmanager
    def _joining(self, scope: Scope) -> Iterator[tuple[sqlite3.Connection, int]]:
        known = self._own.by_scope
        joined = self._find_joined()
        with self._writing() as db:
            if scope in known:
                with self._reading_of(scope) as found:
                    yield found
                return
            known[scope] = own = joined or _JoinedFile(db)
            try:
                with self._reading_of(scope) as found:
                    yield found
                own.check()
            finally:
                del known[scope]

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._join_or_begin(super()._reading) as db:
            yield db

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._join_or_begin(super()._writing) as db:
            yield db

    @contextmanager
    def _join_or_begin(
        self, begin: Callable[[], AbstractContextManager[sqlite3.Connection]]
    ) -> Iterator[sqlite3.Connection]:
        if (joined := self._find_joined()) is not None:
            with joined.join():
                yield joined.db
            return
        with self._failing_as_files_do(), begin() as db:
            yield db

    def _find_joined(self) -> "_JoinedFile | None":
        # One transaction for the whole file, whatever scopes are in it.
        return next(iter(self._own.by_scope.values()), None)

    @contextmanager
    def _failing_as_files_do(self) -> Iterator[None]:
        """Raise the error of a file of old messages in place of SQLite's own error.

        SQLite says only that a function failed.
        """
        self.talk.failed = None
        try:
            yield
        except StoreError as error:
            if self.talk.failed is not None:
                raise self.talk.failed from error
            raise

    @contextmanager
    def _reading_of(self, scope: Scope) -> Iterator[tuple[sqlite3.Connection, int]]:
        with self._reading() as db:
            row = db.execute("SELECT id FROM scopes WHERE path = ?", (scope.path,)).fetchone()
            yield db, row[0] if row else NO_SCOPE

    @contextmanager
    def _writing_to(self, scope: Scope) -> Iterator[tuple[sqlite3.Connection, int]]:
        with self._writing() as db:
            yield db, _scope_id(db, scope)

    @contextmanager
    def _writing_to_all(
        self, scopes: Iterable[Scope]
    ) -> Iterator[tuple[sqlite3.Connection, dict[Scope, int]]]:
        several = set(scopes)
        self._own.refuse_several(several)
        with self._writing() as db:
            yield db, {scope: _scope_id(db, scope) for scope in several}

    @contextmanager
    # One lock for all realms.
    def _writing_to_realm(self, realm: str) -> Iterator[sqlite3.Connection]:  # noqa: ARG002
        with self._writing() as db:
            yield db

    def _owner(self, sid: int) -> Owner:  # noqa: ARG002 - the file owns it
        return _NOBODY

    def _owner_of(self, realm: str) -> Owner:  # noqa: ARG002 - the file owns it
        return _NOBODY

    def _queue(
        self, db: Db, sid: int, rows: Sequence[tuple[str, str | None]], *, is_archived: bool = False
    ) -> None:
        db.executemany(
            "INSERT INTO outbox (scope_id, key, entry, is_archived) VALUES (?, ?, ?, ?)",
            [(sid, *row, int(is_archived)) for row in rows],
        )


def _scope_id(db: sqlite3.Connection, scope: Scope) -> int:
    """Return the id of a scope; a new scope gets a row."""
    db.execute("INSERT OR IGNORE INTO scopes (path) VALUES (?)", (scope.path,))
    return int(db.execute("SELECT id FROM scopes WHERE path = ?", (scope.path,)).fetchone()[0])
