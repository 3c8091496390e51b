"""`gieok code show`: one symbol with its code, its callees and its callers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from gieok.code.ask import lookup
from gieok.code.ask.impact import CERTAINTY
from gieok.code.deepen import escalation
from gieok.code.deepen.escalation import Escalation
from gieok.code.index.graph import IMPORTS, REFERENCES, Certainty
from gieok.code.index.project import Project, freshness
from gieok.code.languages import places
from gieok.code.model.facts import SymbolKind
from gieok.code.report import summary
from gieok.commands.code.project import (
    ShownFreshness,
    open_current_project,
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
)
from gieok.commands.command import Parameter, Style, Surface, command, printable
from gieok.commands.encode import INLINE, As, Hidden, OrNull
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.model.code import Edge, Symbol, key_name, key_path
from gieok.text.messages import Words

_MOST, _MOST_OTHERS = 5, 15
#: Lines of code in one answer without `full`. Of a longer symbol the head is shown; of a longer
#: class or file the head and the members.
_LINES, _OUTLINED_LINES, _HEAD_LINES = 150, 80, 24


class CodeText(NamedTuple):
    """Code as it is in the file, with notes for the reader."""

    code: str
    code_notes: list[str]
    redacted: bool


def _build_code_text(shown: Excerpt) -> CodeText:
    return CodeText(shown.text, list_note_texts(shown.notes), shown.is_redacted)


class EdgeRow(NamedTuple):
    """Symbol at the other end of edges of a kind, with first line, count, and highest certainty.

    `citation` is the place of a caller's call, or the definition of a callee.
    """

    symbol: str
    citation: str
    kind: str
    line: int
    times: int
    tier: int
    certainty: str
    reason: str


class ShownSymbol(NamedTuple):
    """Symbol with its callers and callees; `cut` is true where `code` is its first lines alone."""

    symbol: str
    path: str
    start_line: int
    end_line: int
    kind: str
    signature: str
    doc: str
    summary: str
    summary_by: OrNull[str]
    keywords: list[str]
    complexity: int
    status: str
    code_hash: str
    code: Annotated[Excerpt, As(_build_code_text), INLINE]
    cut: bool
    members: list[MemberRow]
    callers: list[EdgeRow]
    callers_total: int
    callers_in_tests: int
    callees: list[EdgeRow]
    callees_total: int
    unresolved: int


@dataclass(frozen=True, slots=True)
class ShowResult:
    """First few symbols of a name, and the places of the next."""

    symbols: tuple[ShownSymbol, ...]
    total: int
    others: tuple[str, ...]
    freshness: ShownFreshness
    pending: Hidden[Escalation | None] = None

    @property
    def found(self) -> bool:
        """True where a symbol has the name."""
        return bool(self.symbols)


def render_code_symbol(result: ShowResult, style: Style) -> str:
    """Show place, code, callers and callees; of a name of many symbols their list before."""
    blocks = _render_candidates(result, style)
    for s in result.symbols:
        at = format_code_place(s.path, s.start_line, s.end_line)
        name = s.path if s.kind == SymbolKind.MODULE else s.symbol
        lines = [
            f"{style.bold(printable(at))}  {printable(name)}" + style.dim(f"  {s.kind}, {s.status}")
        ]
        lines += [f"  {printable(s.summary)}"] if s.summary_by else []
        lines += render_numbered_lines(s.code, style)
        lines += _render_left_out_lines(s, style)
        into = style.say("called by {caller_count}", caller_count=_format_caller_count(s))
        lines += _render_symbol_edges(into, s.callers, s.callers_total, style)
        out = style.say("calls {callees_total}", callees_total=s.callees_total)
        lines += _render_symbol_edges(out, s.callees, s.callees_total, style, is_out=True)
        if count := s.unresolved:
            unknown = style.say("{count} calls of this name with unknown target", count=count)
            lines.append(style.dim(f"  {unknown}"))
        blocks.append("\n".join(lines))
    return "\n\n".join(
        [
            *blocks,
            *render_freshness_notes(result.freshness, style),
            *render_waiting_escalation(result.pending, style),
        ]
    )


def _render_candidates(result: ShowResult, style: Style) -> list[str]:
    """Return the list of a name's symbols where not all of them are shown."""
    if not result.others:
        return []
    head = style.say(
        "{total} symbols have this name, the first {shown} are shown; name one as `PATH:SYMBOL`:",
        total=result.total,
        shown=len(result.symbols),
    )
    shown = (f"{format_code_place(s.path, s.start_line)} {s.symbol}" for s in result.symbols)
    rows = [printable(f"  {row}") for row in (*shown, *result.others)]
    rest = result.total - len(rows)
    return ["\n".join([style.bold(head), *rows, *([style.dim(f"  … {rest}")] if rest else [])])]


