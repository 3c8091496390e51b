"""`gieok code show`: one symbol with its code, what it calls and who calls it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from gieok.capabilities.code.ask import lookup
from gieok.capabilities.code.ask.impact import CERTAINTY
from gieok.capabilities.code.index.graph import IMPORTS
from gieok.capabilities.code.index.project import Project, freshness
from gieok.capabilities.code.report import summary
from gieok.model.code import Edge, Symbol
from gieok.ops.code.project import ShownFreshness, freshness_lines, opened
from gieok.ops.code.source import Excerpt, excerpt, numbered, told
from gieok.ops.context import Context
from gieok.ops.encode import INLINE, As, OrNull
from gieok.ops.operation import Operation, Style, Surface, Words, argument, printable

_MOST = 5
_CODE_LINES = 60
_CODE_LINES_OF_MACHINES = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowRequest:
    """Parameters of `gieok code show`."""

    symbol: str = argument(
        Words("a name, Class.method, PATH:SYMBOL or PATH:LINE", "이름, 클래스.메서드, 경로:심볼, 경로:줄"),
        "",
        positional=True,
        needed="gieok code show load",
    )


class CodeText(NamedTuple):
    """Code as it is in the file, and what a reader must know of it."""

    code: str
    code_notes: list[str]
    redacted: bool


def _code(shown: Excerpt) -> CodeText:
    return CodeText(shown.text, told(shown.notes), shown.is_redacted)


class EdgeRow(NamedTuple):
    """A symbol at the other end of an edge, and how sure that is."""

    symbol: str
    kind: str
    line: int
    tier: int
    certainty: str
    reason: str


class ShownSymbol(NamedTuple):
    """One symbol and what stands around it."""

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
    code: Annotated[Excerpt, As(_code), INLINE]
    callers: list[EdgeRow]
    callees: list[EdgeRow]
    unresolved: int


@dataclass(frozen=True, slots=True)
class ShowResult:
    """The symbols of that name, the first few of them."""

    symbols: tuple[ShownSymbol, ...]
    total: int
    freshness: ShownFreshness

    @property
    def found(self) -> bool:
        """True where there is one."""
        return bool(self.symbols)


def run(context: Context, request: ShowRequest) -> ShowResult:
    """Show the symbols that a name means."""
    project = opened(context)
    found = lookup.find(project, request.symbol, context.caller.folder)
    return ShowResult(tuple(_shown(project, s) for s in found[:_MOST]), len(found), freshness(project))


def _shown(project: Project, s: Symbol) -> ShownSymbol:
    into = [(e.source, e) for e in project.store.edges_into([s.key])]
    out = [(e.target, e) for e in project.store.edges_out_of([s.key])]
    return ShownSymbol(
        s.key.partition("::")[2], s.path, s.start_line, s.end_line, s.kind, s.signature, s.doc,
        *summary.told(project, [s])[0], list(summary.keywords(s)), s.complexity, s.status, s.code_hash,
        excerpt(project, s.path, s.start_line, s.end_line), _sure_first(into), _sure_first(out),
        len(project.store.unresolved_calls([s.name])),
    )  # fmt: skip


def _sure_first(found: Sequence[tuple[str, Edge]]) -> list[EdgeRow]:
    """Return edges but imports, each with its other end."""
    kept = sorted(
        (row for row in found if row[1].kind != IMPORTS), key=lambda row: (row[1].tier, row[1][:2], row[1].line)
    )
    return [EdgeRow(other, e.kind, e.line, e.tier, CERTAINTY[e.tier], e.reason) for other, e in kept]


def present(result: ShowResult, style: Style) -> str:
    """Show head, code, callers and callees."""
    blocks = []
    for s in result.symbols:
        name = style.bold(printable(f"{s.path}::{s.symbol}"))
        lines = [name + style.dim(f"  L{s.start_line}-L{s.end_line}  {s.kind}, {s.status}")]
        lines += [f"  {printable(s.summary)}"] if s.summary else []
        lines += numbered(s.code, style, _CODE_LINES_OF_MACHINES if style.verbatim else _CODE_LINES)
        lines += _edges(Words("called by", "부르는 곳"), s.callers, style)
        lines += _edges(Words("calls", "부르는 것"), s.callees, style)
        if count := s.unresolved:
            words = Words(
                f"{count} calls of this name with unknown target", f"대상을 모르는 같은 이름의 호출 {count}개"
            )
            lines.append(style.dim("  " + words.say(style.lang)))
        blocks.append("\n".join(lines))
    if result.total > len(result.symbols):
        blocks.append(style.dim(f"… {result.total - len(result.symbols)}"))
    return "\n\n".join([*blocks, *freshness_lines(result.freshness, style)])


def _edges(words: Words, rows: Sequence[EdgeRow], style: Style) -> list[str]:
    if not rows:
        return []
    shown = [
        f"    {printable(e.symbol)}" + style.dim(f"  {e.kind} L{e.line}, {style.told(e.reason)}") for e in rows[:20]
    ]
    more = [style.dim(f"    … {len(rows) - 20}")] if len(rows) > 20 else []
    return [f"  {words.say(style.lang)} ({len(rows)}):", *shown, *more]


OPERATION = Operation(
    name="code show",
    examples=("gieok code show Order.total",),
    tool="code_symbol",
    shows_source=True,
    handler=run,
    present=present,
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
    doc=Words(
        "Show a symbol: its code, who calls it, what it calls", "심볼 하나를 보여 줍니다: 코드, 부르는 곳, 부르는 것"
    ),
)
