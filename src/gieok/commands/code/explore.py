"""`gieok code explore`: several symbols in one answer, within a budget of tokens.

The answer has source, paths between the symbols, and tests.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, NamedTuple

from gieok.code.ask import analysis, explore
from gieok.code.ask.explore import ExploreCandidate
from gieok.code.deepen import escalation
from gieok.code.deepen.escalation import Escalation
from gieok.code.index.graph import Certainty
from gieok.code.index.project import Project, freshness
from gieok.code.languages import places
from gieok.code.model.facts import SymbolKind
from gieok.commands.code.project import (
    ShownFreshness,
    build_none_found_words,
    open_current_project,
    open_search_embedder,
    render_degraded_note,
    render_freshness_notes,
    render_waiting_escalation,
)
from gieok.commands.code.source import (
    Excerpt,
    MemberRow,
    format_code_place,
    list_note_texts,
    list_symbol_members,
    read_code_excerpt,
    render_member_heads,
    render_numbered_lines,
    shorten_code_line,
)
from gieok.commands.command import Parameter, Style, Surface, command, printable
from gieok.commands.encode import As, Hidden
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.model.code import Edge, key_path
from gieok.text.messages import Words
from gieok.text.tokens import estimate_tokens

_LONGEST_QUESTION = 4_000
_MOST, _MOST_TESTS, _TESTED, _MOST_ROUTES = 10, 4, 3, 4
_LEAST_BUDGET = 200
#: Tokens of the MCP envelope around the text.
_FENCE = 40
#: A symbol takes at most this share of the budget whole, where there are others; else the lines
#: that answer best.
_SHARE = 0.6
_HEAD_LINES, _OUTLINED_LINES, _AROUND = 8, 80, 3
_SIGNATURE_CHARS = 100


class CodePart(NamedTuple):
    """Lines of code as they are in the file, from `line` on."""

    line: int
    code: str
    code_notes: list[str]
    redacted: bool


def _build_code_parts(shown: Sequence[Excerpt]) -> list[CodePart]:
    return [
        CodePart(excerpt.first, excerpt.text, list_note_texts(excerpt.notes), excerpt.is_redacted)
        for excerpt in shown
    ]


class ExploredSymbol(NamedTuple):
    """Symbol with its whole code, with parts of it (`cut`), or with its head alone."""

    symbol: str
    path: str
    start_line: int
    end_line: int
    kind: str
    signature: str
    citation: str
    callers: int
    parts: Annotated[tuple[Excerpt, ...], As(_build_code_parts)]
    cut: bool
    members: list[MemberRow]


class RouteStep(NamedTuple):
    """Step of a path: the symbol that it leads to, from which line, and how sure that is."""

    to: str
    citation: str
    kind: str
    tier: int
    reason: str


class Route(NamedTuple):
    """Shortest path from one symbol to another."""

    from_: str
    steps: list[RouteStep]


class TestRow(NamedTuple):
    """Test, and its place in the source."""

    symbol: str
    citation: str


@dataclass(frozen=True, slots=True)
class ExploreResult:
    """Answer within the budget; `apart` are pairs of named symbols without a path between them."""

    symbols: tuple[ExploredSymbol, ...]
    paths: tuple[Route, ...]
    apart: tuple[tuple[str, ...], ...]
    tests: tuple[TestRow, ...]
    degraded: str | None
    freshness: ShownFreshness
    pending: Hidden[Escalation | None] = None

    @property
    def found(self) -> bool:
        """True where there is an answer."""
        return bool(self.symbols)


def render_explored_code(result: ExploreResult, style: Style) -> str:
    """Show the paths, then source, then the heads of the other symbols, then tests."""
    blocks = []
    if ways := [
        *(_render_symbol_route(route, style) for route in result.paths),
        *(_render_unjoined_pair(pair, style) for pair in result.apart),
    ]:
        blocks.append("\n".join([style.bold(style.say("Paths")), *(f"  {way}" for way in ways)]))
    blocks += [
        "\n".join([_render_explored_symbol(s, style), *_render_symbol_source(s, style)])
        for s in result.symbols
        if s.parts
    ]
    if rest := [s for s in result.symbols if not s.parts]:
        rows = [
            (
                f"  {_render_explored_symbol(s, style)}: "
                f"{printable(shorten_code_line(s.signature, _SIGNATURE_CHARS))}"
            )
            for s in rest
        ]
        blocks.append("\n".join([style.bold(style.say("Also")), *rows]))
    if result.tests:
        rows = [f"  {printable(test.citation)} {printable(test.symbol)}" for test in result.tests]
        blocks.append("\n".join([style.bold(style.say("Tests that most likely run it")), *rows]))
    if not result.symbols:
        blocks.append(
            build_none_found_words(Words("Nothing found"), result.freshness).say(style.lang)
        )
    return "\n\n".join(
        [
            *blocks,
            *render_degraded_note(result.degraded, style),
            *render_freshness_notes(result.freshness, style),
            *render_waiting_escalation(result.pending, style),
        ]
    )


def _render_symbol_source(s: ExploredSymbol, style: Style) -> Iterator[str]:
    """Yield the lines of a symbol, with a mark where lines are left out."""
    following = s.start_line
    for part in s.parts:
        if part.first > following:
            yield style.dim("…")
        yield from render_numbered_lines(part, style)
        following = part.first + part.text.count("\n") + 1
    if s.members:
        yield from render_member_heads(s.members, style)
    elif following <= s.end_line:
        yield style.dim(style.say("… to {end_line}", end_line=s.end_line))


def _render_explored_symbol(s: ExploredSymbol, style: Style) -> str:
    callers = style.say("{count} caller", plural="{count} callers", count=s.callers)
    name = "" if s.kind == SymbolKind.MODULE else f"  {printable(s.symbol)}"
    return f"{style.bold(printable(s.citation))}{name}" + style.dim(f"  {s.kind}, {callers}")


def _render_symbol_route(route: Route, style: Style) -> str:
    """Return a path as text: each step behind the place that it starts from, unsure steps
    marked.
    """
    text = printable(_format_symbol_name(route.from_))
    for step in route.steps:
        doubt = f", {style.told(step.reason)}" if step.tier > Certainty.RESOLVED else ""
        text += (
            f" →{style.dim(f' ({printable(step.citation)}{doubt})')} "
            f"{printable(_format_symbol_name(step.to))}"
        )
    return text


def _format_symbol_name(key: str) -> str:
    """Return the name of a symbol without its file."""
    path, _, name = key.partition("::")
    return path if name == "<module>" else name


def _render_unjoined_pair(pair: Sequence[str], style: Style) -> str:
    one, other = (printable(_format_symbol_name(key)) for key in pair)
    return style.say("none found between {one} and {other}", one=one, other=other)


@command(
    "code explore",
    Words(
        "Answer a question about code, or about several symbols: source, the paths between "
        "them, tests"
    ),
    present=render_explored_code,
    examples=(
        'gieok code explore "how does a refund reach the ledger"',
        "gieok code explore Order.total refund",
    ),
    tool="code_explore",
    tool_hint=(
        "For most questions about code, call this first: it needs no reading of files afterwards"
    ),
    shows_source=True,
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
)
def explore_code(
    call: Call,
    *,
    query: Annotated[
        Sequence[str],
        Parameter(
            Words("a question, or the names of several symbols"),
            positional=True,
            needed='gieok code explore "…"',
        ),
    ] = (),
    budget: Annotated[int, Parameter(Words("at most this many model tokens"))] = 2000,
) -> ExploreResult:
    """Find the symbols, search paths between them, and show as much code as the budget holds."""
    text = " ".join(query).strip()[:_LONGEST_QUESTION]
    if not text.replace(",", " ").split():
        raise BadRequest("nothing is asked", hint='`gieok code explore "…"`')
    if budget < _LEAST_BUDGET:
        raise BadRequest(
            "budget {budget} is too small",
            budget=budget,
            least=_LEAST_BUDGET,
            hint="at least {least} tokens",
        )
    project = open_current_project(call)
    embedder = open_search_embedder(call, project)
    explored = explore.explore(project, embedder, text, _MOST, call.caller.folder)
    rows = tuple(_build_explored_symbol(row) for row in explored.candidates)
    routes = tuple(_build_symbol_route(route) for route in explored.routes[:_MOST_ROUTES])
    tests = tuple(_find_likely_tests(project, explored.candidates))
    result = ExploreResult(
        symbols=rows,
        paths=routes,
        apart=explored.apart,
        tests=tests,
        degraded=explored.degraded,
        freshness=freshness(project),
        pending=escalation.read_pending(project.root),
    )
    return _fit_explored_code(project, result, explored.candidates, budget - _FENCE)


def _build_explored_symbol(row: ExploreCandidate) -> ExploredSymbol:
    s = row.symbol
    return ExploredSymbol(
        symbol=s.qualified,
        path=s.path,
        start_line=s.start_line,
        end_line=s.end_line,
        kind=s.kind,
        signature=s.signature,
        citation=format_code_place(s.path, s.start_line, s.end_line),
        callers=row.callers,
        parts=(),
        cut=True,
        members=[],
    )


def _build_symbol_route(edges: Sequence[Edge]) -> Route:
    steps = [
        RouteStep(
            to=e.target,
            citation=format_code_place(key_path(e.source), e.line),
            kind=e.kind,
            tier=e.tier,
            reason=e.reason,
        )
        for e in edges
    ]
    return Route(edges[0].source, steps)


def _find_likely_tests(project: Project, candidates: Sequence[ExploreCandidate]) -> list[TestRow]:
    """Return the tests that most likely run the first few symbols, in the order of `code
    impact`.
    """
    first = [
        c.symbol
        for c in candidates
        if c.symbol.kind != SymbolKind.MODULE and not places.is_test_file(c.symbol.path)
    ]
    if not first:
        return []
    impact_analysis = analysis.of_symbols(project, first[:_TESTED])
    tests = [
        impact_analysis.symbols[test.key] for test in impact_analysis.impact.tests[:_MOST_TESTS]
    ]
    return [TestRow(s.qualified, format_code_place(s.path, s.start_line)) for s in tests]


def _fit_explored_code(
    project: Project, result: ExploreResult, candidates: Sequence[ExploreCandidate], budget: int
) -> ExploreResult:
    """Fit an answer into the budget: drop the last heads, then add code from the first symbol
    on.
    """
    while _count_explored_tokens(result) > budget and (
        len(result.symbols) > 1 or result.paths or result.tests
    ):
        if len(result.symbols) > 1:
            result = replace(result, symbols=result.symbols[:-1])
        else:
            result = replace(result, paths=result.paths[:-1], tests=result.tests[:-1])
    for number, candidate in enumerate(candidates[: len(result.symbols)]):
        alone = len(result.symbols) == 1
        for variant in (
            _iter_code_variants(project, result.symbols[number], candidate)
            if candidate.is_joined
            else ()
        ):
            rows = (*result.symbols[:number], variant, *result.symbols[number + 1 :])
            fuller = replace(result, symbols=rows)
            size = _count_explored_tokens(fuller)
            if size <= budget and (
                alone or variant.cut or size - _count_explored_tokens(result) <= _SHARE * budget
            ):
                result = fuller
                break
    return result


def _count_explored_tokens(result: ExploreResult) -> int:
    """Return the estimated tokens of the rendered result, in English or Korean: the larger
    number.
    """
    return max(
        estimate_tokens(render_explored_code(result, Style(lang, colour=False, verbatim=True)))
        for lang in ("en", "ko")
    )


def _iter_code_variants(
    project: Project, row: ExploredSymbol, candidate: ExploreCandidate
) -> Iterator[ExploredSymbol]:
    """Yield a symbol with all its lines, then the relevant lines, then its first lines alone."""
    s = candidate.symbol
    inside = list_symbol_members(project, s)
    if not inside or s.end_line - s.start_line < _OUTLINED_LINES:
        yield row._replace(
            parts=(read_code_excerpt(project, s.path, s.start_line, s.end_line),), cut=False
        )
    first = (
        s.start_line,
        min(s.start_line + _HEAD_LINES, inside[0].start_line if inside else s.end_line + 1) - 1,
    )
    if inside:
        yield row._replace(parts=(read_code_excerpt(project, s.path, *first),), members=inside)
        return
    around = [
        (max(a - _AROUND, s.start_line), min(b + _AROUND, s.end_line)) for a, b in candidate.lines
    ]
    for line_ranges in (
        [first, *around],
        [(s.start_line, s.start_line + 1), *around[-1:]],
        [first],
    ):
        yield row._replace(
            parts=tuple(
                read_code_excerpt(project, s.path, *lines)
                for lines in _merge_line_ranges(line_ranges)
            )
        )


def _merge_line_ranges(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges of lines in order, with ranges that nearly touch merged."""
    out: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if out and first <= out[-1][1] + _AROUND:
            out[-1] = (out[-1][0], max(out[-1][1], last))
        else:
            out.append((first, last))
    return out
