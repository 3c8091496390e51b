"""Start of a server for the pages where none runs; waits until the server is ready.

The server runs in the daemon, or else in its own process.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from gieok import __version__, fs, paths
from gieok.errors import GieokError, Phrase
from gieok.places.home import HOME_VARIABLE
from gieok.processes import http_address, wire
from gieok.processes.http_address import ServerStatus

#: Part of the daemon that runs the server.
PART = "server"
#: Beginning of the daemon's state while the server is not there.
FAILED = "failed: "
#: Command that starts a server; the argument after it names the starter. A child's input is a pipe,
#: whose end ends the server.
COMMAND = (sys.executable, "-P", "-m", "gieok.surfaces.http")
#: Prefix of the line that a server prints once it answers; the address follows.
READY = "ready:"
#: Value for a server's starter: the daemon.
DAEMON = "daemon"
#: Argument after the starter that lets the server use any port.
ANY_PORT = "any-port"
_START_S = 60.0
#: How long the server's journal, store and accounts may take once the server answers.
_READY_S = 10.0
_END_S = 10.0
_POLL_S = 0.05
_MOST_LOG_BYTES = 1_000_000


def start_server(home: Path) -> tuple[ServerStatus, bool]:
    """Return a server that is ready, and whether it was started now. Raises GieokError.

    Of two simultaneous calls only one starts a server.
    """
    with fs.exclusive(home / "serve.lock"):
        if http_address.find_listening_server(home):
            return _wait_for_server(home, lambda: ""), False
        return _in_daemon(home) or _start_server_alone(home), True


def _in_daemon(home: Path) -> ServerStatus | None:
    """Let the daemon start the server; None where no daemon runs, or it cannot start one."""
    to = wire.address(home)
    if to is None or to.version != __version__ or wire.ask_one_line(to, "serve") is None:
        return None

    def failed() -> str:
        row = wire.ask_one_line(to, "status")
        part = str(row["parts"].get(PART, "")) if row else FAILED
        return part if part.startswith(FAILED) else ""

    try:
        return _wait_for_server(home, failed)
    except GieokError:  # its port is another's: one of our own takes any
        return None


def _start_server_alone(home: Path) -> ServerStatus:
    log = paths.locate_server_log(home)
    fs.rotate_log_file(log, _MOST_LOG_BYTES)
    fs.create_private(log)
    before = log.stat().st_size
    with log.open("ab") as out:
        child = subprocess.Popen(  # noqa: S603 - fixed program, no shell
            [*COMMAND, http_address.OPEN],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            cwd=home,
            env=os.environ | {HOME_VARIABLE: str(home)},
            start_new_session=True,
        )

    def failed() -> str:
        if child.poll() is None:
            return ""
        output = log.read_bytes()[before:].decode("utf-8", "replace").strip()
        return find_exit_reason(output) or Phrase("it ended ({status})", status=child.returncode)

    try:
        status = _wait_for_server(home, failed)
    except BaseException:
        end(child)
        raise
    child.returncode = 0  # it outlives this process on purpose: nobody waits for it
    return status


def end(child: "subprocess.Popen[bytes]") -> None:
    """End a process that did not become ready, and wait for its end."""
    child.terminate()
    try:
        child.wait(_END_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _wait_for_server(home: Path, failed: Callable[[], str]) -> ServerStatus:
    """Wait until a server of the home is ready.

    Raises GieokError where the server fails or takes too long.
    """
    deadline, status = time.monotonic() + _START_S, None
    while time.monotonic() < deadline:
        if status is None and (status := http_address.find_listening_server(home)):
            deadline = time.monotonic() + _READY_S
        if status and http_address.is_ready(status):
            return status
        if why := failed():
            raise GieokError(
                "the server did not start: {why}",
                why=Phrase(why),
                hint="`gieok serve` shows more; `serve.port` is the port",
            )
        time.sleep(_POLL_S)
    raise GieokError("the server is not ready", hint="`gieok doctor` shows what does not answer")


def find_exit_reason(said: str) -> str:
    """Return the last line of a process's output; of a traceback only the error."""
    errors = [
        line for line in said.splitlines() if "Error" in line or line.startswith("gieok.errors.")
    ]
    if "Traceback (most" in said and errors:
        return next((line for line in reversed(errors) if line[:1].isalpha()), said).partition(
            ": "
        )[2]
    return said.removeprefix("gieok: ")
