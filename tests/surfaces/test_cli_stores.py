"""The mirrored stores and the managed one from the command line: one setting, and everything else is as before."""

import json
from pathlib import Path
from typing import Any

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