def _format_caller_count(s: ShownSymbol) -> str:
    tests = s.callers_in_tests
    return (
        f"{s.callers_total - tests} + {tests} test" + "s" * (tests != 1)
        if tests
        else str(s.callers_total)
    )


def _render_left_out_lines(s: ShownSymbol, style: Style) -> list[str]:
    """Return the placeholder of lines that are left out."""
    rows = render_member_heads(s.members, style)
    if s.cut and not s.members:
        lines_left = s.end_line - s.code.first - s.code.text.count("\n")
        more = style.say(
            "… {lines_left} more lines, to {end_line}: `full`",
            lines_left=lines_left,
            end_line=s.end_line,
        )
        rows.append(style.dim(more))
    return rows


def _render_symbol_edges(
    title: str, rows: Sequence[EdgeRow], total: int, style: Style, *, is_out: bool = False
) -> list[str]:
    """Render the callers of a symbol, or with `is_out` its callees, as lines under a title.

    A caller is shown as the place of its call, a callee behind the line of the call. `total` counts
    those that `rows` leaves out too.
    """
    if not rows:
        return []
    lines = [f"  {title}:"]
    for e in rows:
        name, at = printable(key_name(e.symbol)), printable(e.citation)
        what = "" if e.kind in _PLAIN else e.kind
        doubt = style.told(e.reason) if e.tier > Certainty.RESOLVED else ""
        remarks = ", ".join(filter(None, [what, f"×{e.times}" if e.times > 1 else "", doubt]))
        row = f"{e.line} {name}  {at}" if is_out else f"{at} {name}"
        lines.append(f"    {row}" + (style.dim(f"  {remarks}") if remarks else ""))
    return [*lines, *([style.dim(f"    … {total - len(rows)}")] if total > len(rows) else [])]


@command(
    "code show",
    Words("Show a symbol: its code, who calls it, what it calls"),
    present=render_code_symbol,
    examples=("gieok code show Order.total", "gieok code show Order --full"),
    tool="code_symbol",
    tool_hint=(
        "For one symbol that you can name; of a long class or a file the heads of what is inside"
    ),
    shows_source=True,
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
)
def show_code_symbol(
    call: Call,
    *,
    symbol: Annotated[
        str,
        Parameter(
            Words("a name, Class.method, PATH:SYMBOL or PATH:LINE"),
            positional=True,
            needed="gieok code show load",
        ),
    ] = "",
    full: Annotated[bool, Parameter(Words("all of its lines, however many"))] = False,
    limit: Annotated[int, Parameter(Words("how many callers and callees to show (0: all)"))] = 10,
) -> ShowResult:
    """Show the symbols that a name means."""
    if limit < 0:
        raise BadRequest("limit {limit} is out of range", limit=limit)
    project = open_current_project(call)
    symbols = lookup.find_typed_symbols(project, symbol, call.caller.folder)
    symbols = sorted(symbols, key=lambda s: places.is_test_file(s.path))
    rows, left = [], _LINES
    for shown_symbol in symbols[:_MOST]:
        rows.append(
            _build_shown_symbol(project, shown_symbol, 0 if full else max(left, _HEAD_LINES), limit)
        )
        left -= rows[-1].code.text.count("\n") + 1
    others = (
        f"{format_code_place(s.path, s.start_line)} {s.qualified}"
        for s in symbols[_MOST : _MOST + _MOST_OTHERS]
    )
    return ShowResult(
        symbols=tuple(rows),
        total=len(symbols),
        others=tuple(others),
        freshness=freshness(project),
        pending=escalation.read_pending(project.root),
    )


