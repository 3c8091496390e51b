"""Transaction whose statements may wait, to be sent together: one round trip for several.

A statement that waits is sent with the next one whose rows are needed, or with the end of the
transaction. Statements without a text among their values go as one text, with their numbers written
into it (literals), which costs client and server half of what they cost one by one. A server writes
the text of a statement that fails to its log, so a text (what people say, and their names) is never
a literal: a statement with one goes with parameters, in pipeline mode.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, TypeAlias

import psycopg
from psycopg.pq import TransactionStatus

from gieok.errors import StoreError, StoreUnreachable
from gieok.storage.postgres.deadline import enforce_deadline
from gieok.storage.postgres.pool import MOST_IDLE_S, TakenConnection, is_lost

Values: TypeAlias = Sequence[Any] | Mapping[str, Any]
#: So many rows of one statement are written in the time in which a server has to answer.
ROWS_IN_TIME = 1_000
#: Time that a transaction's statements may take for which nobody waits, such as one on the rows of
#: every scope.
_LONG_S = 600.0
#: Next step where nobody knows what became of a COMMIT.
_MAY_BE_KEPT = "what was written may have been kept: look before you repeat it"
#: What waits for others in a statement, each time for as long as a lock may take.
_LOCKS = re.compile(r"FOR NO KEY UPDATE|FOR UPDATE|pg_advisory_(?:xact_)?lock")
#: What may wait for another writer of the same row.
_WRITES = re.compile(r"\b(?:INSERT|DELETE|(?<!FOR )(?<!KEY )UPDATE)\b")


class PendingRows:
    """Rows of a statement that may not have been sent yet; it is sent when they are asked for."""

    def __init__(
        self, transaction: "Transaction", sql: str, values: Values | None, *, is_binary: bool
    ) -> None:
        self.sql, self.values, self.is_binary = sql, values, is_binary
        self._transaction = transaction
        self._rows: Iterator[tuple[Any, ...]] = iter(())
        self._rowcount = -1
        self._is_sent = False

    def take(self, cursor: psycopg.Cursor[Any]) -> None:
        """Take the rows that came."""
        self._rowcount, self._is_sent = cursor.rowcount, True
        self._rows = iter(cursor.fetchall() if cursor.description else ())

    @property
    def rowcount(self) -> int:
        """Return how many rows were found or changed."""
        self._send()
        return self._rowcount

    def fetchone(self) -> Any:  # noqa: ANN401 - a row has the types of its columns
        """Return the next row, or None."""
        return next(iter(self), None)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return the remaining rows."""
        return list(iter(self))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        self._send()
        return self._rows

    def _send(self) -> None:
        if not self._is_sent:
            self._transaction.send()


