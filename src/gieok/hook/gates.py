"""Tools' uses held against the rules about actions, before a tool runs.

Imported by the hook: see the package.
"""

import json
import os
import re
from fnmatch import fnmatchcase

from gieok.agents import table
from gieok.flow.gate_rules import (
    DAMAGED,
    GateChoices,
    GateRule,
    JudgedAction,
    change_gate_choices,
    load_gate_choices,
)
from gieok.places.scope import USER_SCOPE
from gieok.text.gates import touched, verdict
from gieok.text.gates.action import ASK, NONE, REMIND, STOP
from gieok.text.gates.programs import CommandWords
from gieok.text.gates.touched import DELETE, READ, WRITE, TouchedPath, expand_home
from gieok.text.gates.verdict import ToolAttempt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gieok.hook.fired import FiredEvent

_PROJECT = "project:"
_TEXT_CHARS = 20_000
#: Paths of one use that a model is asked about.
_MOST_PATHS = 20
#: Characters of a tool's use that a model reads.
_USE_CHARS = 1_000
#: Fields of tools that move or copy: what is taken, and what is written.
_SOURCES = ("source", "from", "old_path", "source_path")
_TARGETS = ("destination", "to", "new_path", "target_path", "destination_path")
#: Fields in which shells are told where to run.
_FOLDER_FIELDS = ("workdir", "cwd", "directory", "dir_path", "working_directory")
#: Words in the names of tools that run the text that they are given.
_RUNNING = frozenset(
    "sql query execute exec run fetch database db postgres mysql sqlite shell terminal".split()
)
#: Words in the commands of an editor that is one tool (`view`, `delete`): it reads or deletes.
_EDITOR_DEEDS = (*touched.DELETING, *touched.MOVING, *touched.READING)
#: Programs that start scripts of the project.
_STARTING = frozenset("npm pnpm yarn bun make gmake just bash sh zsh source .".split())
#: What a rule does about a use, the strongest first.
_STRENGTH = (STOP, ASK, REMIND)
_PATCH = "*** Begin Patch"
_PATCH_FIELDS = ("patch", "input", "patchText", "patch_text", "diff")
#: Commands of Gieok's own that only add: what they add ends no rule.
_ADDING_COMMANDS = frozenset(("remember", "index", "code init", "code sync"))
#: Commands of Gieok's own that read and change nothing: any other may loosen a rule.
READING_COMMANDS = frozenset(
    (
        "search",
        "list",
        "get",
        "status",
        "sync status",
        "history",
        "recall",
        "rules list",
        "rules try",
        "hook stats",
        "hook injections",
        "code query",
        "code explore",
        "code show",
        "code impact",
        "code estimate",
        "code status",
        "code stats",
        "character list",
        "character memories",
        "observe show",
        "observe stats",
        "why",
        "archive status",
        "archive pending",
        "logs",
        "keys list",
        "encryption status",
        "backup list",
        "config show",
    )
)
#: Words in the names of Gieok's own tools that loosen a rule, with a word that must stand beside.
_LOOSENING_TOOLS = (
    ("rules", "off"),
    ("rules", "until"),
    ("rules", "allow"),
    *((word, word) for word in ("pause", "forget", "retire", "edit", "erase", "uninstall")),
)
#: Folders of the agents, and the files in them that say which hooks run.
_AGENT_FOLDERS = (
    ".claude",
    ".codex",
    ".cursor",
    ".gemini",
    ".qwen",
    ".opencode",
    ".openclaw",
    ".copilot",
    ".hermes",
    ".kilo",
    ".kimi-code",
    ".pi",
)
#: Folders of agents that are known by the folder above.
_AGENT_SUBFOLDERS = {"opencode": ".config", "kilo": ".config", "agent": ".pi"}
#: Folders and files that hold rules or hooks wherever they are.
_GUARDED = (".gieok", "opencode.json", "opencode.jsonc", "kilo.json", "kilo.jsonc")
_HOOK_SETTINGS = (
    "settings.json",
    "settings.local.json",
    "managed-settings.json",
    "hooks.json",
    "config.toml",
    "config.yaml",
    "openclaw.json",
    "opencode.json",
    "opencode.jsonc",
    "plugin",
    "plugins",
    "hooks",
    "extensions",
)
#: Files that say so in the folder of one agent alone.
_OWN_SETTINGS = {".kimi-code": ("mcp.json",)}
#: Folder below an agent's, in which each folder is another one of the agent's.
_PROFILES = "profiles"


