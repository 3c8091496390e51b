"""Timeline pages: sessions and decisions of a month, a day with all of it, a whole session."""

import calendar
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple
from urllib.parse import quote

from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from gieok.commands.changes import Change, list_changes
from gieok.commands.memory.handles import NOTE
from gieok.commands.observe import days as record
from gieok.commands.observe.days import DayOf, SessionName, WholeDay
from gieok.commands.observe.stats import collect_observe_stats
from gieok.commands.prompt.last import list_last_injections
from gieok.errors import GieokError, NotFound
from gieok.model.memory import Scope
from gieok.surfaces.web.pictures import Column
from gieok.surfaces.web.site import PageRequest, parse_number
from gieok.surfaces.web.views.injection import name_injection_events

_LEVELS = 4
_PER_PAGE = 40
_MOST_GIVEN = 500
#: Days of the stream, and its changes; earlier days are a link away.
_STREAM_DAYS, _MOST_CHANGES = 10, 40
_DECISION = "decision"
#: Memories of a day that are no decisions, and are shown all the same.
_FEW_OTHERS = 3
_KINDS = ("all", "sessions", "decision", "preference", "state", "task", "record", "note", "commit")


class Cell(NamedTuple):
    """A day of the calendar. `level` 0 to 4 says how much happened."""

    day: date
    memories: int
    sessions: int
    level: int
    is_ahead: bool


class StreamSession(NamedTuple):
    """Session of the stream: what was decided in it, and what changed by what was said in it."""

    summary: record.SessionSummary
    changes: tuple[Change, ...]


class StreamDay(NamedTuple):
    """Day of the stream: sessions, further changes and decisions, and how much is not shown.

    `notes` are folded, `left_out` are other memories that are no decisions, where they are many.
    `has_more_changes` says that of the changes only the last ones are there.
    """

    day: date
    sessions: tuple[StreamSession, ...]
    others: tuple[record.LearnedMemory, ...]
    changes: tuple[Change, ...]
    notes: int
    left_out: int
    has_more_changes: bool = False

    @property
    def entries(self) -> tuple[StreamSession | Change, ...]:
        """Return the sessions, by when they began, and the changes outside of them, the newest
        first.
        """
        every: tuple[StreamSession | Change, ...] = (*self.sessions, *self.changes)
        return tuple(sorted(every, key=_find_entry_time, reverse=True))

    @property
    def shown_changes(self) -> int:
        """Return how many changes stand on the day, in sessions and outside of them."""
        return len(self.changes) + sum(len(session.changes) for session in self.sessions)

    def __bool__(self) -> bool:
        return any((self.sessions, self.others, self.changes, self.notes, self.left_out))


class StreamChanges(NamedTuple):
    """Changes by day, the days from which on they are complete, and the day that has too many."""

    by_day: Mapping[date, tuple[Change, ...]]
    since: date
    cut: date | None = None


def _find_entry_time(entry: StreamSession | Change) -> datetime:
    return entry.summary.begin if isinstance(entry, StreamSession) else entry.at


def timeline(seen: PageRequest) -> Response:
    """Show sessions, decisions and changes of a month, or everything of the chosen day."""
    call = seen.memory.call
    today = call.clock.now().astimezone(call.zone).date()
    requested = min(
        _parse_timeline_day(seen.asked("day"))
        or _parse_timeline_day(seen.asked("until"))
        or _parse_timeline_month(seen.asked("month"))
        or today,
        today,
    )
    first, last = requested.replace(day=1), min(_find_month_end(requested), today)
    project, kind = (
        seen.asked("project"),
        seen.asked("kind") if seen.asked("kind") in _KINDS else "all",
    )
    scopes = [Scope(one) for one in seen.scopes if project in ("", one)]
    common: dict[str, Any] = {
        "project": project,
        "kind": kind,
        "kinds": _name_timeline_kinds(seen),
        "today": today,
    }
    try:
        days = record.list_memory_days(call, scopes, first, last)
        costs = _build_cost_columns(seen, first, last, today)
        shown = (
            _build_day_values(seen, scopes, requested, days, kind)
            if seen.asked("day")
            else _build_stream_values(seen, scopes, days, kind, first, last)
        )
    except GieokError as error:
        return seen.failed("timeline.html", error, **common)
    return seen.page(
        "timeline.html",
        **common,
        **shown,
        weeks=list(_iter_month_weeks(days, first, today)),
        month=first,
        before_month=(first - timedelta(days=1)).replace(day=1),
        after_month=_find_next_month(first, today),
        spent=_format_month_tokens(seen, costs),
        costs=costs,
        weekdays=seen.words("Mo Tu We Th Fr Sa Su").split(),
        query=_format_query_suffix(project=project, kind=kind.removeprefix("all")),
    )