class Transaction:
    """Transaction on a connection of the pool.

    `begin` begins it, with these `settings`; this waits as well. The server may be silent for
    `timeout_s`, and for `lock_timeout_s` more for each lock that is asked for, and once for all
    rows that are written; unless `is_prompt`, for as long as a long statement takes, once it
    answered to the beginning. A transaction in which a statement failed takes no more statements.
    """

    def __init__(
        self,
        taken: TakenConnection,
        begin: str,
        settings: Mapping[str, str],
        *,
        timeout_s: float,
        lock_timeout_s: float,
        location: str,
        is_prompt: bool,
    ) -> None:
        self._taken, self.is_prompt = taken, is_prompt
        self._begin, self._is_writing = begin, "READ ONLY" not in begin
        self._settings = settings
        self._timeout_s, self._lock_timeout_s = timeout_s, lock_timeout_s
        self._location = location
        self._pending: list[PendingRows] = []
        self._has_failed = False

    @property
    def connection(self) -> psycopg.Connection:
        """Return the connection, on which the transaction may not have begun yet."""
        return self._taken.db

    @property
    def db(self) -> psycopg.Connection:
        """Return the connection, on which the transaction has begun and nothing waits."""
        self.send()
        return self.connection

    def defer(self, sql: str, values: Values = (), *, is_binary: bool = False) -> PendingRows:
        """Let a statement wait; `is_binary` rows come as bytes."""
        if not is_binary and not isinstance(values, Mapping) and all(map(_may_be_literal, values)):
            sql, bound = psycopg.ClientCursor(self.connection).mogrify(sql, values), None
        else:
            bound = values
        pending = PendingRows(self, sql, bound, is_binary=is_binary)
        self._pending.append(pending)
        return pending

    def commit(self) -> None:
        """Send what waits, and make the transaction durable.

        Raises StoreError where the server did not.
        """
        if self._pending or not self._begin:
            self.send("COMMIT")

    def roll_back(self) -> None:
        """Undo the transaction; where the server does not answer, the connection is closed."""
        db = self.connection
        if db.closed or db.info.transaction_status == TransactionStatus.IDLE:
            return
        with suppress(psycopg.Error, StoreError):
            with self._deadline(self._timeout_s):
                db.execute("ROLLBACK")
            return
        db.close()

    def send(self, end: str = "") -> None:
        """Send what waits, and a statement that ends the transaction, in one round trip."""
        with self._failing():
            self._send(end)

    def execute_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement for each row of values; the time for it grows with the rows."""
        with self._failing():
            self._send()
            limit_s = self._timeout_s * (1 + len(rows) / ROWS_IN_TIME) + self._lock_timeout_s
            with self._deadline(max(limit_s, self._least_s)):
                self.connection.cursor().executemany(sql, rows)

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Let the transaction fail with the block. Raises StoreError where it failed before."""
        if self._has_failed:
            raise StoreError(
                "{location}: a transaction takes no statement after one that failed",
                location=self._location,
                hint="begin another",
            )
        try:
            yield
        except BaseException:
            self._has_failed = True
            raise

    def _deadline(self, limit_s: float, hint: str = "") -> AbstractContextManager[None]:
        """Close the connection where the server is silent for too long. Raises StoreUnreachable."""
        return enforce_deadline(self.connection, limit_s, self._location, hint)

    @property
    def _least_s(self) -> float:
        return 0.0 if self.is_prompt else _LONG_S

    def _send(self, end: str = "") -> None:
        if self._begin and self._is_untried:
            self._exchange((), "", self._timeout_s, is_first=True)
        pending, self._pending = self._pending, []
        waits = sum(len(_LOCKS.findall(one.sql)) for one in pending)
        waits += any(_WRITES.search(one.sql) for one in pending)
        limit_s = self._timeout_s + waits * self._lock_timeout_s
        if end or not self._begin:
            limit_s = max(limit_s, self._least_s)
        if self._begin or pending or end:
            self._exchange(pending, end, limit_s, is_first=bool(self._begin))

    def _exchange(
        self,
        pending: Sequence[PendingRows],
        end: str,
        limit_s: float,
        *,
        is_first: bool,
    ) -> None:
        """Send statements and take their rows.

        A first exchange that commits nothing is sent again where a connection of earlier is lost.
        """
        begin, self._begin = self._begin, ""
        is_repeatable = is_first and (not end or not self._is_writing)
        hint = _MAY_BE_KEPT if end and self._is_writing else ""
        try:
            with self._deadline(limit_s, hint):
                self._exchange_once(begin, pending, end)
        except (psycopg.OperationalError, StoreUnreachable) as error:
            # A server that is silent is asked again only where it was not asked for long.
            is_silent = isinstance(error, StoreUnreachable) and not self._is_untried
            if not is_repeatable or is_silent or not self._is_lost(error):
                raise
        else:
            return
        self._taken.renew()
        with self._deadline(limit_s):
            self._exchange_once(begin, pending, end)

    @property
    def _is_untried(self) -> bool:
        return self._taken.idle_s > MOST_IDLE_S

    def _is_lost(self, error: Exception) -> bool:
        return self._taken.is_known and is_lost(self.connection, error)

    def _exchange_once(self, begin: str, pending: Sequence[PendingRows], end: str) -> None:
        if any(one.values is not None for one in pending):
            self._exchange_in_pipeline(begin, pending, end)
            return
        head = list_beginning(begin, self._settings) if begin else []
        last = [end] if end else []
        cursor = self.connection.execute("; ".join((*head, *(one.sql for one in pending), *last)))
        for _ in head:
            cursor.nextset()
        for one in pending:
            one.take(cursor)
            cursor.nextset()
        if end:
            self._check_end(end, cursor)

    def _exchange_in_pipeline(self, begin: str, pending: Sequence[PendingRows], end: str) -> None:
        if len(pending) == 1 and not (begin or end):
            pending[0].take(self._execute(pending[0]))
            return
        try:
            with self.connection.pipeline():
                if begin:
                    self.connection.execute(begin)
                    # One statement for all settings: each is a message of its own here.
                    calls = ", ".join("set_config(%s, %s, true)" for _ in self._settings)
                    values = [text for pair in self._settings.items() for text in pair]
                    self.connection.execute(f"SELECT {calls}", values)
                cursors = [self._execute(one) for one in pending]
                ended = self.connection.execute(end) if end else None
        except psycopg.Error as error:
            # What is left in the pipeline is of no use to the next transaction.
            self.connection.close()
            raise _find_first_error(error) from None
        for one, cursor in zip(pending, cursors, strict=True):
            one.take(cursor)
        if ended is not None:
            self._check_end(end, ended)

    def _check_end(self, end: str, cursor: psycopg.Cursor[Any]) -> None:
        """Raise StoreError where the server answered COMMIT with something else."""
        if cursor.statusmessage != end:
            raise StoreError(
                "{location} did not keep a transaction in which a statement failed",
                location=self._location,
                hint="begin another",
            )

    def _execute(self, one: PendingRows) -> psycopg.Cursor[Any]:
        return self.connection.execute(one.sql, one.values, binary=one.is_binary)


def list_beginning(begin: str, settings: Mapping[str, str]) -> list[str]:
    """Return the statements that begin a transaction with settings of its own."""
    return [begin, *(f"SET LOCAL {name} = {value}" for name, value in settings.items())]


def _may_be_literal(value: object) -> bool:
    """Return whether a value may be a literal: a number, or nothing, or a list of numbers."""
    if isinstance(value, list):
        return all(map(_may_be_literal, value))
    return value is None or isinstance(value, int | float)


def _find_first_error(error: psycopg.Error) -> psycopg.Error:
    """Return the error that broke a pipeline: those of the statements after it hide it."""
    while isinstance(error.__context__, psycopg.Error):
        error = error.__context__
    return error
