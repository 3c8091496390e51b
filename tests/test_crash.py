"""Killed at any moment, an index run leaves a store that is sound, and the next run finishes the
work.

A child process indexes with the hash embedder and small batches, and prints a line after each; the
parent kills it after so many lines, wherever it then is.
"""

import os
import subprocess
import sys
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

_INDEX = """
import sys
from gieok.home.calls import open_call
from gieok.flow import ingest, lifecycle
from gieok.commands import load_command
from gieok.testing import HashEmbedder
ingest._BATCH_CHARS, lifecycle._BATCH, embedder = 2_000, 4, HashEmbedder()
print("ready", flush=True)
context = open_call({}, say=lambda line: print(line, flush=True))
context.home.open_embedder = lambda: embedder
load_command("index")(context, paths=sys.argv[1:])
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


def _index(home: Path, folder: Path) -> None:
    subprocess.run(
        [sys.executable, "-c", _INDEX, str(folder)],
        env=_environment(home),
        check=True,
        capture_output=True,
    )


def _index_and_kill(home: Path, folder: Path, after_lines: int) -> bool:
    """Kill the run after so many lines; return False where it ended before."""
    child = subprocess.Popen(
        [sys.executable, "-c", _INDEX, str(folder)], env=_environment(home), stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    with child.stdout as lines:
        for _ in range(after_lines):
            if not lines.readline():
                break
        child.kill()
    return child.wait() < 0


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
    tmp_path: Path, seed: int
) -> None:
    random, folder = Random(seed), tmp_path / "notes"
    folder.mkdir()
    _write(folder, random, _FILES)
    home, kills = tmp_path / "home", 0
    while kills < 5:
        killed = _index_and_kill(home, folder, random.randrange(1, 12 if kills else 50))
        kills += killed
        if (home / "memory.sqlite").exists():
            _contents(home)
        _write(folder, random, 6 if killed else _FILES)
        (folder / f"n{random.randrange(_FILES)}.md").unlink(missing_ok=True)
    _index(home, folder)
    _index(tmp_path / "fresh", folder)
    contents = _contents(home)
    assert contents == _contents(tmp_path / "fresh")
    documents, passages, vectors = contents[-1]
    assert documents > 0
    assert passages == vectors > 0


def test_two_processes_index_and_search_one_home(tmp_path: Path) -> None:
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
    _index(home, folder)
    _index(tmp_path / "fresh", folder)
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
