"""Runs many commands of `gieok`: one process imports the package once, and each command is a fork
of it.

Nine tenths of what a short command takes is the start and the end of Python. A fork has streams,
environment, folder and arguments of its own. Imitated are a start with a closed stream
(`sys.stdout` is None, as the interpreter sets it) and the interpreter's end (threads, exit
handlers, the last flush and its status 120); what is imported is the same for all. Tests of those
start real programs.

The servers of a whole run of tests are forks of one process themselves, where `SHARED` names its
socket: to import the package and to compile its patterns takes two seconds of CPU.

This file is also the server (`python forked.py`, requests as lines of JSON), so it imports nothing
of the package before it forks but modules, and reads no setting.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

import forked_program

#: The command line of a server.
SERVER = (sys.executable, __file__)
#: Names the socket of the process whose forks the servers of a run are. Who first needs it starts
#: it, and it ends with the last of its servers.
SHARED = "GIEOK_TEST_FORKS"
#: So long a process waits for the one that started it, which connects at once unless it is killed.
_FIRST_S = 60.0
#: What most commands import.
_EARLY = (
    "yaml",
    "gieok.home",
    "gieok.home.archive",
    "gieok.home.backups",
    "gieok.home.calls",
    "gieok.home.character",
    "gieok.home.keys",
    "gieok.home.recent_talk",
    "gieok.machine.parsers.treesitter",
    "gieok.storage.accounts.sqlite",
    "gieok.storage.journal.sqlite.journal",
    "gieok.storage.index.sqlite.graph",
    "gieok.commands.run",
    "gieok.surfaces.cli",
    "gieok.surfaces.streams",
)


#: Patterns that are compiled; each lives as long as its module.
_COMPILED: set[int] = set()


class Done(NamedTuple):
    """What a program gave."""

    status: int
    out: str
    err: str


class Server(Protocol):
    """What a server is spoken with over: a process, or the two directions of a socket."""

    @property
    def stdin(self) -> IO[bytes] | None: ...
    @property
    def stdout(self) -> IO[bytes] | None: ...


class _Channel(NamedTuple):
    stdin: IO[bytes]
    stdout: IO[bytes]


class Commands:
    """A server of forks."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def run(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        *,
        given: str = "",
        out: str = "kept",
        err: str = "kept",
    ) -> Done:
        """Run a command. A stream is `kept`, `closed`, `full`, `unread` (a pipe that nobody
        reads).
        """
        assert self._server.stdin
        assert self._server.stdout
        asked = {
            "arguments": [*arguments],
            "environment": {**environment},
            "folder": str(folder),
            "given": given,
        }
        self._server.stdin.write(json.dumps({**asked, "streams": [out, err]}).encode() + b"\n")
        self._server.stdin.flush()
        return Done(*json.loads(self._server.stdout.readline()))


@contextmanager
def commands(*modules: str) -> Iterator[Commands]:
    """Start a server that imports `modules` too before its first command, and end it."""
    with _begin_server(*modules) as server:
        yield Commands(server)


