"""`gieok code impact`: code that a change may break, and the tests that show it."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Annotated, NamedTuple

from gieok.code.ask import analysis, lookup, test_runs
from gieok.code.ask.analysis import Analysis
from gieok.code.ask.coverage_runs import RAN
from gieok.code.ask.impact import CERTAINTY, FileReach, Reached
from gieok.code.deepen import escalation
from gieok.code.deepen.escalation import Escalation
from gieok.code.index.project import Project
from gieok.code.languages import places
from gieok.commands.code.project import (
    ShownFreshness,
    build_none_found_words,
    open_current_project,
    render_freshness_notes,
    render_waiting_escalation,
)
from gieok.commands.command import Parameter, Style, Surface, command, printable
from gieok.commands.encode import Hidden, OrNull
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.model.code import key_name, key_path
from gieok.text.messages import WordList, Words

_MOST_SITES = 20
_FEW = 3
#: Tests that stay rows of their own. What follows is shown by file where its chances lie this close
#: together: then no test of it says more than another.
_FIRST_TESTS = 10
_ALIKE = 0.25


class ViaEdge(NamedTuple):
    """Step of the path from a symbol to the change."""

    from_: str
    to: str
    kind: str
    line: int
    tier: int
    reason: str


class ReachedSymbol(NamedTuple):
    """Symbol that depends on the change, with a probability (0–1).

    The probability is that a run of the symbol runs changed code. `weakest` names the least sure
    step of the path.
    """

    symbol: str
    path: str
    start_line: int
    end_line: int
    kind: str
    distance: int
    tier: int
    certainty: str
    chance: float
    risk: str
    weakest: OrNull[str]
    via: list[ViaEdge]
    doubt: Hidden[str]


class ReachedFile(NamedTuple):
    """File, with the most likely of the symbols reached in it."""

    path: str
    distance: int
    certainty: str
    chance: float
    risk: str
    symbols: int
    tier: int


class TestsOfFile(NamedTuple):
    """Number of the tests of a file that are shown as one row, and the range of their chances."""

    path: str
    tests: int
    least: float
    most: float


class Counts(NamedTuple):
    """Numbers of all reached symbols, test code, files, tests and test files, shown or not."""

    symbols: int
    test_code: int
    files: int
    tests: int
    test_files: int


class RunThese(NamedTuple):
    """Number of tests to run, their share of the total probability (0–1), and the test command.

    The command is '' where it is not known.
    """

    count_: int
    held: float
    command: str


class Unresolved(NamedTuple):
    """Calls by a name of a changed symbol, whose target is not known."""

    count_: int
    names: dict[str, int]
    sites: list[str]


class OtherUses(NamedTuple):
    """What may use the changed symbols, and is not followed.

    `markers` are decorators and annotations from outside of the project, `bases` classes from
    outside whose methods the changed ones may override, `sites` places in files of every kind
    that have their name, `count` all of these places. `unsearched_symbols` changed and are so many
    that their names were not looked for, `unsearched_files` could not be searched. Looked for
    only where no test or no code is known to reach the change.
    """

    markers: tuple[str, ...]
    bases: tuple[str, ...]
    sites: tuple[str, ...]
    count_: int
    unsearched_symbols: int
    unsearched_files: int


class ImpactResult(NamedTuple):
    """Symbols, files and tests that a change reaches.

    `tests` are the tests to run; `also` are tests that may run the change too, on request.
    `test_code` is what else of the tests reaches it: helpers, and the code of their files and
    groups.
    """

    changed: tuple[str, ...]
    deleted: tuple[str, ...]
    symbols: list[ReachedSymbol]
    test_code: list[ReachedSymbol]
    files: list[ReachedFile]
    tests: list[ReachedSymbol]
    also: list[ReachedSymbol]
    run: RunThese
    test_files: list[ReachedFile]
    counts: Counts
    unresolved: Unresolved
    elsewhere: OtherUses
    freshness: ShownFreshness
    limit: Hidden[int]
    #: Tests to run that are shown as rows, and the rest of them by file.
    test_rows: Hidden[int]
    test_rest: Hidden[tuple[TestsOfFile, ...]]
    found: Hidden[bool] = True  # also where nothing is reached: that is an answer
    pending: Hidden[Escalation | None] = None


def build_impact_result(project: Project, a: Analysis, *, limit: int, also: bool) -> ImpactResult:
    """Return an analysis as the command answers it; `limit` is of each list, 0 shows all."""
    i, end = a.impact, limit or None
    names = Counter(sorted(site.name for site in i.unresolved_calls))
    sites = [f"{site.source}#L{site.line}" for site in i.unresolved_calls[:_MOST_SITES]]
    run_these, may_also = i.tests[: i.run], i.tests[i.run :]
    product, test_code = list[Reached](), list[Reached]()
    for one in i.symbols:
        symbol = a.symbols[one.key]
        is_test = places.is_test_code(symbol.path, symbol.traits)
        (test_code if is_test else product).append(one)
    test_rows = _count_test_rows(run_these, limit)
    return ImpactResult(
        changed=a.changed,
        deleted=a.deleted,
        symbols=[_build_reached_symbol(a, one) for one in product[:end]],
        test_code=[_build_reached_symbol(a, one) for one in test_code[:end]],
        files=[_build_reached_file(one) for one in i.files[:end]],
        tests=[_build_reached_symbol(a, one) for one in run_these[:end]],
        also=[_build_reached_symbol(a, one) for one in may_also[:end]] if also else [],
        run=RunThese(
            i.run,
            round(i.held, 2),
            test_runs.build_test_command(project.root, [a.symbols[one.key] for one in run_these]),
        ),
        test_files=[_build_reached_file(one) for one in i.test_files[:end]],
        counts=Counts(
            symbols=len(product),
            test_code=len(test_code),
            files=len(i.files),
            tests=len(i.tests),
            test_files=len(i.test_files),
        ),
        unresolved=Unresolved(len(i.unresolved_calls), names, sites),
        elsewhere=OtherUses(
            markers=a.mentions.markers,
            bases=a.mentions.bases,
            sites=a.mentions.sites,
            count_=a.mentions.number,
            unsearched_symbols=a.mentions.unsearched_symbols,
            unsearched_files=a.mentions.unsearched_files,
        ),
        freshness=a.freshness,
        limit=limit,
        test_rows=test_rows,
        test_rest=_group_tests_by_file(run_these[test_rows:]),
    )


def _count_test_rows(tests: Sequence[Reached], limit: int) -> int:
    """Return how many of the tests to run are shown as rows."""
    rest = [test.chance for test in tests[_FIRST_TESTS:]]
    if rest and max(rest) - min(rest) <= _ALIKE:
        return min(_FIRST_TESTS, limit or _FIRST_TESTS)
    return min(len(tests), limit or len(tests))


def _group_tests_by_file(tests: Sequence[Reached]) -> tuple[TestsOfFile, ...]:
    """Return the tests by file, the file with most of their probability first."""
    chances: dict[str, list[float]] = defaultdict(list)
    for test in tests:
        chances[key_path(test.key)].append(test.chance)
    return tuple(
        TestsOfFile(path, len(rows), min(rows), max(rows))
        for path, rows in sorted(chances.items(), key=lambda item: (-sum(item[1]), item[0]))
    )


def _build_reached_symbol(a: Analysis, one: Reached) -> ReachedSymbol:
    s = a.symbols[one.key]
    weakest = max(one.via, key=lambda edge: edge.tier, default=None)
    return ReachedSymbol(
        symbol=key_name(one.key),
        path=s.path,
        start_line=s.start_line,
        end_line=s.end_line,
        kind=s.kind,
        distance=one.distance,
        tier=one.tier,
        certainty=CERTAINTY[one.tier],
        chance=round(one.chance, 3),
        risk=one.risk,
        weakest=one.doubt or (weakest.reason if weakest else ""),
        via=[
            ViaEdge(
                from_=e.source, to=e.target, kind=e.kind, line=e.line, tier=e.tier, reason=e.reason
            )
            for e in one.via
        ],
        doubt=one.doubt,
    )


def _build_reached_file(file: FileReach) -> ReachedFile:
    return ReachedFile(
        path=file.path,
        distance=file.distance,
        certainty=CERTAINTY[file.tier],
        chance=round(file.chance, 3),
        risk=file.risk,
        symbols=file.symbols,
        tier=file.tier,
    )


def render_code_impact(result: ImpactResult, style: Style) -> str:
    """Show the tests to run with their command, then the symbols with probability and path."""
    if not (result.changed or result.deleted or result.symbols or result.tests or result.files):
        notes = render_freshness_notes(result.freshness, style)
        return "\n".join([style.say("No indexed code has changed."), *notes])
    changed = style.say(
        "Changed: {changed_keys}", changed_keys=_format_changed_keys(result.changed)
    )
    lines = [style.bold(printable(changed)), "", *_render_tests_to_run(result, style), ""]
    if result.test_code:
        rows = [_render_reached_symbol(one, style) for one in result.test_code]
        count = result.counts.test_code
        lines += [*_render_impact_group(Words("Other test code"), rows, count, style), ""]
    rows = [_render_reached_symbol(one, style) for one in result.symbols]
    lines += _render_impact_group(Words("May break"), rows, result.counts.symbols, style)
    loading = [f for f in (*result.files, *result.test_files) if not f.symbols]
    importing = [f for f in loading if f.distance == 1]
    lines += _render_loading_files(Words("Only import it"), importing, result.limit, style)
    through = [f for f in loading if f.distance > 1]
    lines += _render_loading_files(
        Words("Only load it, through others"), through, result.limit, style
    )
    lines += [
        "",
        *_render_unresolved_calls(result, style),
        *render_freshness_notes(result.freshness, style),
        *render_waiting_escalation(result.pending, style),
    ]
    return "\n".join(lines).rstrip()


def _render_loading_files(
    title: Words, files: Sequence[ReachedFile], limit: int, style: Style
) -> list[str]:
    """Return the files that load what changed, and of which no symbol is known to reach it."""
    if not files:
        return []
    rows = [f"  {printable(file.path)}" for file in files[: limit or None]]
    return ["", *_render_impact_group(title, rows, len(files), style)]


def _render_impact_group(title: Words, rows: Sequence[str], count: int, style: Style) -> list[str]:
    """Return a title with the number of all, the rows that are shown, and how many are not."""
    heading = style.say("{words} ({count})", words=title, count=count)
    rest = count - len(rows)
    return [style.bold(heading), *rows, *([style.dim(f"  … {rest}")] if rest > 0 else [])]


def _render_tests_to_run(result: ImpactResult, style: Style) -> list[str]:
    count, all_ = result.run.count_, result.counts.tests
    if not all_ and result.unresolved.count_:
        none = Words("No test is known to reach it, but calls of this name have no known target.")
        return [style.bold(none.say(style.lang))]
    if not all_:
        none = _build_zero_words(
            Words("No test reaches it"), Words("No test is known to reach it"), result
        )
        return [style.bold(printable(none.say(style.lang)))]
    title = style.say("Run these ({count} of {all})", count=count, all=all_)
    rows = result.tests[: result.test_rows]
    lines = [style.bold(title), *(_render_reached_symbol(row, style) for row in rows)]
    lines += _render_tests_by_file(result.test_rest, result.limit, style)
    if result.run.command and len(result.tests) == count:
        lines.append(style.dim("  $ ") + printable(result.run.command))
    if hidden_count := all_ - count:
        also = style.say(
            "May also run it: {hidden_count} (the list holds {percent} of the probability; "
            "--also shows them)",
            hidden_count=hidden_count,
            percent=f"{100 * result.run.held:.0f} %",
        )
        lines += ["", style.bold(also)]
        lines += [_render_reached_symbol(row, style) for row in result.also]
    return lines


def _render_tests_by_file(rows: Sequence[TestsOfFile], limit: int, style: Style) -> list[str]:
    """Return a line for each file of the tests that have no rows of their own."""
    shown = rows[: limit or None]
    lines = []
    for row in shown:
        least, most = round(100 * row.least), round(100 * row.most)
        chance = f"{most} %" if least == most else f"{least}–{most} %"
        tests = style.say("{count} test", plural="{count} tests", count=row.tests)
        lines.append(printable(f"  {row.path}: {tests}") + style.dim(f"  {chance}"))
    if hidden := sum(row.tests for row in rows[len(shown) :]):
        files = len(rows) - len(shown)
        more = style.say("  … {hidden:,} more in {files:,} files", hidden=hidden, files=files)
        lines.append(style.dim(more))
    return lines


def _format_changed_keys(keys: tuple[str, ...]) -> str:
    return ", ".join(keys[:5]) + (f" … {len(keys) - 5}" if len(keys) > 5 else "")


def _render_reached_symbol(one: ReachedSymbol, style: Style) -> str:
    way = " → ".join(key_name(edge.to) for edge in one.via[:4])
    risk = _RISKS[one.risk].say(style.lang)
    known = f"→ {way}" if way else style.say("no way to it is known")
    place = f"{one.path}#L{one.start_line}  {known}{_render_test_evidence(one, style)}"
    return (
        printable(f"  {100 * one.chance:3.0f} % {risk:6}  {one.symbol}")
        + "  "
        + style.dim(printable(place))
    )


def _render_test_evidence(one: ReachedSymbol, style: Style) -> str:
    """Return the coverage evidence for a test."""
    evidence = one.doubt or next((edge.reason for edge in one.via if edge.kind == RAN), "")
    return f"  ({style.told(evidence)})" if evidence else ""


def _render_unresolved_calls(result: ImpactResult, style: Style) -> list[str]:
    if count := result.unresolved.count_:
        note = style.say(
            "{count} unresolved calls have this name: their targets are unknown", count=count
        )
    elif not (result.symbols or result.test_code or result.tests):
        none = _build_zero_words(Words("No callers"), Words("No callers are known"), result)
        note = none.say(style.lang)
    elif result.symbols or not (reasons := _list_other_uses(result.elsewhere)):
        return []
    else:
        note = WordList(tuple(reasons)).say(style.lang)
    return [style.dim(printable(note))]


def _build_zero_words(sure: Words, unsure: Words, result: ImpactResult) -> Words:
    """Return the sentence that nothing was found: a fact only where nothing else may use it."""
    reasons = _list_other_uses(result.elsewhere)
    if not reasons:
        return build_none_found_words(sure, result.freshness)
    listed = WordList(tuple(reasons))
    if result.freshness.is_whole:
        return Words.of("{what}, but {reasons}.", what=unsure, reasons=listed)
    zero = build_none_found_words(sure, result.freshness)
    return Words.of("{zero} Besides, {reasons}.", zero=zero, reasons=listed)


def _list_other_uses(elsewhere: OtherUses) -> list[Words]:
    """Return what may use the changed symbols besides, as parts of a sentence."""
    reasons = list[Words]()
    if elsewhere.markers:
        reasons.append(
            Words.of(
                "code outside of the project may call it for its marker {markers}",
                markers=", ".join(elsewhere.markers[:_FEW]),
            )
        )
    if elsewhere.bases:
        reasons.append(
            Words.of(
                "{bases} from outside of the project may call it",
                bases=", ".join(elsewhere.bases[:_FEW]),
            )
        )
    if elsewhere.count_:
        reasons.append(
            Words.of(
                "its name stands at {count} other place ({sites})",
                plural="its name stands at {count} other places ({sites})",
                count=elsewhere.count_,
                sites=_name_few_sites(elsewhere),
            )
        )
    if elsewhere.unsearched_symbols:
        reasons.append(
            Words.of(
                "the names of {count} changed symbols were not looked for elsewhere",
                count=elsewhere.unsearched_symbols,
            )
        )
    if elsewhere.unsearched_files:
        reasons.append(
            Words.of(
                "{count} file was too large to be searched for its name",
                plural="{count} files were too large or too many to be searched for its name",
                count=elsewhere.unsearched_files,
            )
        )
    return reasons


def _name_few_sites(elsewhere: OtherUses) -> str:
    rest = ["…"] if elsewhere.count_ > _FEW else []
    return ", ".join([*elsewhere.sites[:_FEW], *rest])


@command(
    "code impact",
    Words("Show what may break when code changes, and which tests show it"),
    present=render_code_impact,
    examples=(
        "gieok code impact src/shop/order.py",
        "gieok code impact Order.total",
        "gieok code impact --diff HEAD~1",
    ),
    tool="code_impact",
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
)
def find_code_impact(
    call: Call,
    *,
    target: Annotated[
        str,
        Parameter(Words("a file, PATH:SYMBOL, or a symbol; nothing with --diff"), positional=True),
    ] = "",
    diff: Annotated[
        str, Parameter(Words("what differs from this git revision, instead of a symbol"))
    ] = "",
    limit: Annotated[
        int, Parameter(Words("how many symbols, tests and files to show (0: all)"))
    ] = 30,
    also: Annotated[
        bool, Parameter(Words("list the tests that are less likely to run it, too"))
    ] = False,
) -> ImpactResult:
    """Find what depends on a symbol, a file or a diff."""
    if bool(target) == bool(diff):
        raise BadRequest(
            "name a file or symbol, or a revision with --diff",
            hint="`gieok code impact src/app.py:load`",
        )
    if limit < 0:
        raise BadRequest("limit {limit} is out of range", limit=limit)
    project = open_current_project(call)
    analysed = (
        analysis.of_diff(project, diff)
        if diff
        else analysis.of_symbols(
            project, lookup.find_typed_symbols(project, target, call.caller.folder)
        )
    )
    result = build_impact_result(project, analysed, limit=limit, also=also)
    return result._replace(pending=escalation.read_pending(project.root))


_RISKS = {
    "high": Words("high"),
    "medium": Words("medium"),
    "low": Words("low"),
}
