"""Tools' uses held against the rules about actions, before a tool runs.

Imported by the hook: see the package.
"""

import os

from gieok.flow.gate_rules import GateChoices, GateRule, change_gate_choices, load_gate_choices
from gieok.places.scope import USER_SCOPE
from gieok.text.gates import verdict
from gieok.text.gates.action import NONE, STOP
from gieok.text.gates.touched import READ, USE, WRITE, TouchedPath
from gieok.text.gates.verdict import ToolAttempt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_PROJECT = "project:"
_TEXT_CHARS = 20_000
#: Names of the fields in which tools are given a path.
_PATH_FIELDS = ("file_path", "path", "notebook_path", "filePath", "absolute_path", "target_file")
#: Words in the names of tools that change a file, and of those that only read one.
_EDITING = ("write", "edit", "replace", "patch", "create", "notebook")
_READING = ("read", "view", "cat", "open")
#: Commands of Gieok's own by which a person loosens a rule; an agent does not do so by itself.
_LOOSENING = ("off", "until", "allow")


class GateHit:
    """Rule that acts on a tool's use, and how: `STOP` or `ASK`."""

    __slots__ = ("outcome", "rule")

    def __init__(self, rule: GateRule, outcome: str) -> None:
        self.rule = rule
        self.outcome = outcome


def list_scope_rules(rules: "Iterable[GateRule]", scopes: "Sequence[str]") -> "list[GateRule]":
    """Return the rules that hold in a session which reads these scopes, its own first.

    What was said in a project holds there, and what was said outside of projects outside of them,
    unless it says that it holds everywhere; a record for the user holds for the user.
    """
    own = scopes[:1] if "".join(scopes[:1]).startswith(_PROJECT) else scopes
    return [
        rule
        for rule in rules
        if rule.scope in own
        or rule.rule.is_everywhere
        or (rule.is_record and rule.scope == USER_SCOPE)
    ]


def find_gate_hit(
    rules: "Iterable[GateRule]", choices: GateChoices, use: ToolAttempt
) -> "GateHit | None":
    """Return the rule that acts on a tool's use, one that stops first; None where none acts."""
    hits = [
        GateHit(rule, outcome)
        for rule in rules
        if choices.is_on(rule.handle, use.day)
        and (outcome := verdict.judge_tool_attempt(rule.rule, use)) != NONE
    ]
    return min(hits, key=lambda hit: (hit.outcome != STOP, -hit.rule.said_at), default=None)


def take_allowance(home: str, hit: GateHit) -> bool:
    """Return whether a person allowed the use once, and take that allowance. Raises OSError."""
    handle = hit.rule.handle
    if handle not in load_gate_choices(home).once:
        return False

    def take(choices: GateChoices) -> bool:
        is_allowed = handle in choices.once
        choices.once.discard(handle)
        return is_allowed

    return change_gate_choices(home, take)


def read_tool_attempt(
    payload: "Mapping[str, object]",
    *,
    folder: str,
    root: str,
    branch: str = "",
    day: str = "",
    weekday: int = -1,
) -> ToolAttempt:
    """Return what a hook's payload says that a tool would do."""
    given = payload.get("tool_input", payload.get("params"))
    values = given if isinstance(given, dict) else {}
    name = payload.get("tool_name", payload.get("toolName"))
    tool = name if isinstance(name, str) else ""
    command = values.get("command", payload.get("command"))
    if isinstance(command, list):  # an argument vector: `bash -lc …`
        command = " ".join(_quote_word(str(word)) for word in command)
    line = command if isinstance(command, str) else ""
    texts = [value for value in values.values() if isinstance(value, str)]
    paths = [
        _build_touched_path(tool, values[field])
        for field in _PATH_FIELDS
        if _is_filled_text(values.get(field))
    ]
    patch = next((text for text in texts if "*** Begin Patch" in text), "")
    if patch and not line.lstrip().startswith("apply_patch"):
        paths += verdict.iter_patch_paths(patch)
        line = ""
    is_file = bool(paths)
    return ToolAttempt(
        tool=tool,
        command=line,
        paths=paths,
        text="" if line or is_file else "\n".join(texts)[:_TEXT_CHARS],
        folder=folder,
        root=root,
        branch=branch,
        day=day,
        weekday=weekday,
    )


def _is_filled_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _build_touched_path(tool: str, path: object) -> TouchedPath:
    name = tool.lower()
    if any(word in name for word in _EDITING):
        return TouchedPath(WRITE, str(path))
    return TouchedPath(READ if any(word in name for word in _READING) else USE, str(path))


def _quote_word(word: str) -> str:
    return word if word.isalnum() else "'" + word.replace("'", "'\\''") + "'"


def loosens_rules(use: ToolAttempt) -> bool:
    """Return whether a command line would loosen a rule of the user's by `gieok rules …`."""
    return any(
        step.program in ("gieok", "gieok.exe")
        and step.arguments[:1] == ["rules"]
        and step.arguments[1:2]
        and step.arguments[1] in _LOOSENING
        for step in use.invocations
    )


def find_branch(folder: str) -> str:
    """Return the Git branch that is checked out in a folder; '' for none, or where nobody knows."""
    while folder:
        marker = os.path.join(folder, ".git")
        if os.path.lexists(marker):
            return _read_head(marker)
        above = os.path.dirname(folder)
        folder = "" if above == folder else above
    return ""


def _read_head(marker: str) -> str:
    try:
        if os.path.isfile(marker):  # a worktree
            with open(marker, encoding="utf-8") as opened:
                marker = os.path.join(
                    os.path.dirname(marker), opened.read().removeprefix("gitdir:").strip()
                )
        with open(os.path.join(marker, "HEAD"), encoding="utf-8") as opened:
            head = opened.read().strip()
    except (OSError, ValueError):
        return ""
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: ") else ""
