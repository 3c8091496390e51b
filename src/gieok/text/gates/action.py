"""What a rule forbids: commands, paths, branches, environments, machines, tools; and the rule.

Plain classes with rows for JSON, because the hook reads them from one small file at every tool call
and `dataclasses` costs it milliseconds.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

#: What a rule does: stop the tool, ask the person first, or remind the agent beside it.
STOP, ASK, REMIND, NONE = "stop", "ask", "remind", "none"
#: What must not happen to a path, beside the deeds of `programs`.
ANY, CHANGE, CREATE = "any", "change", "create"
#: Begins a path that is meant itself, and not what lies below it.
EXACT = "="
#: Path of everything outside of the project.
OUTSIDE = "/.."
#: Begins a mention that is the whole name of a package.
PACKAGE = "package:"


class CommandPattern:
    """Commands that a rule names.

    `program` '' is any program; `words` are the words that follow it in this order; `flags` are
    options that must be set, in any spelling; `lacks` are options and words that must not be there.
    `script` is a word in the name of a script or of a task (`npm run deploy:web`); `sql` are the
    first words of an SQL statement; `into` is the program that the output is piped into; `fewest`
    is how many words must follow `words`. `is_literal`: the user wrote the command as it is typed.
    `is_whole`: the command runs on everything, and names no file.
    """

    __slots__ = (
        "fewest",
        "flags",
        "into",
        "is_literal",
        "is_whole",
        "lacks",
        "program",
        "script",
        "sql",
        "words",
    )

    def __init__(
        self,
        program: str = "",
        words: "Iterable[str]" = (),
        flags: "Iterable[str]" = (),
        *,
        script: str = "",
        sql: str = "",
        into: str = "",
        fewest: int = 0,
        lacks: "Iterable[str]" = (),
        is_literal: bool = False,
        is_whole: bool = False,
    ) -> None:
        self.program = program
        self.words = tuple(words)
        self.flags = tuple(flags)
        self.script = script
        self.sql = sql
        self.into = into
        self.fewest = fewest
        self.lacks = tuple(lacks)
        self.is_literal = is_literal
        self.is_whole = is_whole

    def build_row(self) -> "dict[str, object]":
        """Return the pattern as JSON, without what is empty."""
        return _build_filled_row(self, self.__slots__)

    @classmethod
    def from_row(cls, row: "Mapping[str, Any]") -> "CommandPattern":
        """Return the pattern of a row. Raises TypeError for a row of other types."""
        return cls(**_check_row(row, texts=("words", "flags", "lacks")))


class Action:
    """One thing that must not happen; all that is given must be met, each by one of its values.

    `deed` says what happens to one of `paths`. `branches` are branches of Git, `environments` words
    such as `production`, `hosts` names of machines, `tools` words of the names of tools;
    `mentions` are words that the command must hold (`e2e`).
    """

    __slots__ = (
        "branches",
        "commands",
        "deed",
        "environments",
        "hosts",
        "mentions",
        "paths",
        "tools",
    )

    def __init__(
        self,
        commands: "Iterable[CommandPattern]" = (),
        *,
        deed: str = "",
        paths: "Iterable[str]" = (),
        branches: "Iterable[str]" = (),
        environments: "Iterable[str]" = (),
        hosts: "Iterable[str]" = (),
        tools: "Iterable[str]" = (),
        mentions: "Iterable[str]" = (),
    ) -> None:
        self.commands = tuple(commands)
        self.deed = deed
        self.paths = tuple(paths)
        self.branches = tuple(branches)
        self.environments = tuple(environments)
        self.hosts = tuple(hosts)
        self.tools = tuple(tools)
        self.mentions = tuple(mentions)

    def build_row(self) -> "dict[str, object]":
        """Return the action as JSON, without what is empty."""
        row = _build_filled_row(self, self.__slots__)
        if self.commands:
            row["commands"] = [pattern.build_row() for pattern in self.commands]
        return row

    @classmethod
    def from_row(cls, row: "Mapping[str, Any]") -> "Action":
        """Return the action of a row. Raises TypeError for a row of other types."""
        _check_row({**row, "commands": []}, texts=(set(cls.__slots__) - {"deed"}))
        patterns = [CommandPattern.from_row(each) for each in row.get("commands", ())]
        return cls(**{**row, "commands": patterns})


class ActionRule:
    """Rule about actions: the user's words, what it does, and when.

    `unless` are actions that the rule itself allows; `needed` are commands that must have run
    earlier in the same line ("without running the tests"). `days` are weekdays (Monday is 0) on
    which alone the rule holds, `hours` the minutes of the day from and until which it holds (over
    midnight where the first is the larger), `until` is its last day (ISO), '' for none. `folder`
    is a folder in which alone it holds, `project` the name of a project, `branches` are branches
    of Git on which alone it holds. `sense` are the words that a model holds against a tool's use
    of which `actions` say nothing, '' for none, and `allowed` what the same message says to be
    fine.
    """

    __slots__ = (
        "actions",
        "allowed",
        "branches",
        "days",
        "folder",
        "hours",
        "is_everywhere",
        "mode",
        "needed",
        "project",
        "sense",
        "text",
        "unless",
        "until",
    )

    def __init__(
        self,
        text: str,
        mode: str,
        actions: "Iterable[Action]",
        *,
        unless: "Iterable[Action]" = (),
        needed: "Iterable[CommandPattern]" = (),
        days: "Iterable[int]" = (),
        hours: "Iterable[int]" = (),
        until: str = "",
        folder: str = "",
        project: str = "",
        branches: "Iterable[str]" = (),
        is_everywhere: bool = False,
        sense: str = "",
        allowed: "Iterable[str]" = (),
    ) -> None:
        self.text = text
        self.mode = mode
        self.actions = tuple(actions)
        self.unless = tuple(unless)
        self.needed = tuple(needed)
        self.days = tuple(days)
        self.hours = tuple(hours)
        self.until = until
        self.folder = folder
        self.project = project
        self.branches = tuple(branches)
        self.is_everywhere = is_everywhere
        self.sense = sense
        self.allowed = tuple(allowed)

    def keep_actions(self, actions: "Iterable[Action]") -> "ActionRule":
        """Return the rule about some of its actions alone."""
        kept = ActionRule.__new__(ActionRule)
        for name in self.__slots__:
            setattr(kept, name, getattr(self, name))
        kept.actions = tuple(actions)
        return kept

    def build_row(self) -> "dict[str, object]":
        """Return the rule as JSON, without what is empty."""
        row = _build_filled_row(self, self.__slots__)
        for name in ("actions", "unless", "needed"):
            if name in row:
                row[name] = [part.build_row() for part in getattr(self, name)]
        return row

    @classmethod
    def from_row(cls, row: "Mapping[str, Any]") -> "ActionRule":
        """Return the rule of a row. Raises TypeError for a row of other types."""
        plain = {name: row[name] for name in row if name not in ("actions", "unless", "needed")}
        _check_row(plain, texts=("allowed", "branches"), numbers=("days", "hours"))
        parts = dict(row)
        for name in ("actions", "unless"):
            parts[name] = [Action.from_row(part) for part in row.get(name, ())]
        parts["needed"] = [CommandPattern.from_row(part) for part in row.get("needed", ())]
        return cls(**parts)


#: Fields that are no text and no list.
_SWITCHES = {"is_literal": bool, "is_whole": bool, "is_everywhere": bool, "fewest": int}


def _check_row(
    row: "Mapping[str, Any]", *, texts: "Iterable[str]", numbers: "Iterable[str]" = ()
) -> "Mapping[str, Any]":
    """Return a row whose values have the types that they are written with. Raises TypeError."""
    kinds: dict[str, type] = {**dict.fromkeys(texts, str), **dict.fromkeys(numbers, int)}
    for name, value in row.items():
        kind = kinds.get(name)
        is_right = (
            isinstance(value, list) and all(isinstance(each, kind) for each in value)
            if kind
            else isinstance(value, _SWITCHES.get(name, str))
        )
        if not is_right:
            raise TypeError(name)
    return row


def _build_filled_row(record: object, names: "Iterable[str]") -> "dict[str, object]":
    row: dict[str, object] = {}
    for name in names:
        value = getattr(record, name)
        if value:
            row[name] = list(value) if isinstance(value, tuple) else value
    return row
