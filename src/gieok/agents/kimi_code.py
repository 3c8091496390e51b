"""Kimi Code: `~/.kimi-code/sessions/<folder>/<session>/agents/main/wire.jsonl`.

Its hooks stand in TOML, and one field or event that it does not know breaks all of its settings. It
drops what a hook says at the start of a session: that comes with the first prompt.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from gieok.agents import table
from gieok.agents.agent import URL, Agent, HookFiles, Rehearsal
from gieok.agents.install import edits
from gieok.agents.install.change import Edit
from gieok.agents.install.edits import InstallPlace, OwnCommand
from gieok.agents.transcripts.fields import (
    Line,
    list_content_parts,
    list_content_texts,
    read_content_text,
    read_object_field,
    read_text_field,
)
from gieok.agents.transcripts.place import TranscriptPlace
from gieok.agents.transcripts.session import (
    Format,
    Part,
    Session,
    SpokenPart,
    ToolUse,
    build_user_part,
    iter_tool_calls,
)
from gieok.model.conversation import Role

NAME = "kimi-code"

_HEADER = re.compile(r"\s*\[\[\s*hooks\s*\]\]\s*(?:#.*)?$")
_TABLE = re.compile(r"\s*\[")


class KimiFormat(Format):
    """Records of Kimi Code, protocol 1.5."""

    name = NAME
    name_parts = 4

    def begin_session(self, name: str, first: Line) -> Session | None:
        """Recognise the record of the protocol; folders of the file name session and agent."""
        parts = PurePath(name).parts
        if first.get("type") != "metadata" or "protocol_version" not in first:
            return None
        session, agent = (parts[0], parts[2]) if len(parts) == self.name_parts else ("", "main")
        ignored = "" if agent == "main" else "a sub-agent"
        identity = session or f"kimi-{first.get('created_at')}"
        return Session(id=identity, agent=NAME, ignored=ignored)

    def read_folder(self, line: Line) -> str:
        """Return the working folder that the record of the profile names; '' for none."""
        return read_text_field(read_object_field(line.get("environmentDisclosure")).get("cwd"))

    def read_parts(self, session: Session, line: Line, fallback_id: str) -> Sequence[Part]:
        """Return the parts of a record: prompts, and the messages of the turn's end."""
        identity, at = f"{session.id}/{fallback_id}", line.get("time")
        if line.get("type") == "turn.prompt":
            typed = list_content_texts(line.get("input"))
            identity = f"{session.id}/{read_text_field(line.get('promptId')) or fallback_id}"
            return (build_user_part(session, line, identity, typed, at),)
        if line.get("type") != "agent.message.appended":
            return ()
        message = read_object_field(read_object_field(line.get("message")).get("message"))
        text = read_content_text(message.get("content"))
        match message.get("role"):
            case "assistant":
                calls = list_content_parts(message.get("toolCalls"))
                return (
                    SpokenPart(identity, Role.ASSISTANT, text, at),
                    *iter_tool_calls(identity, calls, at),
                )
            case "tool":
                call_id = read_text_field(message.get("toolCallId"))
                failed = message.get("isError") is True
                return (ToolUse(identity, call_id, "tool", at, result=text, failed=failed),)
        return ()


class TomlHooks(Edit):
    """Hooks of Gieok's as tables `[[hooks]]` at the end of a TOML file."""

    def __init__(self, path: Path, hooks: Sequence[Mapping[str, object]]) -> None:
        super().__init__(path)
        self.hooks = hooks

    def add(self, now: str) -> str:
        """Return the file's text with the hooks. Raises ValueError where they fit nowhere."""
        head = now if not now or now.endswith("\n") else now + "\n"
        blocks = []
        for hook in self.hooks:
            lines = (f"{name} = {json.dumps(value)}" for name, value in hook.items())
            blocks.append("\n".join(("[[hooks]]", *lines)) + "\n")
        after = (f"{head}\n" if head else "") + "\n".join(blocks)
        settings = _parse_toml_settings(now)
        hooks = settings.get("hooks", [])
        if hooks and not any(_HEADER.match(line) for line in now.splitlines()):
            raise ValueError("`hooks` is not written as tables `[[hooks]]`")
        if not hooks and "hooks" in settings:
            raise ValueError("`hooks` is written as an empty value: take the line out")
        _parse_toml_settings(after)
        return after

    def remove(self, now: str) -> str:
        """Return the file's text without the hooks, and the empty line before them.

        Raises ValueError where one of them is left, or anything else would change.
        """
        lines = now.splitlines(keepends=True)
        for first, end in reversed(list(_iter_hook_tables(lines))):
            if not edits.is_ours(_read_command("".join(lines[first:end]))):
                continue
            has_gap = first > 0 and not lines[first - 1].strip()
            del lines[first - has_gap : end]
        after = "".join(lines)
        was, read = _parse_toml_settings(now), _parse_toml_settings(after)
        others = [hook for hook in was.pop("hooks", []) if not _is_own_hook(hook)]
        left = read.pop("hooks", [])
        if any(map(_is_own_hook, left)):
            raise ValueError("a hook of Gieok's is written in a way that is not known")
        if repr(others) != repr(left) or repr(was) != repr(read):
            raise ValueError("the file is written in a way that is not known")
        return after


