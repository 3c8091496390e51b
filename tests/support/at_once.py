"""Runs calls at once: in threads that all look before any writes, and in processes that begin
together.

`python at_once.py` is one such process: requests as lines of JSON, an answer for each.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

#: Functions of the system by which a file gets its name, another content, or goes.
_WRITES = frozenset(("replace", "link", "unlink", "rename", "write"))
#: Calls that may wait for another thread: they count as waiting until they return.
_WAITS = frozenset(("flock", "execute", "executemany", "executescript", "backup", "acquire"))


class Asked(NamedTuple):
    """A call of an operation: its name, its parameters, and the folder that it is made in."""

    name: str
    values: dict[str, Any]
    folder: str = ""


class Answered(NamedTuple):
    """What came of it: its JSON, or the code of its failure."""

    data: Any
    code: str = ""


class Gate:
    """Lets threads look first: whoever is about to write waits until every other thread is, too, or
    waits, or has ended.

    Then the one goes on that has written least. This is the order of events in which a writer that
    looks without a lock is wrong. A thread that holds a lock lets the others wait for it, goes on,
    and the next one looks at what it wrote.
    """

    def __init__(self, threads: int) -> None:
        self._running = threads
        self._here: set[tuple[int, int]] = set()
        self._changed = threading.Condition(threading.Lock())
        self._own = threading.local()

    def begin(self, number: int) -> None:
        """Name the thread, which has written nothing yet."""
        self._own.number, self._own.written, self._own.is_inside = number, 0, False

    def watch(self, frame: FrameType, event: str, called: Any) -> None:
        """Follow the calls of a thread: a function for `sys.setprofile`."""
        del frame
        if event not in ("c_call", "c_return", "c_exception") or self._own.is_inside:
            return
        name = called.__name__
        self._own.is_inside = True
        try:
            if name in _WAITS:
                self._count(-1 if event == "c_call" else 1)
            elif event == "c_call" and name in _WRITES and called.__module__ == os.name:
                self._arrive()
        finally:
            self._own.is_inside = False

    def end(self) -> None:
        """Say that the thread has ended."""
        self._own.is_inside = True
        self._count(-1)

    def _count(self, by: int) -> None:
        with self._changed:
            self._running += by
            self._changed.notify_all()

    def _arrive(self) -> None:
        turn = (self._own.written, self._own.number)
        self._own.written += 1
        with self._changed:
            self._running -= 1
            self._here.add(turn)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._running <= 0 and turn == min(self._here))
            self._here.remove(turn)
            self._running += 1


def in_threads(works: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run functions in a thread each, all of which look before one writes; return what they return,
    or raise.
    """
    gate, done = Gate(len(works)), [None] * len(works)
    start = threading.Barrier(len(works))

    def run(number: int) -> None:
        start.wait()
        gate.begin(number)
        sys.setprofile(gate.watch)
        try:
            done[number] = works[number]()
        except BaseException as error:  # noqa: BLE001 - raised below
            done[number] = error  # type: ignore[call-overload]
        finally:
            sys.setprofile(None)
            gate.end()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in done:
        if isinstance(one, BaseException):
            raise one
    return done


def answer(asked: Asked, *, is_closed: bool = False) -> Answered:
    """Run an operation in a context of its own, which is `is_closed` afterwards: connections to
    servers count.
    """
    from datetime import UTC

    from gieok.commands.run import run_operation
    from gieok.home.calls import open_call
    from gieok.testing import ManualClock

    call = open_call({}, folder=Path(asked.folder), clock=ManualClock(), zone=UTC)
    found = run_operation(asked.name, asked.values, lambda _: call)
    if is_closed:
        call.home.journal.close()
        call.home.store.close()
    data = json.loads(json.dumps(found.data))
    return Answered(data, found.failure.code) if found.failure else Answered(data)


class Processes:
    """Processes that each run one of the calls, all of which begin together."""

    def __init__(self, processes: "list[subprocess.Popen[str]]") -> None:
        self._processes = processes

    def run(self, calls: Sequence[Asked]) -> list[Answered]:
        """Run a call in each; return what came of them, in order."""
        assert len(calls) == len(self._processes)
        for process, asked in zip(self._processes, calls, strict=True):
            assert process.stdin
            process.stdin.write(json.dumps(asked) + "\n")
            process.stdin.flush()
        for process in self._processes:  # each has read its call
            assert process.stdout
            assert process.stdout.readline() == "ready\n"
        for process in self._processes:
            assert process.stdin
            process.stdin.write("go\n")
            process.stdin.flush()
        return [
            Answered(*json.loads(process.stdout.readline()))
            for process in self._processes
            if process.stdout
        ]


@contextmanager
def processes(number: int) -> Iterator[Processes]:
    """Start processes, and end them."""
    around = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, __file__]
    started = [
        subprocess.Popen(
            command, env=around, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for _ in range(number)
    ]
    try:
        yield Processes(started)
    finally:
        for process in started:
            process.communicate()


def _serve() -> None:
    import gieok.home.calls  # noqa: F401 - the start of all calls is as near as can be

    while line := sys.stdin.readline():
        asked = Asked(*json.loads(line))
        print("ready", flush=True)
        sys.stdin.readline()
        print(json.dumps(answer(asked)), flush=True)


if __name__ == "__main__":
    _serve()
