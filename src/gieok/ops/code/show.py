"""`gieok code show`: one symbol with its code, what it calls and who calls it."""

from collections.abc import Sequence
from dataclasses import dataclass

from gieok.capabilities.code.ask import lookup
from gieok.capabilities.code.ask.impact import CERTAINTY
from gieok.capabilities.code.index.graph import IMPORTS
from gieok.capabilities.code.index.project import Freshness, Project, freshness
from gieok.capabilities.code.report import summary
from gieok.model.code import Edge, Symbol, UnresolvedCall
from gieok.ops.code.project import freshness_lines, opened
from gieok.ops.code.source import Excerpt, excerpt, numbered, told
from gieok.ops.context import Context
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
    )


@dataclass(frozen=True, slots=True)
class Shown:
    """One symbol and what stands around it."""

    symbol: Symbol
    summary: str
    summary_by: str
    keywords: tuple[str, ...]
    code: Excerpt
    callers: tuple[Edge, ...]
    callees: tuple[Edge, ...]
    unresolved_calls: tuple[UnresolvedCall, ...]

    def to_json(self) -> dict[str, object]:
        """Return the documented shape."""
        s = self.symbol
        return {
            "symbol": s.key.partition("::")[2], "path": s.path, "start_line": s.start_line, "end_line": s.end_line,
            "kind": s.kind, "signature": s.signature, "doc": s.doc, "summary": self.summary,
            "summary_by": self.summary_by or None,
            "keywords": list(self.keywords), "complexity": s.complexity, "status": s.status, "code_hash": s.code_hash,
            "code": self.code.text, "code_notes": told(self.code.notes), "redacted": self.code.is_redacted,
            "callers": [_edge(e, e.source) for e in self.callers],
            "callees": [_edge(e, e.target) for e in self.callees], "unresolved": len(self.unresolved_calls),
        }  # fmt: skip


def _edge(edge: Edge, other: str) -> dict[str, object]:
    return {
        "symbol": other, "kind": edge.kind, "line": edge.line, "tier": edge.tier, "certainty": CERTAINTY[edge.tier],
        "reason": edge.reason,
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class ShowResult:
    """The symbols of that name, the first few of them."""

    symbols: tuple[Shown, ...]
    total: int
    freshness: Freshness

    @property
    def found(self) -> bool:
        """True where there is one."""
        return bool(self.symbols)

    def to_json(self) -> object:
        """Return the documented shape (docs/code.md)."""
        return {
            "symbols": [s.to_json() for s in self.symbols],
            "total": self.total,
            "freshness": self.freshness.to_json(),
        }


def run(context: Context, request: ShowRequest) -> ShowResult:
    """Show the symbols that a name means."""
    project = opened(context)
    found = lookup.find(project, request.symbol, context.caller.folder)
    return ShowResult(tuple(_shown(project, s) for s in found[:_MOST]), len(found), freshness(project))


def _shown(project: Project, symbol: Symbol) -> Shown:
    into = [e for e in project.store.edges_into([symbol.key]) if e.kind != IMPORTS]
    out = [e for e in project.store.edges_out_of([symbol.key]) if e.kind != IMPORTS]
    return Shown(
        symbol,
        *summary.told(project, [symbol])[0],
        tuple(summary.keywords(symbol)),
        excerpt(project, symbol.path, symbol.start_line, symbol.end_line),
        tuple(_sure_first(into)),
        tuple(_sure_first(out)),
        tuple(project.store.unresolved_calls([symbol.name])),
    )


def _sure_first(edges: Sequence[Edge]) -> list[Edge]:
    return sorted(edges, key=lambda e: (e.tier, e.source, e.target, e.line))


def present(result: ShowResult, style: Style) -> str:
    """Show head, code, callers and callees."""
    blocks = []
    for shown in result.symbols:
        s = shown.symbol
        lines = [style.bold(printable(s.key)) + style.dim(f"  L{s.start_line}-L{s.end_line}  {s.kind}, {s.status}")]
        lines += [f"  {printable(shown.summary)}"] if shown.summary else []
        lines += numbered(shown.code, style, _CODE_LINES_OF_MACHINES if style.verbatim else _CODE_LINES)
        lines += _edges(Words("called by", "부르는 곳"), [(e.source, e) for e in shown.callers], style)
        lines += _edges(Words("calls", "부르는 것"), [(e.target, e) for e in shown.callees], style)
        if shown.unresolved_calls:
            count = len(shown.unresolved_calls)
            words = Words(
                f"{count} calls of this name with unknown target", f"대상을 모르는 같은 이름의 호출 {count}개"
            )
            lines.append(style.dim("  " + words.say(style.lang)))
        blocks.append("\n".join(lines))
    if result.total > len(result.symbols):
        blocks.append(style.dim(f"… {result.total - len(result.symbols)}"))
    return "\n\n".join([*blocks, *freshness_lines(result.freshness, style)])


def _edges(words: Words, rows: Sequence[tuple[str, Edge]], style: Style) -> list[str]:
    if not rows:
        return []
    shown = [f"    {printable(key)}" + style.dim(f"  {e.kind} L{e.line}, {e.reason}") for key, e in rows[:20]]
    more = [style.dim(f"    … {len(rows) - 20}")] if len(rows) > 20 else []
    return [f"  {words.say(style.lang)} ({len(rows)}):", *shown, *more]


OPERATION = Operation(
    name="code show",
    tool="code_symbol",
    shows_source=True,
    request=ShowRequest,
    handler=run,
    present=present,
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
    doc=Words(
        "Show a symbol: its code, who calls it, what it calls", "심볼 하나를 보여 줍니다: 코드, 부르는 곳, 부르는 것"
    ),
)
