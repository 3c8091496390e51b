"""OpenClaw: where it writes, and into which scope.

Its transcript format, its installation and Gieok's install have a file each.
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from gieok.agents.agent import HOME, URL, Agent, Rehearsal, TranscriptPlace, Unread
from gieok.agents.openclaw.install import NOTE, edits_of, find_missing_features
from gieok.agents.openclaw.installation import state_folder
from gieok.agents.openclaw.transcript import (
    DATABASE,
    OpenClawFormat,
    is_system_session,
    parse_session_id,
    system_sessions,
)
from gieok.model.memory import Scope


def _find_openclaw_place(home: Path, environment: Mapping[str, str]) -> TranscriptPlace:
    agents = state_folder(environment, home) / "agents"
    return TranscriptPlace(
        folder=agents,
        files="*/sessions/*.jsonl*",
        databases=f"*/agent/{DATABASE}",
        scope_of=_scope_of,
        is_silent=_is_silent_openclaw_file,
        unread=_UNREAD,
    )


_UNREAD = (Unread("*/sessions/**/*.jsonl*.zst", "compressed sessions are not read"),)


def _scope_of(path: Path) -> Scope:
    return Scope(f"agent:{path.parts[0].replace(':', '-').replace(' ', '-') or 'main'}")


def _is_silent_openclaw_file(path: Path) -> bool:
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
_REHEARSAL = Rehearsal(
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
AGENT = Agent(
    place=_find_openclaw_place,
    format=OpenClawFormat(),
    edits=edits_of,
    note=NOTE,
    missing=find_missing_features,
    is_system_session=is_system_session,
    rehearsal=_REHEARSAL,
    folder=lambda home, environment: state_folder(environment, home),
)