@contextmanager
def program(*modules: str) -> Iterator[tuple[str, ...]]:
    """Yield the start of a command line that is `gieok`, but begins as a fork: see
    `forked_program`.

    For programs that are spoken with, and that others start. Ends when all of them have ended.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder) / "forks")
        with _begin_server(f"--listen={place}", *modules) as server:
            assert server.stdout
            assert server.stdout.readline() == b"listening\n"
            yield (sys.executable, "-I", "-S", forked_program.__file__, place)


@contextmanager
def _begin_server(*words: str) -> Iterator[Server]:
    """Start a server, as a fork where a process of forks is shared; end it, and wait for its end."""
    if not (place := os.environ.get(SHARED)):
        with subprocess.Popen(
            [*SERVER, *words], env=_around(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            yield process
        return
    with _join(place) as channel, channel.makefile("rb") as said:
        with channel.makefile("wb") as asking:
            asking.write(json.dumps([sys.path, words]).encode() + b"\n")
            asking.flush()
            yield _Channel(asking, said)
        channel.shutdown(socket.SHUT_WR)
        said.read()


def _around() -> dict[str, str]:
    """Return the environment of a server."""
    return {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}


def _join(place: str) -> socket.socket:
    """Connect with the shared process; start it where there is none."""
    channel = socket.socket(socket.AF_UNIX)
    with _alone(place):
        try:
            channel.connect(place)
        except (FileNotFoundError, ConnectionRefusedError):
            command = [*SERVER, f"--share={place}"]
            subprocess.run(
                command,
                env=_around(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                check=True,
            )
            channel.connect(place)
    return channel


@contextmanager
def _alone(place: str) -> Iterator[None]:
    """Hold off others who connect with a shared process, or end it."""
    import fcntl  # not on every platform on which one part is tested alone

    with Path(f"{place}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _main() -> None:
    words = sys.argv[1:]
    if words and words[0].startswith("--share="):
        _share(words[0].partition("=")[2])
    else:
        _run_server(words)


def _run_server(words: list[str]) -> None:
    """Be a server: of programs that connect, or of commands that standard input asks for."""
    if words and words[0].startswith("--listen="):
        _load_package(words[1:])
        _listen(words[0].partition("=")[2])
    else:
        _load_package(words)
        _serve()


def _load_package(modules: Sequence[str]) -> None:
    from gieok.commands import NAMES, load_command

    for module in (*_EARLY, *modules):
        importlib.import_module(module)
    for name in NAMES:
        load_command(name)
    prepare_patterns()
    gc.freeze()  # a fork that looked through what is imported would copy its pages


def _share(place: str) -> None:
    """Fork for each server that somebody asks for, until none is left. Who started this need not
    wait.
    """
    Path(place).unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(place)
    listener.listen(64)
    if os.fork() != 0:
        os._exit(0)
    os.setsid()
    os.chdir("/")
    _load_package(())
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waking)
    is_needed = bool(select.select([listener], [], [], _FIRST_S)[0])
    while is_needed:
        ready, _, _ = select.select([listener.fileno(), woken], [], [])
        if listener.fileno() in ready:
            channel, _ = listener.accept()
            if os.fork() == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for number in (listener.detach(), woken, waking):
                    os.close(number)
                _become_server(channel)
            channel.close()
        else:
            os.read(woken, 64)
            is_needed = _has_children() or _is_asked_for(listener, place)


def _is_asked_for(listener: socket.socket, place: str) -> bool:
    """Say whether somebody is about to ask; where not, nobody connects any more."""
    try:
        with _alone(place):
            if select.select([listener], [], [], 0)[0]:
                return True
            Path(place).unlink()
    except FileNotFoundError:  # the run is over, and has removed its folder
        pass
    return False


def _has_children() -> bool:
    """Say whether a server still runs."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


def _become_server(channel: socket.socket) -> None:
    """Run the server that a channel asks for, with the channel for standard input and output."""
    asked = bytearray()
    while not asked.endswith(b"\n"):  # no buffer, which would take from the first request
        asked += channel.recv(1)
    sys.path[:], words = json.loads(asked)
    for number in (0, 1):
        os.dup2(channel.fileno(), number)
    channel.close()
    _run_server(words)
    sys.stdout.flush()
    os._exit(0)


