"""`gieok observe reflect`: condense the observations of a scope now."""

from dataclasses import dataclass

from gieok.capabilities.observe.reflect import Reflected
from gieok.ops.context import Context
from gieok.ops.operation import Effect, Operation, Style, Words


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectRequest:
    """`gieok observe reflect` has no parameters."""


@dataclass(frozen=True, slots=True)
class ReflectResult:
    """Tokens before and after; `found` is False where there was nothing to reflect upon."""

    reflected: Reflected

    @property
    def found(self) -> bool:
        """True where there are observations."""
        return self.reflected.before_tokens > 0

    def to_json(self) -> object:
        """Return the documented shape."""
        r = self.reflected
        return {"before_tokens": r.before_tokens, "after_tokens": r.after_tokens, "tries": r.tries}


def run(context: Context, request: ReflectRequest) -> ReflectResult:
    """Reflect, and write active memory anew."""
    del request
    sidecar = context.observe.sidecar()
    result = ReflectResult(sidecar.reflect(context.scope))
    if result.found:
        sidecar.write_active_memory(context.scope)
    return result


def present(result: ReflectResult, style: Style) -> str:
    """Say how much shorter it is."""
    r = result.reflected
    if not result.found:
        return Words("There are no observations yet.", "아직 관찰이 없습니다.").say(style.lang)
    if r.after_tokens == r.before_tokens:
        return Words(
            f"nothing to condense in {r.before_tokens:,} tokens of observations",
            f"관찰 {r.before_tokens:,}토큰에서 줄일 것이 없습니다",
        ).say(style.lang)
    return Words(
        f"{r.before_tokens:,} tokens of observations became {r.after_tokens:,}",
        f"관찰 {r.before_tokens:,}토큰을 {r.after_tokens:,}토큰으로 줄였습니다",
    ).say(style.lang)


OPERATION = Operation(
    name="observe reflect",
    request=ReflectRequest,
    handler=run,
    present=present,
    effect=Effect.WRITE,
    doc=Words(
        "Condense what was observed; what is replaced stays in the history",
        "관찰을 줄입니다. 바뀐 것은 이력에 남습니다",
    ),
)
