"""Where OpenClaw of any generation keeps its memory.

That is its state folder, its configuration, and each agent's workspace. Up to 2026.7 agents are a
list and memory search stands below `agents.defaults`; from 2026.8 on agents are a map and memory
search stands by itself. Nothing is written here.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from gieok.agents.transcripts.fields import Line, read_object_field, read_text_field
from gieok.errors import BadRequest
from gieok.text import jsonc

#: Files of a workspace that are memory. Capital letters matter: OpenClaw does not index
#: `memory.md`.
MEMORY = ("MEMORY.md", "USER.md", "memory")
_MAIN = "main"


class AgentWorkspace(NamedTuple):
    """Agent with its workspace, and the extra folders that its owner lets OpenClaw search."""

    id: str
    workspace: Path
    extra: tuple[Path, ...] = ()


class Installation(NamedTuple):
    """OpenClaw installation as found.

    `is_current` is True from 2026.8 on: sessions in SQLite, no qmd.
    """

    state: Path
    config: Path
    settings: Line
    is_current: bool
    agents: tuple[AgentWorkspace, ...]


def find_openclaw(environment: Mapping[str, str], home: Path) -> Installation:
    """Find an installation as OpenClaw itself would.

    Raises BadRequest where there is none or it cannot be read.
    """
    state = state_folder(environment, home)
    config = Path(environment.get("OPENCLAW_CONFIG_PATH") or state / "openclaw.json").expanduser()
    if not state.is_dir():
        raise BadRequest(
            "no OpenClaw in {state!r}",
            state=state,
            hint="set OPENCLAW_STATE_DIR, or give the workspace's path",
        )
    settings = read_config(config)
    named = environment.get("OPENCLAW_WORKSPACE_DIR", "")
    return Installation(
        state=state,
        config=config,
        settings=settings,
        is_current=_is_current(state, settings),
        agents=tuple(_iter_openclaw_agents(state, settings, named)),
    )


def state_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Return OpenClaw's state folder, whether or not it exists."""
    profile = environment.get("OPENCLAW_PROFILE", "")
    usual = home / (f".openclaw-{profile}" if profile and profile != "default" else ".openclaw")
    return Path(environment.get("OPENCLAW_STATE_DIR") or usual).expanduser()


def read_config(file: Path) -> Line:
    """Return the configuration; empty where the file does not exist. Raises BadRequest."""
    if not file.is_file():
        return {}
    try:
        settings = jsonc.load_jsonc(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadRequest(
            "cannot read {file!r}: {error}",
            file=file,
            error=error,
            hint="run `openclaw config validate`",
        ) from error
    return read_object_field(settings)


def _is_current(state: Path, settings: Line) -> bool:
    agents, memory = (
        read_object_field(settings.get("agents")),
        read_object_field(settings.get("memory")),
    )
    if "entries" in agents or "search" in memory:
        return True
    if (
        "list" in agents
        or "backend" in memory
        or "memorySearch" in read_object_field(agents.get("defaults"))
    ):
        return False
    has_files = any(state.glob("agents/*/sessions/*.jsonl"))
    return any(state.glob("agents/*/agent/openclaw-agent.sqlite")) or not has_files


def _iter_openclaw_agents(state: Path, settings: Line, named: str) -> Iterator[AgentWorkspace]:
    agents = read_object_field(settings.get("agents"))
    defaults = read_object_field(agents.get("defaults"))
    usual = Path(
        named or read_text_field(defaults.get("workspace")) or state / "workspace"
    ).expanduser()
    shared = _list_extra_paths(
        read_object_field(settings.get("memory")).get("search")
    ) + _list_extra_paths(defaults.get("memorySearch"))
    entries = {
        name: read_object_field(entry)
        for name, entry in read_object_field(agents.get("entries")).items()
    }
    listed = agents.get("list")
    for entry in map(read_object_field, listed if isinstance(listed, list) else ()):
        entries[read_text_field(entry.get("id"))] = entry
    entries.setdefault(_MAIN, {})
    for name, entry in sorted(entries.items()):
        folders = (usual / name, state / f"workspace-{name}") if name != _MAIN else ()
        own = read_text_field(entry.get("workspace")) or next(
            (str(f) for f in folders if f.is_dir()), ""
        )
        more = _list_extra_paths(
            read_object_field(entry.get("memory")).get("search")
        ) + _list_extra_paths(entry.get("memorySearch"))
        if name and (own or name == _MAIN):
            workspace = Path(own).expanduser() if own else usual
            yield AgentWorkspace(
                name, workspace, tuple(dict.fromkeys(workspace / path for path in shared + more))
            )


def _list_extra_paths(search: object) -> list[Path]:
    """Return the paths of `extraPaths`, given as texts or as `{path, pattern}`.

    Relative paths are relative to the workspace.
    """
    paths = read_object_field(search).get("extraPaths")
    path_names = (
        read_text_field(read_object_field(path).get("path")) or read_text_field(path)
        for path in (paths if isinstance(paths, list) else ())
    )
    return [Path(path).expanduser() for path in path_names if path]
