"""`gieok import openclaw`: index the memory of an OpenClaw that is there; its files stay where they are."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from gieok.agents.openclaw import installation
from gieok.capabilities.files import roots
from gieok.errors import BadRequest
from gieok.model.memory import Scope
from gieok.ops.context import Context
from gieok.ops.encode import Hidden
from gieok.ops.memory import index
from gieok.ops.memory.index import IndexResult
from gieok.ops.operation import Effect, Operation, Style, Words, argument


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """Parameters of `gieok import openclaw`."""

    workspace: str = argument(
        Words("a workspace folder; without one, those of OpenClaw's own configuration",
              "작업 폴더; 없으면 OpenClaw 설정에 있는 것들"), "", positional=True,
    )  # fmt: skip
    agent: str = argument(
        Words("only this agent; its memory is the scope agent:NAME", "이 에이전트만; 기억의 범위는 agent:이름"), ""
    )
    sessions: bool = argument(Words("what was said to agents too", "에이전트와 나눈 말도"), False)
    no_wait: bool = argument(Words("do not wait for vectors", "벡터를 기다리지 않음"), False)


class ImportedAgent(NamedTuple):
    """What was indexed of an agent."""

    scope: str
    workspace: Path
    index_: IndexResult


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What was indexed of each agent, and what of it is not there."""

    agents: tuple[ImportedAgent, ...]
    missing: tuple[str, ...]
    found: Hidden[bool] = True


def run(context: Context, request: ImportRequest) -> ImportResult:
    """Add each agent's memory to its scope, and index it."""
    agents = _wanted(context, request)
    missing = [str(agent.workspace) for agent in agents if not agent.workspace.is_dir()]
    present = [agent for agent in agents if agent.workspace.is_dir()]
    if not present:
        raise BadRequest(f"no workspace at {', '.join(missing)}", hint="`gieok import openclaw FOLDER`")
    done = []
    for agent in present:
        missing += [str(path) for path in agent.extra if not path.exists()]
        done.append(ImportedAgent(f"agent:{agent.id}", agent.workspace, _index(context, agent, request)))
    return ImportResult(tuple(done), tuple(missing))


def _wanted(context: Context, request: ImportRequest) -> list[installation.OpenClawAgent]:
    if request.workspace:
        return [installation.OpenClawAgent(request.agent or "main", context.caller.path(request.workspace))]
    found = installation.find(context.caller.environment, context.caller.user).agents
    wanted = [agent for agent in found if request.agent in ("", agent.id)]
    if not wanted:
        known = ", ".join(agent.id for agent in found)
        raise BadRequest(f"OpenClaw has no agent {request.agent!r}", hint=f"agents: {known}")
    return wanted


def _index(context: Context, agent: installation.OpenClawAgent, request: ImportRequest) -> index.IndexResult:
    own = replace(context, scope=Scope(f"agent:{agent.id}"), also=())
    roots.add(own.memory.notes(), own.scope, [agent.workspace], only=installation.MEMORY)
    roots.add(own.memory.notes(), own.scope, [path for path in agent.extra if path.exists()])
    return index.indexed(own, index.IndexRequest(no_wait=request.no_wait), has_talk=request.sessions)


def present(result: ImportResult, style: Style) -> str:
    """Show a line for each agent."""
    lines = []
    for agent in result.agents:
        lines.append(style.bold(f"{agent.scope}  {agent.workspace}"))
        lines += [f"  {line}" for line in index.present(agent.index_, style).split("\n")]
    lines += [style.say(f"not there: {path}", f"없음: {path}") for path in result.missing]
    return "\n".join(lines)


OPERATION = Operation(
    name="import openclaw",
    handler=run,
    present=present,
    doc=Words("Index the memory of an existing OpenClaw", "이미 있는 OpenClaw의 기억을 색인합니다"),
    effect=Effect.WRITE,
)
