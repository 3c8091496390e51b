"""Building blocks of agents' installs: hooks in settings, an MCP server, and files.

The module also recognises which of them in a file are Gieok's.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from gieok.agents import table
from gieok.agents.install.change import (
    Edit,
    ExtraFile,
    Item,
    JsonItems,
    WholeFile,
    parse_json_members,
)
from gieok.agents.transcripts.fields import read_object_field
from gieok.text import jsonc

_SECONDS = {table.PROMPT: 5, table.SESSION_START: 10, table.PRE_COMPACT: 10}
_OTHER_S = 3
#: Command of the prompt hook among the commands of a plugin, in JavaScript and in Python.
_PLUGIN_COMMAND = re.compile(rf'"{table.PROMPT}": ("(?:[^"\\]|\\.)*")')
#: Time limits of the hooks of a plugin, in seconds.
_PLUGIN_LIMITS = re.compile(r"^(?:const )?TIMEOUT_S(?:: [^=\n]+)? = (\{.*\});?$", re.MULTILINE)
#: Line of a plugin that stands for a file which the plugins share.
_SHARED_PART = "// gieok: "


class OwnCommand(NamedTuple):
    """How to call this very Gieok from another program: the command's words, and its
    environment.
    """

    words: tuple[str, ...]
    environment: Mapping[str, str]

    def line(self, event: str, agent: str) -> str:
        """Return the hook's command line for a shell."""
        return self.typed("hook", event, "--agent", agent)

    def typed(self, *arguments: str) -> str:
        """Return a command line for a shell."""
        settings = " ".join(
            f"{name}={shlex.quote(value)}" for name, value in self.environment.items()
        )
        return f"{settings} {' '.join(map(shlex.quote, (*self.words, *arguments)))}".strip()

    def server(self) -> dict[str, object]:
        """Return the MCP server as most agents write it."""
        row: dict[str, object] = {"command": self.words[0], "args": [*self.words[1:], "mcp"]}
        return {**row, "env": dict(self.environment)} if self.environment else row


class InstallPlace(NamedTuple):
    """Where to install: the user's home, or a project's folder."""

    folder: Path
    is_project: bool
    environment: Mapping[str, str]

    def below(self, variable: str, usual: str) -> Path:
        """Return the agent's folder at this place.

        For the user the agent's environment variable names the folder; otherwise the folder has the
        usual name.
        """
        moved = "" if self.is_project else self.environment.get(variable, "")
        return Path(moved).expanduser() if moved else self.folder / usual


def get_hook_timeout_s(event: str) -> int:
    """Return how many seconds an agent may wait for a hook."""
    return _SECONDS.get(event, _OTHER_S)


def build_hook_groups(
    call: OwnCommand, agent: str, *, units_per_second: int = 1, **more: str
) -> dict[str, dict[str, object]]:
    """Return a group with Gieok's hook for each native event of an agent.

    The form is that of Claude Code and of agents modelled on it. A timeout is always set: the
    default timeout is minutes.
    """
    groups: dict[str, dict[str, object]] = {}
    for event, native in table.BY_NAME[agent].events.items():
        timeout = units_per_second * get_hook_timeout_s(event)
        hook = {"type": "command", **more, "command": call.line(event, agent), "timeout": timeout}
        groups[native] = {"hooks": [hook]}
    return groups


class HookItem(Item):
    """Hook of Gieok's in the list of an event."""

    def is_ours(self, found: object) -> bool:
        """Return whether an entry of the list runs `gieok hook …`, and nothing else."""
        return is_own_hook_entry(found)


class HookEntries(Edit):
    """Hooks of Gieok's in an agent's JSON settings.

    `entries` maps each native event to the entry for its list, and `first` is the member with
    which a new file begins.
    """

    def __init__(
        self, path: Path, entries: Mapping[str, object], first: tuple[str, object] | None = None
    ) -> None:
        super().__init__(path)
        items = [
            HookItem(("hooks", native), entry, append=True) for native, entry in entries.items()
        ]
        self._items = JsonItems(path, items, first)

    def add(self, now: str) -> str:
        """Return the settings with an entry in each event's list."""
        return self._items.add(now)

    def list_shorter_hooks(self, now: str) -> list[str]:
        """Return the native events whose installed hook may take less time than a new one gets."""
        groups = parse_json_members(now).get("hooks")
        return [
            item.place[-1]
            for item in self._items.items
            if isinstance(groups, dict)
            and isinstance(found := groups.get(item.place[-1]), list)
            and any(
                is_own_hook_entry(entry) and _read_timeout(entry) < _read_timeout(item.value)
                for entry in found
            )
        ]

    def remove(self, now: str) -> str:
        """Return the settings without the hooks, also inside groups that hold a user's hooks."""
        now = self._items.remove(now)
        for inside in _iter_hook_groups(parse_json_members(now)):
            now = jsonc.drop_jsonc_value(now, inside, is_own_hook_entry)
        return now