def _parse_toml_settings(text: str) -> dict[str, Any]:
    """Return what a file says. Raises ValueError."""
    try:
        settings = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"the file is no TOML: {error}") from error
    if not isinstance(settings.get("hooks", []), list):
        raise ValueError("`hooks` is no list")  # noqa: TRY004 - a fault of the file
    return settings


def _is_own_hook(hook: object) -> bool:
    return edits.is_ours(read_text_field(read_object_field(hook).get("command")))


def _iter_hook_tables(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first line of each hook's table, and the line behind its last one."""
    for first, line in enumerate(lines):
        if _HEADER.match(line):
            end = first + 1
            while end < len(lines) and not _TABLE.match(lines[end]):
                end += 1
            # Empty lines and comments before the next table are the next table's.
            while not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#"):
                end -= 1
            yield first, end


def _read_command(text: str) -> str:
    """Return the command of a hook's table; '' where there is none."""
    try:
        (hook,) = tomllib.loads(text)["hooks"]
    except (ValueError, KeyError, TypeError):
        return ""
    return read_text_field(read_object_field(hook).get("command"))


class KimiCodeAgent(Agent):
    """Kimi Code: its sessions, and its settings with hooks and a server."""

    format = KimiFormat()
    tried_release = "2.1.0"
    no_project = "Kimi Code has no hooks of a project"
    hook_files = HookFiles(("config.toml",))
    rehearsal = Rehearsal(
        "kimi",
        ("-p",),
        {"KIMI_DISABLE_TELEMETRY": "1"},
        {
            ".kimi-code/config.toml": 'default_model = "loopback"\n[providers.loopback]\n'
            f'type = "openai"\nbase_url = "{URL}/v1"\napi_key = "loopback"\n[models.loopback]\n'
            'provider = "loopback"\nmodel = "loopback"\nmax_context_size = 200000\n'
        },
    )

    def find_settings_folder(self, site: InstallPlace) -> Path:
        """Return `.kimi-code`, or the folder that `KIMI_CODE_HOME` names."""
        return site.below("KIMI_CODE_HOME", ".kimi-code")

    def find_place(self, home: Path, environment: Mapping[str, str]) -> TranscriptPlace:
        """Return the folder of sessions."""
        folder = self.find_own_folder(home, environment) / "sessions"
        return TranscriptPlace(folder, "*/session_*/agents/*/wire.jsonl")

    def build_edits(self, site: InstallPlace, call: OwnCommand) -> list[Edit]:
        """Return the edits for hooks and the MCP server."""
        folder = self.find_settings_folder(site)
        hooks = [
            {
                "event": native,
                "command": call.line(event, NAME),
                "timeout": edits.get_hook_timeout_s(event),
            }
            for event, native in table.BY_NAME[NAME].events.items()
        ]
        return [
            TomlHooks(folder / "config.toml", hooks),
            edits.JsonServer(folder / "mcp.json", call.server()),
        ]

    def parse_prompt_command(self, text: str) -> str:
        """Return the command of Gieok's prompt hook; '' for none."""
        lines = text.splitlines(keepends=True)
        tables = _iter_hook_tables(lines)
        commands = (_read_command("".join(lines[first:end])) for first, end in tables)
        return next(
            (line for line in commands if edits.is_ours(line) and f"hook {table.PROMPT} " in line),
            "",
        )


AGENT = KimiCodeAgent()