def _build_day_values(
    seen: PageRequest, scopes: list[Scope], day: date, days: Mapping[date, DayOf], kind: str
) -> dict[str, Any]:
    """Return the values of a page with everything of one day."""
    whole = record.build_whole_day(seen.memory.call, scopes, day, days.get(day, DayOf((), ())))
    changes = _list_stream_changes(seen, scopes, day, day, kind)
    return {
        "day": day,
        "changes": changes.by_day.get(day, ()),
        "has_more_changes": day == changes.cut,
        "stream": (),
        "count": _count_day_entries(whole),
        "whole": _of_kind(whole, kind),
        "before_day": max((one for one in days if one < day), default=None),
        "after_day": min((one for one in days if one > day), default=None),
    }


def _build_stream_values(
    seen: PageRequest,
    scopes: list[Scope],
    days: Mapping[date, DayOf],
    kind: str,
    first: date,
    last: date,
) -> dict[str, Any]:
    """Return the values of a page with the last days of a month, the newest first.

    `first` and `last` are those of the month, as far as it is over.
    """
    call = seen.memory.call
    today = call.clock.now().astimezone(call.zone).date()
    until = min(_parse_timeline_day(seen.asked("until")) or last, last)
    changes = _list_stream_changes(seen, scopes, first, until, kind)
    parts = record.SessionParts(call)
    stream, earlier, entries_today = list[StreamDay](), None, 0
    shown_days = {day for day in (*days, *changes.by_day) if changes.since <= day <= until}
    for day in sorted(shown_days, reverse=True):
        # all of today is counted, for the notice of what is new
        category = "" if kind in ("all", "sessions") or day == today else kind
        whole = record.build_day(call, day, days.get(day, DayOf((), ())), parts, category)
        of_day = _build_stream_day(day, whole, kind, changes)
        if day == today:
            entries_today = _count_day_entries(whole)
        if of_day:
            if len(stream) == _STREAM_DAYS:
                earlier = day
                break
            stream.append(of_day)
    if earlier is None and changes.since > first:
        earlier = changes.since - timedelta(days=1)
    return {
        "day": None,
        "whole": None,
        "changes": (),
        "count": entries_today,
        "is_up_to_now": until == today,
        "until": None if until == last else until,
        "stream": stream,
        "earlier": earlier,
    }


def _list_stream_changes(
    seen: PageRequest, scopes: list[Scope], first: date, last: date, kind: str
) -> StreamChanges:
    """Return the changes from one day to another, as many as a page shows; others with no kind.

    Where there are more, the page ends at the last day that has all of its changes. A day that
    alone has more shows the last of them, and says so.
    """
    if kind != "all":
        return StreamChanges({}, first)
    zone = seen.memory.call.zone
    since = datetime.combine(first, time(), zone)
    until = datetime.combine(last + timedelta(days=1), time(), zone)
    changes = list_changes(seen.memory.call, scopes, since, until, _MOST_CHANGES + 1)
    by_day: dict[date, tuple[Change, ...]] = {}
    for change in changes:
        day = change.at.astimezone(zone).date()
        by_day[day] = (*by_day.get(day, ()), change)
    if len(changes) <= _MOST_CHANGES:
        return StreamChanges(by_day, first)
    oldest = min(by_day)
    if len(by_day) == 1:
        return StreamChanges({oldest: changes[:_MOST_CHANGES]}, oldest, oldest)
    return StreamChanges(by_day, oldest + timedelta(days=1))


