"""Hooks that a host runs although they were installed for another agent.

Copilot CLI, VS Code and others read the files of Claude Code's hooks.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from gieok import fs
from gieok.agents import table
from gieok.flow.gate_rules import change_gate_choices, load_gate_rules
from gieok.hook import gates
from gieok.hook.fired import FiredEvent, read_fired_time

_LINTER = "어떤 린터를 쓰기로 했지?"
_AT = "2026-11-27T12:08:27.426Z"
_COPILOT = {
    "session_id": "c1",
    "timestamp": _AT,
    "hook_event_name": "UserPromptSubmit",
    "prompt": _LINTER,
}
_CLAUDE = {
    "session_id": "k1",
    "transcript_path": "/home/u/.claude/projects/-shop/k1.jsonl",
    "hook_event_name": "UserPromptSubmit",
    "prompt": _LINTER,
}
_EDITOR = {
    "timestamp": _AT,
    "sessionId": "v1",
    "hookEventName": "SessionStart",
    "transcript_path": "/home/u/.config/Code/User/chat/v1.jsonl",
    "source": "new",
}


def _call(known: Any, event: str, payload: dict[str, object], installed: str) -> dict[str, Any]:
    payload = payload | {"cwd": str(known.project)}
    answer: dict[str, Any] = json.loads(
        known.hook(event, payload, "--agent", installed).out or b"{}"
    )
    return answer


@pytest.fixture
def in_copilot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COPILOT_CLI", "1")


@pytest.mark.usefixtures("in_copilot")
def test_a_hook_of_claude_code_answers_copilot_in_copilots_shape(known) -> None:
    answer = _call(known, "prompt", _COPILOT, "claude-code")
    assert set(answer) == {"additionalContext"}
    assert "ruff" in answer["additionalContext"]
    assert known.calls()[-1]["agent"] == "copilot-cli"


@pytest.mark.usefixtures("in_copilot")
def test_an_agent_that_copilot_started_keeps_its_own_shape(known) -> None:
    assert "hookSpecificOutput" in _call(known, "prompt", _CLAUDE, "claude-code")
    assert known.calls()[-1]["agent"] == "claude-code"


@pytest.mark.usefixtures("in_copilot")
@pytest.mark.parametrize("event", ["prompt", "session-start"])
def test_two_hook_files_put_memory_before_a_prompt_once(known, event: str) -> None:
    first = _call(known, event, _COPILOT, "copilot-cli")
    assert "additionalContext" in first
    assert _call(known, event, _COPILOT, "claude-code") == {}
    other = {**_COPILOT, "session_id": "c2"}
    assert "additionalContext" in _call(known, event, other, "claude-code")


def test_the_same_prompt_is_answered_again_later_and_one_of_many_calls_claims_it(tmp_path) -> None:
    def claim(at_s: float, prompt: str = "go on") -> bool:
        return FiredEvent(str(tmp_path), ("copilot-cli", "s", "prompt", prompt), at_s).claim_event()

    with ThreadPoolExecutor(2) as pool:
        claims = list(pool.map(claim, [1000.0, 1000.0]))
    assert claims.count(True) == 1
    assert not claim(1001.5)
    assert claim(1001.5, "stop")
    assert claim(1002.5)


def test_a_claim_that_is_taken_back_is_free(tmp_path) -> None:
    event = FiredEvent(str(tmp_path), ("copilot-cli", "s", "prompt"), 1000.0)
    assert event.claim_event()
    event.withdraw_claim()
    assert event.claim_event()


def test_a_record_that_another_process_holds_keeps_no_answer_waiting(tmp_path) -> None:
    home = str(tmp_path)
    event = FiredEvent(home, ("copilot-cli", "s", "prompt"), 1000.0)
    with fs.lock_resource(home, f"{home}/hook/fired.json"):
        assert event.claim_event()


def test_a_home_that_is_not_there_is_not_made(tmp_path) -> None:
    home = tmp_path / "home"
    assert FiredEvent(str(home), ("copilot-cli", "s", "prompt"), 1000.0).claim_event()
    assert not home.exists()


@pytest.mark.parametrize(
    ("written", "at_s"),
    [
        (1795781307426, 1795781307.426),
        (1795781307, 1795781307.0),
        ("2026-11-27T12:08:27.426Z", 1795781307.426),
        ("noon", 5.0),
        (None, 5.0),
        (True, 5.0),
    ],
)
def test_an_event_has_the_time_that_its_host_gives(written: object, at_s: float) -> None:
    assert read_fired_time({"timestamp": written}, 5.0) == pytest.approx(at_s)


@pytest.mark.usefixtures("in_copilot")
def test_two_starts_of_one_session_are_two_events(known) -> None:
    start = {**_COPILOT, "hook_event_name": "SessionStart", "prompt": None}
    assert "additionalContext" in _call(known, "session-start", {**start, "source": "startup"}, "")
    cleared = {**start, "source": "clear"}
    assert "additionalContext" in _call(known, "session-start", cleared, "")


@pytest.mark.usefixtures("in_copilot")
def test_a_call_that_fails_leaves_the_event_to_the_other(known) -> None:
    assert _call(known, "prompt", {**_COPILOT, "prompt": 3}, "copilot-cli") == {}
    assert "no prompt" in known.log()[-1]
    assert _call(known, "prompt", {**_COPILOT, "prompt": 3}, "claude-code") == {}
    assert len(known.log()) == 2, "the second call tried too"


@pytest.mark.usefixtures("in_copilot")
def test_two_hook_files_tell_once_that_memory_is_withheld(known, monkeypatch) -> None:
    monkeypatch.setenv("GIEOK_PRIVATE", "1")
    start = {**_COPILOT, "hook_event_name": "SessionStart", "prompt": None, "source": "startup"}
    assert "additionalContext" in _call(known, "session-start", start, "copilot-cli")
    assert _call(known, "session-start", start, "claude-code") == {}


@pytest.mark.usefixtures("in_copilot")
def test_what_a_person_allowed_once_passes_each_hook_file_of_one_use(known) -> None:
    known.remember("Never run make release.", category="constraint")
    tool = {"session_id": "c1", "tool_name": "bash", "tool_input": {"command": "make release"}}
    first = {**tool, "hook_event_name": "PreToolUse", "timestamp": 1795781307426}

    def decide(payload: dict[str, object], installed: str) -> str:
        answer = _call(known, "pre-tool", payload, installed)
        return answer.get("hookSpecificOutput", {}).get("permissionDecision", "runs")

    def allow() -> None:
        folder = str(known.project)
        action = gates.build_judged_action(first, folder)
        handle = load_gate_rules(str(known.home))[0].handle

        def add(choices) -> bool:
            choices.once[handle] = action.key
            return True

        change_gate_choices(str(known.home), add)

    camel = {
        "sessionId": "c1",
        "hook_event_name": "PreToolUse",
        "timestamp": 1795781307430,
        "toolName": "bash",
        "toolArgs": '{"command": "make release"}',
    }
    assert decide(first, "copilot-cli") == "ask"
    allow()
    assert decide(first, "copilot-cli") == "runs"
    assert decide(camel, "claude-code") == "runs", "the second file of the same use"
    later = {**first, "timestamp": 1795781307426 + 5_000}
    assert decide(later, "copilot-cli") == "ask"


def test_vs_code_takes_context_at_a_sessions_start_and_none_before_a_prompt(known) -> None:
    answer = _call(known, "session-start", _EDITOR, "copilot-cli")
    assert answer["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    prompt = {**_EDITOR, "hookEventName": "UserPromptSubmit", "prompt": _COPILOT["prompt"]}
    assert _call(known, "prompt", prompt, "claude-code") == {}


def test_a_host_is_known_by_payload_and_environment_together() -> None:
    def find(payload: dict[str, object], **environment: str) -> str:
        return table.find_calling_agent("claude-code", payload, environment).name

    assert find(_COPILOT) == "claude-code"
    assert find(_COPILOT, COPILOT_CLI="1") == "copilot-cli"
    assert find(_CLAUDE, COPILOT_CLI="1") == "claude-code"
    assert find({**_COPILOT, "permission_mode": "auto"}, COPILOT_CLI="1") == "claude-code"
    assert find(_EDITOR) == "copilot-cli"
    others: list[dict[str, object]] = [
        {**_COPILOT, "hook_event_name": "beforeSubmitPrompt"},
        {**_COPILOT, "conversation_id": "x"},
        {"session_id": "s", "timestamp": _AT, "prompt": "x"},
    ]
    for payload in others:
        assert find(payload, COPILOT_CLI="1") == "claude-code"
    assert find({**_EDITOR, "hookEventName": "before_agent"}) == "claude-code"


def test_grok_build_is_told_nothing_and_a_forbidden_tool_is_stopped_there(
    known, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROK_HOOK_NAME", "global/gieok:pre_tool_use[0].hooks[0]")
    known.remember("Never run make release.", category="constraint")
    grok = {
        "sessionId": "g1",
        "session_id": "g1",
        "workspaceRoot": str(known.project),
        "timestamp": _AT,
        "permission_mode": "bypassPermissions",
        "transcript_path": "/home/u/.grok/sessions/%2Fshop/g1/updates.jsonl",
    }
    prompt = {"hookEventName": "user_prompt_submit", "hook_event_name": "UserPromptSubmit"}
    assert _call(known, "prompt", {**grok, **prompt, "prompt": _LINTER}, "claude-code") == {}
    stop = {"hookEventName": "stop", "hook_event_name": "Stop"}
    assert _call(known, "stop", {**grok, **stop}, "claude-code") == {}
    assert known.spooled() == [], "what Grok writes is not read"
    tool = {
        "hookEventName": "pre_tool_use",
        "hook_event_name": "PreToolUse",
        "tool_name": "run_terminal_command",
        "tool_input": {"command": "make release"},
    }
    answer = _call(known, "pre-tool", {**grok, **tool}, "claude-code")
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_names_in_another_case_and_prompts_in_parts_are_read(known) -> None:
    payload = {
        "sessionId": "m1",
        "hook_event_name": "UserPromptSubmit",
        "prompt": [{"type": "text", "text": _LINTER}, {"type": "image"}],
        "cwd": str(known.project),
    }
    assert "ruff" in known.hook("prompt", payload, "--agent", "claude-code").context
    known.hook("prompt", {**payload, "session_id": "m1"}, "--agent", "claude-code")
    assert known.calls()[-2]["session"] == known.calls()[-1]["session"] != ""


def test_qwen_fires_again_behind_a_tool_and_gets_nothing_then(known) -> None:
    again = {
        "session_id": "q1",
        "transcript_path": "/home/u/.qwen/projects/-shop/chats/q1.jsonl",
        "hook_event_name": "UserPromptSubmit",
        "timestamp": _AT,
        "permission_mode": "yolo",
        "prompt": "",
    }
    assert _call(known, "prompt", again, "qwen-code") == {}


@pytest.mark.usefixtures("in_copilot")
def test_arguments_as_text_are_judged_as_arguments(known) -> None:
    known.remember("Never run make release.", category="constraint")
    tool = {
        "sessionId": "c1",
        "timestamp": 1795641559658,
        "toolName": "bash",
        "toolArgs": '{"command": "make release"}',
    }
    answer = _call(known, "pre-tool", tool, "claude-code")
    assert answer["hookSpecificOutput"]["permissionDecision"] == "ask"
