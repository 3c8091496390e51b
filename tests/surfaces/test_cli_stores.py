"""The mirrored stores and the managed one from the command line: one setting, and everything else
is as before.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from gieok.surfaces.cli import main


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "cat.md").write_text("고양이 보리는 연어를 좋아한다.\n")
    (folder / "office.md").write_text("The VLAN of the office is 10.\n")
    home = tmp_path / "home"
    home.mkdir()
    (home / "models").symlink_to(models)
    monkeypatch.setenv("GIEOK_HOME", str(home))
    return folder


def _run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    status = main([*arguments, "--json"])
    return status, json.loads(capfd.readouterr().out)


@pytest.mark.parametrize("name", ["lancedb", "chroma"])
def test_switching_to_a_mirrored_store_keeps_memory_and_finds_by_meaning(
    notes: Path, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    assert _run(capfd, "index", str(notes))[1]["added"] == 2
    status, moved = _run(capfd, "store", "switch", name)
    assert (status, moved["documents"], moved["vectors"]) == (0, 2, 2)
    (notes / "new.md").write_text("The umbrella stands behind the door.\n")
    assert _run(capfd, "index")[1]["added"] == 1
    _, found = _run(capfd, "search", "what fish does the pet like?")
    assert found["results"][0]["path"] == "cat.md"
    assert _run(capfd, "status")[1]["store"] == name
    assert _run(capfd, "doctor")[0] == 0
    assert (notes.parent / "home" / name / "state.sqlite").exists()


@pytest.fixture
def unreachable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project whose store is a server that is not there."""
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "shop")
    for name, value in {
        "HOME": str(tmp_path),
        "GIEOK_HOME": str(tmp_path / "home"),
        "GIEOK_EMBEDDER": "none",
        "GIEOK_STORE": "postgres",
        "GIEOK_DATABASE_URL": "postgresql://me@127.0.0.1:1/memory",
    }.items():
        monkeypatch.setenv(name, value)
    return tmp_path / "shop"


def test_what_is_written_as_a_file_is_done_though_the_server_does_not_answer(
    unreachable: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["remember", "We lint with ruff.", "--title", "Linter", "--json"]) == 0
    out, err = capfd.readouterr()
    kept = json.loads(out)
    assert kept["indexed"] is False
    assert "the index follows" in err
    assert "postgres unreachable" in err
    assert (unreachable / kept["path"]).read_text().endswith("We lint with ruff.\n")
    for command, place in (
        (["retire", "--keep"], "archive"),
        (["restore"], "memory"),
        (["retire"], "retired"),
    ):
        status, moved = _run(capfd, *command, "linter")
        assert status == 0
        assert f"/{place}/" in moved["memories"][0]["path"]
    assert main(["search", "linter", "--json"]) == 2


def test_a_local_copy_follows_at_once_though_the_server_does_not_answer(
    unreachable: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_HYBRID", "true")
    assert _run(capfd, "remember", "We lint with ruff.")[1]["indexed"] is False
    status, found = _run(capfd, "search", "which linter, ruff?")
    assert status == 0
    assert "ruff" in found["results"][0]["snippet"]
    assert "postgres unreachable" in found["degraded"]


def test_what_was_said_is_journalled_though_the_server_does_not_answer(
    unreachable: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    talk = unreachable.parent / ".claude" / "projects" / "-shop"
    talk.mkdir(parents=True)
    said = {"role": "user", "content": "We decided to lint with ruff and nothing else."}
    row = {
        "type": "user",
        "uuid": "u1",
        "sessionId": "s",
        "timestamp": "2026-11-20T09:00:00Z",
        "message": said,
    }
    (talk / "s.jsonl").write_text(json.dumps(row) + "\n")
    status, done = _run(capfd, "observe", "run", "--once")
    assert (status, done["messages"]) == (0, 1)
    assert "postgres unreachable" in done["waiting"]


def test_a_locked_server_is_answered_for_by_the_local_copy(
    unreachable: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    make_database: Callable[[], str],
) -> None:
    url = make_database()
    for name, value in {
        "GIEOK_HYBRID": "true",
        "GIEOK_DATABASE_URL": url,
        "GIEOK_STORE_TIMEOUT_S": "1",
    }.items():
        monkeypatch.setenv(name, value)
    assert _run(capfd, "remember", "We lint with ruff.")[1]["indexed"]
    with psycopg.connect(url) as db:
        db.execute("LOCK TABLE gieok.scopes, gieok.documents, gieok.meta IN ACCESS EXCLUSIVE MODE")
        status, found = _run(capfd, "search", "which linter, ruff?")
        assert status == 0
        assert "locked by another process" in found["degraded"]
        assert "ruff" in found["results"][0]["snippet"]
        assert _run(capfd, "remember", "We ship on Fridays.")[1]["indexed"] is False
        monkeypatch.setenv("GIEOK_HYBRID", "false")
        assert main(["search", "ruff", "--json"]) == 2
        assert json.loads(capfd.readouterr().out)["error"]["code"] == "store_busy"
