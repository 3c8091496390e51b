"""Killed at any moment, an index run leaves a store that is sound, and the next run finishes the
work.

A fork of a process that has imported the package indexes with the hash embedder and small batches,
and prints a line after each; the test kills it after so many lines, wherever it then is.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import gieok
from gieok.model.memory import Scope
from gieok.storage.index.sqlite.store import SqliteStore

_SOURCE = str(Path(gieok.__file__).parents[1])
_SCOPE = Scope("agent:main")
_WORDS = [
    "결제는",
    "결제를",
    "정산했다",
    "서버를",
    "배포",
    "boiler",
    "deploy",
    "retry",
    "timeout",
    "invoice",
    "회의",
    "고양이가",
    "잔다",
]
_FILES = 16
_HIGHEST_ID = 30_000

#: Forks a child for each run, which indexes and prints a line after each batch. Python and the
#: package are loaded once: half of the time of a run that is killed early.
_SERVER = """
import importlib, json, os, sys, traceback
from gieok.home.calls import open_call
from gieok.flow import ingest, lifecycle
from gieok.commands import load_command
from gieok.testing import HashEmbedder
for name in (
    "storage.index.sqlite.store", "storage.index.sqlite.graph", "storage.journal.sqlite.journal",
):
    importlib.import_module("gieok." + name)
ingest._BATCH_CHARS, lifecycle._BATCH, embedder = 2_000, 4, HashEmbedder()
index = load_command("index")
def say(line):
    os.write(1, f"{line}\\n".encode())  # at once: the other process may write in between
