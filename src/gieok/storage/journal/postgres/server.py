"""The journal's connection to the server: writers of a scope take turns.

Writers of a scope lock its row, in the order of numbers, so writers of different scopes do not wait
for each other.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from gieok.errors import StoreError
from gieok.model.memory import Scope
from gieok.storage.journal import CORRECTIONS
from gieok.storage.journal.postgres.schema import NAME, TABLES
from gieok.storage.journal.sql.archive_rows import mark_stale
from gieok.storage.journal.sql.database import Db, Owner, SqlJournal
from gieok.storage.postgres.connection import LOCK_TIMEOUT_MS, TIMEOUT_S, Connections, read_address
from gieok.storage.postgres.numbers import number_of, scope_number
from gieok.storage.postgres.statements import Elsewhere, Statements


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

    @contextmanager
    def _reading(self) -> Iterator["Statements"]:
        with self._connections.reading() as db:
            yield Statements(db)

    @contextmanager
    def _reading_of(self, scope: Scope) -> Iterator[tuple["Statements", int]]:
        with self._reading() as db:
            number = scope_number(scope.path)
            # Compare the path too: whoever may name scopes could find two with one number.
            known = db.execute(
                "SELECT 1 FROM scopes WHERE id = ? AND path = ?", (number, scope.path)
            ).fetchone()
            yield db, number if known else -1

    @contextmanager
    def _writing(self) -> Iterator["Statements"]:
        with self._connections.writing() as db:
            yield Statements(db)

    @contextmanager
    def _writing_to(self, scope: Scope) -> Iterator[tuple["Statements", int]]:
        with self._writing_to_all([scope]) as (db, numbers):
            yield db, numbers[scope]

    @contextmanager
    def _writing_to_all(
        self, scopes: Iterable[Scope]
    ) -> Iterator[tuple["Statements", dict[Scope, int]]]:
        numbers = {scope: scope_number(scope.path) for scope in scopes}
        with self._writing() as db:
            for scope, number in sorted(numbers.items(), key=lambda item: item[1]):
                self._lock(db, scope, number)
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
        for tier, place in sorted(set(db.execute(gone, (sid, keys)).fetchall())):
            mark_stale(db, sid, tier, place)
        db.execute("DELETE FROM made WHERE scope_id = ? AND key = ANY(?)", (sid, keys))
        put = [(sid, key, entry) for key, entry in dict(rows).items() if entry is not None]
        db.executemany("INSERT INTO made (scope_id, key, entry) VALUES (?, ?, ?)", put)

    def _lock(self, db: Db, scope: Scope, number: int) -> None:
        """Lock the row of a scope until the end of the transaction; a new scope gets a row."""
        known = "SELECT path FROM scopes WHERE id = ? FOR NO KEY UPDATE"
        row = db.execute(known, (number,)).fetchone()
        if row is None:
            db.execute(
                "INSERT INTO scopes (id, path) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (number, scope.path),
            )
            row = db.execute(known, (number,)).fetchone()
        if row is None or row[0] != scope.path:
            raise StoreError(
                "{location}: {scope} has the number of another scope",
                location=self.location,
                scope=scope,
                hint="use another name for it",
            )