def _build_shown_symbol(project: Project, s: Symbol, room: int, limit: int) -> ShownSymbol:
    """Return a symbol with as many lines as there is room for (0: all)."""
    last, inside = s.end_line, list_symbol_members(project, s) if room else []
    is_cut = bool(room) and s.end_line - s.start_line >= min(
        room, _OUTLINED_LINES if inside else room
    )
    if is_cut:
        last = (
            min(
                s.start_line + (_HEAD_LINES if inside else room),
                inside[0].start_line if inside else s.end_line + 1,
            )
            - 1
        )
    callers, callers_total, in_tests = _build_edge_rows(
        project, project.store.edges_into([s.key]), limit, is_into=True
    )
    callees, callees_total, _ = _build_edge_rows(
        project, project.store.edges_out_of([s.key]), limit, is_into=False
    )
    ((summary_text, model),) = summary.find_summaries(project, [s])
    return ShownSymbol(
        symbol=s.qualified,
        path=s.path,
        start_line=s.start_line,
        end_line=s.end_line,
        kind=s.kind,
        signature=s.signature,
        doc=s.doc,
        summary=summary_text,
        summary_by=model,
        keywords=summary.find_keywords(project, s),
        complexity=s.complexity,
        status=s.status,
        code_hash=s.code_hash,
        code=read_code_excerpt(project, s.path, s.start_line, max(last, s.start_line)),
        cut=is_cut,
        members=inside if is_cut else [],
        callers=callers,
        callers_total=callers_total,
        callers_in_tests=in_tests,
        callees=callees,
        callees_total=callees_total,
        unresolved=len(project.store.unresolved_calls([s.name])),
    )


def _build_edge_rows(
    project: Project, edges: Iterable[Edge], limit: int, *, is_into: bool
) -> tuple[list[EdgeRow], int, int]:
    """Return a row per symbol at the other end of edges, at most `limit`, without imports.

    Also returns the number of all such symbols, and of those in tests.
    """
    grouped: dict[tuple[str, str], list[Edge]] = {}
    edges = [edge for edge in edges if edge.kind != IMPORTS]
    # What is called or made on a line is named there too: that is one thing, told once.
    used = {(e.source, e.target, e.line) for e in edges if e.kind != REFERENCES}
    for edge in edges:
        if edge.kind != REFERENCES or (edge.source, edge.target, edge.line) not in used:
            grouped.setdefault((edge.source if is_into else edge.target, edge.kind), []).append(
                edge
            )
    rows = []
    for (key, kind), same in grouped.items():
        first = min(same, key=lambda e: (e.tier, e.line, e.reason))
        path = key_path(key)
        at = format_code_place(path, first.line) if is_into and first.line else ""
        row = EdgeRow(
            symbol=key,
            citation=at,
            kind=kind,
            line=first.line,
            times=len(same),
            tier=first.tier,
            certainty=CERTAINTY[first.tier],
            reason=first.reason,
        )
        rows.append(
            (places.is_test_file(path), first.tier, path if is_into else "", first.line, row)
        )
    shown = [row for *_, row in sorted(rows)[: limit or None]]
    ends = {s.key: s for s in project.store.symbols(keys=sorted({row.symbol for row in shown}))}
    shown = [
        row if row.citation else row._replace(citation=_format_symbol_start(ends[row.symbol]))
        for row in shown
    ]
    return shown, len(rows), sum(is_test for is_test, *_ in rows)


def _format_symbol_start(s: Symbol) -> str:
    return format_code_place(s.path, s.start_line)


_PLAIN = ("calls", "constructs")
