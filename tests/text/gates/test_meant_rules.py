"""Where a rule may mean a use in other words: a model is asked about nothing else."""

import pytest

from gieok.text.gates.action import ASK, ActionRule
from gieok.text.gates.objects import find_objects
from gieok.text.gates.statement import build_exceptions, is_ended_by
from gieok.text.gates.touched import READ, WRITE, TouchedPath
from gieok.text.gates.verdict import NONE, ToolAttempt, judge_tool_attempt, may_be_meant

_SENSE = "the production cluster is mine"


def _use(command: str = "", **fields: object) -> ToolAttempt:
    given = {"tool": "Bash", "folder": "/work", "root": "/work/shop", "day": "2026-11-20"}
    return ToolAttempt(command=command, **{**given, "weekday": 4, **fields})


def _rule(**fields: object) -> ActionRule:
    return ActionRule(_SENSE, ASK, (), **{"sense": _SENSE, **fields})


def test_a_rule_that_names_nothing_acts_on_nothing_by_its_words() -> None:
    assert judge_tool_attempt(_rule(), _use("helm upgrade web ./chart")) == NONE


@pytest.mark.parametrize(
    "command",
    [
        "helm upgrade web ./chart",
        "cd infra && make ship",
        "echo x > values.yaml",
        "sed -i s/1/2/ values.yaml",
        "cat notes.txt | ssh host sh",
        "git config user.email a@example.com",
        "go get example.com/pkg",
        "vercel env pull",
    ],
)
def test_what_does_something_may_be_meant(command: str) -> None:
    assert may_be_meant(_rule(), _use(command))


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "grep -rn prod .",
        "cat a.txt | head -3",
        "cd infra",
        "helm upgrade x --dry-run",
        "git log --oneline -3",
        "kubectl get pods -n prod",
        "aws s3 ls",
    ],
)
def test_what_only_shows_something_is_not_meant(command: str) -> None:
    assert not may_be_meant(_rule(), _use(command))


@pytest.mark.parametrize(("deed", "is_meant"), [(WRITE, True), (READ, False)])
def test_a_file_that_is_read_is_not_meant(deed: str, is_meant: bool) -> None:
    use = _use(tool="Edit", paths=[TouchedPath(deed, "src/a.py")])
    assert may_be_meant(_rule(), use) == is_meant


def test_a_tool_of_a_server_may_be_meant() -> None:
    assert may_be_meant(_rule(), _use(tool="mcp__mail__send"))


def test_a_tool_that_plans_or_asks_or_remembers_is_not_meant() -> None:
    assert not may_be_meant(_rule(), _use(tool="AskUserQuestion", only_talks=True))
    assert not may_be_meant(_rule(), _use(tool="mcp__gieok__recall"))


@pytest.mark.parametrize(("branch", "is_meant"), [("release", True), ("", True), ("main", False)])
def test_a_rule_for_a_branch_means_nothing_on_another(branch: str, is_meant: bool) -> None:
    use = _use("helm upgrade web ./chart", branch=branch)
    assert may_be_meant(_rule(branches=["release"]), use) == is_meant


@pytest.mark.parametrize("later", ["you can do it again", "이제 해도 돼", "you can again"])
def test_a_permission_that_names_nothing_ends_no_rule_that_names_nothing(later: str) -> None:
    assert not is_ended_by(_rule(), later, [])


@pytest.mark.parametrize(
    "fields",
    [
        {"sense": ""},
        {"until": "2026-11-19"},
        {"days": [0]},
        {"project": "other"},
        {"folder": "infra"},
        {"unless": build_exceptions(find_objects("helm upgrade is fine"), ())},
    ],
)
def test_a_rule_that_does_not_hold_there_means_nothing(fields: dict[str, object]) -> None:
    assert not may_be_meant(_rule(**fields), _use("helm upgrade web ./chart"))


@pytest.mark.parametrize(
    "fields", [{"until": "2026-11-20"}, {"days": [4]}, {"project": "Shop"}, {"folder": "/work"}]
)
def test_a_rule_that_holds_there_may_mean_it(fields: dict[str, object]) -> None:
    assert may_be_meant(_rule(**fields), _use("helm upgrade web ./chart"))
