"""`gieok observe stats`: how much went in, what came out, what it cost, what waits."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta

from gieok.engine.generate import spent_tokens
from gieok.model import Incident, JournalStats, Reject, Run, Scope, Usage
from gieok.ops.context import Context
from gieok.ops.operation import Operation, Style, Words, argument


@dataclass(frozen=True, slots=True, kw_only=True)
class ObserveStatsRequest:
    """Parameters of `gieok observe stats`."""

    days: int = argument(Words("how many days back", "며칠 전부터"), 7)


@dataclass(frozen=True, slots=True)
class ObserveStatsResult:
    """Journal, runs by day, usage by day and role, and what is wrong."""

    scope: Scope
    model: str
    journal: JournalStats
    backlog_tokens: int
    runs: tuple[Run, ...]
    usage: dict[tuple[date, str], Usage]
    today_tokens: int
    incidents: tuple[Incident, ...]
    rejects: tuple[Reject, ...]
    found: bool = True

    @property
    def compression(self) -> float:
        """Return how many tokens of messages one token of observations stands for; 0 where there are none."""
        observed = [run for run in self.runs if run.reader == "observe"]
        made = sum(run.document_tokens for run in observed)
        return sum(run.source_tokens for run in observed) / made if made else 0.0

    def by_day(self) -> dict[str, tuple[int, int, int]]:
        """Return day → runs, tokens in, tokens out, of the observer."""
        days: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        for run in self.runs:
            if run.reader == "observe":
                row = days[run.at.date().isoformat()]
                row[0] += 1
                row[1] += run.source_tokens
                row[2] += run.document_tokens
        return {day: (row[0], row[1], row[2]) for day, row in sorted(days.items())}

    def to_json(self) -> object:
        """Return the documented shape."""
        return {
            "scope": str(self.scope),
            "observer": self.model or "rules",
            "journal": self.journal._asdict(),
            "backlog_tokens": self.backlog_tokens,
            "compression": round(self.compression, 2),
            "days": {d: {"runs": r, "tokens_in": i, "tokens_out": o} for d, (r, i, o) in self.by_day().items()},
            "models": [
                {"day": day.isoformat(), "role": role, **usage._asdict()} for (day, role), usage in self.usage.items()
            ],
            "today_tokens": self.today_tokens,
            "incidents": [
                {"name": i.name, "detail": i.detail, "since": i.since.isoformat(), "tries": i.tries,
                 "next_try": i.next_try.isoformat()} for i in self.incidents
            ],
            "rejects": [reject._asdict() for reject in self.rejects],
        }  # fmt: skip


def run(context: Context, request: ObserveStatsRequest) -> ObserveStatsResult:
    """Count."""
    journal, sidecar = context.journal(), context.sidecar()
    since = context.clock.now() - timedelta(days=request.days)
    today = context.clock.now().astimezone(context.zone).date()
    return ObserveStatsResult(
        scope=context.scope,
        model=sidecar.minds.model,
        journal=journal.stats(context.scope),
        backlog_tokens=sidecar.backlog_tokens(context.scope),
        runs=tuple(journal.runs(context.scope, since)),
        usage=journal.usage(today - timedelta(days=request.days)),
        today_tokens=spent_tokens(journal, today),
        incidents=tuple(journal.incidents()),
        rejects=tuple(journal.rejects(20)),
    )


def present(result: ObserveStatsResult, style: Style) -> str:
    """Show what a person asks first, then the days."""
    j = result.journal
    observer = result.model or Words("rules (no model: weaker)", "규칙 (모델 없음: 약함)").say(style.lang)
    lines = [
        style.bold(
            Words(
                f"{j.messages:,} messages ({j.tokens:,} tokens), {j.transcripts:,} transcripts; observed by {observer}",
                f"대화 기록 {j.transcripts:,}개의 메시지 {j.messages:,}개 ({j.tokens:,}토큰); 관찰: {observer}",
            ).say(style.lang)
        ),
        Words(
            f"  waits: {result.backlog_tokens:,} tokens, {j.chunks} chunks, {j.undelivered} documents; set aside {j.rejects}",
            f"  대기: {result.backlog_tokens:,}토큰, 조각 {j.chunks}개, 문서 {j.undelivered}개; 따로 둔 줄: {j.rejects}",
        ).say(style.lang),
        Words(
            f"  compression: {result.compression:.1f}; model tokens today: {result.today_tokens:,}",
            f"  압축: {result.compression:.1f}배; 오늘 모델 토큰: {result.today_tokens:,}",
        ).say(style.lang),
    ]
    lines += [
        Words(f"  {day}: {runs} runs, {i:,} → {o:,} tokens", f"  {day}: {runs}번, {i:,} → {o:,}토큰").say(style.lang)
        for day, (runs, i, o) in result.by_day().items()
    ]
    lines += [
        Words(
            f"  {day} {role}: {u.calls} calls ({u.failures} bad), {u.input_tokens:,} → {u.output_tokens:,}, {u.seconds:.1f} s",
            f"  {day} {role}: {u.calls}번, 실패 {u.failures}번, {u.input_tokens:,} → {u.output_tokens:,}, {u.seconds:.1f}초",
        ).say(style.lang)
        for (day, role), u in result.usage.items()
    ]
    lines += [f"  ✗ {i.name}: {i.detail} ({i.since:%Y-%m-%d %H:%M}, {i.tries})" for i in result.incidents]
    lines += [f"  ✗ {r.path}:{r.line}: {r.reason}" for r in result.rejects[:5]]
    return "\n".join(lines)


OPERATION = Operation(
    name="observe stats",
    request=ObserveStatsRequest,
    handler=run,
    present=present,
    doc=Words(
        "Show what went in, what came out, what it cost and what waits", "들어온 것, 나온 것, 비용, 대기를 보여 줍니다"
    ),
)
