"""`gieok character inactive`: remind users who stay away, and drop episodes.

Episodes are dropped of users who do not come back.
"""

from dataclasses import dataclass
from typing import Annotated

from gieok.character.accounts.inactivity import (
    FADED,
    REMINDED,
    WARNED,
    InactivityReport,
    InactivityStep,
)
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.home.call import Call
from gieok.text.messages import Words


@dataclass(frozen=True, slots=True)
class InactiveResult:
    """Steps that were done, or would be, by user.

    `unsure`: users of whom nobody knows whether a mail to them went out.
    """

    dry_run: bool
    reminded: int
    warned: int
    faded: int
    steps: tuple[InactivityStep, ...]
    unsure: tuple[str, ...]

    @property
    def found(self) -> bool:
        """Always true: there is an answer even where nobody stayed away."""
        return True


def render_inactivity_steps(result: InactiveResult, style: Style) -> str:
    """Return the steps as text."""
    lines = []
    for step in result.steps:
        what = _STAGES[step.stage].say(style.lang) if step.stage in _STAGES else step.stage
        detail = step.said or (f"{step.episodes}" if step.episodes else "")
        lines.append(
            (
                f"{printable(step.user)}: {what if step.ok else '✗ ' + what} "
                f"{style.dim(printable(detail))}"
            ).rstrip()
        )
    for user in result.unsure:
        note = style.say("a mail may have gone out or not: --resend sends it again")
        lines.append(f"{printable(user)}: {note}")
    return "\n".join(lines) or style.say("nobody has stayed away for so long")


@command(
    "character inactive",
    Words("Remind users who stay away, then delete their episodes: after 60, 80 and 90 days"),
    present=render_inactivity_steps,
    effect=Effect.DESTROY,
    examples=("gieok character inactive --dry-run",),
)
def remind_inactive_users(
    call: Call,
    *,
    dry_run: Annotated[bool, Parameter(Words("show what is due, and do nothing"))] = False,
    resend: Annotated[
        str, Parameter(Words("send a user's mail again, where nobody knows whether it went out"))
    ] = "",
) -> InactiveResult:
    """Take the due steps for users who stay away. Raises StoreError."""
    report = run_inactivity_steps(call, is_dry=dry_run, resend=resend)
    counts = report.counts()
    return InactiveResult(
        dry_run=dry_run,
        reminded=counts[REMINDED],
        warned=counts[WARNED],
        faded=counts[FADED],
        steps=report.steps,
        unsure=report.unsure,
    )


def run_inactivity_steps(call: Call, *, is_dry: bool = False, resend: str = "") -> InactivityReport:
    """Run the inactivity steps and return their report; an empty report where no user ever came."""
    if not call.home.stores.has_accounts():
        return InactivityReport()
    return call.home.house.inactivity.run(is_dry=is_dry, resend=resend)


_STAGES = {
    REMINDED: Words("reminded"),
    WARNED: Words("warned for the last time"),
    FADED: Words("episodes deleted"),
}
