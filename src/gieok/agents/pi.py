"""pi: `~/.pi/agent/sessions/--<folder>--/<time>_<session>.jsonl`; an extension calls the hooks.

The entries are those of OpenClaw up to 2026.7, which began with pi's engine. What the extension
puts behind a prompt is an entry of its own (`custom_message`), which nobody said. pi speaks no MCP:
the extension gives the model two tools.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from gieok.agents.agent import URL, Agent, HookFiles, Rehearsal
from gieok.agents.install import edits
from gieok.agents.install.change import Edit
from gieok.agents.install.edits import InstallPlace, OwnCommand, PluginFile
from gieok.agents.openclaw.transcript import OpenClawFormat
from gieok.agents.transcripts.fields import Line
from gieok.agents.transcripts.place import TranscriptPlace
from gieok.agents.transcripts.session import Session

NAME = "pi"

#: Example: `2026-11-25T21-21-55-957Z_01a21496-2cf5-7976-9428-3370d6687416.jsonl`
_FILE = re.compile(r"\d{4}-\d\d-\d\dT[\d-]+Z_(?P<session>[\w-]+)\.jsonl")


class PiFormat(OpenClawFormat):
    """Entries of pi, whose files are named after the time when a session began."""

    name = NAME
    has_own_scope = False

    def begin_session(self, name: str, first: Line) -> Session | None:
        """Recognise a file by its name, and a header or an entry in it."""
        file = _FILE.fullmatch(name)
        session = super().begin_session(name, first) if file else None
        if file is None or session is None:
            return None
        return session._replace(agent=NAME, id=file["session"])


class PiAgent(Agent):
    """pi: its sessions, and an extension."""

    format = PiFormat()
    tried_release = "0.74.2"
    has_server = False
    asks_untried = True
    hook_files = HookFiles(("extensions/*.ts", "extensions/*/index.ts"))
    rehearsal = Rehearsal(
        "pi",
        ("--provider", "loopback", "--model", "one", "-p"),
        {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1"},
        {
            ".pi/agent/models.json": '{"providers": {"loopback": {"baseUrl": "'
            f'{URL}/v1", "api": "openai-completions", "apiKey": "loopback", '
            '"models": [{"id": "one"}]}}}'
        },
    )

    def find_settings_folder(self, site: InstallPlace) -> Path:
        """Return a project's `.pi`, or the folder of the user's agent."""
        if site.is_project:
            return site.folder / ".pi"
        return site.below("PI_CODING_AGENT_DIR", ".pi/agent")

    def find_place(self, home: Path, environment: Mapping[str, str]) -> TranscriptPlace:
        """Return the folder of sessions."""
        moved = environment.get("PI_CODING_AGENT_SESSION_DIR")
        own = self.find_own_folder(home, environment) / "sessions"
        return TranscriptPlace(Path(moved).expanduser() if moved else own, "*/*.jsonl *.jsonl")

    def build_edits(self, site: InstallPlace, call: OwnCommand) -> list[Edit]:
        """Return the edit for the extension."""
        file = self.find_settings_folder(site) / "extensions" / "gieok.ts"
        return [PluginFile(file, "pi.ts", call, NAME)]

    def parse_prompt_command(self, text: str) -> str:
        """Return the command of Gieok's prompt hook in the extension; '' for none."""
        return edits.parse_plugin_command(text)


AGENT = PiAgent()
