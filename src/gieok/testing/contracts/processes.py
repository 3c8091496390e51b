"""The contracts of several processes at once.

No acknowledged write is lost, and a killed writer leaves the data sound.
"""

import atexit
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from types import TracebackType
from typing import Self

import pytest

from gieok.ports.journal import FullJournal
from gieok.testing.contracts.base import StoreFixtures
from gieok.testing.contracts.journal import JournalFixtures, held
from gieok.testing.samples import HOME, FullStore

_KILLS = 24

#: Program that puts documents named PREFIX-0, PREFIX-1 … and one that all processes share; it
#: prints each name once `put` has returned.
_WRITER = """
import sys
from gieok.testing.samples import build_entry
prefix, count = sys.argv[1], int(sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
{opening}
for n in range(count):
    key = f"{{prefix}}-{{n}}"
    lines = [f"{{key}} 결제 {{line}}" for line in range(n * 7 % 40)]
    store.put([build_entry(key, *lines), build_entry("shared", key, "결제")])
    print(key, flush=True)
store.close()
"""
_READER = """
import sys
from gieok.model.retrieval import Filter
from gieok.testing.samples import HOME, build_keyword_query
print("ready", flush=True)
sys.stdin.readline()
{opening}
for _ in range(40):
    found = store.keyword(HOME, build_keyword_query("결제"), Filter(), 20)
    assert all(score > 0 for _, score in found.ranked)
    assert store.check() == []
print("done", flush=True)
store.close()
"""


#: Bytes of the length of a request to the process that forks, and of its answers.
_LENGTH_BYTES = 8
#: Imports what stores need, and forks for each request that brings two streams; of a request
#: without streams it waits for the fork, and answers how it ended. A fork leaves the loop, becomes
#: the program, and ends as the interpreter does.
_FORKING = """
import gc, importlib, json, os, socket, sys
channel = socket.socket(fileno=int(sys.argv[1]))
while True:
    length, streams, _, _ = socket.recv_fds(channel, 8, 2)
    if not length:
        sys.exit()
    asked = json.loads(channel.recv(int.from_bytes(length, "big"), socket.MSG_WAITALL))
    if streams:
        for module in asked["modules"]:
            importlib.import_module(module)
        gc.freeze()
        answer = os.fork()
        if answer == 0:
            break
        for number in streams:
            os.close(number)
    else:
        answer = os.waitstatus_to_exitcode(os.waitpid(asked["wait"], 0)[1])
    channel.sendall(answer.to_bytes(8, "big", signed=True))
channel.close()
for number, stream in enumerate(streams):
    os.dup2(stream, number)
    os.close(stream)
sys.stdin, sys.stdout = open(0, encoding="utf-8"), open(1, "w", encoding="utf-8")
sys.argv[1:] = asked["arguments"]
os.environ.clear()
os.environ.update(asked["environment"])
os.chdir(asked["folder"])
exec(asked["program"], {"__name__": "__main__"})
"""


class StoreFork:
    """A fork that runs a program of a store, with the attributes of `Popen` that tests use.

    To start Python and to import a store takes ten times as long as most of the programs.
    """

    def __init__(self, program: str, opening: str, *arguments: str) -> None:
        self.returncode: int | None = None
        given, writing = os.pipe()
        reading, said = os.pipe()
        modules = ["gieok.testing.samples", *re.findall(r"from ([\w.]+) import", opening)]
        asked = {
            "program": program.format(opening=opening),
            "arguments": arguments,
            "modules": modules,
            "environment": {**os.environ},
            "folder": os.getcwd(),  # noqa: PTH109 - as text
        }
        self._number = _ask_forking_process(asked, [given, said])
        os.close(given)
        os.close(said)
        self.stdin = open(writing, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - closed at the end
        self.stdout = open(reading, encoding="utf-8")  # noqa: PTH123, SIM115 - closed at the end

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close its streams and wait for its end."""
        self.stdout.close()
        self.stdin.close()
        if self.returncode is None:
            self.returncode = _ask_forking_process({"wait": self._number}, [])

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless its end was waited for."""
        if self.returncode is None:
            os.kill(self._number, number)

    def kill(self) -> None:
        """Kill it."""
        self.send_signal(signal.SIGKILL)


StoreProcess = StoreFork | subprocess.Popen[str]


@cache
def _open_forking_process() -> socket.socket:
    """Start the process that forks; it ends with this one."""
    ours, its = socket.socketpair()
    around = {name: value for name, value in os.environ.items() if not name.endswith("HOME")}
    forking = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-c", _FORKING, str(its.fileno())],
        pass_fds=[its.fileno()],
        env={**around, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"},
        cwd="/",
    )
    its.close()

    def end() -> None:
        ours.close()
        forking.wait()

    atexit.register(end)
    return ours


def _ask_forking_process(asked: Mapping[str, object], streams: list[int]) -> int:
    """Return the number of the fork that gets these streams, or how one ended."""
    channel = _open_forking_process()
    request = json.dumps(asked).encode()
    socket.send_fds(channel, [len(request).to_bytes(_LENGTH_BYTES, "big")], streams)
    channel.sendall(request)
    answer = channel.recv(_LENGTH_BYTES, socket.MSG_WAITALL)
    assert answer, "the process that forks has ended; what it said stands above"
    return int.from_bytes(answer, "big", signed=True)


def start_store_process(program: str, opening: str, *arguments: object) -> StoreProcess:
    """Start a program, and wait until it is about to open its store.

    `opening` are the statements that open the store. The program is a fork where the system has
    them.
    """
    process: StoreProcess
    if hasattr(os, "fork"):
        process = StoreFork(program, opening, *map(str, arguments))
    else:
        process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-c", program.format(opening=opening), *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"},
        )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def go(*processes: StoreProcess) -> None:
    """Let waiting processes begin."""
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()


