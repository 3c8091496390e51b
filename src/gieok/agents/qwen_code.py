"""Qwen Code: `~/.qwen/projects/<folder>/chats/<session>.jsonl`.

The format is Claude Code's envelopes around Gemini CLI's parts. Rewound turns stay: the program
starts another branch and deletes nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gieok.agents import claude_code, gemini_cli
from gieok.agents.agent import URL, Agent, HookFiles, Rehearsal
from gieok.agents.install import edits
from gieok.agents.install.change import Edit, ExtraFile, JointEdit
from gieok.agents.install.edits import InstallPlace, OwnCommand
from gieok.agents.marks.mark import Speaker
from gieok.agents.transcripts.fields import (
    Line,
    list_content_parts,
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
from gieok.agents.transcripts.speakers import find_line_speaker
from gieok.model.conversation import Role

NAME = "qwen-code"

#: Calls a deferred tool (one whose schema the model looked up); its arguments hold the real name
#: and arguments.
_DEFERRED = "tool_call"
_CLAUDE_FORMAT = claude_code.ClaudeFormat()


class QwenFormat(Format):
    """Lines of Qwen Code."""

    name = NAME

    def begin_session(self, name: str, first: Line) -> Session | None:
        """Recognise a line of Claude Code's shape that has fields which only Qwen Code writes."""
        is_own = (
            "provenance" in first
            or "systemPayload" in first
            or "parts" in read_object_field(first.get("message"))
        )
        session = _CLAUDE_FORMAT.begin_session(name, first) if is_own else None
        return session and session._replace(agent=NAME)

    def read_parts(self, session: Session, line: Line, fallback_id: str) -> Sequence[Part]:
        """Return the parts of a line.

        User lines written by the program have another provenance than `real_user`.
        """
        if find_line_speaker(NAME, line) is Speaker.AGENT:
            return ()
        content, at = read_object_field(line.get("message")).get("parts"), line.get("timestamp")
        identity = read_text_field(line.get("uuid")) or f"{session.id}/{fallback_id}"
        match line.get("type"):
            case "user":
                shown = read_object_field(line.get("systemPayload")).get("displayText")
                text = shown if isinstance(shown, str) else gemini_cli.read_gemini_text(content)
                return (build_user_part(session, line, identity, text, at),)
            case "assistant":
                calls_made = (
                    _resolve_deferred_call(part)
                    for part in _iter_qwen_parts(content, "functionCall")
                )
                reply = gemini_cli.read_gemini_text(content)
                return (
                    SpokenPart(identity, Role.ASSISTANT, reply, at),
                    *iter_tool_calls(identity, calls_made, at, "args"),
                )
            case "tool_result":
                failed = read_object_field(line.get("toolCallResult")).get("status") == "error"
                return tuple(_iter_qwen_results(identity, content, at, failed=failed))
            case "system" if line.get("subtype") == "slash_command":
                return _read_typed_command(session, line, identity, at)
        return ()


def _read_typed_command(session: Session, line: Line, identity: str, at: object) -> Sequence[Part]:
    """Return the arguments of a typed command: `/remember the depot opens at nine`."""
    payload = read_object_field(line.get("systemPayload"))
    command, _, arguments = read_text_field(payload.get("rawCommand")).strip().partition(" ")
    if payload.get("phase", "invocation") != "invocation" or not command.startswith("/"):
        return ()
    text = (
        f"<command-name>{command}</command-name>\n<command-args>{arguments.strip()}</command-args>"
    )
    return (build_user_part(session, line, identity, text, at),)


def _iter_qwen_parts(content: object, kind: str) -> Iterator[Line]:
    return (read_object_field(part[kind]) for part in list_content_parts(content) if kind in part)


def _resolve_deferred_call(call: Line) -> Line:
    """Return a call; the call of a deferred tool is returned as a direct call of that tool."""
    inside = read_object_field(call.get("args"))
    is_deferred = call.get("name") == _DEFERRED and "name" in inside
    return (
        {"id": call.get("id"), "name": inside["name"], "args": inside.get("arguments")}
        if is_deferred
        else call
    )


def _iter_qwen_results(
    identity: str, content: object, at: object, *, failed: bool
) -> Iterator[ToolUse]:
    for number, part in enumerate(_iter_qwen_parts(content, "functionResponse")):
        response = read_object_field(part.get("response"))
        text = read_text_field(response.get("output")) or read_text_field(response.get("error"))
        yield ToolUse(
            f"{identity}#{number}",
            read_text_field(part.get("id")),
            "tool",
            at,
            result=text,
            failed=failed,
        )


class QwenAgent(Agent):
    """Qwen Code: its transcripts, and its settings with hooks, a server, a command and a skill."""

    format = QwenFormat()
    tried_release = "0.24.4"
    hook_files = HookFiles(
        ("settings.json", "extensions/*/hooks/hooks.json"),
        ((("disableAllHooks",), True),),
    )
    rehearsal = Rehearsal(
        "qwen",
        (),
        {"OPENAI_API_KEY": "loopback", "OPENAI_BASE_URL": f"{URL}/v1", "OPENAI_MODEL": "loopback"},
        {
            ".qwen/settings.json": '{"security": {"auth": {"selectedType": "openai"}}, '
            '"general": {"enableAutoUpdate": false}, "privacy": {"usageStatisticsEnabled": '
            'false}, "telemetry": {"enabled": false}}'
        },
    )

    def find_settings_folder(self, site: InstallPlace) -> Path:
        """Return `.qwen`, or the folder that `QWEN_HOME` names."""
        return site.below("QWEN_HOME", ".qwen")

    def find_place(self, home: Path, environment: Mapping[str, str]) -> TranscriptPlace:
        """Return the folder of projects."""
        moved = environment.get("QWEN_RUNTIME_DIR")
        own = Path(moved).expanduser() if moved else self.find_own_folder(home, environment)
        return TranscriptPlace(own / "projects", "*/chats/*.jsonl")

    def build_edits(self, site: InstallPlace, call: OwnCommand) -> list[Edit]:
        """Return the edits for hooks, the MCP server, a command and a skill."""
        folder = self.find_settings_folder(site)
        groups = edits.build_hook_groups(call, NAME, units_per_second=1000, name="gieok")
        settings = folder / "settings.json"
        hooks = edits.HookEntries(settings, groups)
        server = edits.JsonServer(settings, call.server())
        search = edits.read_install_text("search.md").replace("$ARGUMENTS", "{{args}}")
        return [
            JointEdit(settings, (hooks, server)),
            ExtraFile(folder / "commands" / "memory" / "search.md", search),
            edits.build_skill_edit(folder),
        ]


AGENT = QwenAgent()
