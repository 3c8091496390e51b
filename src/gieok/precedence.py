"""Precedence of a waiting prompt over work in the background, in one process.

Whoever answers a prompt says so for as long as it takes; long work asks between two steps whether
it is to wait. An agent gives the hook a fraction of a second, and on a busy machine embedding a
conversation took all of it.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

#: A prompt is answered or given up long before: whatever hangs must not stop the work for good.
_LONGEST_S = 3.0


class Precedence:
    """Which threads answer prompts now."""

    def __init__(self, longest_s: float = _LONGEST_S) -> None:
        self._longest_s = longest_s
        self._changed = threading.Condition()
        self._answering: set[int] = set()

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Hold back work in the background while this thread answers a prompt."""
        own = threading.get_ident()
        with self._changed:
            self._answering.add(own)
        try:
            yield
        finally:
            with self._changed:
                self._answering.discard(own)
                self._changed.notify_all()

    def give_way(self) -> bool:
        """Wait while a prompt is answered by another thread; return whether one was."""
        if not self._answering or threading.get_ident() in self._answering:
            return False
        with self._changed:
            self._changed.wait_for(lambda: not self._answering, self._longest_s)
        return True


#: That of this process.
PROMPTS = Precedence()
