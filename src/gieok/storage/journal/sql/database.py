"""Database interface of the parts of a journal: transactions, scope numbers, table owners.

The parts are written once, in the SQL that SQLite and PostgreSQL both understand, with `?` for a
value. In PostgreSQL every table belongs to scopes and each statement names one scope; in SQLite
some tables belong to the whole file (sources, cursors, rejects, kept values).
"""

import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar

from gieok.errors import StoreError
from gieok.model.memory import Scope

if TYPE_CHECKING:  # the server's client is an extra
    from gieok.storage.postgres.statements import StatementRows, Statements

#: Connection inside a transaction; every part runs the same statements on either.
Db: TypeAlias = "sqlite3.Connection | Statements"
Rows: TypeAlias = "FetchedRows | StatementRows"


#: Id that stands for a scope without a row.
NO_SCOPE = -1


class FetchedRows:
    """Rows of a statement on a file, fetched: one with RETURNING has to end before the next."""

    def __init__(self, cursor: sqlite3.Cursor) -> None:
        rows: list[tuple[Any, ...]] = cursor.fetchall() if cursor.description else []
        self.rowcount = len(rows) if cursor.description else cursor.rowcount
        self._rows = iter(rows)

    def fetchone(self) -> Any:  # noqa: ANN401 - a row has the types of its columns
        """Return the next row, or None."""
        return next(self._rows, None)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return the remaining rows."""
        return list(self._rows)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self._rows


def defer_statement(db: Db, sql: str, values: Sequence[Any] = ()) -> Rows:
    """Run a statement together with the next ones, where a round trip is saved by that.

    It is run at the latest when its rows are asked for.
    """
    if hasattr(db, "defer"):
        return db.defer(sql, values)
    # The connection of an encrypted file is of another class, with the same methods.
    return FetchedRows(db.execute(sql, values))


class JoinedTransaction:
    """Transaction that reads and writes of a thread on a scope share (`JournalUpkeep.transaction`).

    Where one of them raises, it takes no more of them, and is not kept.
    """

    def __init__(self) -> None:
        self._has_failed = False

    @contextmanager
    def join(self) -> Iterator[None]:
        """Take part in it. Raises StoreError where it failed before."""
        self.check()
        try:
            yield
        except BaseException:
            self._has_failed = True
            raise

    def check(self) -> None:
        """Raise StoreError where a part of it failed."""
        if self._has_failed:
            raise StoreError(
                "a part of this transaction of the journal failed: nothing of it is kept",
                hint="do it again",
            )


Joined = TypeVar("Joined", bound=JoinedTransaction)


class ThreadTransactions(threading.local, Generic[Joined]):
    """Joined transactions of a thread by scope, and the names of the locks that it holds."""

    def __init__(self) -> None:
        self.by_scope: dict[Scope, Joined] = {}
        self.locks: list[str] = []

    def is_held(self, lock: str) -> bool:
        """Return whether the thread holds a lock.

        Raises StoreError where it may not ask for the lock: another could hold it, and wait for a
        scope of a transaction of this thread.
        """
        is_held = lock in self.locks
        if not is_held and self.by_scope:
            raise StoreError(
                "the lock {lock!r} is asked for inside a transaction of the journal",
                lock=lock,
                hint="name it where the transaction begins",
            )
        return is_held

    def is_held_inside(self, lock: str) -> bool:
        """Return whether the thread is in a transaction, and holds a lock already.

        Raises StoreError in a transaction for a lock that it does not hold.
        """
        return bool(self.by_scope) and self.is_held(lock)

    @contextmanager
    def noting(self, lock: str, *, is_held: bool = True) -> Iterator[None]:
        """Note whether the thread holds a lock inside the block."""
        locks = self.locks  # another thread may end the block
        if is_held:
            locks.append(lock)
        try:
            yield
        finally:
            if is_held:
                locks.remove(lock)

    def refuse_several(self, scopes: Collection[Scope]) -> None:
        """Raise StoreError for several scopes of which one is in a transaction of the thread."""
        if len(scopes) > 1 and not self.by_scope.keys().isdisjoint(scopes):
            raise StoreError(
                "several scopes are written inside a transaction of the journal on one",
                hint="write them before or after it",
            )


class Owner(NamedTuple):
    """SQL that names the owner of a row, for tables that in SQLite belong to the whole file.

    `where` is a condition beginning with AND, `column` and `mark` go in front of those of an
    INSERT, `values` are for either.
    """

    where: str
    column: str
    mark: str
    values: tuple[int, ...]


class SaidText(NamedTuple):
    """Version of a message that is to be kept; `at` in Unix milliseconds."""

    id: str
    text_hash: bytes
    role: str
    text: str
    at: int | None


class SqlJournal:
    """Base of the parts of a journal: the methods that a database implements for them."""

    #: Condition that joins `messages m` and `sources s`.
    _of_source: ClassVar[str]
    #: Expression of the content hash in the text of an entry of `made`.
    _hash_of_entry: ClassVar[str]
    #: Expression of the text of a message of `messages m`.
    _text: ClassVar[str] = "m.text"
    #: Whether the text of a new message is in its row.
    _are_texts_in_rows: ClassVar[bool] = True

    def _reading(self) -> AbstractContextManager[Db]:
        """Read in one snapshot."""
        raise NotImplementedError

    def _reading_of(self, scope: Scope) -> AbstractContextManager[tuple[Db, int]]:
        """Read in one snapshot; an unknown scope has the id `NO_SCOPE`."""
        raise NotImplementedError

    def _writing(self) -> AbstractContextManager[Db]:
        """Write in one transaction."""
        raise NotImplementedError

    def _writing_to(self, scope: Scope) -> AbstractContextManager[tuple[Db, int]]:
        """Write in one transaction, in which the scope has an id and no other writer."""
        raise NotImplementedError

    def transaction(self, scope: Scope, lock: str = "") -> AbstractContextManager[None]:
        """Let the reads and writes of this thread on a scope inside be one transaction."""
        raise NotImplementedError

    def _joining(self, scope: Scope) -> AbstractContextManager[tuple[Db, int]]:
        """Write in one transaction, as `transaction`; the scope may have no id yet."""
        raise NotImplementedError

    def _is_locked(self, scope: Scope, sid: int) -> bool:  # noqa: ARG002 - the file is locked
        """Return whether the scope of `_joining` has a row, which nobody else writes to."""
        return sid != NO_SCOPE

    def _writing_to_all(
        self, scopes: Iterable[Scope]
    ) -> AbstractContextManager[tuple[Db, dict[Scope, int]]]:
        """Write in one transaction, in which the scopes have ids and no other writer."""
        raise NotImplementedError

    def _writing_to_realm(self, realm: str) -> AbstractContextManager[Db]:
        """Write in one transaction in which the values of a realm have no other writer."""
        raise NotImplementedError

    def _owner(self, sid: int) -> Owner:
        """Return the SQL that names a scope as the owner."""
        raise NotImplementedError

    def _owner_of(self, realm: str) -> Owner:
        """Return the SQL that names the owner of a realm's values."""
        raise NotImplementedError

    # Here the row holds the text.
    def _keep_texts(self, sid: int, said: Sequence[SaidText]) -> Sequence[str]:  # noqa: ARG002
        """Return the column values that stand for texts in rows, in order.

        A subclass may keep the texts elsewhere, before their rows.
        """
        return [said_text.text for said_text in said]

    def _spoken(
        self,
        sid: int,  # noqa: ARG002
        said: Sequence[tuple[str, str]],
        *,
        is_needed: bool = True,  # noqa: ARG002
    ) -> Sequence[str]:
        """Return the texts of messages, in order, given their ids and the values in rows.

        Unless `is_needed`, '' may stand for a text that is kept elsewhere.
        """
        return [text for _, text in said]

    def _changed(self, db: Db, sid: int, seqs: Sequence[int]) -> None:
        """Number the change of messages, where no trigger does so."""

    def _left(self, db: Db, sid: int, tier: str, path: str) -> None:
        """Mark a place that a memory left as stale, where no trigger does so."""

    def _queue(
        self, db: Db, sid: int, rows: Sequence[tuple[str, str | None]], *, is_archived: bool = False
    ) -> None:
        """Queue (key, entry) rows, or (key, None) to forget.

        The tables `made` and `archived` follow.
        """
        raise NotImplementedError