def finish_store_process(process: StoreProcess) -> list[str]:
    """Wait for a process and return what it printed."""
    with process:
        assert process.stdout
        printed = process.stdout.read().split()
    assert process.returncode == 0
    return printed


def write_from_process(opening: str, prefix: str, count: int) -> list[str]:
    """Put documents from another process, and return their keys."""
    process = start_store_process(_WRITER, opening, prefix, count)
    go(process)
    return finish_store_process(process)


class ProcessContract(StoreFixtures):
    """Tests of the sentences of `gieok.ports.Store` that need several processes.

    A subclass defines `make_store`, and two fixtures of statements that open a store and call it
    `store`, such as `from … import MyStore; store = MyStore("…")`: `opening` opens the data of the
    fixture `store`, `new_opening` a store that does not exist yet.
    """

    def test_killing_a_writer_at_any_moment_loses_nothing_that_it_acknowledged(
        self, opening: str, store: FullStore
    ) -> None:
        # A fixed seed, so that every run is the same.
        chance, acknowledged = random.Random(1), list[str]()  # noqa: S311
        for number in range(_KILLS):
            process = start_store_process(_WRITER, opening, f"run{number}", 100_000)
            with process:
                assert process.stdout
                go(process)
                acknowledged += [
                    process.stdout.readline().strip() for _ in range(chance.randrange(40))
                ]
                for _ in range(chance.randrange(20_000)):
                    pass  # a moment somewhere inside the next put
                process.send_signal(signal.SIGKILL)
                acknowledged += [line.strip() for line in process.stdout if line.endswith("\n")]
            assert process.returncode == -signal.SIGKILL
        assert len(acknowledged) > _KILLS
        assert {d.key: d.text for d in store.get(HOME, acknowledged)} == {
            key: _build_process_text(key) for key in acknowledged
        }
        assert store.check() == []

    def test_two_writers_and_a_reader_at_once_lose_nothing(
        self, opening: str, store: FullStore
    ) -> None:
        writers = [start_store_process(_WRITER, opening, prefix, 120) for prefix in ("one", "two")]
        reader = start_store_process(_READER, opening)
        go(*writers, reader)
        written = [key for process in writers for key in finish_store_process(process)]
        assert finish_store_process(reader) == ["done"]
        assert len(written) == 240
        assert store.hashes(HOME).keys() == {*written, "shared"}
        assert [d.text for d in store.get(HOME, written)] == [
            _build_process_text(key) for key in written
        ]
        assert store.get(HOME, ["shared"])[0].text in ("one-119\n결제", "two-119\n결제")
        assert store.check() == []

    def test_overlapping_keys_of_two_writers_end_as_one_document_each(
        self, opening: str, store: FullStore
    ) -> None:
        writers = [start_store_process(_WRITER, opening, "same", 60) for _ in range(2)]
        go(*writers)
        for process in writers:
            assert len(finish_store_process(process)) == 60
        assert store.stats().documents == 61
        assert store.stats().passages == sum(n * 7 % 40 for n in range(60)) + 2
        assert store.check() == []

    @pytest.mark.parametrize("attempt", range(3))
    def test_many_processes_may_create_the_store_at_the_same_moment(
        self, new_opening: str, attempt: int
    ) -> None:
        processes = [
            start_store_process(_WRITER, new_opening, f"p{number}", 1) for number in range(10)
        ]
        go(*processes)
        for process in processes:
            assert len(finish_store_process(process)) == 1
        reader = start_store_process(_LISTER, new_opening)
        go(reader)
        assert set(finish_store_process(reader)) == {
            *(f"p{number}-0" for number in range(10)),
            "shared",
        }


