"""GitHub Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl`, and VS Code's agents.

The hooks stand in a file of Gieok's own, in the spelling of events that VS Code reads too. What a
person typed is `content`; `transformedContent` and the records of hooks hold Gieok's own text.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from gieok.agents.agent import URL, Agent, HookFiles, Rehearsal
from gieok.agents.install import edits
from gieok.agents.install.change import Edit
from gieok.agents.install.edits import InstallPlace, OwnCommand
from gieok.agents.marks.mark import Speaker
from gieok.agents.transcripts.fields import (
    Line,
    read_object_field,
    read_text_field,
)
from gieok.agents.transcripts.place import TranscriptPlace, Unread
from gieok.agents.transcripts.session import (
    Format,
    Part,
    Session,
    SpokenPart,
    ToolUse,
    build_user_part,
)
from gieok.agents.transcripts.speakers import find_line_speaker
from gieok.model.conversation import Role

NAME = "copilot-cli"

_UNREAD = (Unread("*.json", "sessions of a Copilot CLI of 2025 are not read"),)


class CopilotFormat(Format):
    """Events of Copilot CLI."""

    name = NAME

    def begin_session(self, name: str, first: Line) -> Session | None:
        """Recognise the event that begins or resumes a session."""
        del name
        data = read_object_field(first.get("data"))
        session = data.get("sessionId")
        is_own = first.get("type") in ("session.start", "session.resume") and "parentId" in first
        if not is_own or not isinstance(session, str):
            return None
        folder = read_text_field(read_object_field(data.get("context")).get("cwd"))
        return Session(id=session, agent=NAME, cwd=folder)

    def read_parts(self, session: Session, line: Line, fallback_id: str) -> Sequence[Part]:
        """Return the parts of an event; none of what a sub-agent said."""
        if find_line_speaker(NAME, line) is Speaker.AGENT:
            return ()
        data, at = read_object_field(line.get("data")), line.get("timestamp")
        identity = f"{session.id}/{read_text_field(line.get('id')) or fallback_id}"
        match line.get("type"):
            case "user.message":
                text = read_text_field(data.get("content"))
                return (build_user_part(session, line, identity, text, at),)
            case "assistant.message":
                text = read_text_field(data.get("content"))
                return (SpokenPart(identity, Role.ASSISTANT, text, at),)
            case "tool.execution_start":
                return (_build_tool_use(identity, data, at, data.get("arguments") or {}, None),)
            case "tool.execution_complete":
                result = read_object_field(data.get("result"))
                error = read_object_field(data.get("error"))
                text = read_text_field(result.get("content")) or read_text_field(
                    error.get("message")
                )
                return (_build_tool_use(identity, data, at, None, text),)
        return ()


def _build_tool_use(
    identity: str, data: Line, at: object, arguments: object, result: str | None
) -> ToolUse:
    return ToolUse(
        id=identity,
        call=read_text_field(data.get("toolCallId")),
        name=read_text_field(data.get("toolName")) or "tool",
        at=at,
        arguments=arguments,
        result=result,
        failed=data.get("success") is False,
    )


class CopilotCliAgent(Agent):
    """Copilot CLI: its transcripts, and its settings with hooks, a server and a skill."""

    format = CopilotFormat()
    tried_release = "1.0.102"
    note = (
        "VS Code reads the same hooks: it takes context at the start of a session, not before a "
        "prompt"
    )
    no_project = "Copilot CLI's hooks of a project are part of the repository, for everybody in it"
    hook_files = HookFiles(("hooks/*.json",))
    rehearsal = Rehearsal(
        "copilot",
        ("--allow-all-tools", "-p"),
        {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_TYPE": "openai",
            "COPILOT_PROVIDER_BASE_URL": f"{URL}/v1",
            "COPILOT_PROVIDER_API_KEY": "loopback",
            "COPILOT_MODEL": "loopback",
        },
    )

    def find_settings_folder(self, site: InstallPlace) -> Path:
        """Return `.copilot`, or the folder that `COPILOT_HOME` names."""
        return site.below("COPILOT_HOME", ".copilot")

    def find_place(self, home: Path, environment: Mapping[str, str]) -> TranscriptPlace:
        """Return the folder of sessions."""
        folder = self.find_own_folder(home, environment) / "session-state"
        return TranscriptPlace(folder, "*/events.jsonl")

    def find_other_places(
        self, home: Path, environment: Mapping[str, str]
    ) -> tuple[TranscriptPlace, ...]:
        """Return the folder of an earlier format, of which nothing is read."""
        folder = self.find_own_folder(home, environment) / "history-session-state"
        return (TranscriptPlace(folder, is_watched=False, unread=_UNREAD),)

    def build_edits(self, site: InstallPlace, call: OwnCommand) -> list[Edit]:
        """Return the edits for hooks, the MCP server and a skill."""
        folder = self.find_settings_folder(site)
        server = {"type": "local", **call.server(), "tools": ["*"]}
        groups = edits.build_hook_groups(call, NAME)
        return [
            edits.HookEntries(folder / "hooks" / "gieok.json", groups, first=("version", 1)),
            edits.JsonServer(folder / "mcp-config.json", server),
            edits.build_skill_edit(folder),
        ]


AGENT = CopilotCliAgent()
