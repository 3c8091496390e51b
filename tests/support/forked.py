"""Runs many commands of `gieok`: one process imports the package once, and each command is a fork
of it.

Nine tenths of what a short command takes is the start and the end of Python. A fork has streams,
environment, folder and arguments of its own. Imitated are a start with a closed stream
(`sys.stdout` is None, as the interpreter sets it) and the interpreter's end (threads, exit
handlers, the last flush and its status 120); what is imported is the same for all. Tests of those
start real programs.

This file is also the server (`python forked.py`, requests as lines of JSON), so it imports nothing
of the package before it forks but modules, and reads no setting.
"""

import atexit
import gc
import importlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

#: The command line of a server.
SERVER = (sys.executable, __file__)
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


class Done(NamedTuple):
    """What a program gave."""

    status: int
    out: str
    err: str


class Commands:
    """A server of forks."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

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
        assert self._process.stdin
        assert self._process.stdout
        asked = {
            "arguments": [*arguments],
            "environment": {**environment},
            "folder": str(folder),
            "given": given,
        }
        self._process.stdin.write(json.dumps({**asked, "streams": [out, err]}).encode() + b"\n")
        self._process.stdin.flush()
        return Done(*json.loads(self._process.stdout.readline()))


@contextmanager
def commands(*modules: str) -> Iterator[Commands]:
    """Start a server that imports `modules` too before its first command, and end it."""
    around = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [*SERVER, *modules], env=around, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        yield Commands(process)


def _serve() -> None:
    """Fork for each request until there are no more; a fork leaves this function as the command."""
    import gieok.__main__
    from gieok.commands import NAMES, load_command

    for module in (*_EARLY, *sys.argv[1:]):
        importlib.import_module(module)
    for name in NAMES:
        load_command(name)
    _prepare_patterns()
    gc.freeze()  # a fork that looked through what is imported would copy its pages
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


def _prepare_patterns() -> None:
    """Compile once what each fork would compile for itself: what is compiled at its first use, and
    the table of secrets.
    """
    from gieok.text.late_pattern import LatePattern
    from gieok.text.redact import redact, redact_source

    for pattern in gc.get_referrers(LatePattern):
        if isinstance(pattern, LatePattern):
            pattern.compile()
    for text in ("no password token --here: of_more_than_twenty_signs", "비밀번호는 여기에 없다"):
        redact(text)
        redact_source(text)


def _become(asked: dict[str, Any], kept: list[Any]) -> None:
    from gieok import _NO_TELEMETRY  # type: ignore[attr-defined] # not in its stub

    os.environ.clear()
    os.environ.update(asked["environment"] | _NO_TELEMETRY)  # as `import gieok` does
    time.tzset()  # the zone is the command's, not the server's
    os.chdir(asked["folder"])
    sys.argv = ["gieok", *asked["arguments"]]
    given = tempfile.TemporaryFile()  # noqa: SIM115
    given.write(asked["given"].encode())
    given.seek(0)
    os.dup2(given.fileno(), 0)
    given.close()
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # type: ignore[misc]  # noqa: SIM115
    for number, (name, how, file) in enumerate(
        zip(("stdout", "stderr"), asked["streams"], kept, strict=True), 1
    ):
        _redirect(number, how, file.fileno())
        stream = None
        if how != "closed":
            errors = "surrogateescape" if number == 1 else "backslashreplace"
            by_line = 1 if number == 2 else -1
            stream = open(number, "w", by_line, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
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
    _serve()