_LISTER = """
import sys
from gieok.testing.samples import HOME
print("ready", flush=True)
sys.stdin.readline()
{opening}
assert store.check() == []
print(*store.hashes(HOME))
store.close()
"""


def _build_process_text(key: str) -> str:
    return "\n".join(f"{key} 결제 {line}" for line in range(int(key.rsplit("-", 1)[1]) * 7 % 40))


_LINES = 300

#: Program that appends a transcript of numbered lines, a few at a time, as the other processes do
#: with the same transcript; it prints its cursor.
_FOLLOWER = """
import sys
from gieok.model.conversation import Cursor
from gieok.testing.samples import HOME, build_message
print("ready", flush=True)
sys.stdin.readline()
{opening}
step, count = int(sys.argv[1]), int(sys.argv[2])
while True:
    before = next(iter(journal.cursors()), None)
    first = before.offset if before else 0
    if first >= count:
        break
    last = min(first + step, count)
    lines = [build_message(f"s/{{n}}", f"{{n}} 결제") for n in range(first, last)]
    if journal.append(HOME, lines, Cursor("1:1", "/t/s.jsonl", last), before):
        print(last, flush=True)
journal.close()
"""

#: Program that says numbered lines in a scope and moves a reader behind each, in one transaction;
#: it prints each number once it is durable.
_TALKER = """
import sys
from gieok.testing.samples import HOME, build_message
print("ready", flush=True)
sys.stdin.readline()
{opening}
prefix, count = sys.argv[1], int(sys.argv[2])
for n in range(count):
    with journal.transaction(HOME, "turn"):
        state = journal.state(HOME, "other")
        seen = [one.seq for one in state.window.messages]
        assert state.positions.get("reader", 0) == max(seen, default=0), (state.positions, seen)
        line = build_message(f"{{prefix}}{{n}}")
        said = journal.say_new(HOME, line)
        if said is None:
            journal.say(HOME, [line])
            said = journal.state(HOME, "other").window.messages[-1]
        journal.move(HOME, "reader", said.seq)
    print(n, flush=True)
journal.close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
class JournalProcessContract(JournalFixtures):
    """Contract of a journal that several processes open.

    A subclass defines `make_journal` and `opening`: statements that open the data of the fixture
    `journal`, and call it `journal`.
    """

    def test_two_followers_of_one_transcript_add_each_line_once(
        self, opening: str, journal: FullJournal
    ) -> None:
        followers = [start_store_process(_FOLLOWER, opening, step, _LINES) for step in (3, 5)]
        go(*followers)
        steps = [int(line) for follower in followers for line in finish_store_process(follower)]
        assert len(steps) == len(set(steps))
        assert max(steps) == _LINES
        assert held(journal) == [f"{n} 결제" for n in range(_LINES)]

    def test_killing_a_follower_at_any_moment_loses_and_doubles_nothing(
        self, opening: str, journal: FullJournal
    ) -> None:
        chance = random.Random(1)  # noqa: S311 - the same every time is the point
        for _ in range(5):
            follower = start_store_process(_FOLLOWER, opening, 2, _LINES)
            with follower:
                assert follower.stdout
                go(follower)
                reached = 0
                for _ in range(chance.randrange(1, 20)):
                    reached = int(follower.stdout.readline() or reached)
                follower.send_signal(signal.SIGKILL)
            (cursor,) = journal.cursors()
            assert cursor.offset >= reached
            assert held(journal) == [f"{n} 결제" for n in range(cursor.offset)]
        last = start_store_process(_FOLLOWER, opening, 50, _LINES)
        go(last)
        finish_store_process(last)
        assert held(journal) == [f"{n} 결제" for n in range(_LINES)]

    def test_of_two_talkers_each_sees_all_that_the_other_said_and_read(
        self, opening: str, journal: FullJournal
    ) -> None:
        talkers = [start_store_process(_TALKER, opening, prefix, 40) for prefix in "ab"]
        go(*talkers)
        for talker in talkers:
            finish_store_process(talker)
        assert sorted(held(journal)) == sorted(f"{prefix}{n}" for prefix in "ab" for n in range(40))

    def test_a_talker_that_is_killed_leaves_what_it_said_with_its_position(
        self, opening: str, journal: FullJournal
    ) -> None:
        chance = random.Random(2)  # noqa: S311 - the same every time is the point
        said = 0
        for round_ in range(4):
            talker = start_store_process(_TALKER, opening, f"{round_}.", 1_000)
            with talker:
                assert talker.stdout
                go(talker)
                for _ in range(chance.randrange(1, 20)):
                    assert talker.stdout.readline()
                    said += 1
                talker.send_signal(signal.SIGKILL)
            state = journal.state(HOME, "other")
            assert state.positions["reader"] == state.window.messages[-1].seq
            assert len(state.window.messages) >= said
            said = len(state.window.messages)
