"""Daemon part that indexes sources older than Gieok: agents' notes, instructions, commit logs."""

from collections.abc import Callable

from gieok.commands.memory.seed_notes import index_seeds
from gieok.daemon.board import Board
from gieok.errors import GieokError
from gieok.home.call import Call

_PART = "seeds"
#: Delay after the start, so that transcripts are read first: transcripts name the folders.
_FIRST_S = 5


class Seeds:
    """Periodic index run, every `watch.rescan_s`.

    Sources are not watched: a commit is not urgent, and watching would take one more folder per
    project.
    """

    def __init__(self, call: Call, board: Board, embed: Callable[[], None]) -> None:
        self._call, self._board, self._embed = call, board, embed

    def keep(self) -> None:
        """Index periodically until the process is to stop."""
        wait = _FIRST_S
        while not self._board.stop.wait(wait):
            wait = self._call.home.watching.rescan_s
            try:
                report = index_seeds(self._call, self._board.stop.is_set)
            except GieokError as error:
                self._board.note(_PART, f"failed: {error}")
                continue
            changed = len(report.added) + len(report.changed) + len(report.removed)
            self._board.note(_PART, f"up to date: {changed + report.unchanged} documents")
            if changed:
                self._board.say(f"{changed} notes, instructions and commits of before were read")
                self._embed()
