"""Qwen Code's transcripts, as version 0.24.4 wrote them: what was said is kept, what memory
answered is not.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from gieok.agents.formats import recognise, replay
from gieok.model.conversation import Role

_RECORDED = Path(__file__).parent / "recorded" / "qwen_code.jsonl"
_BASE = {
    "sessionId": "s",
    "timestamp": "2026-11-22T14:16:31.510Z",
    "cwd": "/home/u/shop",
    "version": "0.24.4",
}


def _turn(kind: str, *parts: dict[str, Any], **more: object) -> dict[str, Any]:
    return {
        **_BASE,
        "uuid": f"{kind}-{len(parts)}",
        "type": kind,
        "message": {"role": "x", "parts": list(parts)},
        **more,
    }


def _said(*lines: dict[str, Any]) -> list[tuple[Role, str]]:
    data = [json.dumps(line).encode() for line in lines]
    transcript = recognise("s.jsonl", data)
    assert transcript is not None
    assert transcript.format.name == "qwen-code"
    events = [
        event for number, line in enumerate(lines) for event in transcript.events(line, str(number))
    ]
    return [(message.role, message.text) for message in replay(events)]


def test_a_recorded_session_gives_what_was_said_and_nothing_that_gieok_added_or_answered() -> None:
    lines = [json.loads(line) for line in _RECORDED.read_text(encoding="utf-8").splitlines()]
    transcript = recognise(_RECORDED.name, _RECORDED.read_bytes().splitlines())
    assert transcript is not None
    assert (transcript.session.agent, transcript.session.cwd) == ("qwen-code", "/home/u/shop")
    said = _said(*lines)
    assert [role for role, _ in said] == [Role.USER, Role.ASSISTANT, Role.ASSISTANT]
    assert said[0][1].startswith("ask the memory please")
    assert "memory-context" not in str(said)
    assert "화요일" not in str(said), "a deferred tool of Gieok's is one of Gieok's all the same"


def test_tools_are_kept_shortened_by_the_name_they_were_called_by() -> None:
    call = {
        "functionCall": {"id": "c", "name": "run_shell_command", "args": {"command": "make test"}}
    }
    deferred = {
        "functionCall": {
            "id": "d",
            "name": "tool_call",
            "args": {"name": "web", "arguments": {"q": "x"}},
        }
    }
    answer = {
        "functionResponse": {
            "id": "c",
            "name": "run_shell_command",
            "response": {"error": "2 failed"},
        }
    }
    assert _said(
        _turn(
            "assistant", {"text": "hm", "thought": True}, {"text": "네."}, call, deferred, model="m"
        ),
        _turn("tool_result", answer, toolCallResult={"status": "error"}),
    ) == [
        (Role.ASSISTANT, "네."),
        (Role.TOOL, "[run_shell_command command=make test]"),
        (Role.TOOL, "[web q=x]"),
        (Role.TOOL, "[tool failed] 2 failed"),
    ]


@pytest.mark.parametrize("provenance", ["goal_control", "subagent", "mcp"])
def test_what_the_program_says_in_the_users_place_is_not_the_users(provenance: str) -> None:
    assert _said(_turn("user", {"text": "Continue."}, provenance=provenance)) == []


def test_a_sub_agents_file_is_passed_over() -> None:
    assert _said(_turn("user", {"text": "look"}, isSidechain=True, provenance="real_user")) == []


def test_without_a_text_to_show_the_hooks_context_and_reminders_are_cut_out() -> None:
    added = "<qwen:user-prompt-submit-context>\nmemory\n</qwen:user-prompt-submit-context>"
    older = _turn(
        "user",
        {"text": "화요일이야"},
        {"text": added},
        {"text": "<system-reminder>x</system-reminder>"},
    )
    assert _said(older) == [(Role.USER, "화요일이야")]
