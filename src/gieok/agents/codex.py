"""Codex CLI: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl`."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from gieok.agents.agent import URL, Agent, HookFiles, Inventory, Rehearsal, below, own_folder
from gieok.agents.install import edits
from gieok.agents.install.change import Edit, toml_table
from gieok.agents.install.edits import InstallPlace, OwnCommand
from gieok.agents.transcripts.fields import Line, mapping, name_of, parts, text_of, unwrapped
from gieok.agents.transcripts.session import Format, Part, Said, Session, ToolUse
from gieok.model.conversation import Role

NAME = "codex"

#: Written in the user's place by the program.
_BLOCKS = (
    *("environment_context", "user_instructions", "turn_aborted", "permissions instructions", "collaboration_mode"),
    *("skills_instructions", "user_shell_command", "subagent_notification", "skill", "hook_prompt", "hook_context"),
    *("plugins_instructions", "apps_instructions", "realtime_conversation", "goal_context"),
)
_SYSTEM_STARTS = (
    "# AGENTS.md instructions",
    "Another language model started to solve this problem and produced a summary",
)
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
#: Stands at the beginning of what a command printed.
_FAILED = re.compile(r"^(?:Process exited with code|Exit code:) [1-9]", re.MULTILINE)
_HEAD_CHARS = 300
_TEXTS = ("input_text", "output_text", "text")


def begin(name: str, first: Line) -> Session | None:
    """Recognise the `session_meta` line; a thread that another agent started is none of the user's."""
    del name
    payload = mapping(first.get("payload"))
    if first.get("type") != "session_meta" or not payload:
        return None
    source = payload.get("source")
    ignored = "a sub-agent" if payload.get("thread_source") == "subagent" or isinstance(source, dict) else ""
    identity = name_of(payload.get("id")) or name_of(payload.get("session_id"))
    return Session(id=identity, agent=NAME, ignored=ignored, cwd=name_of(payload.get("cwd")))


def read(session: Session, line: Line, fallback_id: str) -> Sequence[Part]:
    """Return the parts of a `response_item`; `event_msg` lines repeat them."""
    if line.get("type") != "response_item":
        return ()
    payload, at = mapping(line.get("payload")), line.get("timestamp")
    ordinal = line.get("ordinal")
    identity = f"{session.id}/{ordinal if isinstance(ordinal, int) else fallback_id}"
    call = name_of(payload.get("call_id")) or name_of(payload.get("id"))
    match payload.get("type"):
        case "message" if payload.get("role") in _ROLES:
            role = _ROLES[payload["role"]]
            said = _said(payload) if role is Role.USER else text_of(payload.get("content"), _TEXTS)
            return (Said(identity, role, said, at),)
        case "function_call" | "custom_tool_call":
            name = " ".join(filter(None, (name_of(payload.get("namespace")), name_of(payload.get("name")))))
            return (ToolUse(identity, call, name, at, payload.get("arguments", payload.get("input")) or ""),)
        case "local_shell_call":
            return (ToolUse(identity, call, "shell", at, dict(mapping(payload.get("action")))),)
        case "function_call_output" | "custom_tool_call_output":
            output = payload.get("output")
            text = _output(output)
            failed = mapping(output).get("success") is False or _FAILED.search(text, 0, _HEAD_CHARS) is not None
            return (ToolUse(identity, call, "tool", at, result=text, failed=failed),)
    return ()


def _said(payload: Line) -> str:
    """Return what the user really wrote: each text says who it comes from, and those of older versions by their beginning."""
    origins = mapping(payload.get("internal_chat_message_metadata_passthrough")).get("content_item_metadata")
    origins = origins if isinstance(origins, list) else []
    texts: list[str] = []
    for number, part in enumerate(parts(payload.get("content"))):
        origin = mapping(mapping(origins[number] if number < len(origins) else None).get("provenance")).get("type")
        text = text_of([part], _TEXTS)
        if origin is None:
            text = unwrapped(text, _BLOCKS)
            text = "" if text.lstrip().startswith(_SYSTEM_STARTS) else text
        if origin in (None, "user"):
            texts.append(text)
    content = payload.get("content")
    return content if isinstance(content, str) else "\n".join(filter(None, texts))


