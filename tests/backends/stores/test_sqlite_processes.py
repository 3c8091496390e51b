"""Any number of processes read and write one file at once; killing one loses nothing that it had acknowledged."""

import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gieok.backends.stores.sqlite.store import SqliteStore
from gieok.model import Filter
from gieok.testing import HashEmbedder
from gieok.testing.contracts.base import HOME, embed_missing, entry, keys, near, question

_KILLS = 24

#: Puts documents named PREFIX-0, PREFIX-1 … and one shared by all, and prints each name once `put` has returned.
_WRITER = """
import sys
from pathlib import Path
from gieok.backends.stores.sqlite.store import SqliteStore
from gieok.testing.contracts.base import entry
file, prefix, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
store = SqliteStore(file)
for n in range(count):
    key = f"{prefix}-{n}"
    store.put([entry(key, *[f"{key} 결제 {line}" for line in range(n * 7 % 40)]), entry("shared", key, "결제")])
    print(key, flush=True)
store.close()
"""
_READER = """
import sys
from pathlib import Path
from gieok.backends.stores.sqlite.store import SqliteStore
from gieok.model import Filter
from gieok.testing.contracts.base import HOME, question
print("ready", flush=True)
sys.stdin.readline()
store = SqliteStore(Path(sys.argv[1]), resident=True)
for _ in range(40):
    leg = store.keyword(HOME, question("결제"), Filter(), 20)
    assert all(score > 0 for _, score in leg.ranked)
    assert store.check() == []
print("done", flush=True)
"""


def _start(program: str, *arguments: object) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def _go(*processes: subprocess.Popen[str]) -> None:
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()


def _finish(process: subprocess.Popen[str]) -> list[str]:
    with process:
        assert process.stdout
        printed = process.stdout.read().split()
    assert process.returncode == 0
    return printed


def _text(key: str) -> str:
    return "\n".join(f"{key} 결제 {line}" for line in range(int(key.rsplit("-", 1)[1]) * 7 % 40))


def test_killing_a_writer_at_any_moment_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    file, chance, acknowledged = tmp_path / "killed.sqlite", random.Random(1), []
    for number in range(_KILLS):
        process = _start(_WRITER, file, f"run{number}", 100_000)
        with process:
            assert process.stdout
            _go(process)
            acknowledged += [process.stdout.readline().strip() for _ in range(chance.randrange(40))]
            for _ in range(chance.randrange(20_000)):
                pass  # a moment somewhere inside the next put
            process.send_signal(signal.SIGKILL)
            acknowledged += [line.strip() for line in process.stdout if line.endswith("\n")]
        assert process.returncode == -signal.SIGKILL
    store = SqliteStore(file)
    assert len(acknowledged) > _KILLS
    assert {d.key: d.text for d in store.get(HOME, acknowledged)} == {key: _text(key) for key in acknowledged}
    assert store.check() == []
    store.close()


def test_two_writers_and_a_reader_at_once_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "shared.sqlite"
    writers = [_start(_WRITER, file, prefix, 120) for prefix in ("one", "two")]
    reader = _start(_READER, file)
    _go(*writers, reader)
    written = [key for process in writers for key in _finish(process)]
    assert _finish(reader) == ["done"]
    store = SqliteStore(file)
    assert len(written) == 240
    assert store.hashes(HOME).keys() == {*written, "shared"}
    assert [d.text for d in store.get(HOME, written)] == [_text(key) for key in written]
    assert store.get(HOME, ["shared"])[0].text in ("one-119\n결제", "two-119\n결제")
    assert store.check() == []
    store.close()


def test_overlapping_keys_of_two_writers_end_as_one_document_each(tmp_path: Path) -> None:
    file = tmp_path / "overlapping.sqlite"
    writers = [_start(_WRITER, file, "same", 60) for _ in range(2)]
    _go(*writers)
    for process in writers:
        assert len(_finish(process)) == 60
    store = SqliteStore(file)
    assert store.stats().documents == 61
    assert store.stats().passages == sum(n * 7 % 40 for n in range(60)) + 2
    assert store.check() == []
    store.close()


@pytest.mark.parametrize("attempt", range(3))
def test_many_processes_may_create_the_store_at_the_same_moment(tmp_path: Path, attempt: int) -> None:
    file = tmp_path / "folder" / "new.sqlite"
    processes = [_start(_WRITER, file, f"p{number}", 1) for number in range(10)]
    _go(*processes)
    for process in processes:
        assert len(_finish(process)) == 1
    store = SqliteStore(file)
    assert store.hashes(HOME).keys() == {*(f"p{number}-0" for number in range(10)), "shared"}
    assert store.check() == []
    store.close()


@pytest.mark.parametrize("resident", [False, True])
def test_an_open_handle_sees_what_another_process_writes(tmp_path: Path, resident: bool) -> None:
    store = SqliteStore(tmp_path / "seen.sqlite", resident=resident)
    assert store.keyword(HOME, question("결제"), Filter(), 9).ranked == ()
    for prefix in ("a", "b"):
        process = _start(_WRITER, tmp_path / "seen.sqlite", prefix, 2)
        _go(process)
        _finish(process)
        leg = store.keyword(HOME, question(f"{prefix}-1"), Filter(), 50)
        assert {f"{prefix}-1", "shared"} <= set(keys(store, leg))
    store.close()


def test_a_resident_handle_sees_vectors_that_another_handle_writes(tmp_path: Path) -> None:
    mine, theirs = (SqliteStore(tmp_path / "seen.sqlite", resident=True) for _ in range(2))
    embedder = HashEmbedder()
    mine.use_model(embedder.model, embedder.dimension)
    for key, text in (("a", "결제"), ("b", "결제 환불"), ("c", "고양이")):
        theirs.put([entry(key, text)])
        embed_missing(theirs, embedder)
        assert keys(mine, mine.nearest(HOME, near(embedder, text), Filter(), 9))[0] == key
    theirs.forget(HOME, ["b"])
    assert keys(mine, mine.nearest(HOME, near(embedder, "결제 환불"), Filter(), 9)) == ["a", "c"]
    mine.close()
    theirs.close()


def test_threads_share_a_store_and_any_of_them_may_close_it(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "threads.sqlite", resident=True)
    failures: list[Exception] = []

    def write(name: str) -> None:
        try:
            for number in range(20):
                store.put([entry(f"{name}{number}", "결제")])
                store.keyword(HOME, question("결제"), Filter(), 9)
        except Exception as error:  # noqa: BLE001 - reported by the assertion below
            failures.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert store.stats().documents == 60
    assert store.check() == []
    store.close()
