"""What is done for a memory beside the conversation: learning and summaries, by a few threads, each
memory once at a time.

Nothing is lost with it: how far each reader came is in the journal, so what was not done is done
after the next turn.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from gieok.character.memory.service import Bond
from gieok.errors import GieokError
from gieok.model.memory import Scope

_WORKERS, _MOST_WAITING = 2, 1_000


class Tending:
    """Tends memories in the background."""

    def __init__(
        self,
        tend: Callable[[Bond], None],
        workers: int = _WORKERS,
        most_waiting: int = _MOST_WAITING,
    ) -> None:
        self._tend = tend
        self._most_waiting = most_waiting
        self._guard = threading.Lock()
        self._waiting: set[Scope] = set()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="gieok-tending")
        self._is_closed = False

    def later(self, bond: Bond) -> bool:
        """Tend a memory soon; False where it waits already, too many do, or this was closed."""
        with self._guard:
            if (
                self._is_closed
                or bond.scope in self._waiting
                or len(self._waiting) >= self._most_waiting
            ):
                return False
            self._waiting.add(bond.scope)
            self._pool.submit(self._do, bond)
            return True

    def close(self) -> None:
        """Finish what waits, and take nothing more."""
        with self._guard:
            self._is_closed = True
        self._pool.shutdown(wait=True)

    def _do(self, bond: Bond) -> None:
        with self._guard:
            # What is said from here on waits anew.
            self._waiting.discard(bond.scope)
        try:
            self._tend(bond)
        except GieokError:
            # The turn after this one tries again; a store that is down tells by itself in every
            # turn.
            return
