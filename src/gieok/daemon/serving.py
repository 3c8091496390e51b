"""The server as a part of the daemon: a child process, started again when it falls, ended with the
daemon.

A process of its own, so that what it needs and a crash in it are none of the daemon's: 100 MB,
which return when it ends.
"""

import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

from gieok import places
from gieok.daemon import listening
from gieok.daemon.board import Board
from gieok.errors import GieokError
from gieok.flow.incidents import Incidents
from gieok.ops.context import Context

PART = "server"
#: How the state of this part begins where the server is not there.
FAILED = "failed: "
#: Starts a server; who does is the argument that follows. A child's input is a pipe, whose end ends
#: it.
COMMAND = (sys.executable, "-P", "-m", "gieok.surfaces.http")
#: What a server says once it answers, and where it listens.
READY = "ready:"
#: Who started it: this part.
DAEMON = "daemon"
#: The argument behind it that lets it have any port.
ANY_PORT = "any-port"
_WANTED = "GIEOK_DAEMON_SERVES"
_SHORTEST_S, _LONGEST_S = 1.0, 300.0
#: A server that ran for so long is started again at once when it falls.
_SOUND_S = 60.0
_DRAIN_S = 3.5
_MOST_LINES = 200


class Serving:
    """Runs the server once it is wanted: by the setting, or by `want`."""

    def __init__(
        self,
        home: Path,
        opened: Callable[[], Context],
        board: Board,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self._home = home
        self._command = command
        self._opened = opened
        self._board = board
        self._wanted = threading.Event()
        #: Another port where the configured one is in use: that one is nobody's promise.
        self._is_any_port = True
        self._child: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def want(self, *, is_configured: bool = False) -> None:
        """Have a server run from now on, also where the process starts anew; `is_configured`: on
        its own port alone.
        """
        self._is_any_port = self._is_any_port and not is_configured
        os.environ[_WANTED] = "1"
        self._wanted.set()

    @staticmethod
    def was_wanted() -> bool:
        """Say whether it was, before this process started anew."""
        return _WANTED in os.environ

    def wake(self) -> None:
        """End the server, as where the process is to stop (`Board.stop`)."""
        with self._lock:
            if self._child is not None:
                self._child.terminate()
                late = threading.Timer(_DRAIN_S, self._child.kill)
                late.daemon = True
                late.start()
        self._wanted.set()

    def keep(self) -> None:
        """Keep the server up until the process is to stop."""
        stop, pause_s, said = self._board.stop, _SHORTEST_S, ""
        self._wanted.wait()
        while not stop.is_set():
            begun = time.monotonic()
            why = self._run()
            if stop.is_set():
                return
            pause_s = (
                _SHORTEST_S if time.monotonic() - begun > _SOUND_S else min(pause_s * 2, _LONGEST_S)
            )
            self._board.note(PART, f"{FAILED}{why}")
            if why != said:
                self._board.say(f"the server ended: {why}")
                said = why
            self._failed(why)
            stop.wait(pause_s)

    def _run(self) -> str:
        """Run one server to its end; return why it ended."""
        if not self._is_any_port:
            listening.stop(self._home)  # one of `gieok open` has the port
        with self._lock:
            if self._board.stop.is_set():
                return ""
            self._child = child = subprocess.Popen(  # noqa: S603 - fixed program, no shell
                [*self._command, DAEMON, *[ANY_PORT] * self._is_any_port],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                cwd=self._home,
                env=os.environ | {places.HOME_VARIABLE: str(self._home)},
                encoding="utf-8",
                errors="replace",
            )
        self._board.note(PART, "starting")
        with child:
            said = self._follow(child)
        why = " ".join(find_exit_reason("\n".join(said)).split()) if child.returncode else ""
        return why or f"it ended ({child.returncode})"

    def _follow(self, child: "subprocess.Popen[str]") -> list[str]:
        """Pass on what a server says until it says no more; return the last of it."""
        last, is_ready = deque[str](maxlen=_MOST_LINES), False
        assert child.stderr
        for line in child.stderr:
            begins, _, url = line.strip().partition(" ")
            if begins == READY:
                is_ready = True
                self._board.note(PART, url)
                self._board.say(f"the server listens on {url}")
                self._resolved()
            else:
                last.append(line.rstrip())
                if is_ready:
                    self._board.say(f"server: {last[-1]}")
        return list(last)

    def _failed(self, why: str) -> None:
        """Tell a person, once."""
        context = self._opened()
        title = context.words("Gieok's server does not run")
        error = GieokError(why, hint="see `gieok logs`; `serve.port` is its port")
        self._incidents(context).failed(
            PART,
            error,
            title,
            first=timedelta(seconds=_SHORTEST_S),
            longest=timedelta(seconds=_LONGEST_S),
        )

    def _resolved(self) -> None:
        context = self._opened()
        if context.memory.has_journal():
            self._incidents(context).resolved(PART)

    @staticmethod
    def _incidents(context: Context) -> Incidents:
        return Incidents(context.memory.journal(), context.clock, context.admin.notices())


def find_exit_reason(said: str) -> str:
    """Return what a process said last; of a traceback the error alone."""
    errors = [
        line for line in said.splitlines() if "Error" in line or line.startswith("gieok.errors.")
    ]
    if "Traceback (most" in said and errors:
        return next((line for line in reversed(errors) if line[:1].isalpha()), said).partition(
            ": "
        )[2]
    return said.removeprefix("gieok: ")
