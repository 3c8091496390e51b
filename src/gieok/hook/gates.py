"""Tools' uses held against the rules about actions, before a tool runs.

Imported by the hook: see the package.
"""

import json
import os
import zlib

from gieok.flow.gate_rules import GateChoices, GateRule, change_gate_choices, load_gate_choices
from gieok.places.home import gate_rules_file
from gieok.places.scope import USER_SCOPE
from gieok.text.gates import verdict
from gieok.text.gates.action import NONE, STOP
from gieok.text.gates.programs import CommandWords
from gieok.text.gates.touched import DELETE, READ, USE, WRITE, TouchedPath
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
#: Words in the names of tools that run the text that they are given.
_RUNNING = frozenset(
    "sql query execute exec run fetch database db postgres mysql sqlite shell terminal".split()
)
#: Commands of Gieok's own by which a person loosens rules, with their second words (none: any): an
#: agent does not do so by itself.
_LOOSENING = {
    "rules": ("off", "until", "allow"),
    "pause": (),
    "forget": (),
    "retire": (),
    "edit": (),
    "uninstall": (),
    "erase": (),
}


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
    return next(iter(list_gate_hits(rules, choices, use)), None)


def list_gate_hits(
    rules: "Iterable[GateRule]", choices: GateChoices, use: ToolAttempt
) -> "list[GateHit]":
    """Return the rules that act on a tool's use: those that stop first, the newest first."""
    names = use.list_names()
    hits = [
        GateHit(rule, outcome)
        for rule in rules
        if rule.may_act(names)
        and choices.is_on(rule.handle, use.day)
        and (outcome := verdict.judge_tool_attempt(rule.rule, use)) != NONE
    ]
    return sorted(hits, key=lambda hit: (hit.outcome != STOP, -hit.rule.said_at))


def take_allowances(home: str, hits: "Sequence[GateHit]", action: str) -> "GateHit | None":
    """Return the first rule that a person did not allow for this action; None where all are.

    An allowance lets pass its own rule for its own action, and is taken where the tool runs.
    Raises OSError.
    """
    once = load_gate_choices(home).once
    left = next((hit for hit in hits if once.get(hit.rule.handle) != action), None)
    if left is not None or not hits:
        return left
    taken: list[GateHit] = []

    def take(choices: GateChoices) -> bool:
        for hit in hits:
            if choices.once.get(hit.rule.handle) != action:
                return False  # another call took it first
        for hit in hits:
            del choices.once[hit.rule.handle]
        taken.extend(hits)
        return True

    change_gate_choices(home, take)
    return None if taken else hits[0]


def build_action_key(use: ToolAttempt) -> str:
    """Return a checksum of what a tool would do, and where: the same for the same action alone."""
    paths = [(each.deed, each.path) for each in use.paths]
    row = [use.tool, use.command, paths, use.text, use.folder]
    data = json.dumps(row).encode("utf-8", "surrogatepass")
    # `hashlib` loads OpenSSL, for which the hook has no time.
    sums = (zlib.crc32(data), zlib.crc32(data[::-1]), zlib.adler32(data), len(data))
    return "-".join(f"{number:x}" for number in sums)


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
    # What other tools are given, such as a question or a task for an agent, only mentions things.
    runs_text = not _RUNNING.isdisjoint(verdict.split_name(tool))
    return ToolAttempt(
        tool=tool,
        command=line,
        paths=paths,
        text="\n".join(texts)[:_TEXT_CHARS] if runs_text and not (line or is_file) else "",
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


def loosens_rules(use: ToolAttempt, home: str) -> bool:
    """Return whether a tool would loosen rules of the user's.

    By a command of Gieok's, through a shell or a tool of that name, or by changing the files in
    which rules and choices stand.
    """
    if any(_is_loosening(step.program, step.arguments) for step in use.invocations):
        return True
    words = verdict.split_name(use.tool)
    if "gieok" in words and {"rules"} & set(words) and set(_LOOSENING["rules"]) & set(words):
        return True
    gates = os.path.dirname(gate_rules_file(os.path.abspath(home)))
    return any(
        each.deed in (WRITE, DELETE)
        and _reaches_folder(
            gates, os.path.join(step.folder, os.path.expanduser(each.path)), each.deed
        )
        for step in use.list_steps()
        for each in step.touched
    )


def _is_loosening(program: str, arguments: "Sequence[str]") -> bool:
    if program not in ("gieok", "gieok.exe"):
        return False
    parsed = CommandWords(program, arguments)
    for place, word in enumerate(parsed.words):
        if word in _LOOSENING:
            second = "".join(parsed.words[place + 1 : place + 2])
            return not _LOOSENING[word] or second in _LOOSENING[word]
        if place not in parsed.unsure:  # else it may be the value of an option
            return False
    return False


def _reaches_folder(folder: str, path: str, deed: str) -> bool:
    """Return whether a path is a folder or lies in it, or would be deleted with the folder."""
    path = os.path.normpath(path)
    is_inside = path == folder or path.startswith(folder + os.sep)
    return is_inside or (deed == DELETE and folder.startswith(path + os.sep))


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
