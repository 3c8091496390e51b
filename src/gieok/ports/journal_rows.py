"""Copying of a journal as rows to another journal."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from gieok.model.conversation import JournalRow
from gieok.model.memory import Scope


class CopiedJournal(Protocol):
    """A journal that can be copied to another, a scope at a time."""

    def copied_scopes(self, prefix: str = "") -> list[Scope]:
        """Return every scope of the journal whose name begins with `prefix`, sorted."""

    def copied_rows(self, scope: Scope | None) -> Iterator[JournalRow]:
        """Yield the rows of a scope, in the same order in every journal.

        None stands for rows of no scope.
        """

    def take_rows(self, scope: Scope | None, rows: Iterable[JournalRow]) -> None:
        """Replace the rows of a scope (None: of no scope), in one step; row numbers stay."""
