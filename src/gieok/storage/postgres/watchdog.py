"""Runs an action after a deadline, with one thread for all actions.

A thread per transaction cost a third of the transaction's time.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from math import inf


class Watchdog:
    """Calls actions at their deadlines, unless the guarded block ended before."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._numbers = count()
        #: Number of the guarded block → deadline by the monotonic clock, and action.
        self._due: dict[int, tuple[float, Callable[[], None]]] = {}
        self._looks_at = inf
        self._thread: threading.Thread | None = None

    @contextmanager
    def watching(self, seconds: float, act: Callable[[], None]) -> Iterator[None]:
        """Call `act` in another thread where the block takes longer than `seconds`."""
        number, due = next(self._numbers), time.monotonic() + seconds
        with self._changed:
            self._due[number] = (due, act)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._watch, name="postgres-watchdog", daemon=True
                )
                self._thread.start()
            elif due < self._looks_at:
                self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._due.pop(number, None)

    def _watch(self) -> None:
        while True:
            with self._changed:
                self._looks_at = min((due for due, _ in self._due.values()), default=inf)
                self._changed.wait(
                    None if self._looks_at == inf else max(self._looks_at - time.monotonic(), 0)
                )
                now = time.monotonic()
                late = [number for number, (due, _) in self._due.items() if due <= now]
                acts = [self._due.pop(number)[1] for number in late]
            for act in acts:
                act()
