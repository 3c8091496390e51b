"""Hermes Agent: one database, `~/.hermes/state.db`; a memory provider calls the hooks.

The provider is a plugin folder of Python that runs in Hermes's interpreter. The same folder is a
plugin that is asked before a tool runs, which Hermes loads where `plugins.enabled` names it.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from gieok.agents.agent import URL, Agent, Rehearsal
from gieok.agents.install import edits
from gieok.agents.install.change import Edit, WholeFile
from gieok.agents.install.edits import InstallPlace, OwnCommand, PluginFile
from gieok.agents.install.yaml_lines import YamlLines, YamlMember
from gieok.agents.marks.mark import Speaker
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
from gieok.agents.transcripts.speakers import find_line_driver
from gieok.model.conversation import Role

NAME = "hermes"

_OWN_SERVER = re.compile(r"gieok\b.*\bmcp\b", re.DOTALL)
_OWN_NAME = re.compile(r"^\s*[\"']?gieok[\"']?\s*$")
_ERROR = re.compile(r'\s*\{\s*"error"\s*:')
#: Sign before a content that is no text.
_PARTS = "\0json:"
_MANIFEST = """\
name: gieok
version: 1.0.0
description: One long-term memory for all your agents, on this machine
kind: standalone
hooks:
  - pre_tool_call
"""


class HermesFormat(Format):
    """Messages of Hermes's database, each with its session."""

    name = NAME

    def begin_session(self, name: str, first: Line) -> Session | None:
        """Recognise a message as `machine.transcripts.hermes` gives it."""
        del name
        session = read_object_field(first.get("session"))
        identity = session.get("id")
        if "hermes" not in first or not isinstance(identity, str):
            return None
        driver = find_line_driver(NAME, first)
        return Session(
            id=identity,
            agent=NAME,
            ignored="a sub-agent" if driver is Speaker.AGENT else "",
            cwd=read_text_field(session.get("cwd")),
            driver=driver or Speaker.PROGRAM,
        )

    def read_parts(self, session: Session, line: Line, fallback_id: str) -> Sequence[Part]:
        """Return the parts of a message."""
        message = read_object_field(line.get("message"))
        identity, at = f"{session.id}/{message.get('id') or fallback_id}", message.get("timestamp")
        content = _read_content(message.get("content"))
        text = read_content_text(content)
        match message.get("role"):
            case "user":
                texts = list_content_texts(content)
                return (build_user_part(session, line, identity, texts, at),)
            case "assistant":
                calls = (
                    {**read_object_field(call.get("function")), "id": call.get("id")}
                    for call in list_content_parts(message.get("tool_calls"))
                )
                return (
                    SpokenPart(identity, Role.ASSISTANT, text, at),
                    *iter_tool_calls(identity, calls, at),
                )
            case "tool":
                return (
                    ToolUse(
                        id=identity,
                        call=read_text_field(message.get("tool_call_id")),
                        name=read_text_field(message.get("tool_name")) or "tool",
                        at=at,
                        result=text,
                        failed=_ERROR.match(text) is not None,
                    ),
                )
        return ()


def _read_content(stored: object) -> object:
    """Return a message's content: a text, or the parts that Hermes keeps as JSON behind a sign."""
    text = read_text_field(stored)
    if not text.startswith(_PARTS):
        return text
    try:
        content = json.loads(text.removeprefix(_PARTS))
    except (ValueError, RecursionError):
        return ""
    return [content] if isinstance(content, dict) else content


class HermesAgent(Agent):
    """Hermes: its database, and its settings with a memory provider and a server."""

    format = HermesFormat()
    tried_release = "0.19.0"
    no_project = "Hermes has no settings of a project"
    rehearsal = Rehearsal(
        "hermes",
        ("-z",),
        {"HERMES_ACCEPT_HOOKS": "1"},
        {
            ".hermes/config.yaml": "model:\n  provider: custom\n  default: loopback\n"
            f"  base_url: {URL}/v1\n  api_key: loopback\n"
        },
    )

    def find_settings_folder(self, site: InstallPlace) -> Path:
        """Return `.hermes`, or the folder that `HERMES_HOME` names."""
        return site.below("HERMES_HOME", ".hermes")

    def find_place(self, home: Path, environment: Mapping[str, str]) -> TranscriptPlace:
        """Return the folder of the database, which holds many other files."""
        folder = self.find_own_folder(home, environment)
        return TranscriptPlace(folder, databases="state.db", is_watched=False)

    def find_other_places(
        self, home: Path, environment: Mapping[str, str]
    ) -> tuple[TranscriptPlace, ...]:
        """Return the folder of profiles, each of which has a database."""
        folder = self.find_own_folder(home, environment) / "profiles"
        return (TranscriptPlace(folder, databases="*/state.db", is_watched=False),)

    def build_edits(self, site: InstallPlace, call: OwnCommand) -> list[Edit]:
        """Return the edits for the provider and the settings that name it."""
        folder = self.find_settings_folder(site)
        plugin = folder / "plugins" / "gieok"
        server = json.dumps(call.server(), ensure_ascii=False)
        return [
            YamlLines(
                folder / "config.yaml",
                (
                    YamlMember("memory", "provider", "gieok", _OWN_NAME),
                    YamlMember("plugins", "enabled", "gieok", _OWN_NAME, is_listed=True),
                    YamlMember("mcp_servers", "gieok", server, _OWN_SERVER),
                ),
            ),
            PluginFile(plugin / "__init__.py", "hermes_provider.py", call, NAME),
            WholeFile(plugin / "plugin.yaml", _MANIFEST),
        ]

    def parse_prompt_command(self, text: str) -> str:
        """Return the command of Gieok's prompt hook in the provider; '' for none."""
        return edits.parse_plugin_command(text)


AGENT = HermesAgent()