class GateHit:
    """Rule that acts on a tool's use, and how: `STOP`, `ASK` or `REMIND`.

    `by_sense`: a model takes the use for what the rule means, and no word of it names the use.
    `chance` is how surely; 1 where words decide.
    """

    __slots__ = ("by_sense", "chance", "outcome", "rule")

    def __init__(
        self, rule: GateRule, outcome: str, *, by_sense: bool = False, chance: float = 1.0
    ) -> None:
        self.rule = rule
        self.outcome = outcome
        self.by_sense = by_sense
        self.chance = chance

    @property
    def is_sure(self) -> bool:
        """Return whether the grammar read the rule: what a model found may be half understood."""
        return not self.rule.sense


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


def list_asking_rules(rules: "Iterable[GateRule]") -> "list[GateRule]":
    """Return the rules that do more than remind; without those whose entries are damaged."""
    return [rule for rule in rules if _does_ask(rule)]


def _does_ask(rule: GateRule) -> bool:
    try:
        return rule.rule.mode != REMIND
    except DAMAGED:
        return False


def list_gate_hits(
    rules: "Iterable[GateRule]", choices: GateChoices, use: ToolAttempt
) -> "list[GateHit]":
    """Return the rules that act on a tool's use: by what they do, the strongest first, the newest
    first.
    """
    names = use.list_names()
    hits = [
        GateHit(rule, outcome)
        for rule in rules
        if (use.is_unread or rule.may_act(names))
        and choices.is_on(rule.handle, use.day)
        and (outcome := _judge_rule(rule, use)) != NONE
    ]
    return sorted(hits, key=lambda hit: (_STRENGTH.index(hit.outcome), -hit.rule.said_at))


def list_meant_rules(
    rules: "Iterable[GateRule]", choices: GateChoices, use: ToolAttempt
) -> "list[GateRule]":
    """Return the rules whose sense a model has to hold against a use, the newest first.

    None where the use only reads or shows something, or where no rule is read by its sense.
    """
    sensed = [rule for rule in rules if rule.sense and choices.is_on(rule.handle, use.day)]
    if not sensed or not use.list_doing_steps():
        return []  # most uses show something: for them no rule is read
    meant = [rule for rule in sensed if _may_be_meant(rule, use)]
    return sorted(meant, key=lambda rule: -rule.said_at)


def list_held_rules(
    rules: "Iterable[GateRule]",
    choices: GateChoices,
    use: ToolAttempt,
    hits: "Sequence[GateHit]",
) -> "list[GateRule]":
    """Return the rules that a model holds against a use: what may be meant, and what is hit."""
    return add_hit_rules(list_meant_rules(rules, choices, use), hits)


def add_hit_rules(meant: "Sequence[GateRule]", hits: "Iterable[GateHit]") -> "list[GateRule]":
    """Return rules that may be meant, and those that a model found which act by their words."""
    return [*meant, *(hit.rule for hit in hits if not hit.is_sure and hit.rule not in meant)]


def _may_be_meant(rule: GateRule, use: ToolAttempt) -> bool:
    """Return whether a use may be what a rule means; not where its entry is damaged."""
    try:
        return verdict.may_be_meant(rule.rule, use)
    except DAMAGED:
        return False


def _judge_rule(rule: GateRule, use: ToolAttempt) -> str:
    """Return what a rule does about a use; nothing where its entry is damaged."""
    try:
        return verdict.judge_tool_attempt(rule.rule, use)
    except DAMAGED:
        return NONE  # the others act; `gieok status` and `gieok doctor` say it


def limit_outcome(outcome: str, *, may_stop: bool, reminds: bool) -> str:
    """Return what a rule does where a person let rules stop, and remind; asks where none stops."""
    if outcome == REMIND and not reminds:
        return NONE
    return ASK if outcome == STOP and not may_stop else outcome


def take_allowances(
    home: str, hits: "Sequence[GateHit]", action: JudgedAction, event: "FiredEvent | None" = None
) -> "GateHit | None":
    """Return the first rule that a person did not allow for this action; None where all are.

    An allowance lets pass its own rule for its own action, and is taken where the tool runs; where
    it cannot be taken now, it does not count. `event` is that of a host which asks several times
    about one use of a tool: what passed once passes each time. Raises OSError.
    """
    once = load_gate_choices(home).once
    left = next((hit for hit in hits if not _is_let_pass(hit, once, action)), None)
    if left is not None or not hits:
        return None if left is None or (event and event.is_claimed()) else left
    taken: list[GateHit] = []

    def take(choices: GateChoices) -> bool:
        if not all(_is_let_pass(hit, choices.once, action) for hit in hits):
            return False  # another call took it first
        for hit in hits:
            del choices.once[hit.rule.handle]
        if event:  # claimed before anybody sees that the allowance is taken
            event.claim_event()
        taken.extend(hits)
        return True

    is_taken = change_gate_choices(home, take, wait=False)
    if is_taken and taken:
        return None
    return None if event and event.waits_claimed() else hits[0]


