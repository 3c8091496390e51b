"""The journal's connection to the server: writers of a scope take turns.

Writers of a scope lock its row, in the order of numbers, so writers of different scopes do not wait
for each other.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext

from gieok.errors import StoreError
from gieok.model.memory import Scope
from gieok.storage.journal import CORRECTIONS
from gieok.storage.journal.postgres.schema import NAME, TABLES
from gieok.storage.journal.sql.archive_rows import mark_stale
from gieok.storage.journal.sql.database import (
    NO_SCOPE,
    Db,
    JoinedTransaction,
    Owner,
    Rows,
    SqlJournal,
    ThreadTransactions,
    defer_statement,
)
from gieok.storage.postgres.connection import LOCK_TIMEOUT_MS, TIMEOUT_S, Connections, read_address
from gieok.storage.postgres.numbers import lock_number, number_of, scope_number
from gieok.storage.postgres.statements import Elsewhere, Statements

#: The lock of deliveries. `hand_out` waits for it by a connection of the pool, so whoever holds it
#: has to get connections beyond those, or each would wait for the other.
DELIVER = "deliver"
#: Locks the row of a scope.
_LOCK = "SELECT path FROM scopes WHERE id = ? FOR NO KEY UPDATE"
_TRY_LOCK = "SELECT pg_try_advisory_xact_lock(?)"


class _Joined(JoinedTransaction):
    """Transaction of a thread on a scope, whose row it locks."""

    def __init__(self, scope: Scope, db: Statements, locked: Rows) -> None:
        super().__init__()
        self.scope, self.db = scope, db
        self._locked: Rows | None = locked
        self._path: str | None = None

    @property
    def path(self) -> str | None:
        """Return the path in the locked row; None where the scope has no row."""
        if self._locked is not None:
            row, self._locked = self._locked.fetchone(), None
            self._path = row[0] if row else None
        return self._path

    @path.setter
    def path(self, path: str | None) -> None:
        self._path = path


class JournalServer(SqlJournal):
    """`SqlJournal` on a PostgreSQL server."""

    _of_source = "s.scope_id = m.scope_id AND s.id = m.source_id"
    _text = Elsewhere.column("m.text", "m.text_hash")
    #: The fourth text of the entry's first list. Not by JSON functions: the server would decode all
    #: texts, and refuse NUL.
    _hash_of_entry = r"""(regexp_match(entry, '^\[\[("([^"\\]|\\.)*", ){3}"([^"]*)"'))[3]"""

    def __init__(
        self,
        url: str,
        *,
        password: str = "",
        lock_timeout_ms: int = LOCK_TIMEOUT_MS,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        address = read_address(url, password)
        self.location = address.location
        self._connections = Connections(address, TABLES, lock_timeout_ms, timeout_s, path=NAME)
        self._own: ThreadTransactions[_Joined] = ThreadTransactions()

    @contextmanager
    def transaction(self, scope: Scope, lock: str = "") -> Iterator[None]:
        """Let the reads and writes of this thread on a scope inside be one transaction.

        Nobody else writes to the scope meanwhile, or holds the lock `lock`.
        """
        with self._joining(scope, lock):
            yield

    @contextmanager
    def exclusive(self, name: str, *, wait: bool = True) -> Iterator[bool]:
        """Hold an advisory lock, which the server releases when the process is gone."""
        if self._own.is_held_inside(name):
            yield True
            return
        number = lock_number(name)
        with (
            self._connections.holding(number, wait=wait) as is_held,
            self._own.noting(name, is_held=is_held),
            self._connections.exceeding() if name == DELIVER and is_held else nullcontext(),
        ):
            yield is_held

    @contextmanager
    def _joining(self, scope: Scope, lock: str = "") -> Iterator[tuple["Statements", int]]:
        number = scope_number(scope.path)
        is_free = bool(lock) and not self._own.is_held(lock)
        if (joined := self._own.by_scope.get(scope)) is not None:
            with joined.join():
                yield joined.db, number
            return
        with self._writing_locked(lock) if is_free else self._writing_promptly() as db:
            known = self._own.by_scope
            known[scope] = joined = _Joined(scope, db, defer_statement(db, _LOCK, (number,)))
            try:
                yield db, number
                joined.check()
            finally:
                del known[scope]

    @contextmanager
    def _writing_promptly(self) -> Iterator["Statements"]:
        with self._connections.begin_writing(is_prompt=True) as transaction:
            yield Statements(transaction)

    @contextmanager
    def _writing_locked(self, lock: str) -> Iterator["Statements"]:
        """Write in one transaction that holds a lock.

        Where another holds it, no connection of the pool waits for it.
        """
        with ExitStack() as held:
            held.enter_context(self._own.noting(lock))
            with ExitStack() as tried:
                db = tried.enter_context(self._writing_promptly())
                (is_ours,) = db.execute(_TRY_LOCK, (lock_number(lock),)).fetchone()
                if is_ours:
                    held.push(tried.pop_all())
            if not is_ours:
                held.enter_context(self._connections.holding(lock_number(lock), wait=True))
                db = held.enter_context(self._writing_promptly())
            yield db

    def _is_locked(self, scope: Scope, sid: int) -> bool:  # noqa: ARG002 - the row says it
        joined = self._own.by_scope.get(scope)
        return joined is not None and joined.path == scope.path

    @contextmanager
    def _reading(self) -> Iterator["Statements"]:
        with self._connections.begin_reading() as transaction:
            yield Statements(transaction)

    @contextmanager
    def _reading_of(self, scope: Scope) -> Iterator[tuple["Statements", int]]:
        number = scope_number(scope.path)
        if (joined := self._own.by_scope.get(scope)) is not None:
            with joined.join():
                yield joined.db, number
                self._check_path(scope, joined.path)
            return
        with self._reading() as db:
            # Compare the path too: whoever may name scopes could find two with one number.
            known = db.execute(
                "SELECT 1 FROM scopes WHERE id = ? AND path = ?", (number, scope.path)
            ).fetchone()
            yield db, number if known else NO_SCOPE

    @contextmanager
    def _writing(self) -> Iterator["Statements"]:
        with self._connections.begin_writing() as transaction:
            yield Statements(transaction)

    @contextmanager
    def _writing_to(self, scope: Scope) -> Iterator[tuple["Statements", int]]:
        with self._writing_to_all([scope]) as (db, numbers):
            yield db, numbers[scope]

    @contextmanager
    def _writing_to_all(
        self, scopes: Iterable[Scope]
    ) -> Iterator[tuple["Statements", dict[Scope, int]]]:
        numbers = {scope: scope_number(scope.path) for scope in scopes}
        self._own.refuse_several(numbers.keys())
        joined = self._own.by_scope.get(next(iter(numbers))) if len(numbers) == 1 else None
        if joined is not None:
            with joined.join():
                if joined.path is None:
                    joined.path = self._lock(joined.db, joined.scope, numbers[joined.scope])
                self._check_path(joined.scope, joined.path)
                yield joined.db, numbers
            return
        with self._writing() as db:
            for scope, number in sorted(numbers.items(), key=lambda item: item[1]):
                self._check_path(scope, self._lock(db, scope, number))
            yield db, numbers

    @contextmanager
    def _writing_to_realm(self, realm: str) -> Iterator["Statements"]:
        with self._writing() as db:
            db.execute("SELECT pg_advisory_xact_lock(?)", (number_of("realm", realm),))
            yield db

    def _owner(self, sid: int) -> Owner:
        return Owner(" AND scope_id = ?", "scope_id, ", "?, ", (sid,))

    def _owner_of(self, realm: str) -> Owner:
        # Corrections stand beside the messages of their scope; every other realm is treated as a
        # scope of its own.
        return self._owner(scope_number(realm.removeprefix(CORRECTIONS)))

    def _changed(self, db: Db, sid: int, seqs: Sequence[int]) -> None:
        if seqs:
            db.execute(
                "INSERT INTO changes (scope_id, source_id) SELECT DISTINCT scope_id, "
                "source_id FROM messages "
                "WHERE scope_id = ? AND seq = ANY(?) ON CONFLICT (scope_id, source_id) DO "
                "UPDATE SET id = excluded.id",
                (sid, list(seqs)),
            )

    def _numbered(self, db: Db, most: int) -> None:
        is_behind = "WHERE (SELECT last_value FROM numbers) < ?"
        db.execute(f"SELECT setval('{NAME}.numbers', ?) {is_behind}", (most, most))

    def _left(self, db: Db, sid: int, tier: str, path: str) -> None:
        mark_stale(db, sid, tier, path)

    def _queue(
        self, db: Db, sid: int, rows: Sequence[tuple[str, str | None]], *, is_archived: bool = False
    ) -> None:
        if not rows:
            return
        queued = "INSERT INTO outbox (scope_id, key, entry, is_archived) VALUES (?, ?, ?, ?)"
        db.executemany(queued, [(sid, *row, int(is_archived)) for row in rows])
        if is_archived:
            return
        keys = [key for key, _ in rows]
        gone = "DELETE FROM archived WHERE scope_id = ? AND key = ANY(?) RETURNING tier, place"
        left = defer_statement(db, gone, (sid, keys))
        defer_statement(db, "DELETE FROM made WHERE scope_id = ? AND key = ANY(?)", (sid, keys))
        for tier, place in sorted(set(left.fetchall())):
            mark_stale(db, sid, tier, place)
        put = [(sid, key, entry) for key, entry in dict(rows).items() if entry is not None]
        db.executemany("INSERT INTO made (scope_id, key, entry) VALUES (?, ?, ?)", put)

    def _lock(self, db: Db, scope: Scope, number: int) -> str | None:
        """Lock the row of a scope until the end of the transaction; a new scope gets a row.

        Return the path in the row.
        """
        row = defer_statement(db, _LOCK, (number,)).fetchone()
        if row is None:
            defer_statement(
                db,
                "INSERT INTO scopes (id, path) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (number, scope.path),
            )
            row = defer_statement(db, _LOCK, (number,)).fetchone()
        return row[0] if row else None

    def _check_path(self, scope: Scope, path: str | None) -> None:
        """Raise StoreError where the row with a scope's number has another path."""
        if path is not None and path != scope.path:
            raise StoreError(
                "{location}: {scope} has the number of another scope",
                location=self.location,
                scope=scope,
                hint="use another name for it",
            )
