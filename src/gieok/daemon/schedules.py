"""Daemon part that runs jobs when they are due.

It sleeps until the next job, but never for long, because clocks are set and machines sleep.
"""

import gc
from collections.abc import Callable, Sequence

from gieok.commands.home import jobs
from gieok.commands.home.jobs import HomeJob
from gieok.daemon.board import Board
from gieok.errors import GieokError
from gieok.home.call import Call
from gieok.memory.tiers import sync

#: A set clock, or a machine that wakes up, is noticed after this many seconds at the latest.
_LONGEST_S = 600.0
#: A job whose lock another process holds is tried again after this many seconds.
_SHORTEST_S = 5.0


class Schedules:
    """Runner of scheduled jobs.

    `opened` opens a call for each round, with the keys of that time; changed settings restart
    the whole process. Jobs of one table wait for each other; those that take long have a table, and
    a `part` of the daemon, of their own.
    """

    def __init__(
        self,
        opened: Callable[[], Call],
        board: Board,
        table: Sequence[HomeJob] = jobs.SHORT_JOBS,
        *,
        part: str = "schedules",
    ) -> None:
        self._opened = opened
        self._board = board
        self._table = table
        self._part = part

    def keep(self) -> None:
        """Sweep the archives, and run jobs until the process is to stop."""
        self.begin()
        self.follow()

    def follow(self) -> None:
        """Run jobs until the process is to stop."""
        stop = self._board.stop
        while not stop.is_set():
            stop.wait(self.round())

    def begin(self) -> None:
        """Sweep files that a killed process left half-written in archives."""
        try:
            wrong = sync.sweep_cold_tier(self._opened().home.tiers)
        except GieokError as error:  # the nightly job tries again
            wrong = [str(error)]
        for line in wrong:
            self._board.say(f"archive: {line}")

    def round(self) -> float:
        """Run the jobs that are due; return the seconds until the next may be due."""
        call = self._opened()
        for ran in jobs.run_due(call, self._table, is_stopped=self._board.stop.is_set):
            if ran.said or not ran.ok:
                self._board.say(f"{ran.name}{'' if ran.ok else ' failed'}: {ran.said}")
            gc.collect()  # what a job held is large, and the next may be hours away
        planned = [(p.next_at, p.job.name) for p in jobs.plan_jobs(call, self._table) if p.next_at]
        if not planned:
            self._board.note(self._part, "nothing is scheduled")
            return _LONGEST_S
        at, name = min(planned)
        self._board.note(self._part, f"{name} at {at.astimezone(call.zone):%Y-%m-%d %H:%M}")
        return min(max((at - call.clock.now()).total_seconds(), _SHORTEST_S), _LONGEST_S)
