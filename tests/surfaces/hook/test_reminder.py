"""What may be near to a rule runs, and the agent is reminded of the user's words once a session."""

import json
import signal
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from tests.support.answering_daemon import answer_as_daemon

from gieok.commands import load_command
from gieok.commands.observe.run import observe_transcripts
from gieok.flow.gate_rules import GateRule, write_gate_rules
from gieok.home.calls import open_call
from gieok.places.project import list_project_scopes
from gieok.text.gates.action import ASK, NONE, REMIND, Action, ActionRule, CommandPattern

_WORDS = "leave the production cluster to me"
_HANDLE = "3fa9c01e"
_COMMAND = "helm upgrade web ./chart --kube-context prod"


def _daemon(home: Path, **data: object) -> AbstractContextManager[list[object]]:
    """Answer every call with this data in the place of a daemon."""
    answer = {"found": True, "data": data, "text": "", "status": 0, "failure": None}
    return answer_as_daemon(home, lambda: answer)


def _write_rules(place, *rules: GateRule) -> None:
    write_gate_rules(str(place.home), rules)


def _build_rule(place, mode: str = ASK, handle: str = _HANDLE, *, named: bool = False) -> GateRule:
    actions = [Action([CommandPattern("helm", ["upgrade"])])] if named else []
    return GateRule(
        handle=handle,
        scope=list_project_scopes(str(place.project), "")[0],
        said_at=1.0,
        day="2026-11-20",
        origin="claude-code",
        source="1a2b3c4d.1",
        rule=ActionRule(_WORDS, mode, actions, sense=_WORDS),
    )


@pytest.fixture
def told(place):
    """Return a place in which a rule was said whose words name no command."""
    _write_rules(place, _build_rule(place))
    return place


def _build_payload(place, command: str, session: str) -> dict[str, object]:
    return {
        "session_id": session,
        "cwd": str(place.project),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }


def _try_tool(place, *arguments: str, session: str = "9e9176e3", **environment: str) -> dict:
    payload = _build_payload(place, _COMMAND, session)
    answer = json.loads(place.hook("pre-tool", payload, *arguments, **environment).out or b"{}")
    return answer.get("hookSpecificOutput", answer)


def test_the_agent_is_reminded_of_the_users_words_with_their_day_and_nobody_is_asked(told) -> None:
    with _daemon(told.home, outcome="remind", handle=_HANDLE):
        answer = _try_tool(told)
    assert answer.keys() == {"hookEventName", "additionalContext"}
    assert f"On 2026-11-20 the user said: “{_WORDS}”" in answer["additionalContext"]
    assert answer["additionalContext"].startswith('<memory-note source="gieok">')
    assert told.calls()[-1].items() >= {"event": "pre-tool", "reminded": _HANDLE}.items()


def test_each_rule_is_said_once_a_session_and_again_after_a_compaction(told) -> None:
    other = _build_rule(told, handle="7d02be41")
    _write_rules(told, _build_rule(told), other)
    with _daemon(told.home, outcome="remind", handle=_HANDLE):
        assert _try_tool(told) != {}
        assert _try_tool(told) == {}
        assert _try_tool(told, session="another") != {}
    with _daemon(told.home, outcome="remind", handle="7d02be41"):
        assert _try_tool(told) != {}
    compacted = {"session_id": "9e9176e3", "cwd": str(told.project), "source": "compact"}
    told.hook("session-start", compacted)
    with _daemon(told.home, outcome="remind", handle=_HANDLE):
        assert _try_tool(told) != {}
        assert _try_tool(told) == {}


def test_a_use_that_is_only_near_does_not_use_up_the_reminder_of_a_rule(told) -> None:
    for sureness, is_said in ((0.4, True), (0.5, False), (0.7, True), (0.75, False)):
        with _daemon(told.home, outcome="remind", handle=_HANDLE, sureness=sureness):
            assert (_try_tool(told) != {}) is is_said


def test_where_the_strongest_rule_was_said_the_next_one_is(told) -> None:
    other = _build_rule(told, handle="7d02be41")
    _write_rules(told, _build_rule(told), other)
    also = [{"outcome": "remind", "handle": "7d02be41", "sureness": 0.4}]
    with _daemon(told.home, outcome="remind", handle=_HANDLE, sureness=0.6, also=also):
        assert f"rule {_HANDLE}" in _try_tool(told)["additionalContext"]
        assert "rule 7d02be41" in _try_tool(told)["additionalContext"]
        assert _try_tool(told) == {}