def run(home, folder):
    os.environ["GIEOK_HOME"] = home
    say("ready")
    context = open_call({}, say=say)
    context.home.open_embedder = lambda: embedder
    index(context, paths=[folder])
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        status = 1
        try:
            run(*json.loads(line))
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    say(f"child {child}")
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)  # no other process gets its number yet
    say("ended")
    sys.stdin.readline()
    say(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""

_INDEX_AND_SEARCH = """
import json, sys
from pathlib import Path
from gieok.surfaces.cli import main
name, folder, turns = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
for turn in range(turns):
    (folder / f"{name}-{turn % 5}.md").write_text(f"결제는 {name} {turn}\\n" * (turn + 1), encoding="utf-8")
    (folder / f"{name}-{(turn + 2) % 5}.md").unlink(missing_ok=True)
    for command in (["index", str(folder), "--json"], ["search", "결제", "--json"], ["status", "--json"]):
        if status := main(command):
            sys.exit(f"{command} ended with {status} in turn {turn}")
"""


def _environment(home: Path) -> dict[str, str]:
    return os.environ | {"GIEOK_HOME": str(home), "GIEOK_EMBEDDER": "none", "PYTHONPATH": _SOURCE}


def _write(folder: Path, random: Random, count: int) -> None:
    """Write that many of the files anew."""
    for number in random.sample(range(_FILES), count):
        lines = (" ".join(random.choices(_WORDS, k=12)) for _ in range(random.randrange(8, 40)))
        (folder / f"n{number}.md").write_text("\n".join(lines), encoding="utf-8")


class _Indexer:
    """Runs of `index` with small batches, each a fork of one process."""

    def __init__(self, server: "subprocess.Popen[str]") -> None:
        self._server = server

    def run(self, home: Path, folder: Path) -> None:
        """Index to the end."""
        assert self._run(home, folder, None) == 0

    def run_and_kill(self, home: Path, folder: Path, after_lines: int) -> bool:
        """Kill the run after so many lines; return False where it ended before."""
        return self._run(home, folder, after_lines) < 0

    def _run(self, home: Path, folder: Path, after_lines: int | None) -> int:
        self._write(json.dumps([str(home), str(folder)]))
        child, is_killed, lines = 0, False, 0
        while (line := self._read()) != "ended":
            if line.startswith("child "):
                child = int(line.removeprefix("child "))
            else:
                lines += 1
            if child and not is_killed and after_lines is not None and lines >= after_lines:
                os.kill(child, signal.SIGKILL)
                is_killed = True
        self._write("")
        return int(self._read())

    def _write(self, line: str) -> None:
        assert self._server.stdin
        self._server.stdin.write(line + "\n")
        self._server.stdin.flush()

    def _read(self) -> str:
        assert self._server.stdout
        line = self._server.stdout.readline()
        assert line, "the server of forks ended"
        return line.rstrip("\n")


@pytest.fixture(scope="module")
def indexer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Indexer]:
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER],
        env=_environment(tmp_path_factory.mktemp("indexer") / "home"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        yield _Indexer(server)


def _contents(home: Path) -> tuple[Any, ...]:
    """Return everything that the store holds but its ids, after a check of its integrity."""
    store = SqliteStore(home / "memory.sqlite")
    try:
        assert store.check() == []
        hashes = store.hashes(_SCOPE)
        found = [
            p
            for start in range(1, _HIGHEST_ID, 500)
            for p in store.passages(range(start, start + 500))
        ]
        stats = store.stats()
        return (
            hashes,
            store.get(_SCOPE, sorted(hashes)),
            sorted((p.key, p.start_line, p.end_line, p.text, p.context) for p in found),
            (stats.documents, stats.passages, stats.vectors),
        )
    finally:
        store.close()


@pytest.mark.parametrize("seed", range(2))
def test_a_run_that_is_killed_again_and_again_converges_to_a_fresh_index(
    indexer: _Indexer, tmp_path: Path, seed: int
) -> None:
    random, folder = Random(seed), tmp_path / "notes"
    folder.mkdir()
    _write(folder, random, _FILES)
    home, kills = tmp_path / "home", 0
    while kills < 5:
        # A run over all files prints some 18 lines, one over six of them some 12.
        killed = indexer.run_and_kill(home, folder, random.randrange(1, 12 if kills else 18))
        kills += killed
        if (home / "memory.sqlite").exists():
            _contents(home)
        _write(folder, random, 6 if killed else _FILES)
        (folder / f"n{random.randrange(_FILES)}.md").unlink(missing_ok=True)
    indexer.run(home, folder)
    indexer.run(tmp_path / "fresh", folder)
    contents = _contents(home)
    assert contents == _contents(tmp_path / "fresh")
    documents, passages, vectors = contents[-1]
    assert documents > 0
    assert passages == vectors > 0


def test_two_processes_index_and_search_one_home(indexer: _Indexer, tmp_path: Path) -> None:
    folder, home = tmp_path / "notes", tmp_path / "home"
    folder.mkdir()
    _write(folder, Random(1), 10)
    children = [
        subprocess.Popen(
            [sys.executable, "-c", _INDEX_AND_SEARCH, name, str(folder), "20"],
            env=_environment(home),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for name in ("one", "two")
    ]
    for child in children:
        _, err = child.communicate()
        assert child.returncode == 0, err.decode()
    indexer.run(home, folder)
    indexer.run(tmp_path / "fresh", folder)
    assert _contents(home) == _contents(tmp_path / "fresh")


def test_processes_that_add_folders_of_one_name_at_once_lose_none(tmp_path: Path) -> None:
    folders = [tmp_path / str(n) / "notes" for n in range(4)]
    for n, folder in enumerate(folders):
        folder.mkdir(parents=True)
        (folder / f"{n}.md").write_text(f"note {n}")
    environment = {
        **os.environ,
        "GIEOK_HOME": str(tmp_path / "home"),
        "GIEOK_EMBEDDER": "none",
        "PYTHONPATH": _SOURCE,
    }
    command = [sys.executable, "-m", "gieok", "index"]
    children = [subprocess.Popen([*command, str(folder)], env=environment) for folder in folders]
    assert [child.wait() for child in children] == [0, 0, 0, 0]
    store = SqliteStore(tmp_path / "home" / "memory.sqlite")
    assert sorted(key.partition("/")[2] for key in store.hashes(_SCOPE)) == [
        "0.md",
        "1.md",
        "2.md",
        "3.md",
    ]
    assert len({key.partition("/")[0] for key in store.hashes(_SCOPE)}) == 4
    store.close()
