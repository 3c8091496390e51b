"""While memory is paused, private or excluded, the hook recalls nothing and keeps nothing; a
session's start says so.
"""

import json
from datetime import UTC, datetime

import pytest

from gieok.commands.command import Style
from gieok.commands.prompt.recall import recall_memories, render_recall
from gieok.home.calls import open_call
from gieok.private import Privacy

_AT_START = {"session_id": "a", "source": "startup", "hook_event_name": "SessionStart"}


def _asked(place) -> dict[str, object]:
    return place.payload("When does the walnut ember harbour close?", session_id="a")


@pytest.fixture
def privacy(place) -> Privacy:
    place.remember("The walnut ember harbour closes at nine.", title="Harbour")
    return Privacy(str(place.home))


def _kept(place) -> list[str]:
    return [
        path.name
        for name in ("hook", "spool")
        for path in (place.home / name).rglob("*")
        if path.is_file()
    ]


def test_a_pause_is_said_once_at_the_start_and_every_prompt_is_left_alone(place, privacy) -> None:
    privacy.begin_pause(1.0)
    start = place.hook("session-start", _AT_START | {"cwd": str(place.project)})
    assert "paused" in start.notice
    assert start.context == ""
    assert place.hook("prompt", _asked(place)).out == b""
    place.hook("stop", _asked(place) | {"transcript_path": "/tmp/a.jsonl"})
    assert _kept(place) == []


def test_what_an_agent_would_be_given_is_nothing_while_memory_is_paused(place, privacy) -> None:
    asked = ["When does the walnut ember harbour close?"]
    call = open_call({}, folder=place.project)
    assert recall_memories(call, prompt=asked).found
    privacy.begin_pause(1.0)
    paused = recall_memories(call, prompt=asked)
    assert (paused.found, paused.memories) == (False, ())
    assert "memory is paused" in render_recall(paused, Style("en", colour=False))
    privacy.end_pause(2.0)
    assert recall_memories(call, prompt=asked, agent="codex").found
    privacy.begin_session("codex", "s", 0.0)
    assert not recall_memories(call, prompt=asked, agent="codex", session="s").found


def test_a_session_with_the_variable_is_private_and_no_longer_once_it_goes_on_without(
    place, privacy
) -> None:
    start = place.hook("session-start", _AT_START | {"cwd": str(place.project)}, GIEOK_PRIVATE="1")
    assert "private" in start.notice
    assert _kept(place) == []
    now = datetime.now(UTC).timestamp()
    assert privacy.is_withheld("claude-code", "a", now)
    place.hook("prompt", _asked(place))
    assert not privacy.is_withheld("claude-code", "a", datetime.now(UTC).timestamp() + 1)


@pytest.mark.parametrize(("said", "is_private"), [((), True), (("hello there",), False)])
def test_the_word_makes_a_session_private_where_it_is_the_first(
    place, privacy, tmp_path, said, is_private
) -> None:
    file = tmp_path / "a.jsonl"
    rows = [
        {
            "type": "user",
            "uuid": text,
            "sessionId": "a",
            "message": {"role": "user", "content": text},
        }
        for text in said
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    place.hook("prompt", _asked(place) | {"prompt": "비공개", "transcript_path": str(file)})
    assert privacy.is_withheld("claude-code", "a", 5.0) is is_private


def test_an_excluded_folder_or_agent_gets_nothing(place, privacy) -> None:
    assert b"nine" in place.hook("prompt", _asked(place)).out
    for name, value in (
        ("GIEOK_EXCLUDE_FOLDERS", str(place.user)),
        ("GIEOK_EXCLUDE_AGENTS", "claude-code"),
    ):
        assert (
            place.hook("prompt", _asked(place) | {"session_id": name}, **{name: value}).out == b""
        )
        assert (
            "excluded"
            in place.hook(
                "session-start", _asked(place) | {"session_id": name}, **{name: value}
            ).notice
        )
