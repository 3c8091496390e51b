"""Daemon part that reads agents' transcripts as they grow, and observes them."""

import gc
import threading
from collections.abc import Callable
from pathlib import Path

from gieok import fs
from gieok.commands.observe.run import settle_scope
from gieok.daemon.board import Board
from gieok.home.call import Call
from gieok.memory.exchange.notes import Mirrored
from gieok.memory.sidecar import RULES_REST
from gieok.model.memory import Scope
from gieok.precedence import PROMPTS

#: Time between a change of a transcript and reading it; short, because reading a line takes less
#: than a millisecond.
_DEBOUNCE_MS = 60
#: How often new agent folders are looked for: an agent's first session makes its folder, and its
#: turns are to be known within seconds like all others.
_FOLDERS_S = 2
#: Interval at which a resting conversation is looked at.
_IDLE_CHECK_S = 60


class Transcripts:
    """Reader of growing transcripts.

    New turns go to the journal at once; models are asked in another thread, because they take their
    time.
    """

    def __init__(self, call: Call, board: Board, embed: Callable[[], None]) -> None:
        self._call = call
        self._sidecar = call.home.sidecar
        self._board = board
        self._embed = embed
        self._wake = threading.Event()
        self._said = threading.Event()
        self._ended: set[Scope] = set()
        self._lock = threading.Lock()

    def follow(self) -> None:
        """Read new turns until the process is to stop."""
        stopped = self._board.stop.is_set
        self._call.home.watching.follow(
            self._folders,
            self._read,
            debounce_ms=_DEBOUNCE_MS,
            folders_s=_FOLDERS_S,
            is_stopped=stopped,
        )

    def _folders(self) -> list[Path]:
        folders = self._sidecar.watched()
        self._board.note("capture", f"watching {len(folders)} folders")
        return [*folders, fs.make_private(self._sidecar.spool)]

    def _read(self, changed: set[Path]) -> bool:
        sidecar = self._sidecar
        ended = sidecar.capture_spool()
        messages = (
            sidecar.capture_paths(changed) if changed else sidecar.capture_all(self._said.set)
        )
        self._said.set()
        with self._lock:
            self._ended |= ended
        if messages or ended:
            self._board.touch()
            self._wake.set()
        self._tell(sidecar.mirror_notes(changed or None))
        for path, reason in sidecar.capture.captured.troubles.items():
            self._board.note(path, reason)
        return True

    def _tell(self, mirrored: Mirrored | None) -> None:
        """Report the user's notes that could not be mirrored."""
        if mirrored is None:
            return
        self._board.note(
            "notes",
            "; ".join(f"{path}: {why}" for path, why in mirrored.troubles.items()) or "up to date",
        )
        for path in mirrored.left:
            self._board.say(f"{path} was changed and is left alone")

    def derive(self) -> None:
        """Make new turns searchable whenever some came: words at once, then vectors."""
        stopped = self._board.stop.is_set
        while not stopped():
            self._said.clear()
            derived = self._sidecar.derive_turns(is_stopped=stopped, progress=self._derived)
            self._board.note("turns", "up to date")
            if derived.put:
                self._embed()
            self._said.wait()

    def _derived(self, documents: int) -> None:
        PROMPTS.give_way()
        self._board.note("turns", f"{documents} documents")

    def observe(self) -> None:
        """Observe the due turns, whenever some came and once in a while."""
        journal = self._call.home.journal
        while not self._board.stop.is_set():
            self._wake.clear()
            with self._lock:
                ended, self._ended = self._ended, set()
            stopped = self._board.stop.is_set
            PROMPTS.give_way()
            # All transcripts are read before anything is embedded.
            if any(
                [  # noqa: C419
                    settle_scope(self._call, s, flush=s in ended, is_stopped=stopped)
                    for s in self._sidecar.scopes()
                ]
            ):
                self._embed()
                gc.collect()  # what a run held is large, and the next may be hours away
            waiting = "; ".join(incident.detail for incident in journal.incidents())
            self._board.note("observe", f"waits: {waiting}" if waiting else "up to date")
            self._wake.wait(self._until_rested_s())

    def _until_rested_s(self) -> float:
        """Return the seconds for which nothing can be due.

        While rules observe, the last turns are due once the conversation has rested.
        """
        sidecar = self._sidecar
        if sidecar.models.observer_model or not any(map(sidecar.backlog_tokens, sidecar.scopes())):
            return _IDLE_CHECK_S
        return RULES_REST.total_seconds()

    def wake(self) -> None:
        """End the wait, because the process is to stop."""
        self._wake.set()
        self._said.set()
