"""`gieok archive run`: move to warm what is over, and take in what people changed in files, now;
then whatever else is due.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gieok.memory.tiers.tiers import Outcome
from gieok.ops.context import Context
from gieok.ops.encode import Hidden
from gieok.ops.home import jobs
from gieok.ops.home.jobs import Ran
from gieok.ops.operation import Effect, Operation, Style, printable
from gieok.text.messages import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveRunRequest:
    """Parameters of `gieok archive run`: none."""


@dataclass(frozen=True, slots=True)
class TieringResult:
    """How many memories moved, how many people corrected in files, how many files were written, and
    what is wrong.
    """

    moved: int
    corrected: int
    written: int
    wrong: tuple[str, ...]
    #: What else was due.
    jobs: tuple[Ran, ...] = ()
    found: Hidden[bool] = True


def run_archive_jobs(context: Context, request: ArchiveRunRequest) -> TieringResult:
    """Do what is due."""
    del request
    outcome = jobs.move_due_to_warm(context)
    jobs.note_job_done(context, jobs.WARM, jobs.format_move_counts(outcome))
    return build_tiering_result(outcome, also=jobs.run_due(context))


def build_tiering_result(
    done: Outcome, *, found: bool = True, also: Sequence[Ran] = ()
) -> TieringResult:
    """Return what came of it."""
    return TieringResult(
        moved=done.moved,
        corrected=done.corrected,
        written=done.written,
        wrong=tuple(done.wrong),
        jobs=tuple(also),
        found=found,
    )


def render_tiering_result(result: TieringResult, style: Style) -> str:
    """Show what moved, and what could not."""
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


OPERATION = Operation(
    name="archive run",
    when_stopped=Words("what was moved is moved whole; `gieok archive run` goes on"),
    examples=("gieok archive run",),
    handler=run_archive_jobs,
    present=render_tiering_result,
    effect=Effect.WRITE,
    doc=Words("Move what is over to warm, and take in what you changed in its files"),
)
