"""What each agent sends, as it was recorded or documented, and exactly what it accepts back."""

import json

import pytest

from gieok.agents import table
from gieok.hook.window import ContextWindow

_LINTER = "어떤 린터를 쓰기로 했지?"
_ID = "01a1ffe7-821a-73a2-a6fb-15734fccb9a6"
_CLAUDE = {"session_id": _ID, "transcript_path": f"/home/u/.claude/projects/-shop/{_ID}.jsonl"}
_CODEX = {
    "session_id": _ID,
    "transcript_path": f"/home/u/.codex/sessions/2026/11/21/rollout-{_ID}.jsonl",
}
_TURN = {"turn_id": "01a1ffe7-82bb", "model": "m", "permission_mode": "bypassPermissions"}
_GEMINI = {
    "session_id": _ID,
    "transcript_path": "/home/u/.gemini/tmp/1/chats/s.json",
    "timestamp": "2026-11-21T20:58Z",
}
_QWEN = {
    "session_id": _ID,
    "transcript_path": f"/home/u/.qwen/projects/-shop/chats/{_ID}.jsonl",
    "permission_mode": "auto",
    "timestamp": "2026-11-22T14:16:30.665Z",
}
_OPENCODE = {"session_id": _ID, "transcript_path": "/home/u/.local/share/opencode/opencode.db"}
_KILO = {"session_id": _ID, "transcript_path": "/home/u/.local/share/kilo/kilo.db"}
_HERMES = {"session_id": _ID, "transcript_path": "/home/u/.hermes/state.db"}
_PI = {"session_id": _ID, "transcript_path": f"/home/u/.pi/agent/sessions/--shop--/1_{_ID}.jsonl"}
_KIMI = {"session_id": _ID, "client_type": "kimi_code_cli"}
_COPILOT = {"session_id": _ID, "timestamp": "2026-11-27T12:08:27.426Z"}
_EVENTS = {"transcript_path": f"/home/u/.copilot/session-state/{_ID}/events.jsonl"}
_CURSOR = {
    "conversation_id": _ID,
    "generation_id": "g",
    "model": "m",
    "transcript_path": "/home/u/.cursor/projects/p/t.jsonl",
}
_PROMPTED = {"prompt_id": "643fb160", "permission_mode": "default"}
_STOPPED = {"stop_hook_active": False, "last_assistant_message": "Noted."}
_TOOL = {"tool_name": "Bash", "tool_input": {"command": "git status"}, "tool_use_id": "call_1"}
#: agent → our event → what the agent sends, without the folder.
_SENT: dict[str, dict[str, dict[str, object]]] = {
    "claude-code": {
        "prompt": {
            **_CLAUDE,
            **_PROMPTED,
            "hook_event_name": "UserPromptSubmit",
            "prompt": _LINTER,
        },
        "session-start": {
            **_CLAUDE,
            "hook_event_name": "SessionStart",
            "source": "startup",
            "model": "m",
        },
        "stop": {
            **_CLAUDE,
            **_PROMPTED,
            **_STOPPED,
            "hook_event_name": "Stop",
            "effort": {"level": "medium"},
            "background_tasks": [],
            "session_crons": [],
        },
        "pre-compact": {
            **_CLAUDE,
            "hook_event_name": "PreCompact",
            "trigger": "auto",
            "custom_instructions": None,
        },
        "session-end": {
            **_CLAUDE,
            "prompt_id": "643fb160",
            "hook_event_name": "SessionEnd",
            "reason": "other",
        },
        "pre-tool": {
            **_CLAUDE,
            **_PROMPTED,
            **_TOOL,
            "hook_event_name": "PreToolUse",
        },
    },
    "codex": {
        "prompt": {**_CODEX, **_TURN, "hook_event_name": "UserPromptSubmit", "prompt": _LINTER},
        "session-start": {
            **_CODEX,
            "hook_event_name": "SessionStart",
            "model": "m",
            "permission_mode": "default",
            "source": "startup",
        },
        "stop": {**_CODEX, **_TURN, **_STOPPED, "hook_event_name": "Stop"},
        "pre-compact": {**_CODEX, **_TURN, "hook_event_name": "PreCompact", "trigger": "auto"},
        "session-end": {**_CODEX, "hook_event_name": "SessionEnd", "reason": "other"},
        "pre-tool": {**_CODEX, **_TURN, **_TOOL, "hook_event_name": "PreToolUse"},
    },
    "gemini-cli": {
        "prompt": {**_GEMINI, "hook_event_name": "BeforeAgent", "prompt": _LINTER},
        "session-start": {**_GEMINI, "hook_event_name": "SessionStart", "source": "startup"},
        "stop": {
            **_GEMINI,
            "hook_event_name": "AfterAgent",
            "prompt": _LINTER,
            "prompt_response": "ruff",
        },
        "session-end": {**_GEMINI, "hook_event_name": "SessionEnd", "reason": "exit"},
    },
    "qwen-code": {
        "prompt": {
            **_QWEN,
            "hook_event_name": "UserPromptSubmit",
            "prompt_id": f"{_ID}########0",
            "prompt": _LINTER,
            "submitted_prompt": _LINTER,
        },
        "session-start": {
            **_QWEN,
            "hook_event_name": "SessionStart",
            "source": "startup",
            "model": "m",
        },
        "stop": {
            **_QWEN,
            **_STOPPED,
            "hook_event_name": "Stop",
            "background_tasks": [],
            "crons": [],
            "context_usage": 2.5e-05,
            "context_limit": 200000,
            "input_tokens": 5,
        },
        "pre-compact": {
            **_QWEN,
            "hook_event_name": "PreCompact",
            "trigger": "manual",
            "custom_instructions": "",
        },
        "session-end": {**_QWEN, "hook_event_name": "SessionEnd", "reason": "prompt_input_exit"},
        "pre-tool": {
            **_QWEN,
            **_TOOL,
            "hook_event_name": "PreToolUse",
            "tool_name": "run_shell_command",
            "tool_call_id": "call_1",
        },
    },
    "opencode": {
        "prompt": {**_OPENCODE, "hook_event_name": "chat.message", "prompt": _LINTER},
        "session-start": {**_OPENCODE, "hook_event_name": "session.created"},
        "stop": {**_OPENCODE, "hook_event_name": "session.idle"},
        "pre-compact": {**_OPENCODE, "hook_event_name": "experimental.session.compacting"},
        "pre-tool": {**_OPENCODE, **_TOOL, "hook_event_name": "tool.execute.before"},
    },
    "kilo": {
        "prompt": {**_KILO, "hook_event_name": "chat.message", "prompt": _LINTER},
        "session-start": {**_KILO, "hook_event_name": "session.created"},
        "stop": {**_KILO, "hook_event_name": "session.idle"},
        "pre-compact": {**_KILO, "hook_event_name": "experimental.session.compacting"},
        "pre-tool": {**_KILO, **_TOOL, "hook_event_name": "tool.execute.before"},
    },
    "hermes": {
        "prompt": {**_HERMES, "hook_event_name": "prefetch", "prompt": _LINTER},
        "session-start": {**_HERMES, "hook_event_name": "system_prompt_block"},
        "stop": {**_HERMES, "hook_event_name": "sync_turn"},
        "pre-compact": {**_HERMES, "hook_event_name": "on_pre_compress"},
        "session-end": {**_HERMES, "hook_event_name": "on_session_end"},
        "pre-tool": {
            "session_id": _ID,
            "hook_event_name": "pre_tool_call",
            "tool_name": "terminal",
            "tool_input": {"command": "git status"},
        },
    },
    "pi": {
        "prompt": {**_PI, "hook_event_name": "before_agent_start", "prompt": _LINTER},
        "session-start": {**_PI, "hook_event_name": "session_start"},
        "stop": {**_PI, "hook_event_name": "agent_end"},
        "pre-compact": {**_PI, "hook_event_name": "session_before_compact"},
        "session-end": {**_PI, "hook_event_name": "session_shutdown"},
        "pre-tool": {**_PI, **_TOOL, "hook_event_name": "tool_call", "can_ask": False},
    },
    "kimi-code": {
        "prompt": {
            **_KIMI,
            "hook_event_name": "UserPromptSubmit",
            "prompt": [{"type": "text", "text": _LINTER}],
            "is_steer": False,
        },
        "session-start": {**_KIMI, "hook_event_name": "SessionStart", "source": "startup"},
        "stop": {**_KIMI, "hook_event_name": "Stop", "stop_hook_active": False},
        "pre-compact": {**_KIMI, "hook_event_name": "PreCompact", "trigger": "auto"},
        "session-end": {**_KIMI, "hook_event_name": "SessionEnd", "reason": "exit"},
        "pre-tool": {**_KIMI, **_TOOL, "hook_event_name": "PreToolUse"},
    },
    "copilot-cli": {
        "prompt": {**_COPILOT, "hook_event_name": "UserPromptSubmit", "prompt": _LINTER},
        "session-start": {
            **_COPILOT,
            "hook_event_name": "SessionStart",
            "source": "new",
            "initial_prompt": _LINTER,
        },
        "stop": {
            **_COPILOT,
            **_EVENTS,
            "hook_event_name": "Stop",
            "stop_reason": "end_turn",
            "stop_hook_active": False,
        },
        "pre-compact": {**_COPILOT, **_EVENTS, "hook_event_name": "PreCompact"},
        "session-end": {
            **_COPILOT,
            **_EVENTS,
            "hook_event_name": "SessionEnd",
            "reason": "complete",
        },
        "pre-tool": {
            **_COPILOT,
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "git status"},
        },
    },
    "cursor": {
        "prompt": {
            **_CURSOR,
            "hook_event_name": "beforeSubmitPrompt",
            "prompt": _LINTER,
            "attachments": [],
        },
        "session-start": {**_CURSOR, "hook_event_name": "sessionStart", "composer_mode": "agent"},
        "stop": {**_CURSOR, "hook_event_name": "stop", "status": "completed", "loop_count": 0},
        "pre-compact": {**_CURSOR, "hook_event_name": "preCompact", "trigger": "auto"},
        "session-end": {**_CURSOR, "hook_event_name": "sessionEnd", "reason": "completed"},
        "pre-tool": {
            **_CURSOR,
            "hook_event_name": "beforeShellExecution",
            "command": "git status",
        },
    },
}
_ALL = [(agent, event) for agent, events in _SENT.items() for event in events]


