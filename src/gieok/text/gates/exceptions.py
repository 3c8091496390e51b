"""Exceptions of a rule that would let pass the very thing which the rule forbids.

Beside a rule on force pushes, "just pushing is fine" allows no force push: what is allowed is the
wider thing, but for what the rule forbids of it.
"""

from collections.abc import Iterable, Sequence

from gieok.text.gates.action import ASK, EXACT, NONE, Action, ActionRule
from gieok.text.gates.touched import WRITE, TouchedPath
from gieok.text.gates.verdict import ToolAttempt, judge_tool_attempt

#: Where forbidden things are tried; any folder would do.
_TRIED_IN = "/work"


def allows_forbidden(exception: Action, actions: Sequence[Action]) -> bool:
    """Return whether an exception would let the very thing pass that some action forbids.

    Beside a rule on pushes to main, "pushing branches is fine" allows no push to main.
    """
    return any(
        judge_tool_attempt(ActionRule("", ASK, [action]), attempt) != NONE
        and judge_tool_attempt(ActionRule("", ASK, [action], unless=[exception]), attempt) == NONE
        for action in actions
        for attempt in _list_attempts(action)
    )


def drop_wider_exceptions(
    exceptions: Iterable[Action], actions: Sequence[Action]
) -> "list[Action]":
    """Return the exceptions but those that allow what is forbidden and more.

    Without them the rule forbids nothing of what they allow beside. One that allows just what is
    forbidden takes the rule back, and stays.
    """
    return [
        exception
        for exception in exceptions
        if not (allows_forbidden(exception, actions) and _allows_more(exception, actions))
    ]


def _allows_more(exception: Action, actions: Sequence[Action]) -> bool:
    """Return whether an exception is about a use that no action forbids."""
    rule = ActionRule("", ASK, actions)
    return any(judge_tool_attempt(rule, each) == NONE for each in _list_attempts(exception))


def _list_attempts(action: Action) -> list[ToolAttempt]:
    """Return plain uses of tools that an action is about: its commands, and edits of its paths."""
    paths = [path.removeprefix(EXACT).rstrip("/*.") for path in action.paths]
    branch = next(iter(action.branches), "").rstrip("*")
    lines = [
        " ".join(filter(None, (row.program, *row.words, *row.flags, branch and f"origin {branch}")))
        for row in action.commands
        if row.program and "*" not in f"{row.program}{row.words}"
    ]
    attempts = [
        ToolAttempt(tool="Bash", command=f"{line} {path}", folder=_TRIED_IN, root=_TRIED_IN)
        for line in lines
        for path in paths or [""]
    ]
    return attempts + [
        ToolAttempt(tool="Edit", paths=[TouchedPath(WRITE, path)], folder=_TRIED_IN, root=_TRIED_IN)
        for path in paths
    ]
