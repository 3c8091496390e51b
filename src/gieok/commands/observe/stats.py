"""`gieok observe stats`: tokens in and out, cost, and what waits."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, NamedTuple

from gieok.commands.command import Parameter, Style, command
from gieok.commands.encode import Hidden, Inline, Rounded, mark_encoded_getter
from gieok.commands.observe.exposition import Metric, MetricSample, format_exposition
from gieok.commands.observe.prices import ModelPrices, by_day, read_own_price
from gieok.commands.observe.sidecar_state import describe_rules_weakness
from gieok.commands.scope_names import name_scope
from gieok.flow.generate import spent_tokens
from gieok.home.call import Call
from gieok.memory.tiers import amounts
from gieok.memory.tiers.amounts import TierRow
from gieok.model.conversation import Incident, JournalStats, Reject, Run, Usage
from gieok.model.memory import Scope
from gieok.text.messages import Words

#: Date before every run.
_EVER = datetime(1970, 1, 2, tzinfo=UTC)
_MOST_DAYS = 36_500


class ObservedDay(NamedTuple):
    """Activity of the observer on a day."""

    runs: int
    tokens_in: int
    tokens_out: int


class ModelDay(NamedTuple):
    """Model usage of a role on a day; `dollars` is None where the price is not known."""

    day: date
    role: str
    usage: Inline[Usage]
    dollars: float | None


@dataclass(frozen=True, slots=True)
class ObserveStatsResult:
    """Journal counts, runs by day, usage by (day, role), and open incidents."""

    scope: Scope
    model: Hidden[str]
    journal: JournalStats
    backlog_tokens: int
    runs: Hidden[tuple[Run, ...]]
    usage: Hidden[dict[tuple[date, str], Usage]]
    today_tokens: int
    incidents: tuple[Incident, ...]
    rejects: tuple[Reject, ...]
    costs: Hidden[dict[tuple[date, str], float]] = field(default_factory=dict)
    prometheus: Hidden[bool] = False
    found: Hidden[bool] = True
    embedder: Hidden[str] = ""
    tiers: tuple[TierRow, ...] = ()

    @property
    @mark_encoded_getter
    def compression(self) -> Annotated[float, Rounded(2)]:
        """Return how many tokens of messages one observation token stands for; 0 without
        observations.
        """
        observed = [run for run in self.runs if run.reader == "observe"]
        document_tokens = sum(run.document_tokens for run in observed)
        return (
            sum(run.source_tokens for run in observed) / document_tokens if document_tokens else 0.0
        )

    def by_day(self) -> dict[str, tuple[int, int, int]]:
        """Return day → (runs, tokens in, tokens out) of the observer."""
        days: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        for run in self.runs:
            if run.reader == "observe":
                row = days[run.at.date().isoformat()]
                row[0] += 1
                row[1] += run.source_tokens
                row[2] += run.document_tokens
        return {day: (row[0], row[1], row[2]) for day, row in sorted(days.items())}

    @property
    @mark_encoded_getter
    def observer(self) -> str:
        """Return the model that observes, or `rules`."""
        return self.model or "rules"

    @property
    @mark_encoded_getter
    def days(self) -> dict[str, ObservedDay]:
        """Return what the observer did by day."""
        return {day: ObservedDay(*row) for day, row in self.by_day().items()}

    @property
    @mark_encoded_getter
    def models(self) -> list[ModelDay]:
        """Return what models used by day and role."""
        return [
            ModelDay(day, role, used, self.costs.get((day, role)))
            for (day, role), used in self.usage.items()
        ]

    @property
    @mark_encoded_getter
    def dollars(self) -> dict[date, float]:
        """Return what models cost by day, as far as prices are known."""
        return dict(by_day(self.costs))


def render_observe_stats(result: ObserveStatsResult, style: Style) -> str:
    """Show the totals that a person asks for first, then the days."""
    if result.prometheus:
        return format_exposition(build_observe_metrics(result))
    j = result.journal
    observer = (
        result.model
        or f"{style.say('rules')} {describe_rules_weakness(result.embedder).say(style.lang)}"
    )
    lines = [
        style.bold(
            style.say(
                (
                    "{messages:,} messages ({tokens:,} tokens) in {scope}; {transcripts:,} "
                    "transcripts in all scopes; observed by {observer}"
                ),
                scope=name_scope(result.scope),
                messages=j.messages,
                tokens=j.tokens,
                transcripts=j.transcripts,
                observer=observer,
            )
        ),
        style.say(
            (
                "  waits: {backlog_tokens:,} tokens, {chunks} chunks, {undelivered} documents; "
                "rejected: {rejects}"
            ),
            backlog_tokens=result.backlog_tokens,
            chunks=j.chunks,
            undelivered=j.undelivered,
            rejects=j.rejects,
        ),
        style.say(
            "  compression: {compression:.1f}; model tokens today: {today_tokens:,}",
            compression=result.compression,
            today_tokens=result.today_tokens,
        ),
    ]
    lines += [
        style.say(
            "  {tier}: {memories:,} memories, {tokens:,} tokens",
            tier=row.tier,
            memories=row.memories,
            tokens=row.tokens,
        )
        for row in result.tiers
    ]
    lines += [
        style.say(
            "  {day}: {count} run, {read:,} → {written:,} tokens",
            plural="  {day}: {count} runs, {read:,} → {written:,} tokens",
            day=day,
            count=runs,
            read=i,
            written=o,
        )
        for day, (runs, i, o) in result.by_day().items()
    ]
    lines += [
        style.say(
            (
                "  {day} {role}: {calls} calls ({failures} bad), {input_tokens:,} → "
                "{output_tokens:,}, {seconds:.1f} s"
            ),
            day=day,
            role=role,
            calls=u.calls,
            failures=u.failures,
            input_tokens=u.input_tokens,
            output_tokens=u.output_tokens,
            seconds=u.seconds,
        )
        for (day, role), u in result.usage.items()
    ]
    lines += [f"  {day}: ${cost:,.4f}" for day, cost in by_day(result.costs)]
    lines += [
        f"  ✗ {i.name}: {style.told(i.detail)} ({i.since:%Y-%m-%d %H:%M}, {i.tries})"
        for i in result.incidents
    ]
    lines += [f"  ✗ {r.path}:{r.line}: {style.told(r.reason)}" for r in result.rejects[:5]]
    return "\n".join(lines)


@command(
    "observe stats",
    Words("Show what went in, what came out, what it cost and what waits"),
    present=render_observe_stats,
    examples=("gieok observe stats", "gieok observe stats --days 7"),
)
def collect_observe_stats(
    call: Call,
    *,
    days: Annotated[int, Parameter(Words("how many days back"))] = 7,
    prometheus: Annotated[
        bool, Parameter(Words("print Prometheus metrics, counted over all days"))
    ] = False,
) -> ObserveStatsResult:
    """Return the counts."""
    journal, sidecar = call.home.journal, call.home.sidecar
    since = (
        _EVER if prometheus else call.clock.now() - timedelta(days=max(0, min(days, _MOST_DAYS)))
    )
    today = call.clock.now().astimezone(call.zone).date()
    usage = journal.usage(since.astimezone(call.zone).date())
    of_all = [
        run for scope in journal.scopes() for run in journal.runs(scope, since - timedelta(days=1))
    ]
    return ObserveStatsResult(
        scope=call.scope,
        model=sidecar.models.observer_model,
        journal=journal.stats(call.scope),
        backlog_tokens=sidecar.backlog_tokens(call.scope),
        runs=tuple(
            run._replace(at=run.at.astimezone(call.zone)) for run in journal.runs(call.scope, since)
        ),
        usage=usage,
        today_tokens=spent_tokens(journal, today),
        incidents=tuple(journal.incidents()),
        rejects=tuple(journal.rejects(20)),
        costs=_build_model_prices(call).costs(
            usage, [run._replace(at=run.at.astimezone(call.zone)) for run in of_all]
        ),
        prometheus=prometheus,
        embedder=call.home.embedder_name,
        tiers=tuple(amounts.iter_tier_rows(call.home.tiers, call.scope)),
    )


def _build_model_prices(call: Call) -> ModelPrices:
    setting = call.home.settings.text
    observing = setting("observe.model")
    return ModelPrices(
        {"observer": observing, "reflector": setting("reflect.model") or observing},
        read_own_price(call.home.settings),
    )


def build_observe_metrics(result: ObserveStatsResult) -> list[Metric]:
    """Return all counts as metrics, the journal's by scope and the models' by role."""
    j, scope = result.journal, {"scope": str(result.scope)}

    def one(name: str, text: str, value: float) -> Metric:
        return Metric(f"gieok_{name}", text, (MetricSample(value, scope),))

    def by_role(name: str, text: str, values: Iterable[tuple[str, float]]) -> Metric:
        sums: dict[str, float] = defaultdict(float)
        for role, value in values:
            sums[role] += value
        return Metric(
            f"gieok_{name}",
            text,
            tuple(MetricSample(v, {"role": role}) for role, v in sorted(sums.items())),
        )

    def by_tier(name: str, text: str, value: Callable[[TierRow], float]) -> Metric:
        rows = result.tiers
        return Metric(
            f"gieok_{name}",
            text,
            tuple(MetricSample(value(row), {**scope, "tier": row.tier}) for row in rows),
        )

    runs = Counter(run.reader for run in result.runs)
    used = [(role, usage) for (_, role), usage in result.usage.items()]
    return [
        one("messages_total", "Messages in the journal.", j.messages),
        one("message_tokens_total", "Tokens of the messages in the journal.", j.tokens),
        one("transcripts", "Transcripts that were read.", j.transcripts),
        one("set_aside_lines_total", "Lines that were rejected.", j.rejects),
        one("chunks", "Chunks that were observed ahead.", j.chunks),
        one("undelivered_documents", "Documents that wait for the store.", j.undelivered),
        one("journal_bytes", "Size of the journal on disk.", j.disk_bytes),
        one(
            "backlog_tokens",
            "Tokens not observed yet, counted up to the hard stop.",
            result.backlog_tokens,
        ),
        one(
            "compression_ratio",
            "Tokens of messages for one token of observations.",
            result.compression,
        ),
        Metric(
            "gieok_runs_total",
            "Runs.",
            tuple(MetricSample(n, {**scope, "reader": r}) for r, n in sorted(runs.items())),
        ),
        by_role("model_calls_total", "Calls of models.", ((r, u.calls) for r, u in used)),
        by_role(
            "model_failures_total",
            "Calls of models that failed.",
            ((r, u.failures) for r, u in used),
        ),
        by_role(
            "model_input_tokens_total",
            "Tokens that models read.",
            ((r, u.input_tokens) for r, u in used),
        ),
        by_role(
            "model_output_tokens_total",
            "Tokens that models wrote.",
            ((r, u.output_tokens) for r, u in used),
        ),
        by_role("model_seconds_total", "Time that models took.", ((r, u.seconds) for r, u in used)),
        by_role(
            "model_cost_dollars_total",
            "Cost, of what has a known price.",
            ((role, cost) for (_, role), cost in result.costs.items()),
        ),
        by_tier("tier_memories", "Memories in a tier.", lambda row: row.memories),
        by_tier("tier_tokens", "Tokens of the memories in a tier.", lambda row: row.tokens),
        by_tier(
            "tier_bytes", "Size of a tier, of what is on this machine.", lambda row: row.bytes or 0
        ),
        Metric(
            "gieok_incidents",
            "What waits for a person or a provider.",
            (MetricSample(len(result.incidents)),),
        ),
    ]