def _sent(agent: str, event: str, folder: str) -> dict[str, object]:
    return _SENT[agent][event] | (
        {"workspace_roots": [folder]} if agent == "cursor" else {"cwd": folder}
    )


def test_every_agent_and_event_has_a_payload_here() -> None:
    assert {agent: set(events) for agent, events in _SENT.items()} == {
        name: set(row.events) for name, row in table.HOOKED.items()
    }
    for agent, event in _ALL:
        assert _SENT[agent][event]["hook_event_name"] == table.BY_NAME[agent].events[event]


@pytest.mark.parametrize(("agent", "event"), _ALL)
def test_an_agent_is_known_by_its_payload(agent: str, event: str) -> None:
    payload = _sent(agent, event, "/home/u/shop")
    assert table.detect_agent(payload).name == agent
    assert table.read_payload_session(payload) == _ID
    assert table.folder_of(payload) == "/home/u/shop"


@pytest.mark.parametrize(
    ("agent", "event"),
    [
        (agent, event)
        for agent in _SENT
        for event in ("prompt", "session-start")
        if event == "prompt" or not table.BY_NAME[agent].starts_at_prompt
    ],
)
def test_the_answer_has_the_shape_that_the_agent_accepts_and_no_key_more(
    known, agent: str, event: str
) -> None:
    answer = json.loads(known.hook(event, _sent(agent, event, str(known.project))).out)
    if agent == "kimi-code":
        call = answer.pop("message")
        assert answer == {}
    elif agent == "copilot-cli":
        call = answer.pop("additionalContext")
        assert answer == {}
    elif agent in ("cursor", "opencode", "kilo", "hermes", "pi"):
        call = answer.pop("additional_context")
        assert answer == ({"continue": True} if (agent, event) == ("cursor", "prompt") else {})
    else:
        call = answer["hookSpecificOutput"].pop("additionalContext")
        assert answer == {
            "hookSpecificOutput": {"hookEventName": table.BY_NAME[agent].events[event]}
        }
    assert "ruff" in call
    assert known.calls()[-1].items() >= {"event": event, "agent": agent, "session": _ID}.items()


