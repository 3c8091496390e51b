"""A journal as rows, for another journal."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from gieok.model.conversation import JournalRow
from gieok.model.memory import Scope


class CopiedJournal(Protocol):
    """A journal that can be copied to another, a scope at a time."""

    def copied_scopes(self, prefix: str = "") -> list[Scope]:
        """Return every scope that the journal knows whose name begins so, sorted."""

    def copied_rows(self, scope: Scope | None) -> Iterator[JournalRow]:
        """Yield what is held of a scope, in an order that every journal has; None: what belongs to
        no scope.
        """

    def take_rows(self, scope: Scope | None, rows: Iterable[JournalRow]) -> None:
        """Replace what is held of a scope (None: of none) by these rows, in one step; their numbers
        stay.
        """
