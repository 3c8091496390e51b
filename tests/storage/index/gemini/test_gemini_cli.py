"""The managed store from the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from gieok.surfaces.cli import main


def test_switching_to_gemini_uploads_and_a_stopped_service_leaves_the_words(
    gemini: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def run(*arguments: str) -> tuple[int, Any]:
        status = main([*arguments, "--json"])
        return status, json.loads(capfd.readouterr().out)

    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "cat.md").write_text("고양이 보리는 연어를 좋아한다.\n")
    for name, value in {
        "HOME": tmp_path / "home",
        "EMBEDDER": "none",
        "GEMINI_URL": gemini.url,
        "GEMINI_SEARCH_TIMEOUT_S": 60,  # of a busy machine
    }.items():
        monkeypatch.setenv(f"GIEOK_{name}", str(value))
    home = tmp_path / "home"
    home.mkdir()
    (home / ".env").write_text(f"GEMINI_API_KEY={gemini.key}\n")
    (home / ".env").chmod(0o600)
    run("index", str(notes))
    assert run("store", "switch", "gemini")[0] == 0
    assert gemini.texts() == ["고양이 보리는 연어를 좋아한다.\n"]
    (notes / "office.md").write_text("The VLAN of the office is 10.\n")
    status, indexed = run("index")
    assert (status, indexed["added"], indexed["moved"]) == (0, 1, 1)
    _, found = run("search", "VLAN", "--explain")
    assert found["results"][0]["citation"] == "office.md#L1"
    assert found["results"][0]["signals"]["managed"] == 1.0
    _, shown = run("status")
    assert (shown["state"], shown["embedder"]) == ("synced", "gemini-file-search")
    assert shown["details"][0].startswith(
        "gemini-file-search: 2 documents sent to fileSearchStores/gieok-"
    )
    monkeypatch.setenv("GIEOK_GEMINI_URL", "http://127.0.0.1:9")
    _, found = run("search", "고양이")
    assert found["results"][0]["path"] == "cat.md"
    assert found["degraded"].startswith("gemini unreachable")
    assert gemini.key not in json.dumps(shown) + json.dumps(found)
