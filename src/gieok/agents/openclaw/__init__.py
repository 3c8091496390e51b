"""OpenClaw: where it writes, and into which scope.

Its transcript format, its installation and Gieok's install have a file each.
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from gieok.agents.agent import HOME, URL, Agent, Rehearsal
from gieok.agents.install.change import Edit
from gieok.agents.install.edits import InstallPlace, OwnCommand
from gieok.agents.openclaw import install
from gieok.agents.openclaw.installation import find_openclaw, state_folder
from gieok.agents.openclaw.transcript import (
    DATABASE,
    OpenClawFormat,
    is_system_session,
    parse_session_id,
    system_sessions,
)
from gieok.agents.transcripts.place import TranscriptPlace, Unread
from gieok.model.memory import Scope

_UNREAD = (Unread("*/sessions/**/*.jsonl*.zst", "compressed sessions are not read"),)


class OpenClawPlace(TranscriptPlace):
    """Folder of OpenClaw's agents, each of which has a scope of its own."""

    def find_scope(self, path: Path) -> Scope:
        """Return the scope of the agent whose folder is the first part of a path."""
        return Scope(f"agent:{path.parts[0].replace(':', '-').replace(' ', '-') or 'main'}")

    def is_silent(self, path: Path) -> bool:
        """Return whether a session has no person in it, or was deleted by the user.

        OpenClaw's list of sessions tells.
        """
        if ".jsonl.deleted." in path.name:
            return True
        listed = path.with_name("sessions.json")
        try:
            written = listed.stat().st_mtime_ns
        except OSError:
            return False
        return parse_session_id(path.name) in _system_sessions(listed, written)


@lru_cache(maxsize=64)
def _system_sessions(listed: Path, written_ns: int) -> frozenset[str]:
    """Return the ids of sessions without a person; cached until the list changes on disk."""
    del written_ns
    try:
        return system_sessions(listed.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return frozenset()


_SETTINGS = """{
  "gateway": {"mode": "local"},
  "agents": {"defaults": {
    "model": {"primary": "loopback/one"},
    "workspace": "<home>/.openclaw/workspace",
    "skipBootstrap": true}},
  "models": {"providers": {"loopback": {"baseUrl": "<url>/v1", "apiKey": "loopback",
    "api": "openai-completions", "models": [
    {"id": "one", "name": "one", "contextWindow": 200000, "maxTokens": 4096,
     "input": ["text"], "reasoning": false,
     "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}]}}}
}
""".replace("<home>", HOME).replace("<url>", URL)


class OpenClawAgent(Agent):
    """OpenClaw: its transcripts, and its configuration with a memory plugin and a server."""

    format = OpenClawFormat()
    tried_release = "2026.9.6"
    note = install.NOTE
    no_project = "OpenClaw has no settings of a project"
    rehearsal = Rehearsal(
        "openclaw",
        (
            "agent",
            "--local",
            "--agent",
            "main",
            "--session-key",
            "agent:main:gieok-doctor",
            "--message",
        ),
        {},
        {".openclaw/openclaw.json": _SETTINGS},
    )

    def find_settings_folder(self, site: InstallPlace) -> Path:
        """Return the state folder."""
        return state_folder(site.environment, site.folder)

    def find_place(self, home: Path, environment: Mapping[str, str]) -> TranscriptPlace:
        """Return the folder of agents."""
        return OpenClawPlace(
            folder=self.find_own_folder(home, environment) / "agents",
            files="*/sessions/*.jsonl*",
            databases=f"*/agent/{DATABASE}",
            unread=_UNREAD,
        )

    def is_system_session(self, key: str) -> bool:
        """Return whether a session has no person in it, by its key (`agent:main:cron:…`)."""
        return is_system_session(key)

    def build_edits(self, site: InstallPlace, call: OwnCommand) -> list[Edit]:
        """Return the edits of OpenClaw's files, by its generation."""
        found = find_openclaw(site.environment, site.folder)
        if found.is_current:
            return install.build_plugin_edits(found, call)
        return [install.build_qmd_edit(found, call)]

    def find_missing_features(self, site: InstallPlace) -> str | None:
        """Return what a release up to 2026.7 lacks; None for a newer release."""
        is_current = find_openclaw(site.environment, site.folder).is_current
        return None if is_current else install.MISSING


AGENT = OpenClawAgent()
