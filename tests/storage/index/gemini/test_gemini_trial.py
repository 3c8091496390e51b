"""The trial with a user's key: what it proves, what it records, and how a recording is replayed."""

import json
from typing import Any

import pytest

from gieok.errors import StoreUnreachable
from gieok.storage.index.gemini.recording import Replay
from gieok.storage.index.gemini.service import Access, GeminiService
from gieok.storage.index.gemini.trial import ServiceTrial


def _try(home: Any) -> tuple[list[dict[str, Any]], dict[str, Any], str]:
    """Run the trial as a person does; return its checks, the recording, and the recording's text."""
    _, told = home.run("doctor", "--with-key")
    checks = [check for check in told["checks"] if check["name"] == "File Search"]
    text = (home.folder / "logs" / "file-search.json").read_text()
    return checks, json.loads(text), text


def _replay(text: str, times_s: float = 20.0) -> dict[str, str]:
    """Run the trial against a recording; return step → whether it works."""
    replay = Replay(text)
    access = Access("any-key", "https://replay.invalid", 5.0, replay.model, "")
    trial = ServiceTrial(access, (times_s, 5.0), replay.client_args, lambda seconds: None)
    steps = trial.run()
    return {step.name: "works" if step.ok else "fails" for step in steps}


def test_a_trial_makes_uses_and_deletes_a_store_of_its_own(home: Any, gemini: Any) -> None:
    before = set(gemini.documents), set(gemini.stores)
    checks, recording, _ = _try(home)
    assert [check["ok"] for check in checks] == [True] * 6 + [None]
    assert list(recording["outcome"]) == [
        "make a store",
        "upload a note",
        "search",
        "search with a filter",
        "delete the note",
        "delete the store",
    ]
    assert (set(gemini.documents), set(gemini.stores)) == before


def test_a_store_that_was_made_without_an_answer_is_deleted(
    home: Any, gemini: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(gemini.stores)
    make, made = gemini._create_store, []

    def make_without_answer(**request: Any) -> tuple[int, Any, dict[str, str]]:
        made.append(make(**request))
        return 500, {"error": {"code": 500, "status": "INTERNAL", "message": "lost"}}, {}

    monkeypatch.setattr(gemini, "_create_store", make_without_answer)
    checks, recording, _ = _try(home)
    assert made
    assert set(gemini.stores) == before
    assert recording["outcome"] == {"make a store": "fails", "delete the store": "works"}
    assert [check["ok"] for check in checks][:2] == [False, True]


def test_a_file_that_a_failed_upload_left_is_deleted(home: Any, gemini: Any) -> None:
    gemini.fail("start upload", 503, "UNAVAILABLE", 3)
    gemini.fail("import file", 400, "INVALID_ARGUMENT")
    _, recording, _ = _try(home)
    assert gemini.calls["import file"] > 0
    assert recording["outcome"]["upload a note"] == "fails"
    assert recording["outcome"]["delete the file"] == "works"
    assert gemini.files == {}


def test_a_recording_holds_no_key_no_content_and_no_name(home: Any, gemini: Any) -> None:
    gemini.fail("generate", 403, "PERMISSION_DENIED", message=f"no, {gemini.key} of 123456789012")
    checks, recording, text = _try(home)
    assert [check["ok"] for check in checks][2] is False
    assert "PERMISSION_DENIED" in text, "what the report is about stays"
    for secret in (
        gemini.key,
        "123456789012",
        "gieok-trial-",
        "Quote, in a few words",
        "127.0.0.1",
    ):
        assert secret not in text
    texts = [e for e in recording["exchanges"] if "umbrella" in json.dumps(e)]
    assert texts, "the trial's own words stay"


@pytest.mark.parametrize(
    ("what", "code", "status", "times"),
    [
        ("", 0, "", 0),
        ("start upload", 503, "UNAVAILABLE", 3),
        ("generate", 500, "INTERNAL", 1),
        ("generate", 429, "RESOURCE_EXHAUSTED", 99),
        ("create store", 403, "PERMISSION_DENIED", 99),
    ],
)
def test_a_replay_ends_as_the_service_did(
    home: Any, gemini: Any, what: str, code: int, status: str, times: int
) -> None:
    if what:
        gemini.fail(what, code, status, times)
    _, recording, text = _try(home)
    assert _replay(text) == recording["outcome"]
    has_failed = "fails" in recording["outcome"].values()
    assert has_failed == (times == 99)


def test_a_replay_refuses_what_was_not_recorded(home: Any) -> None:
    _, recording, _ = _try(home)
    recording["exchanges"][0]["path"] = "/elsewhere"
    results = _replay(json.dumps(recording))
    assert results == {"make a store": "fails", "delete the store": "fails"}, "it may be there"
    recording["exchanges"] = []
    replay = Replay(json.dumps(recording))
    access = Access("any-key", "https://replay.invalid", 5.0, "any-model", "")
    service = GeminiService(access, lambda *_: None, lambda s: None, replay.client_args)
    with pytest.raises(StoreUnreachable, match="goes on with nothing"):
        service.make_store("x")


def test_without_a_key_or_free_nothing_is_asked(home: Any, gemini: Any) -> None:
    gemini.reset_counts()
    _, told = home.run("doctor", "--with-key", "--free")
    checks = [check for check in told["checks"] if check["name"] == "File Search"]
    assert [check["ok"] for check in checks] == [None]
    (home.folder / ".env").write_text("")
    _, told = home.run("doctor", "--with-key")
    checks = [check for check in told["checks"] if check["name"] == "File Search"]
    assert [check["detail"] for check in checks] == ["no key for Gemini"]
    assert not gemini.calls["create store"]
