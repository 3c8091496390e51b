"""Daemon part that runs the server for the pages in a child process.

The child is restarted when it fails, and ended with the daemon. It is a separate process so that
its 100 MB return to the system when it ends, and so that a crash in it does not reach the daemon.
"""

import os
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

from gieok.daemon.board import Board
from gieok.errors import GieokError, Phrase
from gieok.flow.incidents import Incidents
from gieok.home.call import Call
from gieok.places.home import HOME_VARIABLE
from gieok.processes import http_address
from gieok.processes.launch import ANY_PORT, COMMAND, DAEMON, FAILED, PART, READY, find_exit_reason

_WANTED = "GIEOK_DAEMON_SERVES"
_SHORTEST_S, _LONGEST_S = 1.0, 300.0
#: A server that ran for this many seconds is restarted at once when it fails.
_SOUND_S = 60.0
_DRAIN_S = 3.5
_MOST_LINES = 200


class Serving:
    """Runner of the server, once the server is wanted by the setting or by `want`."""

    def __init__(
        self,
        home: Path,
        opened: Callable[[], Call],
        board: Board,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self._home = home
        self._command = command
        self._opened = opened
        self._board = board
        self._wanted = threading.Event()
        #: Whether another port may be used where the configured one is in use: no link promises the
        #: configured one.
        self._is_any_port = True
        self._child: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def want(self, *, is_configured: bool = False) -> None:
        """Have a server run from now on, also after the process restarts itself.

        `is_configured`: the server may only use its configured port.
        """
        self._is_any_port = self._is_any_port and not is_configured
        os.environ[_WANTED] = "1"
        self._wanted.set()

    @staticmethod
    def was_wanted() -> bool:
        """Return whether a server was wanted before this process restarted itself."""
        return _WANTED in os.environ

    def wake(self) -> None:
        """End the server when the process is to stop (`Board.stop`)."""
        with self._lock:
            if self._child is not None:
                self._child.terminate()
                late = threading.Timer(_DRAIN_S, self._child.kill)
                late.daemon = True
                late.start()
        self._wanted.set()

    def keep(self) -> None:
        """Keep the server up until the process is to stop."""
        stop, pause_s, last_reason = self._board.stop, _SHORTEST_S, ""
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
            if why != last_reason:
                self._board.say(f"the server ended: {why}")
                last_reason = why
            self._failed(why)
            stop.wait(pause_s)

    def _run(self) -> str:
        """Run one server to its end; return why it ended."""
        if not self._is_any_port:
            http_address.stop(self._home)  # one of `gieok open` has the port
        with self._lock:
            if self._board.stop.is_set():
                return ""
            self._child = child = subprocess.Popen(  # noqa: S603 - fixed program, no shell
                [*self._command, DAEMON, *[ANY_PORT] * self._is_any_port],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                cwd=self._home,
                env=os.environ | {HOME_VARIABLE: str(self._home)},
                encoding="utf-8",
                errors="replace",
            )
        self._board.note(PART, "starting")
        with child:
            lines = self._follow(child)
        why = " ".join(find_exit_reason("\n".join(lines)).split()) if child.returncode else ""
        return why or Phrase("it ended ({status})", status=child.returncode)

    def _follow(self, child: "subprocess.Popen[str]") -> list[str]:
        """Pass on a server's output until it ends; return the last lines."""
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
        """Report a failure to the person, once."""
        call = self._opened()
        title = call.words("Gieok's server does not run")
        error = GieokError(why, hint="see `gieok logs`; `serve.port` is its port")
        self._incidents(call).failed(
            PART,
            error,
            title,
            first=timedelta(seconds=_SHORTEST_S),
            longest=timedelta(seconds=_LONGEST_S),
        )

    def _resolved(self) -> None:
        call = self._opened()
        if call.home.stores.has_journal():
            self._incidents(call).resolved(PART)

    @staticmethod
    def _incidents(call: Call) -> Incidents:
        return Incidents(call.home.journal, call.clock, call.home.notices)
