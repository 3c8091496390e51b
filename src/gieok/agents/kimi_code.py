"""Kimi Code: `~/.kimi-code/sessions/<folder>/<session>/agents/main/wire.jsonl`.

Its hooks stand in TOML, and one field or event that it does not know breaks all of its settings. It
drops what a hook says at the start of a session: that comes with the first prompt.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

from gieok.agents import table
from gieok.agents.agent import URL, Agent, HookFiles, Rehearsal
from gieok.agents.install import edits
from gieok.agents.install.change import Edit
from gieok.agents.install.edits import InstallPlace, OwnCommand
from gieok.agents.install.toml_lines import TomlHooks, iter_hook_commands
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
        commands = filter(edits.is_ours, iter_hook_commands(text))
        return next((line for line in commands if f"hook {table.PROMPT} " in line), "")


AGENT = KimiCodeAgent()
