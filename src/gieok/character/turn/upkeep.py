"""Background upkeep of memories: learning, summaries and vectors, in a few threads.

Each memory is tended by one thread at a time, and once more where messages came meanwhile. Nothing
is lost when the process ends: each reader's position is in the journal, so unfinished work is done
after the next turn.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from functools import partial

from gieok.character.accounts import return_visits
from gieok.character.memory.service import Bond
from gieok.character.turn import meanings
from gieok.character.turn.model_reader import Reading
from gieok.errors import GieokError, unexpected
from gieok.flow.distil import deliver_scope
from gieok.model.memory import Scope

INCIDENT = "character:upkeep"
_FIRST_WAIT, _LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=6)
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
        self._tended: set[Scope] = set()
        self._changed_meanwhile: set[Scope] = set()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="gieok-tending")
        self._is_closed = False
        #: Whether an incident may be open: one of an earlier process, or of this one.
        self._may_have_failed = True

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
        is_ours = self._begin(bond.scope)
        try:
            while is_ours:
                self._try_to_tend(bond)
                is_ours = self._keep_if_changed(bond.scope)
        except BaseException:
            self._give_back(bond.scope)
            raise

    def _try_to_tend(self, bond: Bond) -> None:
        """Tend a memory; after an error the next turn tries again."""
        incidents = self._reading.incidents
        # A store that is down is reported by every turn anyway.
        with suppress(GieokError):
            try:
                self.tend(bond)
            except GieokError:
                raise
            except Exception as error:  # noqa: BLE001 - nobody waits for this thread's answer
                self._may_have_failed = True
                incidents.failed(
                    INCIDENT,
                    unexpected(error),
                    "A character's memory could not be tended",
                    first=_FIRST_WAIT,
                    longest=_LONGEST_WAIT,
                )
            else:
                if self._may_have_failed:  # incidents are read once, not after every turn
                    incidents.resolved(INCIDENT)
                    self._may_have_failed = False

    def _begin(self, scope: Scope) -> bool:
        """Take a memory; where another thread tends it, have that thread go over it once more.

        That thread may have looked for what is due before the last message came.
        """
        with self._guard:
            # Messages that come from here on schedule the memory anew.
            self._waiting.discard(scope)
            if scope in self._tended:
                self._changed_meanwhile.add(scope)
                return False
            self._tended.add(scope)
            return True

    def _keep_if_changed(self, scope: Scope) -> bool:
        """Keep a memory to which messages came meanwhile; give any other back."""
        with self._guard:
            if scope in self._changed_meanwhile:
                self._changed_meanwhile.discard(scope)
                return True
            self._tended.discard(scope)
            return False

    def _give_back(self, scope: Scope) -> None:
        with self._guard:
            self._tended.discard(scope)
            self._changed_meanwhile.discard(scope)
