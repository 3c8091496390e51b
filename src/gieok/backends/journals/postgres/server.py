"""The journal's connection to the server: texts that PostgreSQL refuses, numbers of scopes, and writers that take turns.

Writers of a scope lock its row, in the order of numbers, so those of different scopes do not wait for each other.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import psycopg

from gieok.backends.journals import CORRECTIONS
from gieok.backends.journals.postgres.schema import NAME, TABLES
from gieok.backends.journals.sql.archived import mark_stale
from gieok.backends.journals.sql.database import Db, Owner, SqlJournal
from gieok.backends.postgres.connection import LOCK_TIMEOUT_MS, TIMEOUT_S, Connections, read_address
from gieok.errors import StoreError
from gieok.model.memory import Scope

#: What PostgreSQL does not take, and this character itself (data link escape), is written as it and four hexadecimal digits.
_ESCAPE = "\x10"
_REFUSED = re.compile("[\0\x10\ud800-\udfff]")
_ESCAPED = re.compile("\x10([0-9a-f]{4})")


class JournalServer(SqlJournal):
    """`SqlJournal` on a server."""

    _of_source = "s.scope_id = m.scope_id AND s.id = m.source_id"
    #: The fourth text of the first list. Not as JSON, all texts of which the server would decode, and refuse NUL.
    _hash_of_entry = r"""(regexp_match(entry, '^\[\[("([^"\\]|\\.)*", ){3}"([^"]*)"'))[3]"""

    def __init__(
        self, url: str, *, password: str = "", lock_timeout_ms: int = LOCK_TIMEOUT_MS, timeout_s: float = TIMEOUT_S
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
            # The path too: whoever may name scopes could find two with one number.
            known = db.execute("SELECT 1 FROM scopes WHERE id = ? AND path = ?", (number, scope.path)).fetchone()
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
    def _writing_to_all(self, scopes: Iterable[Scope]) -> Iterator[tuple["Statements", dict[Scope, int]]]:
        numbers = {scope: scope_number(scope.path) for scope in scopes}
        with self._writing() as db:
            for scope, number in sorted(numbers.items(), key=lambda item: item[1]):
                self._lock(db, scope, number)
            yield db, numbers

    @contextmanager
    def _writing_to_realm(self, realm: str) -> Iterator["Statements"]:
        with self._writing() as db:
            db.execute("SELECT pg_advisory_xact_lock(?)", (_number("realm", realm),))
            yield db

    def _owner(self, sid: int) -> Owner:
        return Owner(" AND scope_id = ?", "scope_id, ", "?, ", (sid,))

    def _owner_of(self, realm: str) -> Owner:
        # Corrections stand beside the messages of their scope; other realms are as scopes of their own.
        return self._owner(scope_number(realm.removeprefix(CORRECTIONS)))

    def _changed(self, db: Db, sid: int, seqs: Sequence[int]) -> None:
        if seqs:
            db.execute(
                "INSERT INTO changes (scope_id, source_id) SELECT DISTINCT scope_id, source_id FROM messages "
                "WHERE scope_id = ? AND seq = ANY(?) ON CONFLICT (scope_id, source_id) DO UPDATE SET id = excluded.id",
                (sid, list(seqs)),
            )

    def _numbered(self, db: Db, most: int) -> None:
        is_behind = "WHERE (SELECT last_value FROM numbers) < ?"
        db.execute(f"SELECT setval('{NAME}.numbers', ?) {is_behind}", (most, most))

    def _left(self, db: Db, sid: int, tier: str, path: str) -> None:
        mark_stale(db, sid, tier, path)

    def _queue(self, db: Db, sid: int, rows: Sequence[tuple[str, str | None]], *, is_archived: bool = False) -> None:
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
        """Hold the row of a scope until the end of the transaction, making it when it is new."""
        known = "SELECT path FROM scopes WHERE id = ? FOR NO KEY UPDATE"
        row = db.execute(known, (number,)).fetchone()
        if row is None:
            db.execute("INSERT INTO scopes (id, path) VALUES (?, ?) ON CONFLICT DO NOTHING", (number, scope.path))
            row = db.execute(known, (number,)).fetchone()
        if row is None or row[0] != scope.path:
            raise StoreError(
                f"{self.location}: {scope} has the number of another scope", hint="use another name for it"
            )


class Statements:
    """A connection that takes statements with `?` for a value, and any text."""

    def __init__(self, db: psycopg.Connection) -> None:
        self._db = db

    def execute(self, sql: str, values: Sequence[Any] = ()) -> "Answer":
        """Run a statement."""
        return Answer(self._db.execute(_translated(sql), [_written(value) for value in values]))

    def executemany(self, sql: str, values: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each tuple of values."""
        rows = [[_written(value) for value in row] for row in values]
        if rows:
            self._db.cursor().executemany(_translated(sql), rows)


class Answer:
    """The rows of a statement."""

    def __init__(self, cursor: psycopg.Cursor[Any]) -> None:
        self._cursor = cursor
        self.rowcount = cursor.rowcount

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the next row, or None."""
        row = self._cursor.fetchone()
        return _read(row) if row else None

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all rows."""
        return [_read(row) for row in self._cursor.fetchall()]

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Yield rows."""
        return map(_read, self._cursor)


def scope_number(path: str) -> int:
    """Return the number of a scope: 64 bits of a hash of its path."""
    return _number("scope", path)


def lock_number(name: str) -> int:
    """Return the number of an advisory lock."""
    return _number("lock", name)


def written(text: str) -> str:
    """Return a text as PostgreSQL takes it: NUL and lone surrogates as escapes."""
    return _REFUSED.sub(lambda found: f"{_ESCAPE}{ord(found[0]):04x}", text) if _REFUSED.search(text) else text


def _number(kind: str, name: str) -> int:
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, person=kind.encode())
    return int.from_bytes(digest.digest(), signed=True)


@lru_cache(maxsize=512)
def _translated(sql: str) -> str:
    return sql.replace("%", "%%").replace("?", "%s")


def _written(value: object) -> object:
    if isinstance(value, str):
        return written(str(value))
    if isinstance(value, list):
        return [written(text) if isinstance(text, str) else text for text in value]
    return value


def _read(row: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(
        _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)
        if isinstance(value, str) and _ESCAPE in value
        else value
        for value in row
    )
