"""Codex CLI: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl`."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from gieok.agents.agent import URL, Agent, HookFiles, Inventory, Rehearsal
from gieok.agents.install import edits
from gieok.agents.install.change import Edit
from gieok.agents.install.edits import InstallPlace, OwnCommand
from gieok.agents.install.toml_lines import TomlServer
from gieok.agents.marks.mark import Speaker
from gieok.agents.transcripts.fields import (
    Line,
    list_content_parts,
    read_content_text,
    read_object_field,
    read_text_field,
)
from gieok.agents.transcripts.history import SESSIONS_GONE, HistoryPlace, PromptHistory
from gieok.agents.transcripts.place import TranscriptPlace, Unread
from gieok.agents.transcripts.session import (
    Format,
    Part,
    Session,
    SpokenPart,
    ToolUse,
    build_user_part,
)
from gieok.agents.transcripts.speakers import extract_words, find_line_driver, is_program_text
from gieok.model.conversation import Role

NAME = "codex"

#: Stands at the beginning of a command's printed output.
_FAILED = re.compile(r"^(?:Process exited with code|Exit code:) [1-9]", re.MULTILINE)
_HEAD_CHARS = 300
_TEXTS = ("input_text", "output_text", "text")
#: Types of items, which until autumn 2025 stood in a line without an envelope.
_ITEMS = frozenset(
    (
        "message function_call function_call_output custom_tool_call custom_tool_call_output "
        "local_shell_call"
    ).split()
)
_CWD = re.compile(r"<cwd>([^<\n]+)</cwd>|[Cc]urrent working directory: *([^\n]+)")
_LONGEST_CONTEXT_CHARS = 20_000


class CodexFormat(Format):
    """Lines of Codex, with those of the releases of 2025."""

    name = NAME

    def begin_session(self, name: str, first: Line) -> Session | None:
        """Recognise the `session_meta` line.

        A thread that another agent started is not the user's.
        """
        del name
        payload = read_object_field(first.get("payload"))
        if first.get("type") == "session_meta" and payload:
            driver = find_line_driver(NAME, first) or Speaker.PERSON
            return Session(
                id=read_text_field(payload.get("id")) or read_text_field(payload.get("session_id")),
                agent=NAME,
                ignored="a sub-agent" if driver is Speaker.AGENT else "",
                cwd=read_text_field(payload.get("cwd")),
                driver=driver,
                # A newer fork names the place in the other file where its history ends, and copies
                # nothing.
                copied_from=""
                if payload.get("history_base")
                else read_text_field(payload.get("forked_from_id")),
            )
        # Releases of 2025 begin with the object that is the payload now.
        if "instructions" in first and isinstance(first.get("id"), str) and "role" not in first:
            return Session(id=first["id"], agent=NAME, cwd=read_text_field(first.get("cwd")))
        return None

    def split_session(self, whole: Line) -> list[Line]:
        """Return the lines of a session kept in one object, as written by the first releases.

        Those releases (April 2025) wrote no times.
        """
        session = read_object_field(whole.get("session"))
        if not isinstance(session.get("id"), str) or "items" not in whole:
            return []
        return [{"instructions": None, **session}, *list_content_parts(whole.get("items"))]

    def read_folder(self, line: Line) -> str:
        """Return the working folder of a session.

        Older headers have none; the first text of those sessions names the folder.
        """
        inner = read_object_field(line.get("payload")) or line
        if folder := read_text_field(inner.get("cwd")) or read_text_field(line.get("cwd")):
            return folder
        if inner.get("role") != "user":
            return ""
        text = read_content_text(inner.get("content"), _TEXTS)
        if "<environment_context>" not in text:
            return ""
        cwd_match = _CWD.search(text[:_LONGEST_CONTEXT_CHARS])
        return (cwd_match[1] or cwd_match[2]).strip() if cwd_match else ""

    def find_driver(self, line: Line) -> Speaker | None:
        """Return who began a turn.

        A header after the first line belongs to another session, whose history was copied.
        """
        return find_line_driver(NAME, line) if line.get("type") == "event_msg" else None

    def read_parts(self, session: Session, line: Line, fallback_id: str) -> Sequence[Part]:
        """Return the parts of a `response_item`; `event_msg` lines repeat them and give none.

        In 2025 an item stood in the line itself.
        """
        if read_text_field(line.get("type")) in _ITEMS and "payload" not in line:
            line = {"type": "response_item", "timestamp": line.get("timestamp"), "payload": line}
        if line.get("type") != "response_item":
            return ()
        payload, at = read_object_field(line.get("payload")), line.get("timestamp")
        ordinal = line.get("ordinal")
        identity = f"{session.id}/{ordinal if isinstance(ordinal, int) else fallback_id}"
        call = read_text_field(payload.get("call_id")) or read_text_field(payload.get("id"))
        part: Part
        match payload.get("type"):
            case "message" if payload.get("role") == "user":
                part = _read_codex_prompt(session, line, identity, at)
            case "message" if payload.get("role") == "assistant":
                text = read_content_text(payload.get("content"), _TEXTS)
                part = SpokenPart(identity, Role.ASSISTANT, text, at)
            case "function_call" | "custom_tool_call":
                names = map(read_text_field, (payload.get("namespace"), payload.get("name")))
                name = " ".join(filter(None, names))
                arguments = payload.get("arguments", payload.get("input")) or ""
                part = ToolUse(identity, call, name, at, arguments=arguments)
            case "local_shell_call":
                arguments = dict(read_object_field(payload.get("action")))
                part = ToolUse(identity, call, "shell", at, arguments=arguments)
            case "function_call_output" | "custom_tool_call_output":
                part = _read_codex_result(payload, identity, call, at)
            case _:
                return ()
        return (part,)


def _read_codex_prompt(session: Session, line: Line, identity: str, at: object) -> SpokenPart:
    """Return the words that the user wrote.

    Each text says where it comes from; texts of older versions are recognised by their marks.
    """
    payload = read_object_field(line.get("payload"))
    content = payload.get("content")
    if isinstance(content, str):
        return build_user_part(session, line, identity, content, at)
    origins = read_object_field(payload.get("internal_chat_message_metadata_passthrough")).get(
        "content_item_metadata"
    )
    origins = origins if isinstance(origins, list) else []
    texts: list[str] = []
    for number, part in enumerate(list_content_parts(content)):
        origin = read_object_field(
            read_object_field(origins[number] if number < len(origins) else None).get("provenance")
        ).get("type")
        text = read_content_text([part], _TEXTS)
        is_wrapped = text.lstrip().startswith(("# ", "<user_shell_command>"))
        if origin == "user" and not is_wrapped and not is_program_text(NAME, text):
            texts.append(text)
        elif origin in (None, "user"):
            texts.append(extract_words(NAME, text))
    prompt = build_user_part(session, line, identity, "", at)
    # A text's own statement of its origin was looked at above: a tag inside typed text is the
    # person's.
    return prompt._replace(text="\n".join(filter(None, texts)))


def _read_codex_result(payload: Line, identity: str, call: str, at: object) -> ToolUse:
    output = payload.get("output")
    text = _read_codex_output(output)
    failed = (
        read_object_field(output).get("success") is False
        or _FAILED.search(text, 0, _HEAD_CHARS) is not None
    )
    return ToolUse(identity, call, "tool", at, result=text, failed=failed)


def _read_codex_output(output: object) -> str:
    content = read_object_field(output).get("content", output)
    return content if isinstance(content, str) else read_content_text(content, _TEXTS)


def _format_toml_value(value: object) -> str:
    """Return a text or a list of texts as TOML.

    TOML writes texts as JSON does, except for one character and for surrogate pairs.
    """
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


class CodexHistory(PromptHistory):
    """Prompt history of Codex."""

    session_field = "session_id"
    text_field = "text"

    def find_kept_sessions(self, folder: Path) -> str:
        """Return the names of all transcripts in one text.

        A session's id stands at the end of a transcript's name.
        """
        return "\n".join(
            path.name for subfolder in _KEPT for path in (folder / subfolder).rglob("*.json*")
        )


_KEPT = ("sessions", "archived_sessions")
_COMPRESSED = Unread("**/*.jsonl.*z*", "compressed sessions are not read")
_CONFIG = f"""model = "loopback"
model_provider = "loopback"

