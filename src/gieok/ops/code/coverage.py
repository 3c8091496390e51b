"""`gieok code coverage`: take in which test ran which function, from coverage.py's data file."""

from dataclasses import dataclass

from gieok.code.ask import coverage, executed
from gieok.model.code import ExecutionCount
from gieok.ops.code.init import sync_project_index
from gieok.ops.code.project import open_current_project
from gieok.ops.context import Context
from gieok.ops.encode import Hidden
from gieok.ops.operation import Effect, Operation, Style, Words, argument, printable

_FILE = ".coverage"
_SHOWN = 10
_MOST_UNKNOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageRequest:
    """Parameters of `gieok code coverage`."""

    file: str = argument(
        Words(
            "coverage.py's data file (default: .coverage of the project)",
            "coverage.py의 자료 파일 (기본: 프로젝트의 .coverage)",
        ),
        "",
        positional=True,
    )
    commit: str = argument(
        Words(
            (
                "the git revision that ran: believe what is the same there, whatever the times of "
                "files say"
            ),
            "실행된 git 리비전: 파일 시각과 상관없이 그때와 같은 파일을 믿음",
        ),
        "",
    )
    forget: bool = argument(Words("forget all that was taken in", "받아들인 것을 모두 잊음"), False)


@dataclass(frozen=True, slots=True)
class CoverageResult:
    """What was taken in, and what is kept now."""

    pairs: int
    tests: int
    files: int
    changed: tuple[str, ...]
    outside: int
    #: The first contexts that are no tests, and how many there are.
    unknown: tuple[str, ...]
    unknown_count: int
    kept: ExecutionCount
    found: Hidden[bool] = True


def take_in_coverage(context: Context, request: CoverageRequest) -> CoverageResult:
    """Bring the index in line with the files, then take the run in."""
    project = open_current_project(context)
    if request.forget:
        executed.forget_test_executions(project)
        return CoverageResult(
            pairs=0,
            tests=0,
            files=0,
            changed=(),
            outside=0,
            unknown=(),
            unknown_count=0,
            kept=project.store.count_executions(),
        )
    opened_run = context.code.coverage(
        context.caller.path(request.file) if request.file else project.root / _FILE
    )
    sync_project_index(context, project, "coverage", wait=False)
    learned = coverage.learn(project, opened_run, request.commit)
    executed.store_test_executions(project, learned)
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


def render_coverage(result: CoverageResult, style: Style) -> str:
    """Show what was taken in, and what could not be used."""
    kept, counts = result.kept, (result.tests, result.pairs, result.files)
    lines = [
        style.bold(
            style.say(
                "{} tests, {} pairs of a test and a function that it ran, in {} files".format(
                    *counts
                ),
                "테스트 {}개, 테스트와 실행된 함수 {}쌍, 파일 {}개".format(*counts),
            )
        )
    ]
    for words, names, count in (
        (
            Words("changed after the run, not believed", "실행 뒤에 바뀌어 믿지 않음"),
            result.changed,
            len(result.changed),
        ),
        (
            Words("no test of this project", "이 프로젝트의 테스트가 아님"),
            result.unknown,
            result.unknown_count,
        ),
    ):
        if names:
            more = f" … {count - _SHOWN}" if count > _SHOWN else ""
            lines.append(
                printable(f"  {words.say(style.lang)} ({count}): {', '.join(names[:_SHOWN])}{more}")
            )
    if result.outside:
        outside = Words("files outside of the project", "프로젝트 밖의 파일")
        lines.append(f"  {outside.say(style.lang)}: {result.outside}")
    total = Words(
        (
            f"  kept now: {kept.pairs:,} pairs of {kept.tests:,} tests; {kept.changed:,} with "
            f"code that changed since"
        ),
        f"  지금 가진 것: 테스트 {kept.tests:,}개의 {kept.pairs:,}쌍; 그 뒤 바뀐 코드 {kept.changed:,}쌍",
    )
    return "\n".join([*lines, style.dim(total.say(style.lang))])


OPERATION = Operation(
    name="code coverage",
    examples=("gieok code coverage .coverage",),
    handler=take_in_coverage,
    present=render_coverage,
    effect=Effect.WRITE,
    doc=Words(
        "Take in which test ran which function, from coverage.py with contexts",
        "어느 테스트가 어느 함수를 실행했는지 coverage.py의 컨텍스트에서 받아들입니다",
    ),
)
