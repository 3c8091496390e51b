"""`gieok code stats`: all counts of the code index."""

from dataclasses import dataclass
from datetime import date

from gieok.code.ask import coverage_runs, statistics
from gieok.code.ask.statistics import Statistics
from gieok.code.model import layout
from gieok.commands.code.project import open_current_project
from gieok.commands.command import Style, command, printable
from gieok.commands.encode import Hidden, Inline, OrNull
from gieok.home.call import Call
from gieok.home.code import format_code_role, format_upkeep_role
from gieok.text.messages import Words


@dataclass(frozen=True, slots=True)
class CodeStatsResult:
    """Counts of the index and of its logs."""

    counted: Inline[Statistics]
    syncs: int
    last_analysis: OrNull[str]
    tokens: int
    upkeep_tokens: int
    model_summaries: int
    waiting_summaries: int
    coverage_at: OrNull[str]
    found: Hidden[bool] = True


def render_code_stats(result: CodeStatsResult, style: Style) -> str:
    """Show one count a line."""
    lines = []
    for name, value in result.counted._asdict().items():
        if isinstance(value, dict):
            value_text = (
                ", ".join(
                    f"{style.say(str(key), about='a kind of code')} {n:,}"
                    for key, n in value.items()
                )
                or "-"
            )
            value_text = f" {value_text}"
        elif isinstance(value, tuple):
            value_text = "".join(f"\n    {n:>5}  {key}" for key, n in value) or " -"
        else:
            value_text = f" {value:,}"
        lines.append(
            f"{style.bold(style.say(name.replace('_', ' '), about='a count of code'))}:"
            f"{printable(value_text)}"
        )
    lines.append(f"{style.bold(style.say('syncs'))}: {result.syncs}, {result.last_analysis}")
    upkeep = style.say("{upkeep_tokens:,} for upkeep", upkeep_tokens=result.upkeep_tokens)
    waits = style.say("{waiting_summaries:,} wait", waiting_summaries=result.waiting_summaries)
    lines.append(f"{style.bold(style.say('tokens of models'))}: {result.tokens:,} ({upkeep})")
    lines.append(
        f"{style.bold(style.say('summaries by a model'))}: {result.model_summaries:,} ({waits})"
    )
    lines.append(f"{style.bold(style.say('coverage imported'))}: {result.coverage_at or '-'}")
    return "\n".join(lines)


@command(
    "code stats",
    Words("Count files, symbols, edges and more"),
    present=render_code_stats,
    examples=("gieok code stats",),
)
def count_code_stats(call: Call) -> CodeStatsResult:
    """Count everything."""
    project = open_current_project(call)
    rows = list(layout.read_code_log(project.root, "changes"))
    strong, cheap = (
        _count_role_tokens(call, role(project.root))
        for role in (format_code_role, format_upkeep_role)
    )
    last = str(rows[-1].get("at", "")) if rows else ""
    summary_rows = project.store.summaries(
        [s.code_hash for s in project.store.all_symbols()]
    ).values()
    written = sum(1 for row in summary_rows if row.text)
    counted = statistics.count_graph(project)
    taken_in = coverage_runs.taken_in(project)
    return CodeStatsResult(
        counted=counted,
        syncs=len(rows),
        last_analysis=last,
        tokens=strong + cheap,
        upkeep_tokens=cheap,
        model_summaries=written,
        waiting_summaries=len(summary_rows) - written,
        coverage_at=taken_in,
    )


def _count_role_tokens(call: Call, role: str) -> int:
    used = call.home.journal.usage(date.min)
    return sum(
        usage.input_tokens + usage.output_tokens for (_, of), usage in used.items() if of == role
    )