def _is_let_pass(hit: GateHit, once: "Mapping[str, str]", action: JudgedAction) -> bool:
    handle = hit.rule.handle
    return handle in once and once[handle] == action.key


def build_judged_action(payload: "Mapping[str, object]", folder: str) -> JudgedAction:
    """Return what a tool would do, and where: its checksum is the same for the same input alone."""
    given = {"tool_name": payload.get("tool_name"), "command": payload.get("command")}
    given |= {"input": payload.get("tool_input"), "folder": folder}
    text = json.dumps(given, sort_keys=True, ensure_ascii=False, default=str)
    return JudgedAction(text)


def read_tool_attempt(
    payload: "Mapping[str, object]",
    *,
    folder: str,
    root: str,
    branch: str = "",
    day: str = "",
    weekday: int = -1,
    minute: int = -1,
) -> ToolAttempt:
    """Return what a hook's payload says that a tool would do."""
    given = payload.get("tool_input")
    # A tool whose input is a text alone, such as a patch.
    values = given if isinstance(given, dict) else {"input": given}
    name = payload.get("tool_name")
    tool = name if isinstance(name, str) else ""
    command = values.get("command", payload.get("command"))
    if isinstance(command, list):  # an argument vector: `bash -lc …`
        command = " ".join(_quote_word(str(word)) for word in command)
    line = command if isinstance(command, str) else ""
    deed = ""
    if line.isidentifier() and _is_editor(tool, values):
        has_deed = any(word in line for word in _EDITOR_DEEDS)
        deed, line = line if has_deed else f"{line} {tool}", ""
    texts = [value for value in values.values() if isinstance(value, str)]
    if is_patch_tool := "patch" in verdict.split_name(tool):
        patches = [text for text in texts if text.lstrip().startswith(_PATCH)]
        line = "" if line in patches else line  # the tool's own field for a patch
    else:
        fields = (values.get(field) for field in _PATCH_FIELDS)
        patches = [
            text for text in fields if isinstance(text, str) and text.lstrip().startswith(_PATCH)
        ]
    paths = [] if line else list(_iter_touched_paths(deed or tool, values))
    paths += [path for patch in patches for path in verdict.iter_patch_paths(patch)]
    is_file = bool(paths) or is_patch_tool
    if line:
        elsewhere = next((values[f] for f in _FOLDER_FIELDS if _is_filled_text(values.get(f))), "")
        there = os.path.normpath(os.path.join(folder, expand_home(str(elsewhere))))
        branch = find_branch(there) if elsewhere and there != folder else branch
        folder = there if elsewhere else folder
    # What other tools are given, such as a question or a task for an agent, only mentions things.
    runs_text = not _RUNNING.isdisjoint(verdict.split_name(tool)) or "url" in values
    attempt = ToolAttempt(
        tool=tool,
        command=line,
        paths=paths,
        text="\n".join(texts)[:_TEXT_CHARS] if runs_text and not (line or is_file) else "",
        folder=folder,
        root=root,
        branch=branch,
        day=day,
        weekday=weekday,
        minute=minute,
        only_talks=table.only_talks(tool),
    )
    add_script_steps(attempt)
    return attempt


def add_script_steps(attempt: ToolAttempt) -> None:
    """Add to a use what the scripts of the project run that its command line starts."""
    if any(step.program in _STARTING or "/" in step.path for step in attempt.invocations):
        from gieok.hook.project_scripts import list_script_invocations  # few lines start one

        attempt.invocations += list_script_invocations(attempt.invocations, attempt.folder)


def build_trial(payload: "Mapping[str, object]", attempt: ToolAttempt) -> "dict[str, object]":
    """Return a use of a tool as parameters of `gieok rules try`, run where the tool would run."""
    if attempt.command:
        return {"tool": attempt.tool, "command_line": attempt.command}
    if attempt.paths:
        return {"tool": attempt.tool, "edit": [path.path for path in attempt.paths[:_MOST_PATHS]]}
    given = json.dumps(payload.get("tool_input"), ensure_ascii=False, default=str)
    return {"tool": attempt.tool, "given": given[:_USE_CHARS]}  # a model alone reads it


def describe_tool_use(tool: str, command: str, paths: "Sequence[str]", given: str) -> str:
    """Return a use of a tool as a model reads it: a command alone, else the tool's name first."""
    return command[:_USE_CHARS] or f"{tool}: {', '.join(paths) or given}"[:_USE_CHARS]


def _is_editor(tool: str, values: "Mapping[str, object]") -> bool:
    """Return whether a tool edits files by commands of its own, and runs none of a shell's."""
    has_path = any(_is_filled_text(values.get(field)) for field in touched.PATH_FIELDS)
    return has_path and any(word in tool.lower() for word in touched.EDITING)


