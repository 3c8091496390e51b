"""Cache of data that is checked before its use: the cache may be lost at any time."""

from typing import Protocol

from gieok.model.conversation import HeldWindow
from gieok.model.memory import Scope


class WindowCache(Protocol):
    """Cache of the window of each scope.

    Never raises: where the cache cannot be reached, nothing is held.
    """

    def get(self, scope: Scope) -> HeldWindow | None:
        """Return the cached window as it was put; None for nothing."""

    def put(self, scope: Scope, window: HeldWindow) -> None:
        """Cache a window in place of the earlier window."""

    def drop(self, scope: Scope) -> None:
        """Remove the window of a scope."""

    def close(self) -> None:
        """Release all resources."""