def _build_stream_day(day: date, whole: WholeDay, kind: str, changes: StreamChanges) -> StreamDay:
    """Return the stream of a day.

    Without a wanted kind it has the decisions alone, and of few other memories these too: a line
    that only says that there is one more takes as much room as that one.
    """
    of_day = changes.by_day.get(day, ())
    some = _of_kind(whole, kind)
    notes = left_out = 0
    if kind == "all":
        learned = [
            memory
            for memories in (whole.others, *(session.learned for session in whole.sessions))
            for memory in memories
        ]
        notes = sum(memory.kind == NOTE for memory in learned)
        further = [
            memory for memory in learned if memory.kind != NOTE and memory.category != _DECISION
        ]
        left_out = len(further) if len(further) > _FEW_OTHERS else 0
        shown = frozenset() if left_out else frozenset(memory.handle for memory in further)
        changed_to = frozenset(change.after for change in of_day)
        some = whole._replace(
            sessions=tuple(
                session._replace(learned=_select_for_stream(session.learned, shown, changed_to))
                for session in whole.sessions
            ),
            others=_select_for_stream(whole.others, shown, changed_to),
        )
    sessions = tuple(
        StreamSession(session, tuple(c for c in of_day if c.session == session.name))
        for session in some.sessions[::-1]
    )
    in_sessions = {change for session in sessions for change in session.changes}
    return StreamDay(
        day=day,
        sessions=sessions,
        others=some.others,
        changes=tuple(change for change in of_day if change not in in_sessions),
        notes=notes,
        left_out=left_out,
        has_more_changes=day == changes.cut,
    )


def _select_for_stream(
    learned: Sequence[record.LearnedMemory], shown: frozenset[str], changed_to: frozenset[str]
) -> tuple[record.LearnedMemory, ...]:
    """Return the decisions and the memories with a handle of `shown`.

    What stands there as the end of a change is left out.
    """
    return tuple(
        memory
        for memory in learned
        if (memory.category == _DECISION or memory.handle in shown)
        and memory.text not in changed_to
    )


def news(seen: PageRequest) -> Response:
    """Return a notice of what came since today's page was opened.

    The page itself does not change under the reader's hands.
    """
    call = seen.memory.call
    today = call.clock.now().astimezone(call.zone).date()
    scopes = [Scope(scope) for scope in seen.scopes if seen.asked("project") in ("", scope)]
    days = record.list_memory_days(call, scopes, today, today)
    new = _count_day_entries(
        record.build_whole_day(call, scopes, today, days.get(today, DayOf((), ())))
    )
    new -= parse_number(seen.asked("count"), 0)
    notice = seen.words("{new} new: show", new=new)
    back = _format_query_suffix(project=seen.asked("project"), kind=seen.asked("kind"))
    link = Markup('<a class="button" href="/timeline?day={}{}">{}</a>').format(today, back, notice)
    return HTMLResponse(link if new > 0 else "")


def _count_day_entries(whole: WholeDay) -> int:
    return len(whole.others) + sum(session.messages for session in whole.sessions)


