"""Every way in which Gieok's own output comes back, in the lines of every agent: none of it is
evidence.
"""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest

from gieok.agents.formats import Transcript, begin_transcript
from gieok.hook import inject, start
from gieok.memory import active_memory
from gieok.memory.active_memory import Look
from gieok.memory.observation import Category, Observation, Priority
from gieok.memory.scope_memory import ScopeMemory
from gieok.model.conversation import Message
from gieok.surfaces.tools import INSTRUCTIONS
from gieok.text import active

_AT = "2026-11-21T20:56:41.951Z"
_Line = dict[str, Any]
#: Makes the lines of one use of a tool: name, arguments, what it printed.
_Use = Callable[[str, dict[str, Any], str], list[_Line]]
_Say = Callable[[str], list[_Line]]


def _claude_use(name: str, arguments: dict[str, Any], printed: str) -> list[_Line]:
    base = {
        "parentUuid": None,
        "isSidechain": False,
        "sessionId": "s",
        "timestamp": _AT,
        "cwd": "/w",
        "version": "2.1.330",
    }
    call = {"type": "tool_use", "id": "toolu_01", "name": name, "input": arguments}
    result = {"type": "tool_result", "tool_use_id": "toolu_01", "content": printed}
    spoken = {"id": "msg_1", "role": "assistant", "model": "claude-opus-5-5", "content": [call]}
    return [
        {**base, "type": "assistant", "uuid": "u1", "message": spoken},
        {
            **base,
            "type": "user",
            "uuid": "u2",
            "message": {"role": "user", "content": [result]},
            "toolUseResult": printed,
        },
    ]


def _claude_say(text: str) -> list[_Line]:
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    return [
        {
            "type": "user",
            "uuid": "u3",
            "sessionId": "s",
            "timestamp": _AT,
            "isSidechain": False,
            "message": message,
        }
    ]


def _codex_item(ordinal: int, payload: dict[str, Any]) -> _Line:
    return {"timestamp": _AT, "ordinal": ordinal, "type": "response_item", "payload": payload}


def _codex_use(name: str, arguments: dict[str, Any], printed: str) -> list[_Line]:
    namespace, _, plain = name.rpartition("__")
    more = {"namespace": namespace} if namespace else {}
    call = {
        "type": "function_call",
        "name": plain,
        "arguments": json.dumps(arguments),
        "call_id": "call_1",
        **more,
    }
    return [
        _codex_item(1, call),
        _codex_item(2, {"type": "function_call_output", "call_id": "call_1", "output": printed}),
    ]


def _codex_say(text: str) -> list[_Line]:
    content = [{"type": "input_text", "text": text}]
    return [_codex_item(3, {"type": "message", "role": "user", "content": content})]


def _gemini_use(name: str, arguments: dict[str, Any], printed: str) -> list[_Line]:
    call = {
        "id": "c1",
        "name": name,
        "args": arguments,
        "status": "success",
        "resultDisplay": printed,
        "timestamp": _AT,
    }
    return [{"id": "m1", "timestamp": _AT, "type": "gemini", "content": "", "toolCalls": [call]}]


def _gemini_say(text: str) -> list[_Line]:
    return [{"id": "m2", "timestamp": _AT, "type": "user", "content": [{"text": text}]}]


def _openclaw_entry(identity: str, message: dict[str, Any]) -> _Line:
    return {
        "type": "message",
        "id": identity,
        "parentId": None,
        "timestamp": _AT,
        "message": message,
    }


def _openclaw_use(name: str, arguments: dict[str, Any], printed: str) -> list[_Line]:
    call = {"type": "toolCall", "id": "call_abc1", "name": name, "arguments": arguments}
    content = [{"type": "text", "text": printed}]
    return [
        _openclaw_entry("e1", {"role": "assistant", "content": [call]}),
        _openclaw_entry(
            "e2",
            {"role": "toolResult", "toolCallId": "call_abc1", "toolName": name, "content": content},
        ),
    ]


def _openclaw_say(text: str) -> list[_Line]:
    return [_openclaw_entry("e3", {"role": "user", "content": text})]


def _plain_use(name: str, arguments: dict[str, Any], printed: str) -> list[_Line]:
    call = {"id": "1", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": printed},
    ]


_FIRST: dict[str, _Line] = {
    "claude-code": {"type": "queue-operation", "sessionId": "s"},
    "codex": {
        "type": "session_meta",
        "timestamp": _AT,
        "payload": {"id": "s", "cwd": "/w", "source": "cli"},
    },
    "gemini-cli": {"sessionId": "s", "projectHash": "h", "kind": "main"},
    "openclaw": {"type": "session", "version": 3, "id": "s"},
    "plain": {"role": "user", "content": "hi"},
}
_USES: dict[str, _Use] = {
    "claude-code": _claude_use,
    "codex": _codex_use,
    "gemini-cli": _gemini_use,
    "openclaw": _openclaw_use,
    "plain": _plain_use,
}
_SAYS: dict[str, _Say] = {
    "claude-code": _claude_say,
    "codex": _codex_say,
    "gemini-cli": _gemini_say,
    "openclaw": _openclaw_say,
    "plain": lambda text: [{"role": "user", "content": text, "timestamp": _AT}],
}

