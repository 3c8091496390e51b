"""`gieok-qmd` answers every call that OpenClaw 2026.7 was seen to make, in the order in which it
made them.
"""

import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from gieok.surfaces.cli import main as gieok
from gieok.surfaces.qmd import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    (folder / "MEMORY.md").write_text(
        "# Memory\n\n- The office VLAN is 10.\n- 결제는 매주 화요일에 정산한다.\n"
    )
    (folder / "memory" / "2026-11-20.md").write_text(
        "# Friday\n\nMet Alice about the router config.\nVLAN 10 it is.\n"
    )
    (folder / "secret.md").write_text("the router config of another\n")
    return folder


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    state = tmp_path / ".openclaw" / "agents" / "main" / "qmd"
    for name, value in {
        "GIEOK_HOME": str(tmp_path / "home"),
        "GIEOK_EMBEDDER": "none",
        "NO_COLOR": "1",
        "XDG_CONFIG_HOME": str(state / "xdg-config"),
        "XDG_CACHE_HOME": str(state / "xdg-cache"),
        "QMD_CONFIG_DIR": str(state / "xdg-config" / "qmd"),
    }.items():
        monkeypatch.setenv(name, value)

    def run(*arguments: object) -> tuple[int, str, str]:
        status = main([str(argument) for argument in arguments])
        return (status, *capfd.readouterr())

    return run


def _indexed(run: Run, workspace: Path) -> None:
    run("collection", "add", workspace, "--name", "memory-root-main", "--mask", "MEMORY.md")
    run("collection", "add", workspace / "memory", "--name", "memory-dir-main", "--mask", "**/*.md")
    assert run("update")[0] == 0


def test_the_calls_of_a_first_start_in_their_order(run: Run, workspace: Path) -> None:
    assert run("--version")[:2] == (0, run("--version")[1])
    status, out, _ = run("collection", "list", "--json")
    assert (status, json.loads(out)) == (0, [])
    for path, name, mask in (
        (workspace, "memory-root-main", "MEMORY.md"),
        (workspace / "memory", "memory-dir-main", "**/*.md"),
    ):
        assert run("collection", "add", path, "--name", name, "--mask", mask)[0] == 0
    assert re.search(
        r"one or more collections|collection\(s\)|multiple -c flags",
        run("--help")[1],
        re.IGNORECASE,
    )
    _, out, _ = run(
        "search",
        "router config",
        "--json",
        "-n",
        "4",
        "-c",
        "memory-root-main",
        "-c",
        "memory-dir-main",
    )
    assert [hit["title"] for hit in json.loads(out)] == ["Friday"]  # a collection is found at once
    assert run("update")[0] == 0
    _, out, _ = run(
        "search",
        "router config",
        "--json",
        "-n",
        "4",
        "-c",
        "memory-root-main",
        "-c",
        "memory-dir-main",
    )
    (best, *_) = json.loads(out)
    assert best["file"] == "qmd://memory-dir-main/2026-11-20.md"
    assert 0 < best["score"] <= 1
    assert best["snippet"].startswith("@@ -1,4 @@\n\n")
    assert "Met Alice" in best["snippet"]
    assert (best["line"], best["start_line"], best["end_line"]) == (1, 1, 4)
    assert "docid" not in best
    assert not any("secret" in item["file"] for item in json.loads(out))


@pytest.mark.parametrize("mode", [["search"], ["vsearch"], ["query", "--no-rerank"]])
def test_every_mode_searches_and_a_collection_is_a_filter(
    run: Run, workspace: Path, mode: list[str]
) -> None:
    _indexed(run, workspace)
    command, *options = mode
    _, out, _ = run(command, "VLAN", "--json", "-n", "4", "-c", "memory-root-main", *options)
    assert [item["file"] for item in json.loads(out)] == ["qmd://memory-root-main/MEMORY.md"]
    _, out, _ = run(command, "결제를 언제 정산하지", "--json", "-n", "4", *options)
    assert json.loads(out)[0]["file"] == "qmd://memory-root-main/MEMORY.md"


def test_collections_are_listed_shown_and_removed(run: Run, workspace: Path) -> None:
    _indexed(run, workspace)
    listed = json.loads(run("collection", "list", "--json")[1])
    assert [c["name"] for c in listed] == ["memory-root-main", "memory-dir-main"]
    assert listed[1] == {
        "name": "memory-dir-main",
        "path": str(workspace / "memory"),
        "pattern": "**/*.md",
    }
    assert (
        "memory-dir-main (qmd://memory-dir-main/)\n  Pattern:  **/*.md"
        in run("collection", "list")[1]
    )
    assert str(workspace / "memory") in run("collection", "show", "memory-dir-main")[1]
    assert run("collection", "remove", "memory-dir-main")[0] == 0
    assert json.loads(run("search", "Alice", "--json", "-n", "4")[1]) == []
    status, _, err = run("collection", "remove", "memory-dir-main")
    assert (status, "Collection not found: memory-dir-main" in err) == (1, True)


def test_what_exists_already_is_refused_in_the_words_that_openclaw_knows(
    run: Run, workspace: Path
) -> None:
    _indexed(run, workspace)
    status, _, err = run(
        "collection", "add", workspace, "--name", "memory-root-main", "--mask", "MEMORY.md"
    )
    assert (status, "already exists" in err) == (1, True)
    status, _, err = run("collection", "add", workspace, "--name", "other", "--glob", "MEMORY.md")
    assert status == 1
    assert "A collection already exists for this path and pattern:" in err
    assert "Name: memory-root-main (qmd://memory-root-main/)" in err


def test_status_counts_vectors_and_the_index_file_is_there(
    run: Run, workspace: Path, tmp_path: Path
) -> None:
    _indexed(run, workspace)
    assert run("embed")[0] == 0
    assert re.search(r"Vectors:\s+0", run("status")[1])
    file = tmp_path / ".openclaw" / "agents" / "main" / "qmd" / "xdg-cache" / "qmd" / "index.sqlite"
    db = sqlite3.connect(file)
    rows = db.execute("SELECT collection, path, active FROM documents ORDER BY path").fetchall()
    db.close()
    assert rows == [("memory-dir-main", "2026-11-20.md", 1), ("memory-root-main", "MEMORY.md", 1)]


def test_a_folder_that_is_not_there_yet_is_indexed_once_it_is(run: Run, tmp_path: Path) -> None:
    late = tmp_path / "late"
    assert run("collection", "add", late, "--name", "late")[0] == 0
    assert run("update")[0] == 0
    late.mkdir()
    (late / "a.md").write_text("a late umbrella")
    run("update")
    assert json.loads(run("search", "umbrella", "--json")[1])[0]["file"] == "qmd://late/a.md"


def test_the_same_memory_is_searched_by_gieok_itself(
    run: Run, workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    _indexed(run, workspace)
    assert gieok(["search", "router config", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["results"][0]["path"].endswith("2026-11-20.md")


def test_no_arguments_and_unknown_ones_do_not_crash(run: Run) -> None:
    assert run()[0] == 0
    assert run("nonsense")[0] == 1
    assert run("search", "", "--json")[0] == 1
