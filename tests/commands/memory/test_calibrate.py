"""`gieok calibrate` fits what scores mean for a model on the questions of the user's own
conversations.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.memory.calibrate import extract_answered_questions
from gieok.errors import BadRequest
from gieok.home.calls import open_call
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.testing import HashEmbedder
from gieok.testing.embedding_server import EmbeddingServer

_SCOPE = Scope("agent:main")
_NOW = datetime(2026, 11, 1, tzinfo=UTC)


def _numbers(text: str) -> list[float]:
    import struct

    return list(struct.unpack("<32f", HashEmbedder(32).embed_query(text)))


def _scored(question: str, text: str) -> float:
    """Return a score that is right about the order, and too sure to be a probability."""
    house = question.strip("?").split()[-1]
    return 0.9999 if text.startswith("Assistant") and f"house {house} " in text else 0.9


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    made = EmbeddingServer(_numbers, rerank=_scored)
    yield made
    made.shutdown()
    made.server_close()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: EmbeddingServer) -> Path:
    for name, value in {"HOME": tmp_path, "GIEOK_HOME": tmp_path / "home"}.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home").mkdir(mode=0o700)
    _use(tmp_path / "home", server)
    return tmp_path / "home"


def _use(home: Path, server: EmbeddingServer, **more: object) -> None:
    settings = {
        "embedder": "ollama",
        "embedder.model": "m",
        "embedder.base_url": server.url,
        **more,
    }
    (home / "config.yaml").write_text(json.dumps(settings), encoding="utf-8")


def _call(name: str, **values: object):
    found = load_command(name)
    return found(open_call({}, wait=lambda seconds: None), **values)


def _talk(number: int) -> Entry:
    lines = [
        f"User: Which colour did we choose for the door of house {number}?",
        (
            f"Assistant: The door of house {number} was painted in colour number {number * 7} "
            "last spring."
        ),
        "User: Thanks, that is all for now.",
    ]
    text, passages, start = "\n".join(lines), [], 0
    for at, line in enumerate(lines):
        passages.append(Passage(start, start + len(line), at + 1, at + 1))
        start += len(line) + 1
    key = f"sessions/claude-code/s{number}#1"
    document = Document(
        scope=_SCOPE,
        key=key,
        kind="turn",
        title="t",
        text=text,
        content_hash=key,
        created_at=_NOW,
        updated_at=_NOW,
        valid_from=_NOW,
        metadata={"session": f"s{number}"},
    )
    return Entry(document, tuple(passages))


def _fill(count: int) -> None:
    call = open_call({}, wait=lambda seconds: None)
    store = call.home.store
    store.put([_talk(n) for n in range(count)])
    from gieok.flow.lifecycle import fill_vectors

    fill_vectors(store, call.home.open_embedder())


def test_questions_of_turns_are_those_that_the_other_speaker_answered() -> None:
    lines = [
        "User: what is the port of the server?",
        "Assistant: It listens on port 8080 since Monday.",
        "Assistant: And on 8443 for TLS.",
        "User: ok?",
        "Assistant: Shall we move the meeting to Friday?",
        "User: yes, at half past nine, please.",
        "User: is anybody there at all?",
    ]
    found = list(extract_answered_questions(lines, _SCOPE, "k"))
    assert [(one.text, one.line, sorted(one.answers)) for one in found] == [
        ("what is the port of the server?", 1, [2, 3]),
        ("Shall we move the meeting to Friday?", 5, [6, 7]),
    ]


def test_what_is_fitted_belongs_to_the_model_and_changes_its_scores(home: Path) -> None:
    _fill(40)
    assert _call("status").uncalibrated == ("ollama:m",)
    before = _call("search", query=["which colour has the door of house 3"], min_score=0.0)
    tried = _call("calibrate", dry_run=True)
    assert tried.questions == 40
    assert not (home / "calibrations.json").exists()
    found = _call("calibrate")
    fit = found.fits[0]
    assert (fit.model, fit.kind, fit.kept) == ("ollama:m", "embedder", True)
    assert fit.error_after <= fit.error_before
    kept = json.loads((home / "calibrations.json").read_text())
    assert kept["ollama:m"]["questions"] == 40
    assert kept["ollama:m"]["spread"] > 0
    assert _call("status").uncalibrated == ()
    after = _call("search", query=["which colour has the door of house 3"], min_score=0.0)
    assert [hit.score for hit in after.results] != [hit.score for hit in before.results]
    assert "40 questions" in load_command("calibrate").present(found, Style("en", colour=False))
    assert _call("calibrate", reset=True).forgotten == ("ollama:m",)
    assert _call("status").uncalibrated == ("ollama:m",)


def test_a_reranker_is_calibrated_by_its_own_name(home: Path, server: EmbeddingServer) -> None:
    more = {"reranker": "compatible", "reranker.model": "r", "reranker.base_url": server.url}
    _use(home, server, **more)
    _fill(40)
    assert _call("status").uncalibrated == ("ollama:m", "compatible:r")
    fits = _call("calibrate").fits
    assert [fit.model for fit in fits] == ["ollama:m", "compatible:r"]
    assert fits[1].error_after < 0.1 < fits[1].error_before
    found = _call(
        "search", query=["which colour has the door of house 3"], min_score=0.0, explain=True
    )
    assert "reranker" in found.results[0].signals
    server.failures = [(503, b"{}")] * 9
    # The embedder's service is the same server here, so words answer, and nobody reranks.
    assert "not reranked" in _call("search", query=["door"], min_score=0.0).degraded


def test_too_few_questions_fit_the_scale_alone(home: Path) -> None:
    _fill(5)
    found = _call("calibrate")
    assert found.questions == 5
    kept = json.loads((home / "calibrations.json").read_text())["ollama:m"]
    assert (kept["slope"], kept["shift"], kept["questions"]) == (1.0, 0.0, 0)
    assert "too few" in load_command("calibrate").present(found, Style("en", colour=False))


def test_without_an_embedder_there_is_nothing_to_calibrate(home: Path) -> None:
    (home / "config.yaml").write_text("embedder: none\n")
    with pytest.raises(BadRequest, match="nothing to calibrate"):
        _call("calibrate")


def test_a_damaged_file_of_calibrations_is_as_none(home: Path) -> None:
    (home / "calibrations.json").write_text('{"m": {"figures": 1}}')
    _fill(1)
    assert _call("search", query=["door"], min_score=0.0).results
