"""`gieok retire | restore | transfer | history` of what was observed and said: nothing of it is
lost.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gieok.commands import load_command
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.model.memory import Document, Scope

_SAID = "We decided to use Redis Streams."
_PROJECT = "project:shop-1"


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """A user who told an agent two things, and keeps a record and a note."""
    for name, value in {
        "HOME": str(tmp_path),
        "GIEOK_HOME": str(tmp_path / "home"),
        "GIEOK_EMBEDDER": "none",
        "GIEOK_OBSERVE_AGENTS": "none",
        "GIEOK_OBSERVE_FOLDERS": str(tmp_path / "talk"),
    }.items():
        monkeypatch.setenv(name, value)
    for folder in ("talk", "notes", "elsewhere"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    rows = [
        {"role": "user", "text": text, "timestamp": f"2026-11-1{n}T09:00:00Z"}
        for n, text in enumerate((_SAID, "We decided to pay on Mondays."))
    ]
    (tmp_path / "talk" / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "notes" / "a.md").write_text("# A\n\nThe umbrella stands behind the door.\n")
    call = open_call({})
    for name, request in (
        ("index", {"paths": [str(tmp_path / "notes")]}),
        ("remember", {"text": ["We lint with ruff."], "user": True}),
        ("observe run", {"once": True}),
    ):
        _run(call, name, **request)
    return call


def _run(call: Call, name: str, **request: Any) -> Any:
    found = load_command(name)
    return found(call, **request)


def _made(call: Call) -> list[Document]:
    made = call.home.journal.made(Scope("agent:main"))
    return [replace(entry.document, content_hash="") for entry in made if entry.passages]


def _handle(call: Call, kind: str, words: str) -> str:
    return next(
        row.handle for row in _run(call, "list", kind=kind, limit=0).memories if words in row.text
    )


def _found(call: Call, words: str = "Redis Streams") -> set[str]:
    found = _run(call, "search", query=[words], min_score=0.0).results
    return {
        handle
        for hit in found
        if "Redis" in hit.snippet
        for handle in (hit.handle, *(hit.same_as or ()))
    }


def _away(call: Call) -> set[str]:
    return {row.handle for row in _run(call, "list", status="retired").memories}


def test_what_was_observed_is_put_away_stays_away_and_comes_back_as_it_was(
    call: Call,
) -> None:
    handle = _handle(call, "observation", "Redis")
    before = _made(call)
    assert handle in _found(call)
    _run(call, "retire", memories=[handle])
    assert handle not in _found(call)
    assert _away(call) == {handle}
    _run(call, "rebuild", no_wait=True)
    _run(call, "observe reflect")
    assert handle not in _found(call)
    assert _run(call, "why", id=handle).status == "retired"
    for name, request in (
        ("retire", {"memories": [handle]}),
        ("edit", {"handle": handle, "text": ["x"]}),
    ):
        with pytest.raises(BadRequest, match="put away"):
            _run(call, name, **request)
    _run(call, "restore", memories=[handle])
    assert (handle in _found(call), _away(call)) == (True, set())
    assert _made(call) == before


def test_what_was_said_goes_with_what_was_observed_of_it_alone_and_both_come_back(
    call: Call,
) -> None:
    line, observed = _handle(call, "turn", "Redis"), _handle(call, "observation", "Redis")
    _run(call, "edit", handle=line, text=["We decided to use Redis Streams, not Kafka."])
    (gone,) = _run(call, "retire", memories=[line]).memories
    assert gone.also == (observed,)
    assert _found(call) == set()
    assert _away(call) == {line, observed}
    assert _SAID in {message.text for message in _run(call, "why", id=line).said}
    (back,) = _run(call, "restore", memories=[line]).memories
    assert "not Kafka" in back.text
    assert _found(call) >= {line, observed}


def test_what_is_put_away_can_be_forgotten_for_good(call: Call) -> None:
    line = _handle(call, "turn", "Redis")
    _run(call, "retire", memories=[line])
    _run(call, "forget", handles=[line], yes=True)
    assert _away(call) == set()
    with pytest.raises(BadRequest):
        _run(call, "restore", memories=[line])


def test_a_record_that_is_put_away_is_forgotten_by_the_handle_that_it_had(
    call: Call, tmp_path: Path
) -> None:
    record = _handle(call, "record", "ruff")
    _run(call, "retire", memories=[record], keep=True)
    _run(call, "forget", handles=[record], yes=True)
    assert (_away(call), list((tmp_path / "home").rglob("*ruff*.md"))) == (set(), [])


def test_a_kill_between_both_steps_loses_nothing(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    line, journal = _handle(call, "turn", "Redis"), call.home.journal

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(journal, "correct", killed)
        with pytest.raises(KeyboardInterrupt):
            _run(call, "retire", memories=[line])
    assert (_away(call), line in _found(call)) == (set(), True)
    _run(call, "retire", memories=[line])
    assert line in _away(call)


def test_an_own_file_and_a_whole_conversation_are_refused_before_anything_goes(
    call: Call,
) -> None:
    observed, note = _handle(call, "observation", "Redis"), _handle(call, "note", "umbrella")
    whole = _handle(call, "turn", "Redis").partition(".")[0]
    for refused in (note, whole):
        with pytest.raises(BadRequest):
            _run(call, "retire", memories=[observed, refused])
        with pytest.raises(BadRequest):
            _run(call, "transfer", memories=[observed, refused], to=_PROJECT)
    assert observed in _found(call)


def test_an_observation_moves_with_where_it_comes_from_and_back_to_what_it_was(
    call: Call,
) -> None:
    observed = _handle(call, "observation", "Redis")
    before = _made(call)
    (moved,) = _run(call, "transfer", memories=[observed], to=_PROJECT).memories
    there = open_call({"scope": _PROJECT})
    assert [m.text for m in _run(there, "why", id=moved.handle).said] == [_SAID]
    assert observed not in {row.handle for row in _run(call, "list", kind="observation").memories}
    _run(there, "transfer", memories=[moved.handle], to="agent:main")
    assert _made(call) == before


def test_what_was_moved_is_forgotten_with_what_was_said(call: Call) -> None:
    line, observed = _handle(call, "turn", "Redis"), _handle(call, "observation", "Redis")
    _run(call, "transfer", memories=[observed], to=_PROJECT)
    _run(call, "forget", handles=[line], yes=True)
    assert call.home.journal.made(Scope(_PROJECT)) == []


def test_a_moved_observation_takes_its_message_along_when_it_is_forgotten(call: Call) -> None:
    (moved,) = _run(
        call, "transfer", memories=[_handle(call, "observation", "Redis")], to=_PROJECT
    ).memories
    _run(call, "forget", handles=[moved.handle], yes=True)
    assert _found(call) == set()


def test_a_record_moves_to_a_project_whose_folder_is_known(call: Call, tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / ".git").mkdir()
    in_shop = open_call({}, folder=shop)
    _run(in_shop, "remember", text=["The shop sells tea."])
    in_shop = open_call({}, folder=shop)
    record = _handle(call, "record", "ruff")
    (moved,) = _run(call, "transfer", memories=[record], to=in_shop.scope.path).memories
    assert (shop / ".gieok" / "memory" / "decision" / "we-lint-with-ruff.md").is_file()
    assert not list((tmp_path / "home" / "memory").rglob("*.md"))
    assert moved.text == "We lint with ruff.", "without the fields of the file"
    assert moved.handle in {row.handle for row in _run(in_shop, "list", kind="record").memories}
    with pytest.raises(BadRequest, match="no folder"):
        _run(in_shop, "transfer", memories=[moved.handle], to="project:nowhere-1")
    with pytest.raises(BadRequest) as elsewhere:
        _run(call, "transfer", memories=[moved.handle], to="agent:main")
    assert f"give `--scope {in_shop.scope}`" in elsewhere.value.hint


def test_a_record_is_there_once_however_often_its_move_is_killed(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    _run(open_call({}, folder=tmp_path / "shop"), "remember", text=["The shop sells tea."])
    target = open_call({}, folder=tmp_path / "shop").scope.path
    record = _handle(call, "record", "ruff")

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", killed)
        with pytest.raises(KeyboardInterrupt):
            _run(call, "transfer", memories=[record], to=target)
    assert len(list(tmp_path.rglob("we-lint-with-ruff*.md"))) == 2
    _run(call, "transfer", memories=[record], to=target)
    assert [
        file.parent.parent.parent.parent.name for file in tmp_path.rglob("we-lint-with-ruff*.md")
    ] == ["shop"]


def test_the_history_says_what_was_believed_when(call: Call) -> None:
    observed = _handle(call, "observation", "Redis")
    _run(call, "edit", handle=observed, text=["We use NATS."])
    found = _run(call, "history", handle=observed)
    assert [(one.text, one.ended) for one in found.versions] == [
        (_SAID, "corrected"),
        ("We use NATS.", ""),
    ]
    on = {
        day: [one.text for one in _run(call, "history", handle=observed, on=day).versions]
        for day in ("2026-11-01", "2026-11-12")
    }
    assert on == {"2026-11-01": [], "2026-11-12": [_SAID]}
    assert [one.text for one in _run(call, "history", handle=observed, on="today").versions] == [
        "We use NATS."
    ]


def test_a_search_everywhere_finds_what_another_scope_holds(call: Call) -> None:
    _run(call, "transfer", memories=[_handle(call, "observation", "Redis")], to=_PROJECT)
    found = _run(call, "search", query=["Redis Streams"], everywhere=True, min_score=0.0).results
    assert {str(hit.scope) for hit in found if "Redis" in hit.snippet} == {"agent:main", _PROJECT}
    assert _run(call, "list", everywhere=True, kind="observation", limit=1).more
