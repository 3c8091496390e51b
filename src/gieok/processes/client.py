"""Client that starts, asks and stops the daemon of a home folder.

Stale records do no harm: only the holder of the lock is a daemon.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gieok import fs, paths
from gieok.errors import GieokError
from gieok.places.home import HOME_VARIABLE
from gieok.processes import autostart, call, http_address, launch, wire
from gieok.processes.http_address import ServerStatus

_START_S = 30.0
_STOP_S = 10.0
_POLL_S = 0.05


class DaemonStatus(NamedTuple):
    """Running daemon: its process, its start time, and the activity of each of its parts."""

    pid: int
    started_at: str
    version: str
    parts: Mapping[str, str]


class RecalledPrompt(NamedTuple):
    """Memory that the daemon puts before a prompt.

    Its handle, its place (`path#L4`), its probability, and whether it is shown in full.
    """

    handle: str
    citation: str
    score: float
    is_sure: bool


class Daemon:
    """The one daemon of a home folder, and the server of its pages, over the local socket."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def status(self) -> DaemonStatus | None:
        """Return the daemon's status; None where no daemon answers."""
        to = wire.address(self._home)
        row = wire.ask_one_line(to, "status") if to and self._is_alive() else None
        if to is None or row is None:
            return None
        parts = row.get("parts")
        return DaemonStatus(
            to.pid, to.started_at, to.version, parts if isinstance(parts, dict) else {}
        )

    def is_starting(self) -> bool:
        """Return whether a daemon that does not answer is there: it starts, or is just busy."""
        return self._is_alive() or wire.is_renewed_now(self._home)

    def start(self) -> tuple[DaemonStatus, bool]:
        """Start a daemon process, and wait until it answers."""
        autostart.allow_daemon_start(str(self._home))
        running = self.status()
        if running is not None:
            return running, False
        log = paths.locate_daemon_log(self._home)
        fs.create_private(log)
        with log.open("ab") as out:
            child = subprocess.Popen(
                [sys.executable, "-m", "gieok.daemon"],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                cwd=self._home,
                env=os.environ | {HOME_VARIABLE: str(self._home)},
                start_new_session=True,
            )
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline:
            running = self.status()
            if running is not None:
                child.returncode = 0  # it outlives this process on purpose: nobody waits for it
                return running, running.pid == child.pid
            if child.poll() not in (None, 0):
                break
            time.sleep(_POLL_S)
        launch.end(child)  # what is said not to have started does not come up later
        raise GieokError("the daemon did not start", hint="`gieok logs` shows why")

    def serve(self) -> tuple[ServerStatus, bool]:
        """Start a server for the pages unless one runs, and wait until it is ready."""
        return launch.start_server(self._home)

    def server(self) -> ServerStatus | None:
        """Return the status of the recorded server; None where none answers."""
        return http_address.find_listening_server(self._home)

    def recalled(
        self,
        prompt: str,
        scopes: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        within_s: float,
    ) -> "Sequence[RecalledPrompt] | None":
        """Ask the daemon for the recall of a prompt, as the prompt hook does."""
        answer = call.ask_prompt(
            self._home, prompt, list(scopes), str(folder), environment, within_s
        )
        if answer is None:
            return None
        return [
            RecalledPrompt(m["handle"], m["citation"], m["score"], m["is_sure"])
            for m in answer["memories"]
        ]

    def stop(self) -> bool:
        """Stop the daemon, and a server that `serve` started.

        Afterwards no session start brings the daemon up again.
        """
        served = http_address.stop(self._home)
        return self._stop_daemon() or served

    def _stop_daemon(self) -> bool:
        """Ask the daemon to stop; where it does not answer, signal its process."""
        if self._home.is_dir():
            autostart.keep_down(str(self._home))
        if not self._is_alive():
            return False
        deadline = time.monotonic() + _STOP_S
        asked_tokens: set[str] = set()
        while self._is_alive():
            to = wire.address(self._home)
            # Each daemon is asked once: a daemon that was just starting records its address only
            # later, and another daemon may follow it.
            if to and to.token not in asked_tokens:
                asked_tokens.add(to.token)
                if wire.ask_one_line(to, "stop") is None:
                    _terminate_daemon(to.pid)
            if time.monotonic() > deadline:
                raise GieokError(
                    "the daemon does not stop", pid=to.pid if to else "?", hint="end process {pid}"
                )
            time.sleep(_POLL_S)
        return True

    def _is_alive(self) -> bool:
        lock = wire.find_daemon_lock(self._home)
        if not lock.exists():
            return False
        with fs.exclusive(lock, wait=False) as free:
            return not free


def _terminate_daemon(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGTERM)
    except OSError:
        return
