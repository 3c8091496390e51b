"""`gieok code coverage`: import from coverage.py's data file which test ran which function."""

from dataclasses import dataclass
from typing import Annotated

from gieok.code.ask import coverage, coverage_runs
from gieok.commands.code.init import sync_project_index
from gieok.commands.code.project import open_current_project
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden
from gieok.home import code as home_code
from gieok.home.call import Call
from gieok.model.code import ExecutionCount
from gieok.text.messages import Words

_FILE = ".coverage"
_SHOWN = 10
_MOST_UNKNOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageResult:
    """Counts of imported executions, and of those stored now."""

    pairs: int = 0
    tests: int = 0
    files: int = 0
    changed: tuple[str, ...] = ()
    outside: int = 0
    #: The first contexts that are not tests, and the number of all such contexts.
    unknown: tuple[str, ...] = ()
    unknown_count: int = 0
    kept: ExecutionCount
    found: Hidden[bool] = True


def render_coverage(result: CoverageResult, style: Style) -> str:
    """Show the imported executions, and the data that could not be used."""
    title = style.say(
        "{tests} tests, {pairs} pairs of a test and a function that it ran, in {files} files",
        tests=result.tests,
        pairs=result.pairs,
        files=result.files,
    )
    lines = [style.bold(title)]
    for what, names, count in (
        (style.say("changed after the run, not believed"), result.changed, len(result.changed)),
        (style.say("no test of this project"), result.unknown, result.unknown_count),
    ):
        if names:
            more = f" … {count - _SHOWN}" if count > _SHOWN else ""
            lines.append(printable(f"  {what} ({count}): {', '.join(names[:_SHOWN])}{more}"))
    if result.outside:
        lines.append(f"  {style.say('files outside of the project')}: {result.outside}")
    total = style.say(
        "  kept now: {pairs:,} pairs of {tests:,} tests; {changed:,} with code that changed since",
        pairs=result.kept.pairs,
        tests=result.kept.tests,
        changed=result.kept.changed,
    )
    return "\n".join([*lines, style.dim(total)])


@command(
    "code coverage",
    Words("Import which test ran which function, from coverage.py with contexts"),
    present=render_coverage,
    examples=("gieok code coverage .coverage",),
    effect=Effect.WRITE,
)
def take_in_coverage(
    call: Call,
    *,
    file: Annotated[
        str,
        Parameter(
            Words("coverage.py's data file (default: .coverage of the project)"), positional=True
        ),
    ] = "",
    commit: Annotated[
        str,
        Parameter(
            Words(
                "the git revision that ran: believe what is the same there, whatever the times of "
                "files say"
            )
        ),
    ] = "",
    forget: Annotated[bool, Parameter(Words("forget all that was imported"))] = False,
) -> CoverageResult:
    """Update the index from the files, then import the coverage run."""
    project = open_current_project(call)
    if forget:
        coverage_runs.forget_test_executions(project)
        return CoverageResult(kept=project.store.count_executions())
    opened_run = home_code.load_coverage_run(
        call.caller.path(file) if file else project.root / _FILE
    )
    sync_project_index(call, project, "coverage", wait=False)
    learned = coverage.learn(project, opened_run, commit)
    coverage_runs.store_test_executions(project, learned)
    return CoverageResult(
        pairs=len(learned.executions),
        tests=len(learned.tests),
        files=len(learned.paths),
        changed=tuple(learned.changed),
        outside=learned.outside,
        unknown=tuple(learned.unknown[:_MOST_UNKNOWN]),
        unknown_count=len(learned.unknown),
        kept=project.store.count_executions(),
    )
