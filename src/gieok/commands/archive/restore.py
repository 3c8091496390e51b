"""`gieok archive restore`: bring the archived memories of a day back to hot."""

from datetime import timedelta
from typing import Annotated

from gieok.commands.archive.run import TieringResult, build_tiering_result
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.memory.search import span_of_days
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.memory.tiers import sweep
from gieok.memory.tiers.retention import KEPT_DAYS
from gieok.memory.tiers.tiers import Outcome
from gieok.text.messages import Words

_MOST_DAYS = 366


def render_restored_days(result: TieringResult, style: Style) -> str:
    """Show how many memories came back."""
    if not result.found and not result.wrong:
        return style.say(
            "nothing of that time is archived in the scopes that are read here; `--scope` "
            "names another"
        )
    head = style.say(
        "{moved:,} memories are hot again, for {KEPT_DAYS} days at least",
        moved=result.moved,
        KEPT_DAYS=KEPT_DAYS,
    )
    return "\n".join([head, *(f"  ✗ {printable(style.told(line))}" for line in result.wrong)])


@command(
    "archive restore",
    Words("Bring what is archived of a day back"),
    present=render_restored_days,
    examples=("gieok archive restore 2026-01-05",),
    effect=Effect.WRITE,
)
def restore_archived_days(
    call: Call,
    *,
    day: Annotated[
        str,
        Parameter(
            Words("the day, or days: 2026-08-01, `last week`"),
            positional=True,
            needed="gieok archive restore 2026-08-01",
        ),
    ] = "",
) -> TieringResult:
    """Bring the day back in every scope that this command reads."""
    span = span_of_days(call, day)
    if span is None or (span.last - span.first).days >= _MOST_DAYS:
        raise BadRequest(
            "{day!r} is more than a year", day=day, hint="name a day, or some: 2026-08-01, 2026-08"
        )
    outcome = Outcome()
    for scope in call.scopes:
        for number in range((span.last - span.first).days + 1):
            outcome.add(
                sweep.restore_day_to_hot(
                    call.home.tiers, scope, span.first + timedelta(days=number)
                )
            )
    return build_tiering_result(outcome, found=outcome.moved > 0)
