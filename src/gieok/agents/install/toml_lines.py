"""Edits of TOML files that other programs keep, table by table, so that comments stay.

Tables of Gieok's stand at the end of a file, and are recognised by their content, not by marker
comments around them: the program rewrites its file, and would put other tables between the markers.
A parser reads the file before and after: a change that reaches anything else is not made.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gieok.agents.install import edits
from gieok.agents.install.change import Edit
from gieok.agents.transcripts.fields import read_object_field, read_text_field

_HOOKS = re.compile(r"\s*\[\[\s*hooks\s*\]\]\s*(?:#.*)?$")
_TABLE = re.compile(r"\s*\[")
_UNKNOWN = "the file is written in a way that is not known"


class TomlServer(Edit):
    """MCP server of Gieok's as a table of a TOML file."""

    is_server = True

    def __init__(self, path: Path, lines: Sequence[str], group: str = "mcp_servers") -> None:
        super().__init__(path)
        self.lines = lines
        self.group = group

    def add(self, now: str) -> str:
        """Return the file's text with the table. Raises ValueError where its name is taken."""
        name = f"{self.group}.gieok"
        if self._take_server(_parse_toml_settings(now)) is not None:
            raise ValueError(f"there is a [{name}] already, which is not ours")
        # Fails for a text such as `mcp_servers = {}`, to which no further table can be added.
        return _append_tables(now, [(f"[{name}]", *self.lines)])

    def remove(self, now: str) -> str:
        """Return the file's text without the table and the empty line before it.

        Raises ValueError where the table is left, or anything else would change.
        """
        was = _parse_toml_settings(now)
        if not edits.is_own_server(self._take_server(was)):
            return now
        header = re.compile(rf"\s*\[\s*{self.group}\s*\.\s*[\"']?gieok[\"']?\s*[.\]]")
        lines = now.splitlines(keepends=True)
        after = _cut_tables(lines, list(_iter_tables(lines, header)))
        read = _parse_cut_settings(after)
        if self._take_server(read) is not None or repr(was) != repr(read):
            raise ValueError(_UNKNOWN)
        return after

    def has_part(self, now: str) -> bool:
        """Return whether the file names the server, in whichever form."""
        return edits.is_own_server(self._take_server(_parse_toml_settings(now)))

    def _take_server(self, settings: dict[str, Any]) -> object:
        """Take the server out of settings, and its group where nothing else is in it."""
        group = settings.get(self.group)
        if not isinstance(group, dict):
            return None
        server = group.pop("gieok", None)
        if not group:
            settings.pop(self.group)
        return server


class TomlHooks(Edit):
    """Hooks of Gieok's as tables `[[hooks]]` of a TOML file."""

    def __init__(self, path: Path, hooks: Sequence[Mapping[str, object]]) -> None:
        super().__init__(path)
        self.hooks = hooks

    def add(self, now: str) -> str:
        """Return the file's text with the hooks. Raises ValueError where they fit nowhere."""
        settings = _parse_toml_settings(now)
        hooks = _list_hooks(settings)
        if hooks and not any(_HOOKS.match(line) for line in now.splitlines()):
            raise ValueError("`hooks` is not written as tables `[[hooks]]`")
        if not hooks and "hooks" in settings:
            raise ValueError("`hooks` is written as an empty value: take the line out")
        fields = [
            [f"{name} = {json.dumps(value)}" for name, value in h.items()] for h in self.hooks
        ]
        return _append_tables(now, [("[[hooks]]", *lines) for lines in fields])

    def remove(self, now: str) -> str:
        """Return the file's text without the hooks, and the empty line before them.

        Raises ValueError where one of them is left, or anything else would change.
        """
        lines = now.splitlines(keepends=True)
        tables = _iter_tables(lines, _HOOKS)
        own = [
            (first, end) for first, end in tables if edits.is_ours(_read_command(lines[first:end]))
        ]
        after = _cut_tables(lines, own)
        was, read = _parse_toml_settings(now), _parse_cut_settings(after)
        others = [hook for hook in _list_hooks(was) if not _is_own_hook(hook)]
        left = _list_hooks(read)
        if any(map(_is_own_hook, left)):
            raise ValueError("a hook of Gieok's is written in a way that is not known")
        was.pop("hooks", None), read.pop("hooks", None)
        if repr(others) != repr(left) or repr(was) != repr(read):
            raise ValueError(_UNKNOWN)
        return after

    def has_part(self, now: str) -> bool:
        """Return whether the file holds a hook of Gieok's, in whichever form."""
        return any(map(_is_own_hook, _list_hooks(_parse_toml_settings(now))))

    def list_shorter_hooks(self, now: str) -> list[str]:
        """Return the native events whose installed hook may take less time than a new one gets.

        Raises ValueError.
        """
        there = [*filter(_is_own_hook, _list_hooks(_parse_toml_settings(now)))]
        return [
            str(hook["event"])
            for hook in self.hooks
            if any(
                found.get("event") == hook["event"]
                and isinstance(limit := found.get("timeout"), int | float)
                and limit < float(str(hook["timeout"]))
                for found in map(read_object_field, there)
            )
        ]


def iter_hook_commands(text: str) -> Iterator[str]:
    """Yield the command of each table `[[hooks]]` of a file."""
    lines = text.splitlines(keepends=True)
    for first, end in _iter_tables(lines, _HOOKS):
        yield _read_command(lines[first:end])


def _parse_toml_settings(text: str) -> dict[str, Any]:
    """Return what a file says. Raises ValueError."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"the file is no TOML: {error}") from error


def _parse_cut_settings(text: str) -> dict[str, Any]:
    """Return what is left of a file that was TOML. Raises ValueError."""
    try:
        return _parse_toml_settings(text)
    except ValueError as error:
        raise ValueError(_UNKNOWN) from error


def _append_tables(now: str, tables: Sequence[Sequence[str]]) -> str:
    """Return a file's text with tables at its end. Raises ValueError where they do not fit."""
    head = now if not now or now.endswith("\n") else now + "\n"
    added = "\n".join("\n".join(lines) + "\n" for lines in tables)
    after = f"{head}\n{added}" if head else added
    _parse_toml_settings(after)
    return after


def _iter_tables(lines: Sequence[str], header: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield the first line of each table with such a header, and the line behind its last one."""
    for first, line in enumerate(lines):
        if header.match(line):
            end = first + 1
            while end < len(lines) and not _TABLE.match(lines[end]):
                end += 1
            # Empty lines and comments before the next table are the next table's.
            while not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#"):
                end -= 1
            yield first, end


def _cut_tables(lines: Sequence[str], tables: Sequence[tuple[int, int]]) -> str:
    """Return a text without tables, and without the empty line before each."""
    left = list(lines)
    for first, end in reversed(tables):
        has_gap = first > 0 and not left[first - 1].strip()
        del left[first - has_gap : end]
    return "".join(left)


def _list_hooks(settings: Mapping[str, Any]) -> list[object]:
    """Return the hooks of settings. Raises ValueError."""
    hooks = settings.get("hooks", [])
    if not isinstance(hooks, list):
        raise ValueError("`hooks` is no list")  # noqa: TRY004 - a fault of the file
    return hooks


def _is_own_hook(hook: object) -> bool:
    return edits.is_ours(read_text_field(read_object_field(hook).get("command")))


def _read_command(lines: Sequence[str]) -> str:
    """Return the command of a hook's table; '' where there is none."""
    try:
        (hook,) = tomllib.loads("".join(lines))["hooks"]
    except (ValueError, KeyError, TypeError):
        return ""
    return read_text_field(read_object_field(hook).get("command"))
