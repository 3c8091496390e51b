"""Statements in the SQL that SQLite and PostgreSQL share, with any text as a value.

Texts that PostgreSQL refuses are escaped.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from gieok.storage.postgres.transaction import PendingRows, Transaction

#: A character that PostgreSQL does not take, and the escape itself (data link escape), is written
#: as the escape and four hexadecimal digits.
_ESCAPE = "\x10"
_REFUSED = re.compile("[\0\x10\ud800-\udfff]")
_ESCAPED = re.compile("\x10([0-9a-f]{4})")
#: Stands for a text in another database. No text of a user is written so: its own link escapes are
#: escaped.
_ELSEWHERE = "\x10m"


class Elsewhere(str):
    """Column value for a text that is kept in another database: its hash, in hexadecimal.

    The hash itself is not written into the text column.
    """

    __slots__ = ()

    @staticmethod
    def column(text: str, text_hash: str) -> str:
        """Return the expression for a text, or for the hash of a text kept in another database."""
        mark = "chr(16) || 'm'"
        return f"CASE {text} WHEN {mark} THEN {mark} || encode({text_hash}, 'hex') ELSE {text} END"


class Statements:
    """Transaction that takes statements with `?` for a value, and any text."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def execute(self, sql: str, values: Sequence[Any] = ()) -> "StatementRows":
        """Run a statement."""
        if not self._transaction.is_prompt:  # it may take longer than a beginning
            self._transaction.send()
        rows = self.defer(sql, values)
        self._transaction.send()
        return rows

    def defer(self, sql: str, values: Sequence[Any] = ()) -> "StatementRows":
        """Run a statement together with others, at the latest when its rows are asked for."""
        return StatementRows(
            self._transaction.defer(_translate_placeholders(sql), _escape_values(values))
        )

    def executemany(self, sql: str, values: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each tuple of values."""
        rows = [_escape_values(row) for row in values]
        if rows:
            self._transaction.execute_many(_translate_placeholders(sql), rows)


class StatementRows:
    """Rows of a statement, with texts unescaped."""

    def __init__(self, cursor: PendingRows) -> None:
        self._cursor = cursor

    @property
    def rowcount(self) -> int:
        """Return how many rows were found or changed."""
        return self._cursor.rowcount

    def fetchone(self) -> Any:  # noqa: ANN401 - a row has the types of its columns
        """Return the next row, or None."""
        row = self._cursor.fetchone()
        return _read_postgres_row(row) if row else None

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all rows."""
        return [_read_postgres_row(row) for row in self._cursor.fetchall()]

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Yield rows."""
        return map(_read_postgres_row, self._cursor)


def escape_postgres_text(text: str) -> str:
    """Return a text as PostgreSQL takes it: NUL and lone surrogates as escapes."""
    return (
        _REFUSED.sub(lambda found: f"{_ESCAPE}{ord(found[0]):04x}", text)
        if _REFUSED.search(text)
        else text
    )


@lru_cache(maxsize=512)
def _translate_placeholders(sql: str) -> str:
    return sql.replace("%", "%%").replace("?", "%s")


def _escape_values(values: Sequence[Any]) -> list[object]:
    return [_escape_postgres_value(value) for value in values]


def _escape_postgres_value(value: object) -> object:
    if isinstance(value, str):
        return _ELSEWHERE if isinstance(value, Elsewhere) else escape_postgres_text(str(value))
    if isinstance(value, list):
        return [escape_postgres_text(text) if isinstance(text, str) else text for text in value]
    return value


def unwritten(text: str) -> str:
    """Return the text that `escape_postgres_text` escaped."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def _read_postgres_row(row: Sequence[Any]) -> tuple[Any, ...]:
    for value in row:
        if isinstance(value, str) and _ESCAPE in value:
            return tuple(
                _read_postgres_text(text) if isinstance(text, str) and _ESCAPE in text else text
                for text in row
            )
    return tuple(row)


def _read_postgres_text(value: str) -> str:
    return Elsewhere(value[len(_ELSEWHERE) :]) if value.startswith(_ELSEWHERE) else unwritten(value)