@pytest.mark.parametrize(
    ("agent", "event"),
    [
        pair
        for pair in _ALL
        if pair[1] in ("stop", "pre-compact", "session-end")
        and "transcript_path" in _SENT[pair[0]][pair[1]]
    ],
)
def test_a_transcript_is_kept_for_later_and_nothing_is_said(place, agent: str, event: str) -> None:
    payload = _sent(agent, event, str(place.project))
    assert place.hook(event, payload).out == b""
    (row,) = place.spooled()
    assert row.pop("at")
    assert row == {
        "event": event,
        "agent": agent,
        "session_id": _ID,
        "transcript_path": payload["transcript_path"],
        "cwd": str(place.project),
    }


def test_what_is_named_on_the_command_line_counts_more_than_what_a_payload_looks_like(
    known,
) -> None:
    payload = _sent("claude-code", "prompt", str(known.project))
    assert "additional_context" in json.loads(
        known.hook("prompt", payload, "--agent", "cursor").out
    )
    assert "hookSpecificOutput" in json.loads(
        known.hook("prompt", payload, "--agent", "nobody").out
    )


@pytest.mark.parametrize("agent", [agent for agent, event in _ALL if event == "pre-tool"])
def test_a_tool_that_nobody_forbade_runs_and_nothing_of_it_is_kept(place, agent: str) -> None:
    assert place.hook("pre-tool", _sent(agent, "pre-tool", str(place.project))).out == b""
    assert place.spooled() == []
    assert place.log() == []


