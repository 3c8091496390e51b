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


def test_a_forced_index_sends_everything_again_and_nothing_twice(home: Any, gemini: Any) -> None:
    before = set(gemini.documents)
    gemini.reset_counts()
    status, indexed = home.run("index", "--force")
    assert (status, gemini.calls["start upload"]) == (0, 2)
    assert indexed["moved"] == 4, "two sent, two copies deleted"
    assert len(gemini.documents) == 2
    assert not before & set(gemini.documents)


def test_a_forced_index_that_breaks_off_leaves_the_copies_that_were_there(
    home: Any, gemini: Any
) -> None:
    texts = gemini.texts()
    gemini.fail("start upload", 400, "INVALID_ARGUMENT")
    assert home.run("index", "--force")[0] != 0
    assert gemini.texts() == texts


@pytest.mark.parametrize("again", [["index"], ["index", "--force"]])
def test_a_forced_index_that_broke_off_goes_on_where_it_was(
    home: Any, gemini: Any, again: list[str]
) -> None:
    before = set(gemini.documents)
    gemini.fail("start upload", 400, "INVALID_ARGUMENT", times=1)
    assert home.run("index", "--force")[0] != 0
    gemini.reset_counts()
    left = len(before) - len(set(gemini.documents) - before)
    assert 1 <= left <= 2
    assert home.run(*again)[0] == 0
    assert gemini.calls["start upload"] == left
    assert not before & set(gemini.documents)


def test_copies_that_a_forced_index_has_not_replaced_yet_outlive_a_prune(
    home: Any, gemini: Any
) -> None:
    gemini.fail("start upload", 400, "INVALID_ARGUMENT")
    assert home.run("index", "--force")[0] != 0
    home.run("store", "switch", "sqlite")
    home.run("forget", "--match", "연어", "--yes")
    assert gemini.texts() == ["The VLAN of the office is 10.\n"]


def test_chunks_and_conditions_of_the_users_own_go_to_the_service(
    home: Any, gemini: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_GEMINI_CHUNK_TOKENS", "500")
    monkeypatch.setenv("GIEOK_GEMINI_METADATA_FILTER", 'gieok_kind="nothing" OR gieok_kind="x"')
    home.run("index")
    assert {document.chunk_tokens for document in gemini.documents.values()} == {500}
    _, found = home.run("search", "VLAN", "--explain")
    (tool,) = gemini.searches()
    assert tool["metadata_filter"].endswith(' AND (gieok_kind="nothing" OR gieok_kind="x")')
    assert all("managed" not in hit["signals"] for hit in found["results"])