def show_session_page(seen: PageRequest) -> Response:
    """Show the messages of a session, in pages, and the memories that came of them."""
    try:
        name = _read_session_name(seen)
        whole_session = record.build_whole_session(seen.memory.call, name)
    except GieokError as error:
        return seen.failed("session.html", error, name=None)
    pages = max(1, -(-len(whole_session.turns) // _PER_PAGE))
    page = min(max(_find_session_page(seen, whole_session), 1), pages)
    shown = whole_session.turns[(page - 1) * _PER_PAGE : page * _PER_PAGE]
    by_message: dict[str, list[record.LearnedMemory]] = {}
    for one in whole_session.learned:
        for identity in one.message_ids:
            by_message.setdefault(identity, []).append(one)
    injections = [
        one
        for one in list_last_injections(seen.memory.call, _MOST_GIVEN)
        if one.session == name.session
    ]
    return seen.page(
        "session.html",
        given=injections[::-1],
        asked_message=seen.asked("message"),
        name=name,
        whole=whole_session,
        shown=shown,
        page=page,
        pages=pages,
        by_message=by_message,
        kinds=_name_timeline_kinds(seen),
        events=name_injection_events(seen),
    )


def _find_session_page(seen: PageRequest, whole: record.SessionWhole) -> int:
    """Return the page of the message that the address names, else the page that it asks for."""
    message = seen.asked("message")
    places = [place for place, turn in enumerate(whole.turns) if turn.message.id == message]
    if places:
        return places[0] // _PER_PAGE + 1
    return parse_number(seen.asked("page"), 1)


def _read_session_name(seen: PageRequest) -> SessionName:
    """Return the chosen session. Raises NotFound, BadRequest."""
    name = SessionName(Scope(seen.asked("scope")), seen.asked("agent"), seen.asked("session"))
    if name.scope.path not in seen.scopes:
        raise NotFound("there is no such session", hint="the timeline has those that there are")
    return name


def _name_timeline_kinds(seen: PageRequest) -> dict[str, str]:
    names = (
        ("all", "everything"),
        ("sessions", "sessions alone"),
        ("decision", "decision"),
        ("preference", "preference"),
        ("state", "fact"),
        ("task", "task"),
        ("record", "record"),
        ("note", "note"),
        ("observation", "observation"),
        ("memory", "note"),
        ("observed", "observed"),
        ("corrected", "corrected"),
        ("compared", "compared"),
        ("pattern", "pattern"),
        ("document", "note"),
        ("file", "note"),
        ("commit", "commit"),
    )
    return {kind: seen.words(name, about="a kind of memory") for kind, name in names}


def _of_kind(whole: record.WholeDay, kind: str) -> record.WholeDay:
    """Return a day with the learned memories of one kind, and only sessions that have any."""
    if kind == "all":
        return whole
    if kind == "sessions":
        return whole._replace(
            sessions=tuple(session._replace(learned=()) for session in whole.sessions), others=()
        )
    sessions = [
        session._replace(learned=_select_learned_kind(session.learned, kind))
        for session in whole.sessions
    ]
    return whole._replace(
        sessions=tuple(session for session in sessions if session.learned),
        others=_select_learned_kind(whole.others, kind),
    )


def _select_learned_kind(
    learned: Sequence[record.LearnedMemory], kind: str
) -> tuple[record.LearnedMemory, ...]:
    return tuple(memory for memory in learned if kind in (memory.category, memory.kind))


def _iter_month_weeks(
    found: Mapping[date, DayOf], first: date, today: date
) -> Iterator[list[Cell | None]]:
    """Yield the weeks of a month, Monday first; None stands for days of other months."""
    most = max((_weigh_day(entries) for entries in found.values()), default=0)
    for week in calendar.Calendar().monthdatescalendar(first.year, first.month):
        yield [
            _build_day_cell(day, found.get(day), most, today) if day.month == first.month else None
            for day in week
        ]


def _build_day_cell(day: date, of: DayOf | None, most: int, today: date) -> Cell:
    if of is None:
        return Cell(day=day, memories=0, sessions=0, level=0, is_ahead=day > today)
    level = 1 + min(_LEVELS - 1, _weigh_day(of) * _LEVELS // (most + 1))
    return Cell(
        day=day,
        memories=len(of.memories),
        sessions=len(of.sessions),
        level=level,
        is_ahead=day > today,
    )


def _weigh_day(of: DayOf) -> int:
    return len(of.memories) + 2 * len(of.sessions)


def _format_query_suffix(**values: str) -> str:
    return "".join(f"&{name}={quote(value)}" for name, value in values.items() if value)


def _format_month_tokens(seen: PageRequest, costs: Sequence[Column]) -> str:
    return seen.words(
        "{count:,} token in the month",
        plural="{count:,} tokens in the month",
        count=round(sum(column.value for column in costs)),
    )


def _build_cost_columns(seen: PageRequest, first: date, last: date, today: date) -> list[Column]:
    """Return a column for each day: tokens that models used, and their cost where it is known."""
    stats = seen.memory.run(collect_observe_stats, days=(today - first).days + 1)
    tokens, dollars = Counter[date](), dict[date, float]()
    for (when, role), usage in stats.usage.items():
        tokens[when] += usage.input_tokens + usage.output_tokens
        if (cost := stats.costs.get((when, role))) is not None:
            dollars[when] = dollars.get(when, 0.0) + cost
    if not any(first <= when <= last for when in tokens):
        return []
    every = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    return [
        Column(str(day.day), tokens[day], _cost_title(seen, day, tokens[day], dollars.get(day)))
        for day in every
    ]


def _cost_title(seen: PageRequest, day: date, tokens: int, dollars: float | None) -> str:
    price = "" if dollars is None else f", ${dollars:.4f}"
    used = seen.words("{count:,} token", plural="{count:,} tokens", count=tokens)
    return f"{day}: {used}{price}"


def _find_month_end(day: date) -> date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def _find_next_month(first: date, today: date) -> date | None:
    after = _find_month_end(first) + timedelta(days=1)
    return after if after <= today else None


def _parse_timeline_month(text: str) -> date | None:
    """Return the last day of a month such as `2026-11`; None where it is none."""
    first = _parse_timeline_day(f"{text}-01")
    return _find_month_end(first) if first else None


def _parse_timeline_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
