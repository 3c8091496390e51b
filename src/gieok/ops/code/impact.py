"""`gieok code impact`: what may break, and which tests show it."""

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from gieok.capabilities.code.ask import analysis, lookup
from gieok.capabilities.code.ask.analysis import Analysis
from gieok.capabilities.code.ask.executed import RAN
from gieok.capabilities.code.ask.impact import CERTAINTY, FileReach, Reached
from gieok.errors import BadRequest
from gieok.ops.code.project import ShownFreshness, freshness_lines, opened
from gieok.ops.context import Context
from gieok.ops.encode import Hidden, OrNull
from gieok.ops.operation import Operation, Style, Surface, Words, argument, printable

_MOST_SITES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactRequest:
    """Parameters of `gieok code impact`."""

    target: str = argument(
        Words("a file, PATH:SYMBOL, or a symbol; nothing with --diff", "파일, 경로:심볼, 또는 심볼; --diff면 비움"),
        "", positional=True,
    )  # fmt: skip
    diff: str = argument(
        Words("what differs from this git revision, instead of a symbol", "심볼 대신 이 git 리비전과 다른 것"), ""
    )
    limit: int = argument(
        Words("how many symbols and tests to show (0: all)", "보여 줄 심볼과 테스트 수 (0: 전부)"), 30
    )


class ViaEdge(NamedTuple):
    """One step of the way to a change."""

    from_: str
    to: str
    kind: str
    line: int
    tier: int
    reason: str


class ReachedSymbol(NamedTuple):
    """A symbol that depends on the change. `weakest` says what is least sure of the way there."""

    symbol: str
    path: str
    start_line: int
    end_line: int
    kind: str
    distance: int
    tier: int
    certainty: str
    risk: str
    weakest: OrNull[str]
    via: list[ViaEdge]
    doubt: Hidden[str]


class ReachedFile(NamedTuple):
    """A file with the best of what is reached in it."""

    path: str
    distance: int
    certainty: str
    risk: str
    symbols: int
    tier: int


class Counts(NamedTuple):
    """How many there are, shown or not."""

    symbols: int
    files: int
    tests: int


class Unresolved(NamedTuple):
    """Calls by a name that the change bears, whose target is not known."""

    count_: int
    names: dict[str, int]
    sites: list[str]


class ImpactResult(NamedTuple):
    """What is reached."""

    changed: tuple[str, ...]
    deleted: tuple[str, ...]
    symbols: list[ReachedSymbol]
    files: list[ReachedFile]
    tests: list[ReachedSymbol]
    test_files: list[ReachedFile]
    counts: Counts
    unresolved: Unresolved
    freshness: ShownFreshness
    limit: Hidden[int]
    found: Hidden[bool] = True  # also where nothing is reached: that is an answer


def _result(a: Analysis, limit: int) -> ImpactResult:
    i, end = a.impact, limit or None
    names = Counter(sorted(call.name for call in i.unresolved_calls))
    sites = [f"{call.source}#L{call.line}" for call in i.unresolved_calls[:_MOST_SITES]]
    return ImpactResult(
        a.changed,
        a.deleted,
        [_reached(a, one) for one in i.symbols[:end]],
        [_file(one) for one in i.files],
        [_reached(a, one) for one in i.tests[:end]],
        [_file(one) for one in i.test_files],
        Counts(len(i.symbols), len(i.files), len(i.tests)),
        Unresolved(len(i.unresolved_calls), names, sites),
        a.freshness,
        limit,
    )


def _reached(a: Analysis, one: Reached) -> ReachedSymbol:
    s = a.symbols[one.key]
    weakest = max(one.via, key=lambda edge: edge.tier, default=None)
    return ReachedSymbol(
        one.key.partition("::")[2], s.path, s.start_line, s.end_line, s.kind, one.distance, one.tier, CERTAINTY[one.tier],
        one.risk, one.doubt or (weakest.reason if weakest else ""),
        [ViaEdge(e.source, e.target, e.kind, e.line, e.tier, e.reason) for e in one.via], one.doubt,
    )  # fmt: skip