class ScriptFile(WholeFile):
    """Program of Gieok's that runs inside of an agent: `name` names its text, with its constants.

    The constants say where it was installed, and are no part of its release.
    """

    def __init__(self, path: Path, name: str, **constants: object) -> None:
        super().__init__(path, script(name, **constants))
        self._constants = frozenset(constants)

    def is_outdated(self, now: str) -> bool:
        """Return whether the file holds the program of another release, or one that was changed."""
        return self.has_part(now) and self._cut_constants(now) != self._cut_constants(self.text)

    def _cut_constants(self, text: str) -> list[str]:
        return [line for line in text.splitlines() if _find_constant(line) not in self._constants]


class PluginFile(ScriptFile):
    """Plugin of Gieok's that calls the hooks of an agent.

    `name` names the text of the plugin; `more` are further constants of it.
    """

    def __init__(self, path: Path, name: str, call: OwnCommand, agent: str, **more: object) -> None:
        self._natives = table.BY_NAME[agent].events
        self._limits_s = {event: get_hook_timeout_s(event) for event in self._natives}
        super().__init__(
            path,
            name,
            COMMANDS={event: call.line(event, agent) for event in self._natives},
            TIMEOUT_S=self._limits_s,
            PROGRAM=call.words,
            ENVIRONMENT=dict(call.environment),
            **more,
        )

    def has_part(self, now: str) -> bool:
        """Return whether the file calls Gieok's prompt hook."""
        return bool(parse_plugin_command(now))

    def list_shorter_hooks(self, now: str) -> list[str]:
        """Return the native events whose installed hook may take less time than a new one gets.

        Earlier releases wrote limits in another way, and not for every event.
        """
        if not parse_plugin_command(now):
            return []
        match = _PLUGIN_LIMITS.search(now)
        limits = read_object_field(json.loads(match[1])) if match else {}
        return [
            self._natives[event]
            for event, limit_s in self._limits_s.items()
            if not isinstance(found := limits.get(event), int | float) or found < limit_s
        ]


def _read_timeout(entry: object) -> float:
    """Return the time limit of a hook, in the agent's unit; infinity where it has none."""
    if not isinstance(entry, dict):
        return float("inf")
    inner = entry.get("hooks")
    if isinstance(inner, list):
        return min(map(_read_timeout, inner), default=float("inf"))
    limit = entry.get("timeout")
    return float(limit) if isinstance(limit, int | float) else float("inf")


class ServerItem(Item):
    """MCP server of Gieok's in a JSON file."""

    def is_ours(self, found: object) -> bool:
        """Return whether a server runs `gieok mcp`."""
        return is_own_server(found)


class JsonServer(Edit):
    """MCP server of Gieok's in an agent's JSON settings.

    `group` is the member that holds all servers, and `first` the member with which a new file
    begins.
    """

    is_server = True

    def __init__(
        self,
        path: Path,
        row: object,
        group: str = "mcpServers",
        first: tuple[str, object] | None = None,
    ) -> None:
        super().__init__(path)
        self.group = group
        self._items = JsonItems(path, [ServerItem((group, "gieok"), row)], first)

    def add(self, now: str) -> str:
        """Return the settings with the server.

        Raises ValueError where a server of the same name is not Gieok's.
        """
        if "gieok" in read_object_field(parse_json_members(now).get(self.group)):
            raise ValueError("there is an MCP server called gieok already, which is not ours")
        return self._items.add(now)

    def remove(self, now: str) -> str:
        """Return the settings without the server."""
        return self._items.remove(now)


def read_install_text(name: str) -> str:
    """Return the packaged text of a file that an install writes."""
    return (files("gieok.agents.install") / "texts" / name).read_text(encoding="utf-8")


