"""What was said later on a subject stands before what was said earlier, wherever one is shown."""

import json
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

from gieok.commands.prompt.recall import recall_memories
from gieok.home.calls import open_call
from gieok.places.home import later_file
from gieok.surfaces.cli import main
from gieok.text.handles import build_handle

_OLD, _NEW = (
    "User: the staging host is stg.example.test",
    "User: preview.example.test is what everybody opens these days",
)
_OLD_HANDLE, _NEW_HANDLE = (build_handle(SCOPE, key, 1) for key in (OLD_KEY, NEW_KEY))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = enter_home(tmp_path, monkeypatch)
    put_changed_turns(_OLD, _NEW, later_file(str(home), SCOPE))
    return home


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    main([*arguments, "--json"])
    return json.loads(capsys.readouterr().out)


def test_search_brings_what_was_said_later_first_and_says_what_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    later, earlier = _json(capsys, "search", "stg staging host")["results"]
    assert (later["handle"], later["status"], later["is_later"]) == (_NEW_HANDLE, "stands", True)
    assert (earlier["handle"], earlier["status"]) == (_OLD_HANDLE, "stands")
    assert (earlier["said_later"], earlier["said_later_on"]) == (_NEW_HANDLE, "2026-11-09")
    assert "said_later" not in later
    assert main(["search", "stg staging host"]) == 0
    printed = capsys.readouterr().out
    assert printed.index("said later, perhaps on the same subject") < printed.index("said earlier")
    assert f"on 2026-11-09: {_NEW_HANDLE}" in printed
    assert "replaced" not in printed
    assert main(["search", "stg staging host", "--lang", "ko"]) == 0
    printed = capsys.readouterr().out
    assert "나중에 한 말, 같은 일인 듯함" in printed
    assert f"전에 한 말. 2026-11-09에 한 말로 바뀐 듯함: {_NEW_HANDLE}" in printed


def test_what_was_found_of_both_stands_in_this_order_whichever_is_likelier(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = _json(capsys, "search", "stg staging host everybody opens")["results"]
    assert [hit["handle"] for hit in found] == [_NEW_HANDLE, _OLD_HANDLE]
    assert [hit.get("is_later", False) for hit in found] == [True, False]


def test_a_question_that_finds_only_the_later_one_gets_it_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (hit,) = _json(capsys, "search", "everybody opens these days")["results"]
    assert (hit["handle"], "is_later" in hit) == (_NEW_HANDLE, False)


def test_a_prompt_gets_both_in_order_within_its_limit_and_nothing_where_it_got_nothing() -> None:
    asked = ["what is the staging host stg?"]
    said = recall_memories(open_call({}), prompt=asked)
    assert [memory.handle for memory in said.memories] == [_NEW_HANDLE, _OLD_HANDLE]
    assert said.memories[0].status.endswith("said later, perhaps on the same subject")
    assert (
        f"perhaps changed by what was said on 2026-11-09: {_NEW_HANDLE}" in said.memories[1].status
    )
    assert said.text.index("preview.example.test") < said.text.index("stg.example.test")
    only = recall_memories(open_call({}), prompt=asked, limit=1)
    assert [memory.handle for memory in only.memories] == [_NEW_HANDLE]
    assert not recall_memories(open_call({}), prompt=["write a poem on rain"]).text


def test_why_names_what_was_said_later(capsys: pytest.CaptureFixture[str]) -> None:
    why = _json(capsys, "why", _OLD_HANDLE)
    assert [row["handle"] for row in why["said_later"]] == [_NEW_HANDLE]
    assert (why["status"], why["replaced_by"]) == ("stands", [])
    main(["why", _OLD_HANDLE])
    assert (
        f"said later, perhaps on the same subject, {_NEW_HANDLE}: {_NEW}" in capsys.readouterr().out
    )
    assert _json(capsys, "why", _NEW_HANDLE)["said_later"] == []


def test_what_says_something_else_by_now_is_not_brought(
    capsys: pytest.CaptureFixture[str],
) -> None:
    put_turn(NEW_KEY, "User: the lamp is on", 9)
    (hit,) = _json(capsys, "search", "stg staging host")["results"]
    assert (hit["handle"], "said_later" in hit) == (_OLD_HANDLE, False)
    assert _json(capsys, "why", _OLD_HANDLE)["said_later"] == []
