"""What no word of a rule names is asked about where the daemon's model finds the rule broken."""

import json
import os
import re
from contextlib import AbstractContextManager
from datetime import date
from pathlib import Path

import pytest
from tests.support.answering_daemon import answer_as_daemon

from gieok import __version__
from gieok.flow.gate_rules import GateRule, write_gate_rules
from gieok.places.home import gate_actions_file, gate_choices_file, gate_late_file
from gieok.places.project import list_project_scopes
from gieok.processes import wire
from gieok.text.gates.action import ASK, Action, ActionRule, CommandPattern
from gieok.text.gates.statement import read_action_rules

_WORDS = "leave the production cluster to me"
_HANDLE = "3fa9c01e"
_DEPLOYS = "helm upgrade web ./chart --kube-context prod"


def _daemon(home: Path, **data: object) -> AbstractContextManager[list[object]]:
    """Answer every call with this data in the place of a daemon."""
    answer = {"found": True, "data": data, "text": "", "status": 0, "failure": None}
    return answer_as_daemon(home, lambda: answer)


@pytest.fixture
def told(place):
    """Return a place in which a rule was said whose words name no command."""
    _write_rule(place, list_project_scopes(str(place.project), "")[0])
    return place


def _write_rule(place, scope: str) -> None:
    write_gate_rules(str(place.home), [_build_rule(scope)])


def _build_rule(scope: str, *actions: Action) -> GateRule:
    return GateRule(
        handle=_HANDLE,
        scope=scope,
        said_at=1.0,
        day="2026-11-20",
        origin="claude-code",
        source="turns/a",
        rule=ActionRule(_WORDS, ASK, actions, sense=_WORDS),
    )


def _try_tool(place, tool: str, *arguments: str, **tool_input: object) -> dict:
    payload = {
        "session_id": "9e9176e3",
        "cwd": str(place.project),
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": tool_input,
    }
    answer = json.loads(place.hook("pre-tool", payload, *arguments).out or b"{}")
    return answer.get("hookSpecificOutput", {})


def test_what_the_model_finds_broken_is_asked_with_the_users_words(told) -> None:
    with _daemon(told.home, outcome="ask", handle=_HANDLE) as calls:
        asked = _try_tool(told, "Bash", command=_DEPLOYS)
    assert asked["permissionDecision"] == "ask"
    assert f"“{_WORDS}”" in asked["permissionDecisionReason"]
    assert "This may be what they meant." in asked["permissionDecisionReason"]
    (call,) = calls
    assert (call.operation, call.surface) == ("rules try", "hook")
    assert call.values == {"tool": "Bash", "command_line": _DEPLOYS, "among": _HANDLE}


def test_a_file_and_another_tool_are_described_for_the_model(told) -> None:
    with _daemon(told.home, outcome="none") as calls:
        edited = str(told.project / "chart" / "values.yaml")
        assert _try_tool(told, "Edit", file_path=edited, old_string="a") == {}
        assert _try_tool(told, "mcp__mail__send", to="프로덕션") == {}
    assert [call.values for call in calls] == [
        {"tool": "Edit", "edit": [edited], "among": _HANDLE},
        {"tool": "mcp__mail__send", "given": '{"to": "프로덕션"}', "among": _HANDLE},
    ]


def test_the_model_is_asked_about_all_files_and_where_the_tool_runs(told) -> None:
    patch = "*** Begin Patch\n*** Update File: a.md\n*** Add File: chart/b.yaml\n*** End Patch"
    (told.project / "chart").mkdir()
    with _daemon(told.home, outcome="none") as calls:
        _try_tool(told, "apply_patch", input=patch)
        _try_tool(told, "shell", command="make ship", workdir="chart")
    assert calls[0].values["edit"] == ["a.md", "chart/b.yaml"]
    assert [call.folder for call in calls] == [str(told.project), str(told.project / "chart")]


@pytest.fixture
def named(place):
    """Return a place in which a rule was said that a model found, and that names a command."""
    scope = list_project_scopes(str(place.project), "")[0]
    action = Action([CommandPattern("helm", ["upgrade"])])
    write_gate_rules(str(place.home), [_build_rule(scope, action)])
    return place


def test_what_words_of_a_rule_name_that_a_model_found_is_asked_about_where_it_agrees(named) -> None:
    with _daemon(named.home, outcome="ask", handle=_HANDLE) as calls:
        asked = _try_tool(named, "Bash", command=_DEPLOYS)
    assert asked["permissionDecision"] == "ask"
    assert "This may be what they meant." not in asked["permissionDecisionReason"]
    assert [call.values["among"] for call in calls] == [_HANDLE]


def test_what_words_of_such_a_rule_name_runs_where_the_model_finds_it_unbroken(named) -> None:
    with _daemon(named.home, outcome="none") as calls:
        assert _try_tool(named, "Bash", command=_DEPLOYS) == {}
    assert len(calls) == 1


@pytest.mark.parametrize("told_by", ["nobody", "late", "withheld"])
def test_what_words_of_such_a_rule_name_is_asked_about_where_no_model_judges(
    named, told_by: str
) -> None:
    if told_by == "late":
        Path(gate_late_file(str(named.home))).write_text("...", encoding="utf-8")
    if told_by == "withheld":
        with _daemon(named.home, outcome="none", withheld="paused"):
            asked = _try_tool(named, "Bash", command=_DEPLOYS)
    else:
        asked = _try_tool(named, "Bash", command=_DEPLOYS)
    assert asked["permissionDecision"] == "ask"


def test_without_a_daemon_the_tool_runs(told) -> None:
    assert _try_tool(told, "Bash", command=_DEPLOYS) == {}


