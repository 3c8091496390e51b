"""`gieok observe reflect`: condense the observations of a scope now."""

from typing import NamedTuple

from gieok.ops.absence import absence
from gieok.ops.context import Context
from gieok.ops.encode import Omitted
from gieok.ops.memory import gaps
from gieok.ops.operation import Effect, NoRequest, Operation, Style, Words


class ReflectResult(NamedTuple):
    """Tokens before and after; `found` is False where there was nothing to reflect upon."""

    before_tokens: int
    after_tokens: int
    tries: int
    #: Where there is none: what was not looked at. Left out where everything was.
    not_looked_at: Omitted[tuple[Words, ...]] = None

    @property
    def found(self) -> bool:
        """True where there are observations."""
        return self.before_tokens > 0


def reflect_scope(context: Context, request: NoRequest) -> ReflectResult:
    """Reflect, and write active memory anew."""
    del request
    sidecar = context.observe.sidecar()
    reflected = sidecar.reflect(context.scope)
    result = ReflectResult(reflected.before_tokens, reflected.after_tokens, reflected.tries)
    if not result.found:
        return result._replace(
            not_looked_at=tuple(gaps.gaps_of_observing(context, [context.scope])) or None
        )
    sidecar.write_active_memory(context.scope)
    return result


def render_reflection(result: ReflectResult, style: Style) -> str:
    """Say how much shorter it is."""
    if not result.found:
        return absence(
            Words("There are no observations yet.", "아직 관찰이 없습니다."),
            result.not_looked_at,
            style,
        )
    if result.after_tokens == result.before_tokens:
        return style.say(
            f"nothing to condense in {result.before_tokens:,} tokens of observations",
            f"관찰 {result.before_tokens:,}토큰에서 줄일 것이 없습니다",
        )
    return style.say(
        f"{result.before_tokens:,} tokens of observations became {result.after_tokens:,}",
        f"관찰 {result.before_tokens:,}토큰을 {result.after_tokens:,}토큰으로 줄였습니다",
    )


OPERATION = Operation(
    name="observe reflect",
    examples=("gieok observe reflect",),
    handler=reflect_scope,
    present=render_reflection,
    effect=Effect.WRITE,
    doc=Words(
        "Condense what was observed; what is replaced stays in the history",
        "관찰을 줄입니다. 바뀐 것은 이력에 남습니다",
    ),
)
