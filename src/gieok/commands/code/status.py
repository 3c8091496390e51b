"""`gieok code status`: the project at a glance, and how fresh its index is."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

from gieok.code.ask import coverage_runs, statistics
from gieok.code.ask.statistics import Statistics
from gieok.code.deepen import escalation
from gieok.code.deepen.escalation import Escalation
from gieok.code.index import watch_list
from gieok.code.index.project import freshness, list_partial_files
from gieok.code.index.scan import Skipped
from gieok.code.model import layout
from gieok.code.report.record import read_record
from gieok.commands.code.project import (
    ShownFreshness,
    open_current_project,
    render_freshness_notes,
    render_waiting_escalation,
)
from gieok.commands.command import Style, Surface, command, printable
from gieok.commands.encode import INLINE, As, Hidden, OrNull
from gieok.commands.observe.sidecar_state import state_of
from gieok.home.call import Call
from gieok.text.messages import Words

_SHOWN = 10


class Central(NamedTuple):
    """Symbol, and the number of symbols that depend on it."""

    symbol: str
    dependants: int


class CoverageState(NamedTuple):
    """Executions under coverage, and the time of their import."""

    pairs: int
    tests: int
    functions: int
    changed: int
    gone: int
    at: OrNull[str]


class CodeCounts(NamedTuple):
    """Sizes of the project."""

    files: int
    lines: int
    languages: dict[str, int]
    kinds: dict[str, int]
    edges: dict[str, int]
    tiers: dict[str, int]
    unresolved: int
    passages: int
    vectors: int
    central: list[Central]


def _build_code_counts(c: Statistics) -> CodeCounts:
    return CodeCounts(
        files=c.files,
        lines=c.lines,
        languages=c.languages,
        kinds=c.kinds,
        edges=c.edges,
        tiers=c.tiers,
        unresolved=c.unresolved_calls,
        passages=c.passages,
        vectors=c.vectors,
        central=[Central(*row) for row in c.central],
    )


@dataclass(frozen=True, slots=True)
class CodeStatusResult:
    """Status of the project and its index."""

    root: Path
    counted: Annotated[Statistics, As(_build_code_counts), INLINE]
    freshness: ShownFreshness
    #: Section → text; None where only a model writes it, and none has.
    record: dict[str, str | None]
    quality: int | None
    pending: Escalation | None
    coverage: CoverageState
    #: Files that are indexed in part, with the reason.
    notes: tuple[Skipped, ...]
    #: What the daemon says of the project, '' where it does not run; None where it is not the
    #: daemon's.
    watched: str | None = None
    found: Hidden[bool] = True


def render_code_status(result: CodeStatusResult, style: Style) -> str:
    """Show the project in a few lines."""
    c = result.counted
    head = style.say("Code: {files:,} files, {lines:,} lines", files=c.files, lines=c.lines)
    kinds = ", ".join(f"{name} {n:,}" for name, n in c.kinds.items() if name != "lambda")
    edges = ", ".join(f"{name} {n:,}" for name, n in c.edges.items())
    lines = [
        style.bold(head) + style.dim(f"  {result.root}"),
        *(f"  {row}" for row in (kinds, edges) if row),
    ]
    if c.executions["pairs"]:
        lines.append(_render_coverage_state(result.coverage, style))
    if result.quality is not None:
        lines.append(style.say("  quality {quality}/100", quality=result.quality))
    if result.watched is not None:
        off = style.say("not running: `gieok up`")
        lines.append(style.say("  watched by the daemon: ") + printable(result.watched or off))
    lines += [
        printable(f"  {style.say('note')}: {n.path}: {style.told(n.reason)}")
        for n in result.notes[:_SHOWN]
    ]
    lines += [style.dim(f"  … {len(result.notes) - _SHOWN}")] if len(result.notes) > _SHOWN else []
    unwritten = style.say("–, needs a model")
    for name, text in result.record.items():
        section = style.bold(style.say(name, about="a section"))
        lines.append(f"  {section}: {printable(style.told(text)) if text else unwritten}")
    return "\n".join(
        [
            *lines,
            *render_freshness_notes(result.freshness, style),
            *render_waiting_escalation(result.pending, style),
        ]
    )


def _render_coverage_state(coverage: CoverageState, style: Style) -> str:
    return style.say(
        "  coverage of {day}: {tests} tests ran {functions} functions; {changed} of {pairs} "
        "pairs changed since",
        day=coverage.at[:10],
        tests=f"{coverage.tests:,}",
        functions=f"{coverage.functions:,}",
        changed=f"{coverage.changed:,}",
        pairs=f"{coverage.pairs:,}",
    )


@command(
    "code status",
    Words("Show the project at a glance and how fresh its index is"),
    present=render_code_status,
    examples=("gieok code status",),
    tool="code_overview",
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
)
def read_code_status(call: Call) -> CodeStatusResult:
    """Count the index, and compare it with the disk."""
    project = open_current_project(call)
    last = layout.read_last_log_row(project.root, "validations")
    quality = last.get("quality")
    running = call.home.daemon.status() if call.home.daemon is not None else None
    is_watched = project.root in watch_list.list_watched_roots(call.home.folder)
    counted = statistics.count_graph(project)
    coverage = CoverageState(**counted.executions, at=coverage_runs.taken_in(project))
    return CodeStatusResult(
        root=project.root,
        counted=counted,
        freshness=freshness(project),
        record=read_record(project, counted),
        quality=quality if isinstance(quality, int) else None,
        pending=escalation.read_pending(project.root),
        coverage=coverage,
        notes=tuple(list_partial_files(project)),
        watched=state_of(running, project.root) if is_watched else None,
    )
