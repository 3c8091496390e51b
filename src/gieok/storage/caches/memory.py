"""Cache of windows in this process.

Keeps the most recently used windows, up to a number of messages and of characters.
"""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from gieok.model.conversation import HeldWindow
from gieok.model.memory import Scope
from gieok.opening import Opening

#: About 60 MB of messages as people write them, and a bound for longer ones.
MOST_MESSAGES = 50_000
MOST_CHARACTERS = 20_000_000


class MemoryCache:
    """`WindowCache` of one process."""

    def __init__(
        self, most_messages: int = MOST_MESSAGES, most_characters: int = MOST_CHARACTERS
    ) -> None:
        self._room = _Size(most_messages, most_characters)
        self._used = _Size(0, 0)
        self._held: OrderedDict[Scope, HeldWindow] = OrderedDict()
        self._lock = Lock()

    @classmethod
    def open(cls, opening: Opening, journal: Callable[[], str]) -> "MemoryCache":
        """Return an empty cache."""
        del opening, journal
        return cls()

    def get(self, scope: Scope) -> HeldWindow | None:
        """Return the cached window of a scope."""
        with self._lock:
            window = self._held.get(scope)
            if window:
                self._held.move_to_end(scope)
            return window

    def put(self, scope: Scope, window: HeldWindow) -> None:
        """Cache a window, and evict the least recently used ones."""
        with self._lock:
            self._take(scope)
            self._held[scope] = window
            self._used = self._used.plus(window)
            while self._held and not self._used.fits(self._room):
                self._take(next(iter(self._held)))

    def drop(self, scope: Scope) -> None:
        """Evict the window of a scope."""
        with self._lock:
            self._take(scope)

    def close(self) -> None:
        """Evict every window."""
        with self._lock:
            self._held.clear()
            self._used = _Size(0, 0)

    def _take(self, scope: Scope) -> None:
        if window := self._held.pop(scope, None):
            self._used = self._used.plus(window, -1)


class _Size:
    """Number of messages, and of characters in their texts."""

    __slots__ = ("characters", "messages")

    def __init__(self, messages: int, characters: int) -> None:
        self.messages, self.characters = messages, characters

    def plus(self, window: HeldWindow, sign: int = 1) -> "_Size":
        characters = sum(len(entry.message.text) for entry in window.messages)
        return _Size(
            self.messages + sign * len(window.messages), self.characters + sign * characters
        )

    def fits(self, room: "_Size") -> bool:
        return self.messages <= room.messages and self.characters <= room.characters
