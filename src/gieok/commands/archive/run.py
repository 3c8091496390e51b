"""`gieok archive run`: do the due moves to warm and take in people's edits now.

Then whatever other job is due runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gieok.commands.command import Effect, Style, command, printable
from gieok.commands.encode import Hidden
from gieok.commands.home import jobs
from gieok.commands.home.jobs import Ran
from gieok.home.call import Call
from gieok.memory.tiers.tiers import Outcome
from gieok.text.messages import Words


@dataclass(frozen=True, slots=True)
class TieringResult:
    """Counts of moved memories, people's corrections in files, and written files; and faults."""

    moved: int
    corrected: int
    written: int
    wrong: tuple[str, ...]
    #: Other jobs that were due.
    jobs: tuple[Ran, ...] = ()
    found: Hidden[bool] = True


def render_tiering_result(result: TieringResult, style: Style) -> str:
    """Show the moves, and the failures."""
    head = style.say(
        (
            "{moved:,} memories moved to warm, {corrected:,} corrected in files, {written:,} "
            "files written"
        ),
        moved=result.moved,
        corrected=result.corrected,
        written=result.written,
    )
    lines = [head, *(f"  ✗ {printable(style.told(line))}" for line in result.wrong)]
    lines += [
        f"  {'' if ran.ok else '✗ '}{ran.name}: {printable(style.told(ran.said)) or 'ok'}"
        for ran in result.jobs
    ]
    return "\n".join(lines)


@command(
    "archive run",
    Words("Move what is over to warm, and read what you changed in its files"),
    present=render_tiering_result,
    when_stopped=Words("what was moved is moved whole; `gieok archive run` goes on"),
    examples=("gieok archive run",),
    effect=Effect.WRITE,
)
def run_archive_jobs(call: Call) -> TieringResult:
    """Run the due moves, take in corrections, and run other due jobs."""
    outcome = jobs.move_due_to_warm(call)
    jobs.note_job_done(call, jobs.WARM, jobs.format_move_counts(outcome))
    return build_tiering_result(outcome, also=jobs.run_due(call))


def build_tiering_result(
    done: Outcome, *, found: bool = True, also: Sequence[Ran] = ()
) -> TieringResult:
    """Return the result of an `Outcome`."""
    return TieringResult(
        moved=done.moved,
        corrected=done.corrected,
        written=done.written,
        wrong=tuple(done.wrong),
        jobs=tuple(also),
        found=found,
    )
