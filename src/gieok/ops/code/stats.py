"""`gieok code stats`: every count there is."""

from dataclasses import dataclass
from datetime import date

from gieok.code.ask import executed, statistics
from gieok.code.ask.statistics import Statistics
from gieok.code.model import layout
from gieok.ops.code.project import format_code_role, format_upkeep_role, open_current_project
from gieok.ops.context import Context
from gieok.ops.encode import Hidden, Inline, OrNull
from gieok.ops.operation import NoRequest, Operation, Style, Words, printable

#: What is counted by kind, in Korean; names of languages, statuses and markers stay.
_KINDS = {
    "pairs": "쌍",
    "tests": "테스트",
    "functions": "함수",
    "changed": "바뀜",
    "gone": "없어짐",
}


@dataclass(frozen=True, slots=True)
class CodeStatsResult:
    """Counts, with what the logs add."""

    counted: Inline[Statistics]
    syncs: int
    last_analysis: OrNull[str]
    tokens: int
    upkeep_tokens: int
    model_summaries: int
    waiting_summaries: int
    coverage_at: OrNull[str]
    found: Hidden[bool] = True


def count_code_stats(context: Context, request: NoRequest) -> CodeStatsResult:
    """Count everything."""
    del request
    project = open_current_project(context)
    rows = list(layout.read_code_log(project.root, "changes"))
    strong, cheap = (
        _count_role_tokens(context, role(project.root))
        for role in (format_code_role, format_upkeep_role)
    )
    last = str(rows[-1].get("at", "")) if rows else ""
    summary_rows = project.store.summaries(
        [s.code_hash for s in project.store.all_symbols()]
    ).values()
    written = sum(1 for row in summary_rows if row.text)
    counted = statistics.count_graph(project)
    taken_in = executed.taken_in(project)
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


def _count_role_tokens(context: Context, role: str) -> int:
    used = context.memory.journal().usage(date.min)
    return sum(
        usage.input_tokens + usage.output_tokens for (_, of), usage in used.items() if of == role
    )


_LABELS = {
    "files": "파일", "lines": "줄", "passages": "구절", "vectors": "벡터", "languages": "언어",
    "statuses": "읽은 상태", "kinds": "종류", "edges": "연결", "tiers": "확실한 정도",
    "unresolved_calls": "대상을 모르는 호출", "markers": "표시", "deprecated": "사용 중단 심볼",
    "central": "많이 쓰이는 것", "complex": "복잡한 것", "depth": "가져오기 깊이", "disk_bytes": "디스크 바이트",
    "executions": "커버리지",
}  # fmt: skip


def render_code_stats(result: CodeStatsResult, style: Style) -> str:
    """Show one count a line."""
    lines = []
    for name, value in result.counted._asdict().items():
        if isinstance(value, dict):
            value_text = (
                ", ".join(
                    f"{style.say(str(key), _KINDS.get(str(key), str(key)))} {n:,}"
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
            f"{style.bold(style.say(name.replace('_', ' '), _LABELS[name]))}:{printable(value_text)}"
        )
    lines.append(
        f"{style.bold(style.say('syncs', '동기화'))}: {result.syncs}, {result.last_analysis}"
    )
    tokens, summaries = (
        Words("tokens of models", "모델 토큰"),
        Words("summaries by a model", "모델이 쓴 요약"),
    )
    upkeep = style.say(
        f"{result.upkeep_tokens:,} for upkeep", f"변경 요약 {result.upkeep_tokens:,}"
    )
    waits = style.say(f"{result.waiting_summaries:,} wait", f"대기 {result.waiting_summaries:,}")
    lines.append(f"{style.bold(tokens.say(style.lang))}: {result.tokens:,} ({upkeep})")
    lines.append(f"{style.bold(summaries.say(style.lang))}: {result.model_summaries:,} ({waits})")
    at = Words("coverage taken in", "커버리지를 받아들인 때")
    lines.append(f"{style.bold(at.say(style.lang))}: {result.coverage_at or '-'}")
    return "\n".join(lines)


OPERATION = Operation(
    name="code stats",
    examples=("gieok code stats",),
    handler=count_code_stats,
    present=render_code_stats,
    doc=Words("Count files, symbols, edges and more", "파일, 심볼, 연결 등을 셉니다"),
)
