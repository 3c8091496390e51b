"""What each coding agent needs: its settings with hooks, its MCP servers, a command that searches. A table."""

import json
import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from gieok.capabilities.prompt import agents
from gieok.capabilities.prompt.agents import EVENTS, NATIVE
from gieok.capabilities.prompt.install.change import Part, json_items, own_file, toml_table
from gieok.text import jsonc

_PROMPT_S, _SESSION_S, _OTHER_S = 5, 10, 3
_SECONDS = {agents.PROMPT: _PROMPT_S, agents.SESSION_START: _SESSION_S}


class Call(NamedTuple):
    """How to call this very Gieok from somewhere else: the program's words, and what it needs in its environment."""

    words: tuple[str, ...]
    environment: Mapping[str, str]

    def line(self, event: str, agent: str) -> str:
        """Return the hook's command line for a shell."""
        settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in self.environment.items())
        words = " ".join(map(shlex.quote, (*self.words, "hook", event, "--agent", agent)))
        return f"{settings} {words}".strip()

    def server(self) -> dict[str, object]:
        """Return the MCP server as agents write it."""
        row: dict[str, object] = {"command": self.words[0], "args": [*self.words[1:], "mcp"]}
        return {**row, "env": dict(self.environment)} if self.environment else row


class Place(NamedTuple):
    """Where to install: the user's home, or a project's folder."""

    folder: Path
    is_project: bool
    environment: Mapping[str, str]

    def below(self, variable: str, usual: str) -> Path:
        """Return the agent's folder: what its variable says for the user, the usual name otherwise."""
        moved = "" if self.is_project else self.environment.get(variable, "")
        return Path(moved).expanduser() if moved else self.folder / usual


Parts = Callable[[Place, Call], list[Part]]


def _is_hook(value: object) -> bool:
    """Recognise a hook of ours: its command is `gieok hook …`, alone or in a group of its own."""
    if not isinstance(value, dict):
        return False
    inner = value.get("hooks")
    if isinstance(inner, list):
        return bool(inner) and all(map(_is_hook, inner))
    return is_ours(str(value.get("command", "")))


def is_ours(command: str) -> bool:
    """Say whether a command line is one that `Call.line` writes, whatever the program's path.

    Somebody's own command that calls us among other things is theirs.
    """
    try:
        words = shlex.split(command)
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
        and words[2] in EVENTS
        and words[4] in NATIVE
    )


def _hooks(path: Path, agent: str, entry: Callable[[str], object], *, first: tuple[tuple[str, int], ...] = ()) -> Part:
    items = [((name,), value, False) for name, value in first]
    rows = [(("hooks", NATIVE[agent][event]), entry(event), True) for event in EVENTS]
    part = json_items(path, rows, _is_hook)
    missing = json_items(path, items, lambda value: False)

    def add(now: str) -> str:
        return part.add(now if now.strip() or not items else missing.add(now))

    def remove(now: str) -> str:
        now = part.remove(now)
        for inside in _groups(jsonc.load(now) if now.strip() else {}):
            now = jsonc.drop(now, inside, _is_hook)
        return now

    return Part(path, add, remove)


def _groups(data: object) -> Iterator[tuple[str | int, ...]]:
    """Yield where the lists of commands inside groups are, the last of an event first: somebody may share ours."""
    events = data.get("hooks") if isinstance(data, dict) else None
    for event, groups in events.items() if isinstance(events, dict) else ():
        for place in reversed(range(len(groups))) if isinstance(groups, list) else ():
            yield ("hooks", event, place, "hooks")


def _server(path: Path, call: Call) -> Part:
    """Return the MCP server's part; one of our name that is not ours is not touched."""
    place = ("mcpServers", "gieok")
    part = json_items(path, [(place, call.server(), False)], _is_server)

    def add(now: str) -> str:
        data = jsonc.load(now) if now.strip() else {}
        servers = data.get(place[0]) if isinstance(data, dict) else None
        if isinstance(servers, dict) and place[1] in servers:
            raise ValueError("there is an MCP server called gieok already, which is not ours")
        return part.add(now)

    return Part(path, add, part.remove)


def _is_server(value: object) -> bool:
    """Recognise an MCP server of ours: `gieok mcp`, or Python with `-m gieok mcp`."""
    if not isinstance(value, dict) or not isinstance(value.get("args"), list):
        return False
    words = [str(value.get("command", "")), *map(str, value["args"])]
    return words[-1] == "mcp" and (Path(words[0]).stem == "gieok" or words[-3:-1] == ["-m", "gieok"])


def text_of(name: str) -> str:
    """Return a text that is installed as a file."""
    return (files("gieok.capabilities.prompt.install") / "texts" / name).read_text(encoding="utf-8")


