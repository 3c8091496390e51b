"""`gieok code stats`: every count there is."""

from dataclasses import dataclass
from datetime import date

from gieok.capabilities.code import layout, statistics, summary
from gieok.capabilities.code.statistics import Statistics
from gieok.ops.code_project import opened, role_of
from gieok.ops.context import Context
from gieok.ops.operation import Operation, Style, Words, printable


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsRequest:
    """`gieok code stats` has no parameters."""


@dataclass(frozen=True, slots=True)
class StatsResult:
    """Counts, with what the logs add."""

    counted: Statistics
    syncs: int
    last_analysis: str
    tokens: int
    summaries: int
    found: bool = True

    def to_json(self) -> object:
        """Return the documented shape (docs/code.md)."""
        return {
            **self.counted._asdict(), "syncs": self.syncs, "last_analysis": self.last_analysis or None,
            "tokens": self.tokens, "model_summaries": self.summaries,
        }  # fmt: skip


def run(context: Context, request: StatsRequest) -> StatsResult:
    """Count everything."""
    del request
    project = opened(context)
    rows = list(layout.read_log(project.root, "changes"))
    used = [u for (_, role), u in context.journal().usage(date.min).items() if role == role_of(project.root)]
    tokens = sum(u.input_tokens + u.output_tokens for u in used)
    last = str(rows[-1].get("at", "")) if rows else ""
    return StatsResult(statistics.count(project), len(rows), last, tokens, summary.count(project))


def present(result: StatsResult, style: Style) -> str:
    """Show one count a line."""
    lines = []
    for name, value in result.counted._asdict().items():
        if isinstance(value, dict):
            shown = ", ".join(f"{key} {n:,}" for key, n in value.items()) or "-"
        elif isinstance(value, tuple):
            shown = "".join(f"\n    {n:>5}  {key}" for key, n in value) or "-"
        else:
            shown = f"{value:,}"
        lines.append(f"{style.bold(name.replace('_', ' '))}: {printable(shown)}")
    lines.append(f"{style.bold('syncs')}: {result.syncs}, {result.last_analysis}")
    tokens, summaries = Words("tokens of models", "모델 토큰"), Words("summaries by a model", "모델이 쓴 요약")
    lines.append(f"{style.bold(tokens.say(style.lang))}: {result.tokens:,}")
    lines.append(f"{style.bold(summaries.say(style.lang))}: {result.summaries:,}")
    return "\n".join(lines)


OPERATION = Operation(
    name="code stats",
    request=StatsRequest,
    handler=run,
    present=present,
    doc=Words("Count files, symbols, edges and more", "파일, 심볼, 연결 등을 셉니다"),
)
