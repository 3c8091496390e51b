"""Where agents keep their transcripts, on this machine and for this user."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from gieok.model.memory import Scope
from gieok.transcripts.formats import is_transcript
from gieok.transcripts.openclaw import DATABASE, session_of, system_sessions

AGENTS = ("openclaw", "claude-code", "codex", "gemini-cli")


class Place(NamedTuple):
    """A folder below which transcripts lie, and which of the names below it are some."""

    agent: str
    folder: Path
    pattern: str


class Source(NamedTuple):
    """A transcript, or a database of them, and whose memory it is for."""

    path: Path
    scope: Scope
    is_database: bool = False


def places(home: Path, environment: Mapping[str, str], agents: Sequence[str], folders: Sequence[Path]) -> list[Place]:
    """Return the places of these agents, there or not, and of the user's own folders."""

    def root(variable: str, *default: str) -> Path:
        configured = environment.get(variable)
        return Path(configured).expanduser() if configured else home.joinpath(*default)

    profile = environment.get("OPENCLAW_PROFILE")
    openclaw = root("OPENCLAW_STATE_DIR", f".openclaw-{profile}" if profile else ".openclaw") / "agents"
    known = {
        "openclaw": Place("openclaw", openclaw, "*/sessions/*.jsonl*"),
        "claude-code": Place("claude-code", root("CLAUDE_CONFIG_DIR", ".claude") / "projects", "*/*.jsonl"),
        "codex": Place("codex", root("CODEX_HOME", ".codex") / "sessions", "*/*/*/*.jsonl"),
        "gemini-cli": Place("gemini-cli", home / ".gemini" / "tmp", "*/chats/*.jsonl"),
    }
    own = [Place("plain", folder, "**/*.jsonl*") for folder in folders]
    return [known[agent] for agent in agents] + own


def sources(found: Sequence[Place], default: Scope) -> Iterator[Source]:
    """Yield every transcript of the places. An agent of OpenClaw has a scope of its own; the rest share the default."""
    for place in found:
        if place.agent == "openclaw":
            yield from _openclaw(place)
        else:
            for path in sorted(place.folder.glob(place.pattern)):
                if is_transcript(path.name):
                    yield Source(path, default)


def source_of(path: Path, found: Sequence[Place], default: Scope) -> Source | None:
    """Return what a path is that a watcher saw change; None where it is no transcript of these places."""
    for place in found:
        if path.is_relative_to(place.folder):
            scope = _openclaw_scope(path.relative_to(place.folder).parts[0]) if place.agent == "openclaw" else default
            if place.agent == "openclaw" and path.name.startswith(DATABASE):
                return Source(path.with_name(DATABASE), scope, is_database=True)
            if is_transcript(path.name) and (place.agent != "openclaw" or not _is_system_file(path)):
                return Source(path, scope)
    return None


def _openclaw(place: Place) -> Iterator[Source]:
    for database in sorted(place.folder.glob(f"*/agent/{DATABASE}")):
        yield Source(database, _openclaw_scope(database.parents[1].name), is_database=True)
    for path in sorted(place.folder.glob(place.pattern)):
        if is_transcript(path.name) and not _is_system_file(path):
            yield Source(path, _openclaw_scope(path.parents[1].name))


def _openclaw_scope(agent: str) -> Scope:
    return Scope(f"agent:{agent.replace(':', '-').replace(' ', '-') or 'main'}")


def _is_system_file(path: Path) -> bool:
    """Say whether nobody speaks in a session, going by the list that OpenClaw keeps beside it."""
    listed = path.with_name("sessions.json")
    try:
        written = listed.stat().st_mtime_ns
    except OSError:
        return False
    return session_of(path.name) in _system_sessions(listed, written)


@lru_cache(maxsize=64)
def _system_sessions(listed: Path, written_ns: int) -> frozenset[str]:
    """Return the ids of the sessions in which nobody speaks; read anew when the list is written."""
    del written_ns
    try:
        return system_sessions(listed.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return frozenset()