_PRINTED = "We decided to use Redis Streams."
_HELD = ScopeMemory(
    (),
    (Observation(_PRINTED, datetime(2026, 11, 21, tzinfo=UTC), Priority.HIGH, Category.DECISION),),
    "",
    (),
)
_ACTIVE = (
    active_memory.render_active_memory(_HELD, Look("en", 2_500, "", UTC), date(2026, 11, 22))
    + active_memory.MARKER
)
_INJECTED = inject.render_injection(
    [inject.InjectedMemory(title="Queue", citation="q.md#L1", text=_PRINTED)], 2_000
).text
_STARTED, _ = start.render_session_start(
    [
        start.StartPart(
            "Active memory of the user, everywhere (agent:main)",
            start.active_lines(active.iter_active_lines(_ACTIVE)),
            0.5,
        ),
        start.StartPart(
            "End of the last session here (2026-11-21, codex)",
            start.last_lines([("user", _PRINTED)]),
            0.2,
        ),
    ],
    "this user, everywhere (agent:main)",
    2_500,
)
#: What comes back although its text says nothing of Gieok: it is known by the call.
_BY_CALL: dict[str, tuple[str, dict[str, Any]]] = {
    "our tool": ("mcp__gieok__memory_search", {"query": "queue"}),
    "our tool under another name": ("mcp__mind__memory_get", {"path": "q.md"}),
    "the command": ("Bash", {"command": "cd /w && gieok search queue | head"}),
    "the command by a path": ("exec_command", {"cmd": "/opt/gieok/bin/gieok get q.md"}),
    "a file in the home": ("Read", {"file_path": "/home/kim/.gieok/active_memory.md", "offset": 3}),
    "a project's record": ("read_file", {"path": ".gieok/memory/decision/queue.md"}),
}
#: What comes back by a call that says nothing of Gieok: it is known by the text.
_BY_TEXT = {
    "active memory": _ACTIVE,
    "lines of active memory": "\n".join(line for line in _ACTIVE.splitlines() if "Redis" in line),
    "active memory found by grep": f"MEMORY.md:9:- 🔴 2026-11-21 {_PRINTED}",
    "an answer over MCP": f'<memory-data source="gieok">\n{_PRINTED}\n</memory-data>',
    "such an answer, cut": f'<memory-data source="gieok">\n{_PRINTED}',
    "such an answer in JSON": json.dumps({"text": f'<memory-data source="gieok">\n{_PRINTED}'}),
    "injected memory": _INJECTED,
    "a session's start": _STARTED,
    "the server's instructions": f"{INSTRUCTIONS} {_PRINTED}",
}


def _transcript(agent: str) -> Transcript:
    found = begin_transcript("s.jsonl", _FIRST[agent])
    assert found is not None
    assert found.format.name == agent
    return found


def _texts(transcript: Transcript, lines: list[_Line]) -> list[str]:
    events = [
        event for number, line in enumerate(lines) for event in transcript.events(line, str(number))
    ]
    return [event.text for event in events if isinstance(event, Message)]


@pytest.mark.parametrize("agent", _FIRST)
@pytest.mark.parametrize("way", _BY_CALL)
def test_what_a_call_to_gieok_prints_is_no_evidence(agent: str, way: str) -> None:
    name, arguments = _BY_CALL[way]
    assert not [
        text
        for text in _texts(_transcript(agent), _USES[agent](name, arguments, _PRINTED))
        if "Redis" in text
    ]


@pytest.mark.parametrize("agent", [agent for agent in _FIRST if agent != "gemini-cli"])
def test_a_result_is_known_by_its_call_also_where_that_was_read_before(agent: str) -> None:
    call, result = _USES[agent]("Bash", {"command": "gieok search queue"}, _PRINTED)
    transcript = _transcript(agent)
    transcript.pass_by(json.dumps(call).encode())
    assert _texts(transcript, [result]) == []
    assert [text for text in _texts(_transcript(agent), [result]) if "Redis" in text]


@pytest.mark.parametrize("agent", _FIRST)
@pytest.mark.parametrize("way", _BY_TEXT)
def test_what_gieok_wrote_is_no_evidence_however_a_tool_came_by_it(agent: str, way: str) -> None:
    lines = _USES[agent]("Bash", {"command": "./show.sh"}, f"$ ./show.sh\n{_BY_TEXT[way]}\n")
    assert not [text for text in _texts(_transcript(agent), lines) if "Redis" in text]


@pytest.mark.parametrize("agent", _FIRST)
@pytest.mark.parametrize(
    "way",
    [
        "active memory",
        "lines of active memory",
        "injected memory",
        "a session's start",
        "the server's instructions",
    ],
)
def test_what_gieok_wrote_is_nothing_that_the_user_said(agent: str, way: str) -> None:
    said = _texts(_transcript(agent), _SAYS[agent](f"{_BY_TEXT[way]}\n\nWhat about the queue?"))
    assert said == ["What about the queue?"]


@pytest.mark.parametrize("agent", _FIRST)
def test_other_tools_are_kept(agent: str) -> None:
    kept = _texts(_transcript(agent), _USES[agent]("Bash", {"command": "cat notes.md"}, _PRINTED))
    assert [text for text in kept if "Redis" in text]