def test_a_daemon_that_hangs_is_not_waited_for_at_each_tool_call(told) -> None:
    listening, _ = wire.listen(told.home, "now", __version__)
    late = Path(gate_late_file(str(told.home)))
    lengths = []
    try:
        for _ in range(4):
            assert _try_tool(told, "Bash", command=_DEPLOYS) == {}
            lengths.append(late.stat().st_size)
        listening.setblocking(False)
        connections = [listening.accept()[0] for _ in range(3)]
        with pytest.raises(BlockingIOError):
            listening.accept()
        for each in connections:
            each.close()
    finally:
        listening.close()
        wire.remove_daemon_address(told.home)
    assert lengths == [1, 2, 3, 3]


def test_a_daemon_that_answers_again_is_asked_again(told) -> None:
    late = Path(gate_late_file(str(told.home)))
    late.write_text("...", encoding="utf-8")
    os.utime(late, (1.0, 1.0))
    with _daemon(told.home, outcome="ask", handle=_HANDLE):
        assert _try_tool(told, "Bash", command=_DEPLOYS)["permissionDecision"] == "ask"
        late.write_text("..", encoding="utf-8")
        assert _try_tool(told, "Bash", command=_DEPLOYS)["permissionDecision"] == "ask"
    assert not late.exists()


@pytest.mark.parametrize("command", ["kubectl get pods | head", "git log -3", "cat chart/a.yaml"])
def test_the_model_is_not_asked_about_what_only_shows_something(told, command: str) -> None:
    with _daemon(told.home, outcome="none") as calls:
        _try_tool(told, "Bash", command=command)
        _try_tool(told, "Read", file_path=str(told.project / "chart" / "values.yaml"))
    assert calls == []


def test_a_rule_that_is_off_or_of_another_project_asks_nothing(told) -> None:
    with _daemon(told.home, outcome="ask", handle=_HANDLE) as calls:
        choices = Path(gate_choices_file(str(told.home)))
        choices.write_text(json.dumps({"off": [_HANDLE]}), encoding="utf-8")
        assert _try_tool(told, "Bash", command=_DEPLOYS) == {}
        choices.unlink()
        _write_rule(told, "project:elsewhere")
        assert _try_tool(told, "Bash", command=_DEPLOYS) == {}
    assert calls == []


def test_what_a_rule_of_another_project_names_is_read_for_the_rules_of_this_one(told) -> None:
    elsewhere = GateRule(
        handle="7d02be41",
        scope="project:elsewhere",
        said_at=2.0,
        day="2026-11-21",
        origin="claude-code",
        source="turns/b",
        rule=read_action_rules("never run helm upgrade", date(2026, 11, 21))[0],
    )
    own = _build_rule(list_project_scopes(str(told.project), "")[0])
    write_gate_rules(str(told.home), [elsewhere, own])
    with _daemon(told.home, outcome="ask", handle=_HANDLE) as calls:
        asked = _try_tool(told, "Bash", command=_DEPLOYS)
    assert [call.values["among"] for call in calls] == [_HANDLE]
    assert f"“{_WORDS}”" in asked["permissionDecisionReason"]


def test_each_rule_that_asks_is_named_with_its_words_once(told) -> None:
    scope = list_project_scopes(str(told.project), "")[0]
    texts = {"7d02be41": "no helm on Fridays", "5c11aa02": _WORDS, "0badcafe": "charts are Ines's"}
    rules = [_build_rule(scope)]
    for handle, words in texts.items():
        rule = _build_rule(scope)
        rule.handle, rule.rule.text = handle, words
        rules.append(rule)
    write_gate_rules(str(told.home), rules)
    outcomes = (("7d02be41", "ask"), ("5c11aa02", "ask"), ("0badcafe", "remind"))
    also = [{"handle": handle, "outcome": outcome} for handle, outcome in outcomes]
    with _daemon(told.home, outcome="ask", handle=_HANDLE, also=also):
        asked = _try_tool(told, "Bash", command=_DEPLOYS)["permissionDecisionReason"]
        stopped = _try_tool(told, "Bash", "--agent", "codex", command=_DEPLOYS)
    assert asked.count(_WORDS) == 1
    assert "And on 2026-11-20: “no helm on Fridays” (claude-code; rule 7d02be41)." in asked
    assert "charts" not in asked
    codes = re.findall(
        r"`gieok rules allow (\w+) \w{8} --once`", stopped["permissionDecisionReason"]
    )
    assert codes == [_HANDLE, "7d02be41"]


def test_a_long_command_is_judged_whole(told) -> None:
    line = f"export NOTE='{'x' * 2000}' && {_DEPLOYS}"
    with _daemon(told.home, outcome="none") as calls:
        _try_tool(told, "Bash", command=line)
    assert [call.values["command_line"] for call in calls] == [line]


def test_a_use_that_was_allowed_once_runs_once(told) -> None:
    with _daemon(told.home, outcome="ask", handle=_HANDLE):
        asked = _try_tool(told, "Bash", command=_DEPLOYS)
        _try_tool(told, "Bash", "--agent", "codex", command=_DEPLOYS)  # which cannot ask
        actions = json.loads(Path(gate_actions_file(str(told.home))).read_text())
        ((key, _),) = actions.values()
        Path(gate_choices_file(str(told.home))).write_text(json.dumps({"once": {_HANDLE: key}}))
        assert asked["permissionDecision"] == "ask"
        assert _try_tool(told, "Bash", command=_DEPLOYS) == {}
        assert _try_tool(told, "Bash", command=_DEPLOYS)["permissionDecision"] == "ask"