def _file(file: FileReach) -> ReachedFile:
    return ReachedFile(file.path, file.distance, CERTAINTY[file.tier], file.risk, file.symbols, file.tier)


def run(context: Context, request: ImpactRequest) -> ImpactResult:
    """Find what depends on a symbol, a file or a diff."""
    if bool(request.target) == bool(request.diff):
        raise BadRequest("name a file or symbol, or a revision with --diff", hint="`gieok code impact src/app.py:load`")
    if request.limit < 0:
        raise BadRequest(f"limit {request.limit} is out of range")
    project = opened(context)
    if request.diff:
        return _result(analysis.of_diff(project, request.diff), request.limit)
    found = lookup.find(project, request.target, context.caller.folder)
    return _result(analysis.of_symbols(project, found), request.limit)


_RISKS = {"high": Words("high", "높음"), "medium": Words("medium", "중간"), "low": Words("low", "낮음")}


def present(result: ImpactResult, style: Style) -> str:
    """Show symbols, then tests, each with risk and the way that leads there."""
    lines = [_title(Words(f"Changed: {_named(result.changed)}", f"변경: {_named(result.changed)}"), style)]
    for words, rows, count in (
        (Words("May break", "깨질 수 있음"), result.symbols, result.counts.symbols),
        (Words("Tests to run", "돌려 볼 테스트"), result.tests, result.counts.tests),
    ):
        lines += ["", _title(_with(words, count), style), *(_line(row, style) for row in rows)]
        if count > len(rows):
            lines.append(style.dim(f"  … {count - len(rows)}"))
    importing = [f for f in (*result.files, *result.test_files) if not f.symbols]
    if importing:
        lines += ["", _title(_with(Words("Only import it", "가져오기만 함"), len(importing)), style)]
        lines += [f"  {printable(f.path)}" for f in importing[: result.limit or None]]
    lines += ["", *_unresolved(result, style), *freshness_lines(result.freshness, style)]
    return "\n".join(lines).rstrip()


def _with(words: Words, count: int) -> Words:
    return Words(f"{words.en} ({count})", f"{words.ko} ({count})")


def _title(words: Words, style: Style) -> str:
    return style.bold(printable(words.say(style.lang)))


def _named(keys: tuple[str, ...]) -> str:
    return ", ".join(keys[:5]) + (f" … {len(keys) - 5}" if len(keys) > 5 else "")


def _line(one: ReachedSymbol, style: Style) -> str:
    way = " → ".join(edge.to.partition("::")[2] for edge in one.via[:4])
    risk = _RISKS[one.risk].say(style.lang)
    place = f"{one.path}#L{one.start_line}  → {way}{_evidence(one, style)}"
    return printable(f"  {risk:7} {one.distance}  {one.symbol}") + "  " + style.dim(printable(place))


def _evidence(one: ReachedSymbol, style: Style) -> str:
    """Name what coverage says of a test."""
    said = one.doubt or next((edge.reason for edge in one.via if edge.kind == RAN), "")
    return f"  ({style.told(said)})" if said else ""


def _unresolved(result: ImpactResult, style: Style) -> list[str]:
    if count := result.unresolved.count_:
        words = Words(
            f"{count} unresolved calls have this name: their targets are unknown",
            f"같은 이름을 부르지만 어디로 가는지 모르는 호출 {count}개가 더 있음",
        )
    elif not result.symbols and not result.tests:
        words = Words("No callers.", "부르는 곳이 없습니다.")
    else:
        return []
    return [style.dim(words.say(style.lang))]


OPERATION = Operation(
    name="code impact",
    examples=(
        "gieok code impact src/shop/order.py",
        "gieok code impact Order.total",
        "gieok code impact --diff HEAD~1",
    ),
    tool="code_impact",
    handler=run,
    present=present,
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
    doc=Words(
        "Show what may break when code changes, and which tests show it",
        "코드를 바꾸면 무엇이 깨질지와 확인할 테스트를 보여 줍니다",
    ),
)
