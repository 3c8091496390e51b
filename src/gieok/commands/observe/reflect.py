"""`gieok observe reflect`: condense the observations of a scope now."""

from typing import NamedTuple

from gieok.commands.absence import absence
from gieok.commands.command import Effect, Style, command
from gieok.commands.encode import Omitted
from gieok.commands.memory import gaps
from gieok.home.call import Call
from gieok.text.messages import Words


class ReflectResult(NamedTuple):
    """Tokens before and after; `found` is False where there was nothing to reflect upon."""

    before_tokens: int
    after_tokens: int
    tries: int
    #: Where there are no observations: places that were not searched. Left out where every place
    #: was searched.
    not_looked_at: Omitted[tuple[Words, ...]] = None

    @property
    def found(self) -> bool:
        """True where there are observations."""
        return self.before_tokens > 0


def render_reflection(result: ReflectResult, style: Style) -> str:
    """Show how much shorter the observations are."""
    if not result.found:
        return absence(
            Words("There are no observations yet."),
            result.not_looked_at,
            style,
        )
    if result.after_tokens == result.before_tokens:
        return style.say(
            "nothing to condense in {before_tokens:,} tokens of observations",
            before_tokens=result.before_tokens,
        )
    return style.say(
        "{before_tokens:,} tokens of observations became {after_tokens:,}",
        before_tokens=result.before_tokens,
        after_tokens=result.after_tokens,
    )


@command(
    "observe reflect",
    Words("Condense what was observed; what is replaced stays in the history"),
    present=render_reflection,
    examples=("gieok observe reflect",),
    effect=Effect.WRITE,
)
def reflect_scope(call: Call) -> ReflectResult:
    """Condense the observations of the scope, and rewrite active memory."""
    sidecar = call.home.sidecar
    reflected = sidecar.reflect(call.scope)
    result = ReflectResult(reflected.before_tokens, reflected.after_tokens, reflected.tries)
    if not result.found:
        return result._replace(
            not_looked_at=tuple(gaps.gaps_of_observing(call, [call.scope])) or None
        )
    sidecar.write_active_memory(call.scope)
    return result
