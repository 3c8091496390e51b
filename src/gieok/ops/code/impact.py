"""`gieok code impact`: what may break, and which tests show it."""

from dataclasses import dataclass

from gieok.capabilities.code.ask import analysis, lookup
from gieok.capabilities.code.ask.analysis import Analysis
from gieok.capabilities.code.ask.executed import RAN
from gieok.capabilities.code.ask.impact import CERTAINTY, FileReach, Reached
from gieok.errors import BadRequest
from gieok.model.code import Edge
from gieok.ops.code.project import freshness_lines, opened
from gieok.ops.context import Context
from gieok.ops.operation import Operation, Style, Surface, Words, argument, printable


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


@dataclass(frozen=True, slots=True)
class ImpactResult:
    """What is reached."""

    analysis: Analysis
    limit: int

    @property
    def found(self) -> bool:
        """True also where nothing is reached: that is an answer."""
        return True

    def to_json(self) -> object:
        """Return the documented shape (docs/code.md)."""
        a, i = self.analysis, self.analysis.impact
        end = self.limit or None
        counted = {
            name: sum(1 for c in i.unresolved_calls if c.name == name)
            for name in sorted({c.name for c in i.unresolved_calls})
        }
        return {
            "changed": list(a.changed),
            "deleted": list(a.deleted),
            "symbols": [self._reached(r) for r in i.symbols[:end]],
            "files": [_file(f) for f in i.files],
            "tests": [self._reached(r) for r in i.tests[:end]],
            "test_files": [_file(f) for f in i.test_files],
            "counts": {"symbols": len(i.symbols), "files": len(i.files), "tests": len(i.tests)},
            "unresolved": {
                "count": len(i.unresolved_calls),
                "names": counted,
                "sites": [f"{c.source}#L{c.line}" for c in i.unresolved_calls[:20]],
            },
            "freshness": a.freshness.to_json(),
        }

    def _reached(self, one: Reached) -> dict[str, object]:
        symbol = self.analysis.symbols[one.key]
        weakest = max(one.via, key=lambda e: e.tier, default=None)
        return {
            "symbol": one.key.partition("::")[2],
            "path": symbol.path,
            "start_line": symbol.start_line,
            "end_line": symbol.end_line,
            "kind": symbol.kind,
            "distance": one.distance,
            "tier": one.tier,
            "certainty": CERTAINTY[one.tier],
            "risk": one.risk,
            "weakest": one.doubt or (weakest.reason if weakest else None),
            "via": [_edge(edge) for edge in one.via],
        }


def _edge(edge: Edge) -> dict[str, object]:
    return {
        "from": edge.source, "to": edge.target, "kind": edge.kind, "line": edge.line, "tier": edge.tier, "reason": edge.reason,
    }  # fmt: skip


def _file(file: FileReach) -> dict[str, object]:
    return {
        "path": file.path, "distance": file.distance, "certainty": CERTAINTY[file.tier], "risk": file.risk,
        "symbols": file.symbols, "tier": file.tier,
    }  # fmt: skip


def run(context: Context, request: ImpactRequest) -> ImpactResult:
    """Find what depends on a symbol, a file or a diff."""
    if bool(request.target) == bool(request.diff):
        raise BadRequest("name a file or symbol, or a revision with --diff", hint="`gieok code impact src/app.py:load`")
    if request.limit < 0:
        raise BadRequest(f"limit {request.limit} is out of range")
    project = opened(context)
    if request.diff:
        return ImpactResult(analysis.of_diff(project, request.diff), request.limit)
    found = lookup.find(project, request.target, context.caller.folder)
    return ImpactResult(analysis.of_symbols(project, found), request.limit)


_RISKS = {"high": Words("high", "높음"), "medium": Words("medium", "중간"), "low": Words("low", "낮음")}


def present(result: ImpactResult, style: Style) -> str:
    """Show symbols, then tests, each with risk and the way that leads there."""
    i = result.analysis.impact
    end = result.limit or None
    lines = [
        _title(Words(f"Changed: {_named(result.analysis.changed)}", f"변경: {_named(result.analysis.changed)}"), style)
    ]
    for words, rows in (
        (Words(f"May break ({len(i.symbols)})", f"깨질 수 있음 ({len(i.symbols)})"), i.symbols),
        (Words(f"Tests to run ({len(i.tests)})", f"돌려 볼 테스트 ({len(i.tests)})"), i.tests),
    ):
        lines += ["", _title(words, style), *(_line(row, result, style) for row in rows[:end])]
        if end is not None and len(rows) > end:
            lines.append(style.dim(f"  … {len(rows) - end}"))
    importing = [f for f in (*i.files, *i.test_files) if not f.symbols]
    if importing:
        lines += ["", _title(Words(f"Only import it ({len(importing)})", f"가져오기만 함 ({len(importing)})"), style)]
        lines += [f"  {printable(f.path)}" for f in importing[: end or None]]
    lines += ["", *_unresolved(result, style), *freshness_lines(result.analysis.freshness, style)]
    return "\n".join(lines).rstrip()


def _title(words: Words, style: Style) -> str:
    return style.bold(printable(words.say(style.lang)))


def _named(keys: tuple[str, ...]) -> str:
    return ", ".join(keys[:5]) + (f" … {len(keys) - 5}" if len(keys) > 5 else "")


def _line(one: Reached, result: ImpactResult, style: Style) -> str:
    symbol = result.analysis.symbols[one.key]
    way = " → ".join(edge.target.partition("::")[2] for edge in one.via[:4])
    risk = _RISKS[one.risk].say(style.lang)
    place = f"{symbol.path}#L{symbol.start_line}"
    return (
        printable(f"  {risk:7} {one.distance}  {one.key.partition('::')[2]}")
        + "  "
        + style.dim(printable(f"{place}  → {way}{_evidence(one)}"))
    )


def _evidence(one: Reached) -> str:
    """Name what coverage says of a test."""
    said = one.doubt or next((edge.reason for edge in one.via if edge.kind == RAN), "")
    return f"  ({said})" if said else ""


def _unresolved(result: ImpactResult, style: Style) -> list[str]:
    i = result.analysis.impact
    if i.unresolved_calls:
        words = Words(
            f"{len(i.unresolved_calls)} more calls bear the name, and it is not known where they go",
            f"같은 이름을 부르지만 어디로 가는지 모르는 호출 {len(i.unresolved_calls)}개가 더 있음",
        )
    elif not i.symbols and not i.tests:
        words = Words("No callers.", "부르는 곳이 없습니다.")
    else:
        return []
    return [style.dim(words.say(style.lang))]


OPERATION = Operation(
    name="code impact",
    tool="code_impact",
    request=ImpactRequest,
    handler=run,
    present=present,
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
    doc=Words(
        "Show what may break when code changes, and which tests show it",
        "코드를 바꾸면 무엇이 깨질지와 확인할 테스트를 보여 줍니다",
    ),
)
