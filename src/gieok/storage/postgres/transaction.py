"""Transaction whose statements may wait, to be sent together: one round trip for several.

A statement that waits is sent with the next one whose rows are needed, or with the end of the
transaction. Statements with their values written into them (literals) go as one text, which costs
client and server half of what they cost one by one. A server writes the text of a statement that
fails to its log, so what people say is never a literal: it goes as a parameter, in pipeline mode.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import psycopg

from gieok.storage.postgres.deadline import enforce_deadline

Values: TypeAlias = Sequence[Any] | Mapping[str, Any]


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
    """Transaction on a connection.

    `begin` begins it, with these `settings`; this waits as well. The server may be silent for
    `timeout_s` after it, and for `lock_timeout_s` more where statements that lock are sent with it.
    """

    def __init__(
        self,
        connection: psycopg.Connection,
        begin: str,
        settings: Mapping[str, str],
        *,
        timeout_s: float,
        lock_timeout_s: float,
        location: str,
    ) -> None:
        self.connection = connection
        self._begin: str = begin
        self._settings = settings
        self._timeout_s, self._lock_timeout_s = timeout_s, lock_timeout_s
        self._location = location
        self._pending: list[PendingRows] = []
        self._is_over = False

    @property
    def db(self) -> psycopg.Connection:
        """Return the connection, on which the transaction has begun and nothing waits."""
        self.send()
        return self.connection

    def defer(self, sql: str, values: Sequence[Any] = ()) -> PendingRows:
        """Let a statement wait, with its values as literals: names and numbers, never a text."""
        return self._wait(psycopg.ClientCursor(self.connection).mogrify(sql, values), None)

    def defer_bound(self, sql: str, values: Values, *, is_binary: bool = False) -> PendingRows:
        """Let a statement wait, with its values as parameters; `is_binary` rows come as bytes."""
        return self._wait(sql, values, is_binary=is_binary)

    def commit(self) -> None:
        """Send what waits, and make the transaction durable."""
        if self._pending or not (self._begin or self._is_over):
            self.send("COMMIT")
        self._is_over = True

    def send(self, *ends: str) -> None:
        """Send what waits, and the statements that end the transaction, in one round trip."""
        begin, pending = self._begin, self._pending
        self._begin, self._pending = "", []
        if not begin:
            self._exchange("", pending, ends)
            return
        limit_s = self._timeout_s + (self._lock_timeout_s if pending else 0)
        with enforce_deadline(self.connection, limit_s, self._location):
            self._exchange(begin, pending, ends)

    def _wait(self, sql: str, values: Values | None, *, is_binary: bool = False) -> PendingRows:
        pending = PendingRows(self, sql, values, is_binary=is_binary)
        self._pending.append(pending)
        return pending

    def _exchange(self, begin: str, pending: Sequence[PendingRows], ends: Sequence[str]) -> None:
        if any(one.values is not None for one in pending):
            self._exchange_in_pipeline(begin, pending, ends)
            return
        settings = [f"SET LOCAL {name} = {value}" for name, value in self._settings.items()]
        head = [begin, *settings] if begin else []
        if not (head or pending or ends):
            return
        cursor = self.connection.execute("; ".join((*head, *(one.sql for one in pending), *ends)))
        for _ in head:
            cursor.nextset()
        for one in pending:
            one.take(cursor)
            cursor.nextset()

    def _exchange_in_pipeline(
        self, begin: str, pending: Sequence[PendingRows], ends: Sequence[str]
    ) -> None:
        if len(pending) == 1 and not (begin or ends):
            pending[0].take(self._execute(pending[0]))
            return
        with self.connection.pipeline():
            if begin:
                self.connection.execute(begin)
                # One statement for all settings: each is a message of its own here.
                calls = ", ".join("set_config(%s, %s, true)" for _ in self._settings)
                values = [text for pair in self._settings.items() for text in pair]
                self.connection.execute(f"SELECT {calls}", values)
            cursors = [self._execute(one) for one in pending]
            for statement in ends:
                self.connection.execute(statement)
        for one, cursor in zip(pending, cursors, strict=True):
            one.take(cursor)

    def _execute(self, one: PendingRows) -> psycopg.Cursor[Any]:
        return self.connection.execute(one.sql, one.values, binary=one.is_binary)
