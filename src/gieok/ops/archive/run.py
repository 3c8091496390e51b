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
from gieok.ops.operation import Effect, Operation, Style, Words, printable


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
            f"{result.moved:,} memories moved to warm, {result.corrected:,} corrected in files, "
            f"{result.written:,} files written"
        ),
        (
            f"기억 {result.moved:,}개를 warm으로 옮김, 파일에서 고친 것 {result.corrected:,}개, 쓴 파일 "
            f"{result.written:,}개"
        ),
    )
    lines = [head, *(f"  ✗ {printable(style.told(line))}" for line in result.wrong)]
    lines += [
        f"  {'' if ran.ok else '✗ '}{ran.name}: {printable(style.told(ran.said)) or 'ok'}"
        for ran in result.jobs
    ]
    return "\n".join(lines)


OPERATION = Operation(
    name="archive run",
    when_stopped=Words(
        "what was moved is moved whole; `gieok archive run` goes on",
        "옮긴 것은 온전합니다. `gieok archive run`이 이어서 합니다",
    ),
    examples=("gieok archive run",),
    handler=run_archive_jobs,
    present=render_tiering_result,
    effect=Effect.WRITE,
    doc=Words(
        "Move what is over to warm, and take in what you changed in its files",
        "때가 지난 기억을 warm으로 옮기고, 파일에서 고친 것을 받아들입니다",
    ),
)
