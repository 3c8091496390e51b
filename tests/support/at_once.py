"""Runs calls at once: in threads that all look before any writes, and in processes that begin
together.

`python at_once.py` is the process of which those are forks: requests as lines of JSON, an answer
for each.
"""

import gc
import json
import os
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, NoReturn

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
    """Processes that each run one of the calls, all of which begin together: forks of one process
    that has imported the package.
    """

    def __init__(self, server: "subprocess.Popen[str]") -> None:
        self._server = server

    def run(self, calls: Sequence[Asked]) -> list[Answered]:
        """Run a call in each, with folder and environment of this process; return what came of
        them, in order.
        """
        assert self._server.stdin
        assert self._server.stdout
        request = {"environment": dict(os.environ), "folder": str(Path.cwd()), "calls": calls}
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        return [Answered(*answered) for answered in json.loads(self._server.stdout.readline())]


@contextmanager
def processes() -> Iterator[Processes]:
    """Start the process of which the others are forks, and end it."""
    around = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, __file__],
        env=around,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        yield Processes(server)


def _serve() -> None:
    import gieok.home.calls  # noqa: F401 - the start of all calls is as near as can be
    from gieok.commands import NAMES, load_command

    for name in NAMES:
        load_command(name)
    gc.freeze()
    for line in sys.stdin:
        request = json.loads(line)
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])
        print(json.dumps(_run_in_forks(request["calls"])), flush=True)


def _run_in_forks(calls: Sequence[Any]) -> list[Any]:
    """Run each call in a fork; they begin when there are all of them."""
    waiting, start = os.pipe()
    forks: list[tuple[int, int]] = []
    for asked in calls:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(start)
            _run_in_fork(Asked(*asked), waiting, writing)
        os.close(writing)
        forks.append((child, reading))
    os.close(waiting)
    os.close(start)
    answers = []
    for child, reading in forks:
        with open(reading, "rb") as pipe:  # noqa: PTH123 - a pipe has no path
            answers.append(json.loads(pipe.read()))
        os.waitpid(child, 0)
    return answers


def _run_in_fork(asked: Asked, waiting: int, writing: int) -> NoReturn:
    try:
        os.read(waiting, 1)  # ends where the other side is closed
        with open(writing, "wb") as pipe:
            pipe.write(json.dumps(answer(asked)).encode())
    except BaseException:  # noqa: BLE001 - a fork must not go on as its parent
        traceback.print_exc()
    finally:
        os._exit(0)


if __name__ == "__main__":
    _serve()
