"""`gieok archive status`: amounts by tier, the next moves, and how long other data is kept."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from gieok.commands.absence import absence
from gieok.commands.command import TIER_NAMES, Style, command, printable
from gieok.commands.encode import Hidden, Omitted
from gieok.commands.home import housekeeping, jobs
from gieok.commands.home.housekeeping import KindRow
from gieok.commands.home.jobs import Planned
from gieok.commands.memory import gaps
from gieok.commands.schedule_words import describe_schedule
from gieok.commands.scope_names import name_scope
from gieok.home.call import Call
from gieok.memory.tiers import amounts, questions, sweep
from gieok.memory.tiers.amounts import TierRow
from gieok.memory.tiers.tiers import Tiers
from gieok.model.conversation import Incident, TalkPlace
from gieok.model.memory import Scope
from gieok.ports.journal import ArchivedTalk
from gieok.text.amounts import format_size
from gieok.text.messages import Words


class NextMove(NamedTuple):
    """Number of a scope's memories that leave hot in the next move."""

    scope: Scope
    memories: int


class ScheduleRow(NamedTuple):
    """Scheduled job and its next time, None for never; `failed` is why it is tried again."""

    name: str
    schedule: str
    next: datetime | None
    last: datetime | None
    said: str
    failed: str


class KeptRow(NamedTuple):
    """Other data that grows: its days (0: for ever), its limit (0: none), and its amount."""

    name: str
    days: int
    most: int
    items: int | None
    bytes: int


@dataclass(frozen=True, slots=True)
class ArchiveStatusResult:
    """Tiers by scope, the limits of hot, the next moves, schedules, and the housekeeping table."""

    tiers: tuple[TierRow, ...]
    hot_tokens: int
    hot_mb: int
    next_moves: tuple[NextMove, ...]
    #: Messages of all scopes, and the months of them that are in files.
    messages: int
    talk: tuple[TalkPlace, ...]
    planned: Hidden[tuple[Planned, ...]]
    kinds: Hidden[tuple[KindRow, ...]]
    incidents: tuple[Incident, ...]
    #: Questions of the cold tier: `gieok archive pending`.
    questions: int
    schedules: tuple[ScheduleRow, ...]
    kept: tuple[KeptRow, ...]
    #: Gaps of an empty answer: places that were not searched. Left out where all were searched.
    not_looked_at: Omitted[tuple[Words, ...]] = None
    found: Hidden[bool] = True


def render_archive_status(result: ArchiveStatusResult, style: Style) -> str:
    """Show the tiers, the next moves with their times, and the table of other data; 60 columns."""
    lines = [*_tier_lines(result, style), *_move_lines(result, style)]
    lines += [
        "",
        style.bold(style.say("Schedules")),
        *_schedule_lines(result.planned, style),
    ]
    lines += [
        "",
        style.bold(style.say("Kept beside memories")),
        *_kept_lines(result.kinds, style),
    ]
    return "\n".join(lines)


def _tier_lines(result: ArchiveStatusResult, style: Style) -> Iterator[str]:
    if not result.tiers:
        nothing = Words("Nothing is observed yet; notes, records and what was said have no tiers.")
        yield absence(nothing, result.not_looked_at, style)
    scope = None
    for row in result.tiers:
        if row.scope != scope:
            scope = row.scope
            yield style.bold(printable(name_scope(scope).say(style.lang)))
        days = f"{row.first}" if row.first == row.last else f"{row.first} – {row.last}"
        yield style.say(
            "  {tier}  {count} memory, {days}",
            plural="  {tier}  {count:,} memories, {days}",
            tier=TIER_NAMES[row.tier],
            count=row.memories,
            days=days,
        )
        size = "" if row.bytes is None else f", {format_size(row.bytes)}"
        yield style.say("       {tokens:,} tokens{size}", tokens=row.tokens, size=size)
        if row.location:
            yield f"       {printable(row.location)}"


