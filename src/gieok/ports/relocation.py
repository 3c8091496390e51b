"""Port for moving memory to another scope, or to another journal."""

from collections.abc import Sequence
from typing import Protocol

from gieok.model.conversation import ForgottenMessage
from gieok.model.memory import Scope


class Relocation(Protocol):
    """Operations of a journal that only moving memory needs.

    Memory moves to another scope or another journal.
    """

    def forgotten_messages(self, scope: Scope) -> list[ForgottenMessage]:
        """Return the marks of forgotten messages, in order."""

    def keep_forgotten(self, scope: Scope, marks: Sequence[ForgottenMessage]) -> None:
        """Mark messages as forgotten, so that reading their transcript does not bring them back.

        Known messages stay.
        """

    def drop(self, scope: Scope) -> None:
        """Remove everything of a scope, as if the scope had never existed.

        The scope's archive places become stale. No store is told.
        """