@pytest.mark.parametrize("step", ["gieok.hook.window.ContextWindow.keep", "gieok.fs.os.replace"])
def test_a_hook_that_is_killed_before_it_wrote_what_it_said_says_it_again_once(
    told, step: str
) -> None:
    owner, _, name = step.rpartition(".")
    code = f"""
import os, pkgutil, signal, sys
def kill(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(pkgutil.resolve_name({owner!r}), {name!r}, kill)
sys.argv[:1] = ["gieok", "hook"]
import gieok.__main__ as program
sys.exit(program.main())
"""
    payload = json.dumps(_build_payload(told, _COMMAND, "9e9176e3")).encode()
    with _daemon(told.home, outcome="remind", handle=_HANDLE):
        killed = told.run("pre-tool", payload, code=code)
        assert killed.status == -signal.SIGKILL
        assert _WORDS in killed.context
        assert _WORDS in _try_tool(told)["additionalContext"]
        assert _try_tool(told) == {}


def test_why_shows_the_last_reminder_with_the_memory_that_holds_the_words(told) -> None:
    with _daemon(told.home, outcome="remind", handle=_HANDLE):
        said = _try_tool(told)["additionalContext"]
    call = open_call({})
    (last,) = load_command("hook injections")(call).injections
    reminders = load_command("hook stats")(call).stats.reminders
    call.home.store.close()
    assert (last.text, last.event, last.by) == (said, "pre-tool", "rules")
    assert [memory.handle for memory in last.memories] == ["1a2b3c4d.1"]
    assert reminders == 1


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (("--agent", "codex"), {}),
        (("--agent", "qwen-code"), {}),
        (("--agent", "hermes"), {}),
        ((), {"GIEOK_GATES_REMINDS": "off"}),
        ((), {"GIEOK_PRIVATE": "1"}),
    ],
    ids=["codex", "qwen-code", "hermes", "off", "private"],
)
def test_who_takes_no_reminder_gets_none_and_the_tool_runs(told, arguments, environment) -> None:
    with _daemon(told.home, outcome="remind", handle=_HANDLE):
        assert _try_tool(told, *arguments, **environment) == {}


def test_a_call_without_a_session_gets_no_reminder(told) -> None:
    with _daemon(told.home, outcome="remind", handle=_HANDLE):
        assert _try_tool(told, session="") == {}


@pytest.mark.parametrize(("agent", "number"), [("claude-code", 1), ("codex", 0)])
def test_no_model_is_asked_for_a_doubtful_rule_of_which_the_agent_is_not_to_be_reminded(
    place, agent: str, number: int
) -> None:
    _write_rules(place, _build_rule(place, REMIND))
    with _daemon(place.home, outcome="remind", handle=_HANDLE) as calls:
        for _ in range(3):
            _try_tool(place, "--agent", agent)
    assert len(calls) == number


@pytest.mark.parametrize(("mode", "is_asked"), [(ASK, True), (REMIND, False)])
def test_without_a_model_a_doubtful_rule_reminds_of_what_it_names(
    place, mode: str, is_asked: bool
) -> None:
    _write_rules(place, _build_rule(place, mode, named=True))
    answer = _try_tool(place)
    assert ("permissionDecision" in answer) == is_asked
    assert ("additionalContext" in answer) != is_asked


def test_a_doubtful_rule_keeps_nobody_from_changing_rules(place) -> None:
    def switch_off() -> bytes:
        payload = _build_payload(place, "gieok rules off 3fa9c01e", "9e9176e3")
        return place.hook("pre-tool", payload).out

    _write_rules(place, _build_rule(place, REMIND))
    assert switch_off() == b""
    _write_rules(place, _build_rule(place))
    assert b"permissionDecision" in switch_off()


def test_what_is_named_and_only_near_is_reminded_of(place) -> None:
    _write_rules(place, _build_rule(place, named=True))
    with _daemon(place.home, outcome="remind", handle=_HANDLE):
        assert "permissionDecision" not in _try_tool(place)


def test_what_the_reader_doubts_is_a_rule_that_reminds(
    place, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.home.mkdir(mode=0o700)
    (place.home / "models").symlink_to(models)
    monkeypatch.setenv("GIEOK_EMBEDDER", "e5")
    _say(place, "could you please stay away from the prod cluster")
    call = open_call({})
    (rule,) = load_command("rules list")(call).rules
    tried = [
        load_command("rules try")(call, command_line=line).outcome
        for line in (_COMMAND, "helm list")
    ]
    call.home.store.close()
    assert (rule.outcome, rule.by_sense) == (REMIND, True)
    assert tried == [REMIND, NONE]
    monkeypatch.setenv("GIEOK_GATES_REMINDS", "off")
    call = open_call({})
    assert load_command("rules try")(call, command_line=_COMMAND).outcome == NONE
    call.home.store.close()


def _say(place, words: str) -> None:
    """Let the user say something in a session of Claude Code, and take it in."""
    chats = place.user / ".claude" / "projects" / "-shop"
    chats.mkdir(parents=True)
    row = {
        "type": "user",
        "uuid": "s1-0",
        "sessionId": "s1",
        "cwd": str(place.project),
        "timestamp": "2026-11-20T10:00:00Z",
        "message": {"role": "user", "content": words},
    }
    (chats / "s1.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\n")
    call = open_call({})
    observe_transcripts(call, once=True)
    call.home.settle_statements()
    call.home.store.close()