def _listen(place: str) -> None:
    """Fork for each program that connects, until standard input ends."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(place)
    listener.listen(64)
    print("listening", flush=True)
    while True:
        ready, _, _ = select.select([listener, sys.stdin], [], [])
        if listener not in ready:
            break
        channel, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            _answer(channel)
        channel.close()
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()


def _answer(channel: socket.socket) -> None:
    """Run the program that a channel asks for in a fork, and answer how it ended."""
    length, streams, _, _ = socket.recv_fds(channel, forked_program.LENGTH_BYTES, 3)
    with channel.makefile("rb") as asking:
        asked = json.loads(asking.read(int.from_bytes(length, "big")))
    child = os.fork()
    if child == 0:
        channel.close()
        _enter(asked)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        _open_input()
        for number, name in enumerate(("stdout", "stderr"), 1):
            _open_output(number, name)
        import gieok.__main__

        _end(gieok.__main__.main)
    for number in (0, 1, 2, *streams):
        os.close(number)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with contextlib.suppress(OSError):  # who started it was killed
        channel.sendall((status % 256).to_bytes(forked_program.LENGTH_BYTES, "big"))
    os._exit(0)


def _serve() -> None:
    """Fork for each request until there are no more; a fork leaves this function as the command."""
    import gieok.__main__

    answers = os.dup(1)  # is closed where another program is started
    for line in sys.stdin:
        asked = json.loads(line)
        kept = [tempfile.TemporaryFile() for _ in range(2)]  # noqa: SIM115
        child = os.fork()
        if child == 0:
            os.close(answers)
            _become(asked, kept)
            _end(gieok.__main__.main)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said = []
        for file in kept:
            file.seek(0)
            said.append(file.read().decode())
            file.close()
        os.write(answers, json.dumps([status, *said]).encode() + b"\n")


def prepare_patterns() -> None:
    """Compile once what each fork would compile for itself: what is compiled at its first use, and
    the table of secrets.
    """
    from gieok.text.late_pattern import LatePattern
    from gieok.text.redact import redact, redact_source

    for pattern in gc.get_referrers(LatePattern):
        if isinstance(pattern, LatePattern) and id(pattern) not in _COMPILED:
            pattern.compile()
            _COMPILED.add(id(pattern))
    for text in ("no password token --here: of_more_than_twenty_signs", "비밀번호는 여기에 없다"):
        redact(text)
        redact_source(text)


def _enter(asked: dict[str, Any]) -> None:
    """Take on environment, folder and arguments of a command."""
    from gieok import _NO_TELEMETRY  # type: ignore[attr-defined] # not in its stub

    os.environ.clear()
    os.environ.update(asked["environment"] | _NO_TELEMETRY)  # as `import gieok` does
    time.tzset()  # the zone is the command's, not the server's
    os.chdir(asked["folder"])
    sys.argv = ["gieok", *asked["arguments"]]


def _open_input() -> None:
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # type: ignore[misc]  # noqa: SIM115


def _open_output(number: int, name: str, *, is_closed: bool = False) -> None:
    stream = None
    if not is_closed:
        errors = "surrogateescape" if number == 1 else "backslashreplace"
        by_line = 1 if number == 2 else -1
        stream = open(number, "w", by_line, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
    setattr(sys, name, stream)
    setattr(sys, f"__{name}__", stream)


def _become(asked: dict[str, Any], kept: list[Any]) -> None:
    _enter(asked)
    given = tempfile.TemporaryFile()  # noqa: SIM115
    given.write(asked["given"].encode())
    given.seek(0)
    os.dup2(given.fileno(), 0)
    given.close()
    _open_input()
    for number, (name, how, file) in enumerate(
        zip(("stdout", "stderr"), asked["streams"], kept, strict=True), 1
    ):
        _redirect(number, how, file.fileno())
        _open_output(number, name, is_closed=how == "closed")
        file.close()


def _end(main: Callable[[], int]) -> None:
    """Run a command and end as the interpreter does, but for what it frees, which takes longer than
    most commands.
    """
    status = 1
    try:
        status = main()
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:  # noqa: BLE001 - as the interpreter
        traceback.print_exc()
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream and stream.flush()
        except OSError:
            status = 120
    os._exit(status)


def _redirect(number: int, how: str, kept: int) -> None:
    if how == "closed":
        os.close(number)
    elif how == "unread":
        reading, writing = os.pipe()
        os.close(reading)
        os.dup2(writing, number)
        os.close(writing)
    else:
        to = kept if how == "kept" else os.open("/dev/full", os.O_WRONLY)
        os.dup2(to, number)
        if how != "kept":
            os.close(to)


if __name__ == "__main__":
    _main()