def _is_filled_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _iter_touched_paths(tool: str, values: "Mapping[str, object]") -> "Iterator[TouchedPath]":
    for field in touched.PATH_FIELDS:
        given = values.get(field)
        for each in given if isinstance(given, list) else (given,):
            if isinstance(each, dict):
                rows = (each.get(name) for name in touched.PATH_FIELDS)
                yield from (
                    _build_touched_path(tool, path) for path in rows if _is_filled_text(path)
                )
            elif _is_filled_text(each):
                yield _build_touched_path(tool, each)
    is_moved = touched.is_moving(tool)
    if is_moved or "copy" in tool.lower():
        for field in (*_SOURCES, *_TARGETS):
            if _is_filled_text(values.get(field)):
                taken = DELETE if is_moved else READ
                deed = taken if field in _SOURCES else WRITE
                yield TouchedPath(deed, str(values[field]), is_tree=deed == DELETE)


def _build_touched_path(tool: str, path: object) -> TouchedPath:
    deed = touched.find_tool_deed(tool)
    return TouchedPath(deed, str(path), is_tree=deed == DELETE)


def _quote_word(word: str) -> str:
    return word if word.isalnum() else "'" + word.replace("'", "'\\''") + "'"


def loosens_rules(use: ToolAttempt, home: str) -> bool:
    """Return whether a tool may loosen rules of the user's.

    By a command of Gieok's that does more than read, through a shell or a tool of that name, or by
    changing files: in Gieok's home, in the `.gieok` folder of a project, or in the settings that
    say which hooks an agent runs.
    """
    if use.is_unread and "gieok" in use.command:
        return True
    if any(_is_loosening(step.program, step.arguments) for step in use.invocations):
        return True
    words = set(verdict.split_name(use.tool))
    if "gieok" in words and any({first, second} <= words for first, second in _LOOSENING_TOOLS):
        return True
    return any(
        each.deed in (WRITE, DELETE) and _guards_rules(_split_path(each, step), home, each.deed)
        for step in use.list_steps()
        for each in step.touched
    )


def _is_loosening(program: str, arguments: "Sequence[str]") -> bool:
    if program not in ("gieok", "gieok.exe"):
        return False
    parsed = CommandWords("gieok", arguments)
    if parsed.has_flag("--help") or parsed.has_flag("--version"):
        return False
    names = parsed.words[:2]
    if names in ([], ["rules"]):
        return False
    return not {names[0], " ".join(names)} & (READING_COMMANDS | _ADDING_COMMANDS)


def _split_path(touched: TouchedPath, step: "verdict.ToolStep") -> "list[str]":
    """Return the parts of an absolute path, with patterns as they are written."""
    path = os.path.join(step.folder, expand_home(touched.path))
    return os.path.normpath(path).replace(os.sep, "/").rstrip("/").split("/")


def _guards_rules(parts: "Sequence[str]", home: str, deed: str) -> bool:
    """Return whether rules, or the hooks that hold them, depend on what a path names."""
    own = os.path.abspath(home).replace(os.sep, "/").split("/")
    if (len(parts) >= len(own) or deed == DELETE) and all(map(_fits_part, own, parts)):
        return True
    named = [part for part in parts if part.strip("*")]
    if any(part in ("$GIEOK_HOME", "${GIEOK_HOME}") for part in named):
        return True
    if any(_fits_part(name, part) for part in named for name in _GUARDED):
        return True
    return any(
        _guards_hooks(part, parts[place - 1], parts[place + 1 :], deed)
        for place, part in enumerate(parts)
        if part.strip("*")
    )


def _guards_hooks(part: str, above: str, below: "Sequence[str]", deed: str) -> bool:
    """Return whether a part of a path is an agent's folder, and what is below says its hooks."""
    is_agents = any(_fits_part(name, part) for name in _AGENT_FOLDERS)
    if not is_agents and _AGENT_SUBFOLDERS.get(part) != above:
        return False
    if below and _fits_part(_PROFILES, below[0]):
        below = below[2:]
    if not below:
        return deed == DELETE
    return any(
        _fits_part(name, below[0]) for name in (*_HOOK_SETTINGS, *_OWN_SETTINGS.get(part, ()))
    )


def _fits_part(name: str, pattern: str) -> bool:
    """Return whether a part of a path, as a shell reads it, may be a name."""
    if name == pattern:
        return True
    if not any(char in pattern for char in "*?[{") or pattern.startswith(".") < name.startswith(
        "."
    ):
        return False
    return fnmatchcase(name, re.sub(r"\{[^}]*\}?", "*", pattern))


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
