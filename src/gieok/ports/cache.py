"""What was read before and is checked before it is used again: it may be lost at any time."""

from typing import Protocol

from gieok.model.conversation import HeldWindow
from gieok.model.memory import Scope


class WindowCache(Protocol):
    """Holds the window of a scope. Never raises: where it cannot be reached, nothing is held."""

    def get(self, scope: Scope) -> HeldWindow | None:
        """Return what is held, as it was put; None for nothing."""

    def put(self, scope: Scope, window: HeldWindow) -> None:
        """Hold a window in the place of what is held."""

    def drop(self, scope: Scope) -> None:
        """Hold nothing of a scope."""

    def close(self) -> None:
        """Release everything."""