def _claude_code(place: Place, call: Call) -> list[Part]:
    folder = place.below("CLAUDE_CONFIG_DIR", ".claude")
    # A project's settings.json is shared with others, who have no such program there; the local one is not.
    settings = folder / ("settings.local.json" if place.is_project else "settings.json")
    moved = place.environment.get("CLAUDE_CONFIG_DIR")
    servers = place.folder / ".mcp.json" if place.is_project else (folder if moved else place.folder) / ".claude.json"

    def entry(event: str) -> object:
        hook = {
            "type": "command",
            "command": call.line(event, agents.CLAUDE_CODE),
            "timeout": _SECONDS.get(event, _OTHER_S),
        }
        return {"hooks": [hook]}

    return [
        _hooks(settings, agents.CLAUDE_CODE, entry),
        _server(servers, call),
        own_file(folder / "commands" / "memory" / "search.md", text_of("search.md")),
        own_file(folder / "skills" / "memory-search" / "SKILL.md", text_of("skill.md")),
    ]


def _codex(place: Place, call: Call) -> list[Part]:
    folder = place.below("CODEX_HOME", ".codex")

    def entry(event: str) -> object:
        hook = {"type": "command", "command": call.line(event, agents.CODEX), "timeout": _SECONDS.get(event, _OTHER_S)}
        return {"hooks": [hook]}

    server = call.server()
    lines = [f"command = {_toml(server['command'])}", f"args = {_toml(server['args'])}"]
    if call.environment:
        pairs = ", ".join(f"{name} = {_toml(value)}" for name, value in call.environment.items())
        lines.append(f"env = {{ {pairs} }}")
    servers = toml_table(folder / "config.toml", ("mcp_servers", "gieok"), lines, _is_server)
    return [_hooks(folder / "hooks.json", agents.CODEX, entry), servers]


def _toml(value: object) -> str:
    """Return a text or a list of texts as TOML, whose texts are JSON's but for one character and the pairs of surrogates."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _gemini_cli(place: Place, call: Call) -> list[Part]:
    folder = place.folder / ".gemini"

    def entry(event: str) -> object:
        timeout_ms = 1000 * _SECONDS.get(event, _OTHER_S)
        command = call.line(event, agents.GEMINI_CLI)
        return {
            "matcher": "*",
            "hooks": [{"type": "command", "name": "gieok", "command": command, "timeout": timeout_ms}],
        }

    settings, servers = (
        _hooks(folder / "settings.json", agents.GEMINI_CLI, entry),
        _server(folder / "settings.json", call),
    )
    both = Part(
        settings.path, lambda now: servers.add(settings.add(now)), lambda now: settings.remove(servers.remove(now))
    )
    return [both, own_file(folder / "commands" / "memory" / "search.toml", text_of("search.toml"))]


def _cursor(place: Place, call: Call) -> list[Part]:
    folder = place.folder / ".cursor"
    return [
        _hooks(
            folder / "hooks.json",
            agents.CURSOR,
            lambda event: {"command": call.line(event, agents.CURSOR)},
            first=(("version", 1),),
        ),
        _server(folder / "mcp.json", call),
        own_file(folder / "commands" / "memory-search.md", text_of("search.md")),
    ]


#: Agent → the parts of its files that are ours.
TARGETS: dict[str, Parts] = {
    agents.CLAUDE_CODE: _claude_code,
    agents.CODEX: _codex,
    agents.GEMINI_CLI: _gemini_cli,
    agents.CURSOR: _cursor,
}
#: What a person still has to do, by agent: in English and in Korean.
NOTES = {
    agents.CODEX: (
        "Codex runs no hook that you have not trusted: type /hooks in Codex and approve gieok's",
        "Codex는 신뢰하지 않은 훅을 실행하지 않습니다: Codex에서 /hooks를 입력해 gieok의 훅을 승인하세요",
    ),
    agents.CURSOR: (
        "Cursor takes context at the start of a session; before a prompt only some versions do: the MCP tools always work",
        "Cursor는 세션을 시작할 때 문맥을 받고, 프롬프트 앞에서는 일부 버전만 받습니다: MCP 도구는 늘 됩니다",
    ),
}


def prompt_command(place: Place, agent: str) -> str:
    """Return the command of our prompt hook as it stands in the agent's settings; '' where there is none."""
    settings = TARGETS[agent](place, Call(("gieok",), {}))[0].path
    try:
        data = jsonc.load(settings.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    return next((c for c in _commands(data) if is_ours(c) and f"hook {agents.PROMPT} " in c), "")


def _commands(data: object) -> Iterator[str]:
    """Yield every command that stands in settings."""
    if isinstance(data, dict):
        if isinstance(data.get("command"), str):
            yield data["command"]
        for value in data.values():
            yield from _commands(value)
    elif isinstance(data, list):
        for value in data:
            yield from _commands(value)


def user_place() -> Place:
    """Return the user's own place."""
    return Place(Path.home(), False, os.environ)
