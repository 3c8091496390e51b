"""`gieok hook injections`: the recent injections into agents' prompts."""

from dataclasses import dataclass
from typing import Annotated

from gieok.commands.command import Parameter, Style, command
from gieok.commands.prompt.last import LastResult, list_last_injections
from gieok.commands.prompt.last import render_last_injection as present_last
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.text.messages import Words

_MOST = 1_000


@dataclass(frozen=True, slots=True)
class InjectionsResult:
    """Injections, newest first; a dozen are kept for each of forty sessions."""

    injections: tuple[LastResult, ...]

    @property
    def found(self) -> bool:
        """Return whether there is any injection."""
        return bool(self.injections)


def render_injections(result: InjectionsResult, style: Style) -> str:
    """Show each injection as `gieok why --last` does."""
    if not result.found:
        return style.say("Nothing that an agent was given is kept.")
    return "\n\n".join(present_last(injection, style) for injection in result.injections)


@command(
    "hook injections",
    Words("Show what agents were given lately: exact text, sources, cost"),
    present=render_injections,
    examples=("gieok hook injections", "gieok hook injections --limit 3"),
)
def list_injections(
    call: Call, *, limit: Annotated[int, Parameter(Words("how many, the newest first"))] = 10
) -> InjectionsResult:
    """Return the injections that the hook keeps of each session.

    Raises BadRequest.
    """
    if not 0 < limit <= _MOST:
        raise BadRequest("limit is {limit}", limit=limit, most=_MOST, hint="1 to {most:,}")
    return InjectionsResult(tuple(list_last_injections(call, limit)))
