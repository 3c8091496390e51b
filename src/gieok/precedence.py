"""Precedence of a waiting prompt over background work, in one process.

A thread that answers a prompt holds the precedence meanwhile; long background work asks between two
steps whether to wait. An agent gives the hook a fraction of a second, and on a busy machine
embedding a conversation took all of it.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

#: Longest wait in seconds. A prompt is answered or given up long before: a hung thread must not
#: stop the work for good.
_LONGEST_S = 3.0


class Precedence:
    """Threads that answer prompts now."""

    def __init__(self, longest_s: float = _LONGEST_S) -> None:
        self._longest_s = longest_s
        self._changed = threading.Condition()
        self._answering: set[int] = set()

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Hold back background work while this thread answers a prompt."""
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
        """Wait while another thread answers a prompt; return whether any did."""
        if not self._answering or threading.get_ident() in self._answering:
            return False
        with self._changed:
            self._changed.wait_for(lambda: not self._answering, self._longest_s)
        return True


#: Precedence of this process.
PROMPTS = Precedence()
