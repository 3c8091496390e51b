"""Background upkeep of memories: learning, summaries and vectors, in a few threads.

Each memory is tended by one thread at a time. Nothing is lost when the process ends: each reader's
position is in the journal, so unfinished work is done after the next turn.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from gieok.character.accounts import return_visits
from gieok.character.memory.service import Bond
from gieok.character.turn import meanings
from gieok.character.turn.model_reader import Reading
from gieok.errors import GieokError
from gieok.flow.distil import deliver_scope
from gieok.model.memory import Scope

_WORKERS, _MOST_WAITING = 2, 1_000


class Tending:
    """Background threads that tend memories."""

    def __init__(
        self, reading: Reading, workers: int = _WORKERS, most_waiting: int = _MOST_WAITING
    ) -> None:
        self._reading = reading
        self._most_waiting = most_waiting
        self._guard = threading.Lock()
        self._waiting: set[Scope] = set()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="gieok-tending")
        self._is_closed = False

    def later(self, bond: Bond) -> bool:
        """Schedule a memory for upkeep.

        False where it is scheduled already, where too many memories are, or after `close`.
        """
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

    def tend(self, bond: Bond) -> None:
        """Learn and summarise what is due, form one missing episode again, and make vectors."""
        memory = self._reading.memory
        if self._reading.tend(bond).is_waiting:
            deliver_scope(memory.journal, memory.store, bond.scope)
        return_visits.form_again(memory, bond, partial(self._reading.summarise_span, bond))
        meanings.embed_recent_memories(memory, bond)

    def close(self) -> None:
        """Finish the scheduled memories, and accept no more."""
        with self._guard:
            self._is_closed = True
        self._pool.shutdown(wait=True)

    def _do(self, bond: Bond) -> None:
        with self._guard:
            # Messages that come from here on schedule the memory anew.
            self._waiting.discard(bond.scope)
        try:
            self.tend(bond)
        except GieokError:
            # The next turn tries again; a store that is down is reported by every turn anyway.
            return
