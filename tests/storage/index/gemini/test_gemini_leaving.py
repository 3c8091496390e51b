"""Every way out of the managed store: nothing of ours stays at the service, or it is named with the
way to delete it.
"""

from typing import Any

import pytest


def _add_others(gemini: Any) -> None:
    """Put a document of another program into the same store."""
    store = next(iter(gemini.stores))
    gemini.documents[f"{store}/documents/theirs"] = type(next(iter(gemini.documents.values())))(
        f"{store}/documents/theirs", "theirs.md", "somebody else's", {}
    )


@pytest.mark.parametrize("way", [("erase", "--all", "--yes"), ("uninstall", "--erase", "--yes")])
def test_after_everything_is_erased_the_service_holds_nothing_of_ours(
    home: Any, gemini: Any, way: tuple[str, ...]
) -> None:
    status, told = home.run(*way)
    erased = told.get("erased") or told
    assert status == 0
    assert (gemini.documents, gemini.stores) == ({}, {})
    assert any(one["path"].startswith("fileSearchStores/gieok-") for one in erased["removed"])
    assert not home.folder.exists()


@pytest.mark.parametrize("way", [("erase", "--all", "--yes"), ("uninstall", "--erase", "--yes")])
@pytest.mark.parametrize("trouble", ["no key", "another key", "away"])
def test_what_cannot_be_deleted_there_is_named_and_found_again(
    home: Any, gemini: Any, monkeypatch: pytest.MonkeyPatch, way: tuple[str, ...], trouble: str
) -> None:
    (store,) = gemini.stores
    if trouble == "away":
        monkeypatch.setenv("GIEOK_GEMINI_URL", "http://127.0.0.1:9")
    else:
        (home.folder / ".env").write_text(
            "GEMINI_API_KEY=wrong\n" if trouble == "another key" else ""
        )
    status, told = home.run(*way)
    erased = told.get("erased") or told
    assert status == 1, "a script must not take this for done"
    (stays,) = [one for one in erased["left"] if one["path"].startswith(store)]
    assert "2 documents stay there" in stays["reason"]
    assert "gieok store drop gemini" in stays["reason"]
    assert "curl -X DELETE" in stays["reason"]
    assert [file.name for file in home.folder.iterdir()] == ["gemini.owner"], "no text stays here"
    assert len(gemini.documents) == 2
    monkeypatch.setenv("GIEOK_GEMINI_URL", gemini.url)
    monkeypatch.setenv("GEMINI_API_KEY", gemini.key)
    status, dropped = home.run("store", "drop", "gemini", "--yes")
    assert (status, dropped["dropped"][0]["documents"]) == (0, 2)
    assert (gemini.documents, gemini.stores) == ({}, {})


def test_a_store_that_was_left_is_named_dropped_and_then_forgotten_about(
    home: Any, gemini: Any
) -> None:
    status, switched = home.run("store", "switch", "sqlite")
    assert status == 0
    assert [one["documents"] for one in switched["left_there"]] == [2]
    _, shown = home.run("status")
    assert any("gieok store drop gemini" in line for line in shown["details"])
    status, doctor = home.run("doctor")
    assert status == 1
    assert any("gieok store drop gemini" in check["detail"] for check in doctor["checks"])
    status, looked = home.run("store", "drop", "gemini", "--dry-run")
    assert (looked["dropped"][0]["documents"], len(gemini.documents)) == (2, 2)
    assert home.run("store", "drop", "gemini", "--yes")[1]["done"]
    assert (gemini.documents, gemini.stores) == ({}, {})
    _, shown = home.run("status")
    assert not any("store drop" in line for line in shown["details"])
    gemini.reset_counts()
    assert home.run("erase", "--all", "--yes")[0] == 0
    assert not gemini.calls, "what was dropped and looked after needs no service any more"


def test_leaving_everything_after_a_switch_reaches_what_the_switch_left(
    home: Any, gemini: Any
) -> None:
    home.run("store", "switch", "sqlite")
    assert home.run("erase", "--all", "--yes")[0] == 0
    assert (gemini.documents, gemini.stores) == ({}, {})


