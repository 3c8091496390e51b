"""What goes along when memory moves to another scope, or to another journal."""

from collections.abc import Sequence
from typing import Protocol

from gieok.model.conversation import ForgottenMessage
from gieok.model.memory import Scope


class Relocation(Protocol):
    """Carries what no other method does, for memory that moves to another scope or another
    journal.
    """

    def forgotten_messages(self, scope: Scope) -> list[ForgottenMessage]:
        """Return what stands for messages that were forgotten, in order."""

    def keep_forgotten(self, scope: Scope, marks: Sequence[ForgottenMessage]) -> None:
        """Let messages count as forgotten, so that reading their transcript does not bring them
        back; known ones stay.
        """

    def drop(self, scope: Scope) -> None:
        """Leave nothing of a scope, as if it had never been; places of archives that it had are
        stale. No store is told.
        """
