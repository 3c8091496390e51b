"""What works in which agent, told from the rows and the classes of the agents."""

from enum import StrEnum
from typing import NamedTuple

from gieok.agents import table
from gieok.agents.agent import load_agent


class Support(StrEnum):
    """Whether an agent supports something: in all releases, in some, or in none."""

    YES = "yes"
    SOME = "some releases"
    NO = "no"


class GateSupport(StrEnum):
    """What happens before a tool does what the user forbade."""

    ASKS = "asks"
    #: As `ASKS` by the agent's documents; nobody has seen it.
    ASKS_UNTRIED = "asks where it has a window, not tried"
    STOPS = "stops"
    NO = "no"


class HostSupport(NamedTuple):
    """What works in one agent.

    `start`, `prompt`: memory is put before the model at the start of a session, and at a prompt;
    `capture`: conversations are read; `tools`: an install adds the MCP server. `tried_release` is
    the newest release that was run against a model server, '' where none was.
    """

    name: str
    start: Support
    prompt: Support
    capture: Support
    gate: GateSupport
    tools: Support
    tried_release: str


def describe_host(name: str) -> HostSupport:
    """Return what works in an agent."""
    row, agent = table.BY_NAME[name], load_agent(name)
    asks = GateSupport.ASKS_UNTRIED if agent.asks_untried else GateSupport.ASKS
    gate = asks if row.can_ask else GateSupport.STOPS
    return HostSupport(
        name=name,
        start=_find_event_support(name, table.SESSION_START),
        prompt=_find_event_support(name, table.PROMPT),
        capture=Support.YES if agent.format else Support.NO,
        gate=gate if table.PRE_TOOL in row.called_events else GateSupport.NO,
        tools=Support.YES if agent.has_server else Support.NO,
        tried_release=agent.tried_release,
    )


def _find_event_support(name: str, event: str) -> Support:
    if event not in table.BY_NAME[name].called_events:
        return Support.NO
    return Support.SOME if event in load_agent(name).partial_events else Support.YES