def test_what_is_forgotten_goes_from_a_store_that_was_left_and_nothing_is_sent_there(
    home: Any, gemini: Any
) -> None:
    home.run("store", "switch", "sqlite")
    (home.notes / "new.md").write_text("A new note about the harbour.\n")
    home.run("index")
    home.run("forget", "--match", "연어", "--yes")
    assert gemini.texts() == ["The VLAN of the office is 10.\n"]


def test_a_lost_manifest_hides_nothing(home: Any, gemini: Any) -> None:
    for file in home.folder.glob("gemini.sqlite*"):
        file.unlink()
    assert home.run("erase", "--all", "--yes")[0] == 0
    assert (gemini.documents, gemini.stores) == ({}, {})


def test_the_documents_of_others_stay_and_are_told_of(home: Any, gemini: Any) -> None:
    _add_others(gemini)
    status, erased = home.run("erase", "--all", "--yes")
    assert status == 0
    assert gemini.texts() == ["somebody else's"]
    assert any("1 documents of others are in it" in one["reason"] for one in erased["left"])


def test_a_deletion_that_did_not_happen_is_not_called_one(
    home: Any, gemini: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gemini, "_delete_document", lambda **_: (200, {}, {}), raising=False)
    status, erased = home.run("erase", "--all", "--yes")
    assert status == 1
    assert any("still at gemini after they were deleted" in one["reason"] for one in erased["left"])


def test_what_uploads_left_at_the_file_service_goes_too(home: Any, gemini: Any) -> None:
    gemini.fail("start upload", 503, "UNAVAILABLE")
    (home.notes / "new.md").write_text("A new note about the harbour.\n")
    home.run("index")
    assert len(gemini.documents) == 3
    assert gemini.files == {}, "deleted as soon as the document is active"


def test_the_store_in_use_is_not_dropped_and_nobody_is_asked_without_a_terminal(
    home: Any, gemini: Any
) -> None:
    status, refused = home.run("store", "drop", "gemini", "--yes")
    assert (status, "the store in use" in refused["error"]["message"]) == (2, True)
    home.run("store", "switch", "sqlite")
    status, refused = home.run("store", "drop", "gemini")
    assert status == 2
    assert "no terminal" in refused["error"]["message"]
    status, refused = home.run("store", "drop", "chroma", "--yes")
    assert status == 2
    assert len(gemini.documents) == 2


def test_documents_that_the_service_lost_are_counted_and_sent_again(home: Any, gemini: Any) -> None:
    lost = next(name for name, one in gemini.documents.items() if "VLAN" in one.text)
    del gemini.documents[lost]
    status, doctor = home.run("doctor")
    (check,) = [check for check in doctor["checks"] if check["name"] == "service"]
    assert (status, check["ok"]) == (1, False)
    assert check["detail"] == "1 documents are at gemini-file-search, and 2 were sent"
    assert home.run("index")[1]["moved"] == 0, "the manifest alone does not know"
    assert home.run("index", "--force")[1]["moved"] == 3, "two sent anew, one copy deleted"
    assert len(gemini.documents) == 2
    _, doctor = home.run("doctor")
    (check,) = [check for check in doctor["checks"] if check["name"] == "service"]
    assert check["detail"].startswith("2 documents are at gemini-file-search, as many as were sent")


def test_documents_of_ours_that_nothing_here_knows_are_deleted_by_a_comparison(
    home: Any, gemini: Any
) -> None:
    known = next(iter(gemini.documents.values()))
    store = next(iter(gemini.stores))
    stray = type(known)(
        f"{store}/documents/stray",
        "old.md",
        "an old copy",
        {**known.labels, "gieok_nonce": "x", "gieok_id": "y"},
    )
    gemini.documents[stray.name] = stray
    _add_others(gemini)
    home.run("index", "--force")
    assert "an old copy" not in gemini.texts()
    assert "somebody else's" in gemini.texts()


def test_a_store_deleted_at_the_service_is_filled_again_by_a_comparison(
    home: Any, gemini: Any
) -> None:
    gemini.stores.clear()
    gemini.documents.clear()
    status, done = home.run("index", "--force")
    assert (status, done["moved"], len(gemini.documents)) == (0, 2, 2)