def _output(output: object) -> str:
    content = mapping(output).get("content", output)
    return content if isinstance(content, str) else text_of(content, _TEXTS)


def _edits(site: InstallPlace, call: OwnCommand) -> list[Edit]:
    folder, server = site.below("CODEX_HOME", ".codex"), call.server()
    lines = [f"{name} = {_toml(server[name])}" for name in ("command", "args")]
    if call.environment:
        pairs = ", ".join(f"{name} = {_toml(value)}" for name, value in call.environment.items())
        lines.append(f"env = {{ {pairs} }}")
    return [
        edits.hooks(folder / "hooks.json", NAME, lambda event: {"hooks": [edits.command(call, NAME, event)]}),
        toml_table(folder / "config.toml", ("mcp_servers", "gieok"), lines, edits.is_server),
    ]


def _toml(value: object) -> str:
    """Return a text or a list of texts as TOML, whose texts are JSON's but for one character and the pairs of surrogates."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


_NOTE = (
    "Codex runs no hook that you have not trusted: type /hooks in Codex and approve gieok's",
    "Codex는 신뢰하지 않은 훅을 실행하지 않습니다: Codex에서 /hooks를 입력해 gieok의 훅을 승인하세요",
)
_HOOK_FILES = HookFiles(
    lambda site: site.below("CODEX_HOME", ".codex"),
    ("hooks.json", "config.toml"),
    ((("features", "hooks"), False), (("features", "codex_hooks"), False)),
)
_CONFIG = f"""model = "loopback"
model_provider = "loopback"

[model_providers.loopback]
name = "loopback"
base_url = "{URL}/v1"
env_key = "LOOPBACK_KEY"
wire_api = "responses"
"""
_REHEARSAL = Rehearsal(
    "codex",
    ("exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"),  # what is trusted is looked at by itself
    {"LOOPBACK_KEY": "loopback"},
    {".codex/config.toml": _CONFIG},
)


def _untrusted(answer: Mapping[str, object], file: Path, settings: str) -> list[str]:
    """Return the events whose hook of ours Codex passes over: its hash is not the one that the user approved, or it is off."""
    try:
        kept = mapping(mapping(tomllib.loads(settings).get("hooks")).get("state"))
    except tomllib.TOMLDecodeError:
        kept = {}
    waiting: list[str] = []
    for entry in parts(mapping(answer.get("result")).get("data")):
        for hook in parts(entry.get("hooks")):
            # Such as `<folder>/hooks.json:user_prompt_submit:0:0`.
            state = mapping(kept.get(f"{file}{name_of(hook.get('key')).rpartition(file.name)[2]}"))
            is_on = state.get("enabled", True) is True and state.get("trusted_hash") == hook.get("currentHash")
            if edits.is_ours(name_of(hook.get("command"))) and not is_on:
                waiting.append(name_of(hook.get("eventName")))
    return waiting


_INVENTORY = Inventory(
    ("app-server",),
    (
        '{"id": 0, "method": "initialize", "params": {"clientInfo": {"name": "gieok", "version": "1"}}}',
        '{"method": "initialized"}',
        '{"id": 1, "method": "hooks/list", "params": {}}',
    ),
    1,
    "hooks.json",
    "config.toml",
    _untrusted,
)
AGENT = Agent(
    below("CODEX_HOME", ".codex", "sessions", "*/*/*/*.jsonl"),
    Format(NAME, begin, read),
    _edits,
    _NOTE,
    hook_files=_HOOK_FILES,
    rehearsal=_REHEARSAL,
    inventory=_INVENTORY,
    folder=own_folder("CODEX_HOME", ".codex"),
)
