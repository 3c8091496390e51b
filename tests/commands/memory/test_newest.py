"""What holds no more is marked wherever a person reads it, and stands behind what holds in its
place.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support.changed_turns import (
    NEW_KEY,
    OLD_KEY,
    SCOPE,
    enter_home,
    put_changed_turns,
    put_turn,
)

from gieok.commands.memory.newest import open_standing, place_current_hits
from gieok.commands.memory.search import search_memory as search
from gieok.commands.observe.why import explain_named_memory
from gieok.commands.prompt.recall import recall_memories
from gieok.flow.lifecycle import fill_vectors
from gieok.home.calls import open_call
from gieok.model.conversation import Run
from gieok.model.memory import REPLACED_BY, Document, Entry, Passage, Scope
from gieok.models.local.runtime import E5Embedder
from gieok.places.home import replaced_file
from gieok.surfaces.cli import main
from gieok.testing import ManualClock
from gieok.text.handles import build_handle

_AT = datetime(2026, 11, 2, tzinfo=UTC)
_OLD, _NEW = (
    "User: the staging host is stg.example.test",
    "User: use preview.example.test from now on",
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = enter_home(tmp_path, monkeypatch)
    put_changed_turns(_OLD, _NEW, replaced_file(str(home), SCOPE))
    return home


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_search_shows_what_holds_first_though_only_the_old_was_found(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = _json(capsys, "search", "stg staging host")["results"]
    assert [(hit["handle"], hit["status"]) for hit in found] == [
        (build_handle(SCOPE, NEW_KEY, 1), "current"),
        (build_handle(SCOPE, OLD_KEY, 1), "replaced"),
    ]
    assert (found[1]["replaced_by"], found[1]["replaced_on"]) == (
        build_handle(SCOPE, NEW_KEY, 1),
        "2026-11-09",
    )
    assert main(["search", "stg staging host"]) == 0
    assert f"on 2026-11-09 by {build_handle(SCOPE, NEW_KEY, 1)}" in capsys.readouterr().out


def test_what_was_replaced_is_no_likelier_than_what_holds_in_its_place(
    capsys: pytest.CaptureFixture[str],
) -> None:
    current, replaced, *_ = _json(
        capsys, "search", "is the staging host stg.example.test used from now on"
    )["results"]
    assert (current["status"], replaced["status"]) == ("current", "replaced")
    assert current["score"] == replaced["score"]
    assert current["level"] == replaced["level"]


def test_a_prompt_gets_the_new_value_before_the_old_one_which_is_marked() -> None:
    said = recall_memories(open_call({}), prompt=["what is the staging host stg?"]).text
    assert said.index("preview.example.test") < said.index("stg.example.test")
    assert f"replaced on 2026-11-09, by {build_handle(SCOPE, NEW_KEY, 1)}" in said


def test_list_get_and_why_say_what_became_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    old, new = build_handle(SCOPE, OLD_KEY, 1), build_handle(SCOPE, NEW_KEY, 1)
    rows = {
        row["handle"]: row["status"] for row in _json(capsys, "list", "--kind", "turn")["memories"]
    }
    assert rows == {old: "replaced", new: "current"}
    assert main(["get", old]) == 0
    printed = capsys.readouterr()
    assert (printed.out.strip(), f"replaced on 2026-11-09, by {new}" in printed.err) == (_OLD, True)
    replaced = explain_named_memory(open_call({}), new).replaced
    assert [(one.handle, one.text) for one in replaced] == [(old, _OLD.removeprefix("User: "))]
    assert explain_named_memory(open_call({}), old).replaced == ()


def test_history_says_now_of_what_took_the_place_of_another_statement(
    capsys: pytest.CaptureFixture[str],
) -> None:
    old, new = build_handle(SCOPE, OLD_KEY, 1), build_handle(SCOPE, NEW_KEY, 1)
    versions = _json(capsys, "history", old)["versions"]
    assert [(one["handle"], one["ended"], one["is_current"]) for one in versions] == [
        (old, "replaced", False),
        (new, "", True),
    ]
    assert main(["history", old]) == 0
    assert "2026-11-09 – now" in capsys.readouterr().out


def test_history_of_another_line_of_the_block_does_not_show_what_was_replaced(
    capsys: pytest.CaptureFixture[str],
) -> None:
    put_turn(NEW_KEY, f"{_NEW}\nUser: the lamp is on", 9)
    observed = Document(
        scope=Scope(SCOPE),
        key="observe:1",
        kind="observation",
        text="the staging host is stg",
        content_hash="h",
        created_at=_AT,
        updated_at=_AT,
        valid_from=_AT,
        valid_to=_AT,
        metadata={REPLACED_BY: NEW_KEY},
    )
    entry = Entry(observed, (Passage(0, len(observed.text), 1, 1),))
    call = open_call({})
    run_of = Run(observed.scope, "test", "test", _AT, 0, 1, 0, 0, 1, 0)
    assert call.home.journal.commit(0, run_of, put=[entry], forget=[])
    versions = _json(capsys, "history", build_handle(SCOPE, NEW_KEY, 2))["versions"]
    assert [one["text"] for one in versions] == ["the lamp is on"]


def test_history_leaves_the_end_open_of_what_was_compared_with_nothing(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(replaced_file(str(home), SCOPE)).unlink()
    new = build_handle(SCOPE, NEW_KEY, 1)
    for lang, now in (("en", "now"), ("ko", "지금")):
        assert main(["history", new, "--lang", lang]) == 0
        out = capsys.readouterr().out
        assert out.startswith("2026-11-09 – ")
        assert f"– {now}" not in out
    assert [one["is_current"] for one in _json(capsys, "history", new)["versions"]] == [False]


def test_a_line_that_was_changed_since_is_not_marked(capsys: pytest.CaptureFixture[str]) -> None:
    put_turn(OLD_KEY, "User: the staging host stg is down", 1)
    assert [hit["status"] for hit in _json(capsys, "search", "stg staging host")["results"]] == [
        "stands"
    ]


def test_what_held_instead_and_says_something_else_by_now_is_not_brought(
    capsys: pytest.CaptureFixture[str],
) -> None:
    put_turn(NEW_KEY, "User: a lamp", 9)
    found = _json(capsys, "search", "stg staging host")["results"]
    assert [hit["handle"] for hit in found] == [build_handle(SCOPE, OLD_KEY, 1)]


def test_a_later_statement_on_the_same_subject_without_a_sure_change_leaves_both_standing(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(replaced_file(str(home), SCOPE)).unlink()
    put_turn(NEW_KEY, "User: the staging host is preview.example.test", 9)
    found = _json(capsys, "search", "which staging host?")["results"]
    assert [(hit["handle"], hit["status"]) for hit in found] == [
        (build_handle(SCOPE, NEW_KEY, 1), "stands"),
        (build_handle(SCOPE, OLD_KEY, 1), "stands"),
    ]
    said = recall_memories(open_call({}), prompt=["what is the staging host?"]).text
    assert "replaced" not in said
    assert "current" not in said


def test_nothing_is_brought_in_only_for_being_newer(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(replaced_file(str(home), SCOPE)).unlink()
    put_turn(NEW_KEY, "User: I switched my guitar strings to nickel", 9)
    found = _json(capsys, "search", "stg staging host")["results"]
    assert [hit["handle"] for hit in found] == [build_handle(SCOPE, OLD_KEY, 1)]


@pytest.mark.parametrize(("hours", "is_compared"), [(23, True), (25, False)])
def test_a_prompt_compares_what_was_said_in_the_last_day_alone(
    home: Path, hours: int, is_compared: bool
) -> None:
    Path(replaced_file(str(home), SCOPE)).unlink()
    put_turn(NEW_KEY, "User: the staging host is preview.example.test", 9)
    clock = ManualClock(datetime(2026, 11, 9, tzinfo=UTC) + timedelta(hours=hours))
    call = open_call({}, clock=clock)
    hits = search(call, query=["which staging host?"], min_score=0.0).ranked.hits
    hits = sorted(hits, key=lambda hit: hit.passage.key)
    order = [
        one.hit.passage.key
        for one in place_current_hits(
            call, call.home.store, hits, open_standing(call), is_quick=True
        )
    ]
    assert order == ([NEW_KEY, OLD_KEY] if is_compared else [OLD_KEY, NEW_KEY])


def test_what_replaced_one_fact_of_a_turn_today_marks_that_fact_alone(
    home: Path, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(replaced_file(str(home), SCOPE)).unlink()
    (home / "models").symlink_to(models)
    monkeypatch.setenv("GIEOK_EMBEDDER", "e5")
    put_turn(OLD_KEY, "User: the violas hang in the back room and cellos stand by the window", 1)
    put_turn(
        NEW_KEY, "User: cellos don't stand by the window any more, moved them next to the stove", 9
    )
    call = open_call({}, clock=ManualClock(datetime(2026, 11, 9, 1, tzinfo=UTC)))
    fill_vectors(call.home.store, E5Embedder(models))
    hits = search(call, query=["where do the violas hang?"], min_score=0.0).ranked.hits
    placed = place_current_hits(call, call.home.store, hits, open_standing(call))
    old = next(one for one in placed if one.hit.passage.key == OLD_KEY)
    assert old.ended is None
    assert [part.words for part in old.parts] == ["cellos stand by the window"]
    assert old.parts[0].key == NEW_KEY
