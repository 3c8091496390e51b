"""What the parts of a journal ask of their database: transactions, the number of a scope, and whose
a table is.

The parts are written once, in the SQL that SQLite and PostgreSQL both understand, with `?` for a
value. In PostgreSQL every table belongs to scopes and statements name one; in SQLite some tables
are the file's (sources, cursors, rejects, kept values).
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, NamedTuple, Protocol

from gieok.model.memory import Scope


class Rows(Protocol):
    """The result of a statement."""

    @property
    def rowcount(self) -> int:
        """Return how many rows were changed."""

    def fetchone(self) -> Any:  # noqa: ANN401 - a row has the types of its columns
        """Return the next row, or None."""

    def fetchall(self) -> list[Any]:
        """Return all rows."""

    def __iter__(self) -> Iterator[Any]:
        """Yield rows."""


class Db(Protocol):
    """A connection inside a transaction."""

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Rows:
        """Run a statement."""

    def executemany(self, sql: str, values: Iterable[Sequence[Any]], /) -> object:
        """Run a statement for each tuple of values."""


class Owner(NamedTuple):
    """How a statement names the owner of a row in a table that is the file's in SQLite.

    `where` is a condition beginning with AND, `column` and `mark` go in front of those of an
    INSERT, `values` are for either.
    """

    where: str
    column: str
    mark: str
    values: tuple[int, ...]


class SaidText(NamedTuple):
    """A version of a message that is to be kept: `at` in Unix milliseconds."""

    id: str
    text_hash: bytes
    role: str
    text: str
    at: int | None


class SqlJournal:
    """What a part of the journal finds in its subclass, the database."""

    #: Joins `messages m` and `sources s`.
    _of_source: ClassVar[str]
    #: The content hash in the text of an entry of `made`.
    _hash_of_entry: ClassVar[str]
    #: What a message of `messages m` says.
    _text: ClassVar[str] = "m.text"

    def _reading(self) -> AbstractContextManager[Db]:
        """Read in one snapshot."""
        raise NotImplementedError

    def _reading_of(self, scope: Scope) -> AbstractContextManager[tuple[Db, int]]:
        """Read in one snapshot; the scope's id is -1 where it has none."""
        raise NotImplementedError

    def _writing(self) -> AbstractContextManager[Db]:
        """Write in one transaction."""
        raise NotImplementedError

    def _writing_to(self, scope: Scope) -> AbstractContextManager[tuple[Db, int]]:
        """Write in one transaction, in which the scope has an id and no other writer."""
        raise NotImplementedError

    def _writing_to_all(
        self, scopes: Iterable[Scope]
    ) -> AbstractContextManager[tuple[Db, dict[Scope, int]]]:
        """As `_writing_to`, for several scopes."""
        raise NotImplementedError

    def _writing_to_realm(self, realm: str) -> AbstractContextManager[Db]:
        """Write in one transaction in which the values of a realm have no other writer."""
        raise NotImplementedError

    def _owner(self, sid: int) -> Owner:
        """Return how statements name a scope as the owner."""
        raise NotImplementedError

    def _owner_of(self, realm: str) -> Owner:
        """Return how statements name the owner of a realm's values."""
        raise NotImplementedError

    # The row holds it.
    def _keep_texts(self, sid: int, said: Sequence[SaidText]) -> Sequence[str]:  # noqa: ARG002
        """Return what rows hold of texts, in order: a text may be kept elsewhere, before its row
        is.
        """
        return [one.text for one in said]

    def _spoken(
        self,
        sid: int,  # noqa: ARG002
        said: Sequence[tuple[str, str]],
        *,
        is_needed: bool = True,  # noqa: ARG002
    ) -> Sequence[str]:
        """Return the texts of messages, in order, by their ids and what rows hold. Unless
        `is_needed`, '' may stand for one.
        """
        return [text for _, text in said]

    def _changed(self, db: Db, sid: int, seqs: Sequence[int]) -> None:
        """Number the change of messages, where no trigger does."""

    def _left(self, db: Db, sid: int, tier: str, path: str) -> None:
        """Mark a place that a memory left as stale, where no trigger does."""

    def _queue(
        self, db: Db, sid: int, rows: Sequence[tuple[str, str | None]], *, is_archived: bool = False
    ) -> None:
        """Queue (key, entry or None to forget); what is made and archived follows."""
        raise NotImplementedError
