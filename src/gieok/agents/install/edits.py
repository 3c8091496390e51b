"""Building blocks of agents' installs: hooks in settings, an MCP server, and files.

The module also recognises which of them in a file are Gieok's.
"""

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from gieok.agents import table
from gieok.agents.install.change import Edit, Item, json_items, parse_json_members
from gieok.agents.transcripts.fields import read_object_field
from gieok.text import jsonc

_SECONDS = {table.PROMPT: 5, table.SESSION_START: 10}
_OTHER_S = 3


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


def build_hook_command(
    call: OwnCommand, agent: str, event: str, *, units_per_second: int = 1, **more: str
) -> dict[str, object]:
    """Return a hook in the form that Claude Code and agents modelled on it use.

    A timeout is always set: the default timeout is minutes.
    """
    timeout = units_per_second * _SECONDS.get(event, _OTHER_S)
    return {"type": "command", **more, "command": call.line(event, agent), "timeout": timeout}


def hooks(
    path: Path, agent: str, entry: Callable[[str], object], first: tuple[str, object] | None = None
) -> Edit:
    """Return the edit that adds `entry(event)` to each event's list.

    `first` is the member with which a new file begins.
    """
    events = table.BY_NAME[agent].events.items()
    edit = json_items(
        path,
        [
            Item(("hooks", native), entry(event), _is_own_hook_entry, append=True)
            for event, native in events
        ],
    )

    def remove(now: str) -> str:
        now = edit.remove(now)
        for inside in _iter_hook_groups(parse_json_members(now)):
            now = jsonc.drop_jsonc_value(now, inside, _is_own_hook_entry)
        return now

    return Edit(path, lambda now: edit.add(begun(now, first)), remove)


def begun(now: str, first: tuple[str, object] | None) -> str:
    """Return a file's text; a blank text becomes an object with the member `first`."""
    return (
        jsonc.put_jsonc_value(now, (first[0],), first[1], append=False)
        if first and not now.strip()
        else now
    )


def server(
    path: Path, row: object, group: str = "mcpServers", first: tuple[str, object] | None = None
) -> Edit:
    """Return the edit that adds Gieok's MCP server.

    A server of the same name that is not Gieok's is not touched.
    """
    edit = json_items(path, [Item((group, "gieok"), row, is_server)])

    def add(now: str) -> str:
        if "gieok" in read_object_field(parse_json_members(now).get(group)):
            raise ValueError("there is an MCP server called gieok already, which is not ours")
        return edit.add(begun(now, first))

    return Edit(path, add, edit.remove)


def both(one: Edit, other: Edit) -> Edit:
    """Return two edits of one file as one edit."""
    return Edit(
        one.path, lambda now: other.add(one.add(now)), lambda now: one.remove(other.remove(now))
    )


def read_install_text(name: str) -> str:
    """Return the packaged text of a file that an install writes."""
    return (files("gieok.agents.install") / "texts" / name).read_text(encoding="utf-8")


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


def _is_own_hook_entry(value: object) -> bool:
    """Recognise a hook of Gieok's: its command is `gieok hook …`, alone or in a group of its
    own.
    """
    if not isinstance(value, dict):
        return False
    inner = value.get("hooks")
    if isinstance(inner, list):
        return bool(inner) and all(map(_is_own_hook_entry, inner))
    return is_ours(str(value.get("command", "")))


def is_server(value: object) -> bool:
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
    """Return a plugin's text, with each `const NAME = …;` set to the value given for that name."""
    text = (files("gieok.agents") / "plugins" / name).read_text(encoding="utf-8")
    lines = text.split("\n")
    for number, line in enumerate(lines):
        constant = line.removeprefix("const ").partition(" = ")[0]
        if line.startswith("const ") and constant in values:
            lines[number] = (
                f"const {constant} = {json.dumps(values[constant], ensure_ascii=False)};"
            )
    return "\n".join(lines)