[model_providers.loopback]
name = "loopback"
base_url = "{URL}/v1"
env_key = "LOOPBACK_KEY"
wire_api = "responses"
"""


class CodexAgent(Agent):
    """Codex CLI: its transcripts, and its settings with hooks that a person approves."""

    format = CodexFormat()
    tried_release = "0.171.0"
    note = "Codex runs no hook that you have not trusted: type /hooks in Codex and approve gieok's"
    hook_files = HookFiles(
        ("hooks.json", "config.toml"),
        ((("features", "hooks"), False), (("features", "codex_hooks"), False)),
    )
    rehearsal = Rehearsal(
        "codex",
        # Hook trust is checked separately.
        ("exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"),
        {"LOOPBACK_KEY": "loopback"},
        {".codex/config.toml": _CONFIG},
    )
    inventory = Inventory(
        arguments=("app-server",),
        lines=(
            (
                '{"id": 0, "method": "initialize", "params": {"clientInfo": {"name": "gieok", '
                '"version": "1"}}}'
            ),
            '{"method": "initialized"}',
            '{"id": 1, "method": "hooks/list", "params": {}}',
        ),
        answer=1,
        hooks="hooks.json",
        settings="config.toml",
    )

    def find_settings_folder(self, site: InstallPlace) -> Path:
        """Return `.codex`, or the folder that `CODEX_HOME` names."""
        return site.below("CODEX_HOME", ".codex")

    def find_place(self, home: Path, environment: Mapping[str, str]) -> TranscriptPlace:
        """Return the folder of sessions."""
        folder = self.find_own_folder(home, environment) / "sessions"
        return TranscriptPlace(folder, "*/*/*/*.jsonl *.jsonl *.json", unread=(_COMPRESSED,))

    def find_other_places(
        self, home: Path, environment: Mapping[str, str]
    ) -> tuple[TranscriptPlace, ...]:
        """Return the places of archived sessions and of the prompt history."""
        folder = self.find_own_folder(home, environment)
        history = CodexHistory("history.jsonl", SESSIONS_GONE)
        return (
            TranscriptPlace(folder / "archived_sessions", "**/*.jsonl", unread=(_COMPRESSED,)),
            HistoryPlace(folder, is_watched=False, unread=(history,)),
        )

    def build_edits(self, site: InstallPlace, call: OwnCommand) -> list[Edit]:
        """Return the edits for hooks and the MCP server."""
        folder, server = self.find_settings_folder(site), call.server()
        lines = [f"{name} = {_format_toml_value(server[name])}" for name in ("command", "args")]
        if call.environment:
            pairs = ", ".join(
                f"{name} = {_format_toml_value(value)}" for name, value in call.environment.items()
            )
            lines.append(f"env = {{ {pairs} }}")
        return [
            edits.HookEntries(folder / "hooks.json", edits.build_hook_groups(call, NAME)),
            TomlServer(folder / "config.toml", lines),
        ]

    def list_untrusted_hooks(
        self, answer: Mapping[str, object], file: Path, settings: str
    ) -> list[str]:
        """Return the events whose Gieok hook Codex skips.

        Codex skips a hook that is off, or whose hash is not the one that the user approved.
        """
        try:
            hook_states = read_object_field(
                read_object_field(tomllib.loads(settings).get("hooks")).get("state")
            )
        except tomllib.TOMLDecodeError:
            hook_states = {}
        waiting: list[str] = []
        for entry in list_content_parts(read_object_field(answer.get("result")).get("data")):
            for hook in list_content_parts(entry.get("hooks")):
                # Keys look like `<folder>/hooks.json:user_prompt_submit:0:0`.
                state = read_object_field(
                    hook_states.get(
                        f"{file}{read_text_field(hook.get('key')).rpartition(file.name)[2]}"
                    )
                )
                is_on = state.get("enabled", True) is True and state.get(
                    "trusted_hash"
                ) == hook.get("currentHash")
                if edits.is_ours(read_text_field(hook.get("command"))) and not is_on:
                    waiting.append(read_text_field(hook.get("eventName")))
        return waiting


AGENT = CodexAgent()