def _move_lines(result: ArchiveStatusResult, style: Style) -> Iterator[str]:
    tokens, mb = f"{result.hot_tokens:,}" if result.hot_tokens else "∞", result.hot_mb or "∞"
    yield style.say("hot holds at most {tokens} tokens, {mb} MB of a scope", tokens=tokens, mb=mb)
    for move in result.next_moves:
        yield style.say(
            "next to warm: {memories:,} of {scope}",
            memories=move.memories,
            scope=printable(name_scope(move.scope).say(style.lang)),
        )
    if result.messages:
        size = format_size(sum(place.bytes or 0 for place in result.talk))
        message_count = style.say("{messages:,} messages", messages=result.messages)
        yield style.say(
            "said: {message_count}, {count} month in files ({size})",
            plural="said: {message_count}, {count} months in files ({size})",
            message_count=message_count,
            count=len(result.talk),
            size=size,
        )
    for gone in (place for place in result.talk if place.bytes is None):
        yield style.say(
            "✗ the file of {month} of {scope} is gone: `gieok backup restore`",
            month=gone.month,
            scope=printable(name_scope(gone.scope).say(style.lang)),
        )
    if result.questions:
        yield style.say(
            "✗ questions: {questions}: `gieok archive pending`", questions=result.questions
        )
    for incident in result.incidents:
        yield f"✗ {printable(style.told(incident.detail))} ({incident.since:%Y-%m-%d %H:%M})"


def _schedule_lines(planned: Iterable[Planned], style: Style) -> Iterator[str]:
    for planned_job in planned:
        never = style.say("never")
        next_at, last_at = (
            f"{at:%Y-%m-%d %H:%M}" if at else never
            for at in (planned_job.next_at, planned_job.last_at)
        )
        when = describe_schedule(planned_job.expression).say(style.lang)
        yield f"  {planned_job.job.doc.say(style.lang)} ({when})"
        yield style.say("    next {next_at}, last {last_at}", next_at=next_at, last_at=last_at)
        if planned_job.said and not planned_job.failed:
            yield f"    {printable(style.told(planned_job.said))}"


def _kept_lines(kinds: Iterable[KindRow], style: Style) -> Iterator[str]:
    for kind, items, size in kinds:
        rules = (
            [style.say("{count} day", plural="{count:,} days", count=kind.days)]
            if kind.days
            else []
        )
        rules += [style.say("at most {most:,}", most=kind.most)] if kind.most else []
        rule = ", ".join(rules) or style.say("for ever")
        count = (
            "" if items is None else f": {items:,}" + (f" ({format_size(size)})" if size else "")
        )
        yield f"  {kind.doc.say(style.lang)} ({kind.name}), {rule}{count}"


@command(
    "archive status",
    Words("Show what is in hot, warm and cold, and what moves when"),
    present=render_archive_status,
    examples=("gieok archive", "gieok archive status --json"),
)
def read_archive_status(call: Call) -> ArchiveStatusResult:
    """Count the memories by tier; nothing is written."""
    has_journal = call.home.stores.has_journal()
    planned, kinds = (
        tuple(jobs.plan_jobs(call)),
        tuple(housekeeping.count_housekept_kinds(call)),
    )
    incidents = call.home.journal.incidents() if has_journal else []
    tiers = tuple(amounts.iter_tier_rows(call.home.tiers)) if has_journal else ()
    missed = () if tiers else tuple(gaps.gaps_of_observing(call, call.scopes))
    return ArchiveStatusResult(
        tiers=tiers,
        hot_tokens=call.home.settings.integer("archive.hot_tokens"),
        hot_mb=call.home.settings.integer("archive.hot_mb"),
        next_moves=tuple(_iter_next_moves(call.home.tiers)) if has_journal else (),
        messages=call.home.journal.stats().messages if has_journal else 0,
        talk=tuple(_list_talk_places(call)) if has_journal else (),
        planned=tuple(_localise_planned_job(call, job) for job in planned),
        kinds=kinds,
        incidents=tuple(i for i in incidents if i.name.startswith(("archive", "job "))),
        questions=len(questions.load_questions(call.home.journal)) if has_journal else 0,
        schedules=tuple(ScheduleRow(p.job.name, p.expression, *p[2:]) for p in planned),
        kept=tuple(
            KeptRow(
                name=row.kind.name,
                days=row.kind.days,
                most=row.kind.most,
                items=row.items,
                bytes=row.bytes,
            )
            for row in kinds
        ),
        not_looked_at=missed or None,
    )


def _iter_next_moves(tiers: Tiers) -> Iterator[NextMove]:
    for scope in tiers.journal.made_scopes():
        if count := len(sweep.select_leaving_entries(tiers, scope)):
            yield NextMove(scope, count)


def _list_talk_places(call: Call) -> list[TalkPlace]:
    journal = call.home.journal
    return journal.talk_places() if isinstance(journal, ArchivedTalk) else []


def _localise_planned_job(call: Call, planned: Planned) -> Planned:
    """Return a job with its times in the caller's time zone."""
    at = (
        moment.astimezone(call.zone) if moment else None
        for moment in (planned.next_at, planned.last_at)
    )
    return planned._replace(next_at=next(at), last_at=next(at))
