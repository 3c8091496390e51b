"""`gieok import openclaw`: index the memory of an OpenClaw installation on this machine.

The files stay where they are, and are followed.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from gieok.agents.openclaw import installation
from gieok.commands.command import Style
from gieok.commands.encode import Hidden
from gieok.commands.memory import index
from gieok.commands.memory.index import IndexResult
from gieok.commands.scope_names import name_scope
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.memory.files import roots
from gieok.model.memory import Scope


class ImportedAgent(NamedTuple):
    """Counts of what was indexed of an agent."""

    scope: str
    workspace: Path
    index_: IndexResult


@dataclass(frozen=True, slots=True)
class OpenClawResult:
    """What was indexed of each agent, and which of its files are missing."""

    agents: tuple[ImportedAgent, ...]
    missing: tuple[str, ...]
    found: Hidden[bool] = True


class OpenClawRequest(NamedTuple):
    """Selection of what to import.

    A workspace (None: those of OpenClaw's own configuration), one agent ('': all), and whether
    conversations are imported too.
    """

    workspace: Path | None
    agent: str
    sessions: bool
    no_wait: bool


def looks_like_workspace(folder: Path) -> bool:
    """Say whether a folder holds the memory of an OpenClaw agent."""
    return folder.is_dir() and any((folder / name).exists() for name in installation.MEMORY)


def import_openclaw(call: Call, request: OpenClawRequest) -> OpenClawResult:
    """Add each agent's memory to its scope, and index it.

    Raises BadRequest.
    """
    agents = _select_openclaw_agents(call, request)
    missing = [str(agent.workspace) for agent in agents if not agent.workspace.is_dir()]
    present = [agent for agent in agents if agent.workspace.is_dir()]
    if not present:
        raise BadRequest(
            "no workspace at {missing}",
            missing=", ".join(missing),
            hint="`gieok import openclaw FOLDER`",
        )
    imported = []
    for agent in present:
        missing += [str(path) for path in agent.extra if not path.exists()]
        imported.append(
            ImportedAgent(
                f"agent:{agent.id}",
                agent.workspace,
                _index_openclaw_workspace(call, agent, request),
            )
        )
    return OpenClawResult(tuple(imported), tuple(missing))


def _select_openclaw_agents(
    call: Call, request: OpenClawRequest
) -> list[installation.AgentWorkspace]:
    if request.workspace is not None:
        return [installation.AgentWorkspace(request.agent or "main", request.workspace)]
    installed_agents = installation.find_openclaw(call.caller.environment, call.caller.user).agents
    chosen_agents = [agent for agent in installed_agents if request.agent in ("", agent.id)]
    if not chosen_agents:
        known = ", ".join(agent.id for agent in installed_agents)
        raise BadRequest(
            "OpenClaw has no agent {agent!r}",
            agent=request.agent,
            known=known,
            hint="agents: {known}",
        )
    return chosen_agents


def _index_openclaw_workspace(
    call: Call, agent: installation.AgentWorkspace, request: OpenClawRequest
) -> index.IndexResult:
    own = replace(call, scope=Scope(f"agent:{agent.id}"), also=())
    roots.add_roots(own.home.notes, own.scope, [agent.workspace], only=installation.MEMORY)
    roots.add_roots(own.home.notes, own.scope, [path for path in agent.extra if path.exists()])
    all_folders = index.IndexRequest(
        paths=(),
        force=False,
        rebuild=False,
        remove=False,
        sessions=False,
        no_wait=request.no_wait,
        watch=False,
    )
    return index.index_requested_folders(own, all_folders, has_talk=request.sessions)


def render_openclaw_import(result: OpenClawResult, style: Style) -> str:
    """Show a line for each agent."""
    lines = []
    for agent in result.agents:
        lines.append(style.bold(f"{name_scope(agent.scope).say(style.lang)}  {agent.workspace}"))
        lines += [
            f"  {line}" for line in index.render_index_report(agent.index_, style).split("\n")
        ]
    lines += [style.say("not there: {path}", path=path) for path in result.missing]
    return "\n".join(lines)