def test_kimi_code_gets_the_notice_of_a_sessions_start_with_the_first_prompt(known) -> None:
    ContextWindow(str(known.home), "kimi-code", _ID).leave_notice("Something waits for trust.")
    payload = _sent("kimi-code", "prompt", str(known.project))
    first, second = (known.hook("prompt", payload).out.decode() for _ in range(2))
    assert "Something waits for trust." in first
    assert "Something waits for trust." not in second


def test_what_waits_for_trust_is_told_to_kimi_code_with_the_first_prompt(known) -> None:
    folder = known.project / ".gieok" / "memory" / "decision"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "brought.md").write_text("---\ntitle: Linter\n---\nWe lint with pylint.\n")
    cwd = str(known.project)
    assert known.hook("session-start", _sent("kimi-code", "session-start", cwd)).out == b""
    payload = _sent("kimi-code", "prompt", cwd)
    first, second = (known.hook("prompt", payload).context for _ in range(2))
    assert "gieok trust" in first
    assert "gieok trust" not in second


def test_the_start_of_a_session_is_told_again_where_the_first_prompt_failed(known) -> None:
    payload = _sent("kimi-code", "prompt", str(known.project))
    assert known.hook("prompt", {**payload, "prompt": 3}).out == b""
    assert b"What is remembered for this session" in known.hook("prompt", payload).out


def test_a_prompt_without_parts_is_no_failure(known) -> None:
    known.hook("prompt", {**_sent("kimi-code", "prompt", str(known.project)), "prompt": []})
    assert known.log() == []


def test_kimi_code_gets_the_sessions_start_with_the_first_prompt(known) -> None:
    def call(event: str) -> str:
        out = known.hook(event, _sent("kimi-code", event, str(known.project))).out
        return json.loads(out)["message"] if out else ""

    assert call("session-start") == ""
    first, second = call("prompt"), call("prompt")
    assert "What is remembered for this session" in first
    assert "ruff" in first
    assert "What is remembered for this session" not in second


@pytest.mark.parametrize("agent", [agent for agent, event in _ALL if event == "prompt"])
def test_an_agent_is_told_of_the_way_to_search_that_it_has_and_of_no_other(
    known, agent: str
) -> None:
    own = table.BY_NAME[agent].search
    payload = {"cwd": str(known.project), **_SENT[agent]["session-start"]}
    start = known.hook("session-start", payload, "--agent", agent).context
    if table.BY_NAME[agent].starts_at_prompt:
        payload = {"cwd": str(known.project), **_SENT[agent]["prompt"]}
        start = known.hook("prompt", payload, "--agent", agent).context
    assert f"; {own} finds the rest." in start
    for row in table.ROWS:
        assert row.search == own or row.search not in start.replace(own, "")