def build_skill_edit(folder: Path) -> Edit:
    """Return the edit for the skill that searches memory, below an agent's folder."""
    return ExtraFile(
        folder / "skills" / "memory-search" / "SKILL.md", read_install_text("skill.md")
    )


def is_ours(line: str) -> bool:
    """Return whether a command line is one that `OwnCommand.line` writes, with any program path.

    A user's own command that calls Gieok among other things is the user's.
    """
    try:
        words = shlex.split(line)
    except ValueError:
        return False
    while words and "=" in words[0]:
        words = words[1:]
    if words[1:3] == ["-m", "gieok"]:
        words = [words[2], *words[3:]]
    return (
        len(words) == 5
        and Path(words[0]).name in ("gieok", "gieok.exe")
        and (words[1], words[3]) == ("hook", "--agent")
        and words[2] in table.EVENTS
        and words[4] in table.HOOKED
    )


def is_own_hook_entry(value: object) -> bool:
    """Recognise a hook of Gieok's: its command is `gieok hook …`, alone or in a group of its
    own.
    """
    if not isinstance(value, dict):
        return False
    inner = value.get("hooks")
    if isinstance(inner, list):
        return bool(inner) and all(map(is_own_hook_entry, inner))
    return is_ours(str(value.get("command", "")))


def is_own_server(value: object) -> bool:
    """Recognise Gieok's MCP server: `gieok mcp`, or Python with `-m gieok mcp`.

    The command may be one list.
    """
    if not isinstance(value, dict):
        return False
    parts = [
        part if isinstance(part, list) else [part]
        for part in (value.get("command", ""), value.get("args", []))
    ]
    words = [str(word) for part in parts for word in part]
    return words[-1:] == ["mcp"] and (
        Path(words[0]).stem == "gieok" or words[-3:-1] == ["-m", "gieok"]
    )


def _iter_hook_groups(settings: Mapping[str, object]) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths of the lists of commands inside groups, the last group of an event first.

    A user may have added a command of their own to Gieok's group.
    """
    for event, groups in read_object_field(settings.get("hooks")).items():
        for place in reversed(range(len(groups))) if isinstance(groups, list) else ():
            yield ("hooks", event, place, "hooks")


def parse_prompt_command(settings: str) -> str:
    """Return the command of Gieok's prompt hook in JSON settings; '' where there is none."""
    try:
        data = jsonc.load_jsonc(settings)
    except ValueError:
        return ""
    return next(
        (
            line
            for line in _iter_settings_commands(data)
            if is_ours(line) and f"hook {table.PROMPT} " in line
        ),
        "",
    )


def parse_plugin_command(text: str) -> str:
    """Return the command of Gieok's prompt hook in a plugin; '' where there is none."""
    match = _PLUGIN_COMMAND.search(text)
    line = str(json.loads(match[1])) if match else ""
    return line if is_ours(line) else ""


def _iter_settings_commands(data: object) -> Iterator[str]:
    """Yield every command in the settings."""
    if isinstance(data, dict):
        if isinstance(data.get("command"), str):
            yield data["command"]
        for value in data.values():
            yield from _iter_settings_commands(value)
    elif isinstance(data, list):
        for value in data:
            yield from _iter_settings_commands(value)


def script(name: str, **values: object) -> str:
    """Return a plugin's text with the given values in place of its constants.

    A constant is a line `const NAME = …;` in JavaScript and `NAME = …` in Python. A line
    `// gieok: FILE` stands for that file, which the plugins share.
    """
    lines = _read_plugin(name).split("\n")
    for number, line in enumerate(lines):
        if line.startswith(_SHARED_PART):
            lines[number] = _read_plugin(line.removeprefix(_SHARED_PART)).rstrip("\n")
            continue
        constant = _find_constant(line)
        if constant in values:
            begin, end = line.partition(" = ")[0], ";" if line.startswith("const ") else ""
            lines[number] = f"{begin} = {json.dumps(values[constant], ensure_ascii=False)}{end}"
    return "\n".join(lines)


def _find_constant(line: str) -> str:
    """Return the name of the constant that a line of a program gives its value; '' for none."""
    name, mark, _ = line.removeprefix("const ").partition(" = ")
    return name.partition(":")[0] if mark else ""


def _read_plugin(name: str) -> str:
    return (files("gieok.agents") / "plugins" / name).read_text(encoding="utf-8")
