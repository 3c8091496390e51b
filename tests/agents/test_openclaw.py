from datetime import UTC, datetime
from typing import Any

import pytest

from gieok.agents.formats import Transcript, begin_transcript
from gieok.model.conversation import Role

_HEADER = {
    "type": "session",
    "version": 3,
    "id": "s1",
    "timestamp": "2026-11-21T20:45:55.413Z",
    "cwd": "/w",
}
_AT = "2026-11-21T20:46:00.000Z"


def _transcript() -> Transcript:
    found = begin_transcript("s1.jsonl", _HEADER)
    assert found is not None
    return found


def _entry(role: str, content: object, **more: object) -> dict[str, Any]:
    return {
        "type": "message",
        "id": "e1",
        "timestamp": _AT,
        "message": {"role": role, "content": content, **more},
    }


def _texts(line: dict[str, Any]) -> list[tuple[str, str]]:
    return [(str(m.role), m.text) for m in _transcript().events(line, "9")]


def test_a_turn_becomes_a_message_with_the_entrys_id_and_time() -> None:
    (message,) = _transcript().events(_entry("user", "출시는 금요일이야."), "9")
    assert message.id == "s1/e1"
    assert (message.session, message.agent, message.role) == ("s1", "openclaw", Role.USER)
    assert message.at == datetime(2026, 11, 21, 20, 46, tzinfo=UTC)


def test_tool_calls_and_results_are_shortened_with_their_outcome() -> None:
    call = {
        "type": "toolCall",
        "id": "c",
        "name": "read",
        "arguments": {"path": "MEMORY.md", "n": "x" * 500},
    }
    said = _texts(
        _entry(
            "assistant",
            [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Let me."}, call],
        )
    )
    assert said == [("assistant", "Let me."), ("tool", f"[read path=MEMORY.md n={'x' * 120}…]")]
    ((role, result),) = _texts(
        _entry("toolResult", "a" * 1000 + "the end", toolName="exec", isError=True)
    )
    assert role == "tool"
    assert result.startswith("[exec failed] aaa")
    assert result.endswith("the end")
    assert len(result) < 700


@pytest.mark.parametrize(
    "line",
    [
        _HEADER,
        {"type": "model_change", "id": "x"},
        {"type": "reset", "id": "x"},
        _entry(
            "user",
            "[OpenClaw session event]",
            provenance={"kind": "internal_system", "sourceTool": "hook"},
        ),
        _entry("user", "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly."),
        _entry("user", "System: [2026-02-28 01:01:06 UTC] Exec completed (oceanic, code 0)"),
        _entry("user", "A new session was started via /new or /reset. Greet the user."),
        _entry("user", "Job ID: 9\n\n<<<EXTERNAL_UNTRUSTED_CONTENT id=1>>>\nSummarise this"),
        _entry("assistant", [{"type": "text", "text": "HEARTBEAT_OK"}]),
        _entry("assistant", "NO_REPLY "),
        _entry("user", "<memory-context>\nold\n</memory-context>"),
    ],
)
def test_what_nobody_said_is_left_out(line: dict[str, Any]) -> None:
    assert _texts(line) == []


def test_the_envelope_of_a_channel_is_taken_off() -> None:
    text = (
        'Conversation info (untrusted metadata):\n```json\n{"sender": "Kim"}\n```\n\n'
        'Sender (untrusted metadata):\n```json\n{"id": "1"}\n```\n\n[Sat 2026-04-18 22:09 '
        "GMT+9] 내일 몇 시야?"
    )
    assert _texts(_entry("user", text)) == [("user", "내일 몇 시야?")]
    assert _texts(_entry("user", "System: [2026-02-28 01:00 UTC] Slack DM from U1: hi\n\nhi")) == [
        ("user", "hi")
    ]
    assert _texts(_entry("assistant", "[[reply_to_current]] 응")) == [("assistant", "응")]


@pytest.mark.parametrize(
    "broken", [{}, {"type": "message"}, _entry("user", None), _entry("user", [1, {"type": "text"}])]
)
def test_an_entry_of_another_shape_gives_nothing(broken: dict[str, Any]) -> None:
    assert _texts(broken) == []
