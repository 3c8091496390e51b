"""The contract of several processes at once: no acknowledged write is lost, and a killed writer leaves a sound store."""

import os
import random
import signal
import subprocess
import sys

import pytest

from gieok.testing.contracts.base import StoreFixtures
from gieok.testing.samples import HOME, FullStore

_KILLS = 24

#: Puts documents named PREFIX-0, PREFIX-1 … and one shared by all, and prints each name once `put` has returned.
_WRITER = """
import sys
from gieok.testing.samples import entry
prefix, count = sys.argv[1], int(sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
{opening}
for n in range(count):
    key = f"{{prefix}}-{{n}}"
    store.put([entry(key, *[f"{{key}} 결제 {{line}}" for line in range(n * 7 % 40)]), entry("shared", key, "결제")])
    print(key, flush=True)
store.close()
"""
_READER = """
import sys
from gieok.model.retrieval import Filter
from gieok.testing.samples import HOME, question
print("ready", flush=True)
sys.stdin.readline()
{opening}
for _ in range(40):
    found = store.keyword(HOME, question("결제"), Filter(), 20)
    assert all(score > 0 for _, score in found.ranked)
    assert store.check() == []
print("done", flush=True)
store.close()
"""


def start(program: str, opening: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a program that opens a store by the statements of `opening`, and wait until it is about to."""
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-c", program.format(opening=opening), *map(str, arguments)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def go(*processes: subprocess.Popen[str]) -> None:
    """Let processes begin."""
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()


def finish(process: subprocess.Popen[str]) -> list[str]:
    """Wait for a process and return what it printed."""
    with process:
        assert process.stdout
        printed = process.stdout.read().split()
    assert process.returncode == 0
    return printed


def write(opening: str, prefix: str, count: int) -> list[str]:
    """Let another process put documents, and return their keys."""
    process = start(_WRITER, opening, prefix, count)
    go(process)
    return finish(process)


class ProcessContract(StoreFixtures):
    """Sentences of `gieok.ports.Store` that only several processes can show.

    A subclass gives `make_store`, and two fixtures of statements that open a store and call it `store`, such as
    `from … import MyStore; store = MyStore("…")`: `opening` opens what the fixture `store` has open, `new_opening` one
    that is not there yet.
    """

    def test_killing_a_writer_at_any_moment_loses_nothing_that_it_acknowledged(
        self, opening: str, store: FullStore
    ) -> None:
        chance, acknowledged = random.Random(1), list[str]()  # noqa: S311 - the same every time is the point
        for number in range(_KILLS):
            process = start(_WRITER, opening, f"run{number}", 100_000)
            with process:
                assert process.stdout
                go(process)
                acknowledged += [process.stdout.readline().strip() for _ in range(chance.randrange(40))]
                for _ in range(chance.randrange(20_000)):
                    pass  # a moment somewhere inside the next put
                process.send_signal(signal.SIGKILL)
                acknowledged += [line.strip() for line in process.stdout if line.endswith("\n")]
            assert process.returncode == -signal.SIGKILL
        assert len(acknowledged) > _KILLS
        assert {d.key: d.text for d in store.get(HOME, acknowledged)} == {key: _text(key) for key in acknowledged}
        assert store.check() == []

    def test_two_writers_and_a_reader_at_once_lose_nothing(self, opening: str, store: FullStore) -> None:
        writers = [start(_WRITER, opening, prefix, 120) for prefix in ("one", "two")]
        reader = start(_READER, opening)
        go(*writers, reader)
        written = [key for process in writers for key in finish(process)]
        assert finish(reader) == ["done"]
        assert len(written) == 240
        assert store.hashes(HOME).keys() == {*written, "shared"}
        assert [d.text for d in store.get(HOME, written)] == [_text(key) for key in written]
        assert store.get(HOME, ["shared"])[0].text in ("one-119\n결제", "two-119\n결제")
        assert store.check() == []

    def test_overlapping_keys_of_two_writers_end_as_one_document_each(self, opening: str, store: FullStore) -> None:
        writers = [start(_WRITER, opening, "same", 60) for _ in range(2)]
        go(*writers)
        for process in writers:
            assert len(finish(process)) == 60
        assert store.stats().documents == 61
        assert store.stats().passages == sum(n * 7 % 40 for n in range(60)) + 2
        assert store.check() == []

    @pytest.mark.parametrize("attempt", range(3))
    def test_many_processes_may_create_the_store_at_the_same_moment(self, new_opening: str, attempt: int) -> None:
        processes = [start(_WRITER, new_opening, f"p{number}", 1) for number in range(10)]
        go(*processes)
        for process in processes:
            assert len(finish(process)) == 1
        reader = start(_LISTER, new_opening)
        go(reader)
        assert set(finish(reader)) == {*(f"p{number}-0" for number in range(10)), "shared"}


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


def _text(key: str) -> str:
    return "\n".join(f"{key} 결제 {line}" for line in range(int(key.rsplit("-", 1)[1]) * 7 % 40))
