"""What happened when: a month at a glance, a day with its sessions, and a session whole."""

import calendar
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple
from urllib.parse import quote

from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from gieok.errors import GieokError, NotFound
from gieok.model.memory import Scope
from gieok.ops.observe import days as record
from gieok.ops.observe.days import DayOf, SessionName, WholeDay
from gieok.ops.prompt.last import every
from gieok.surfaces.web.pictures import Column
from gieok.surfaces.web.site import Seen

_LEVELS = 4
_PER_PAGE = 40
_MOST_GIVEN = 500
_KINDS = ("all", "sessions", "decision", "preference", "state", "task", "record", "note", "commit")


class Cell(NamedTuple):
    """A day of the calendar. `level` 0 to 4 says how much there was."""

    day: date
    memories: int
    sessions: int
    level: int
    is_ahead: bool


def timeline(seen: Seen) -> Response:
    """Show a month, and the day that is asked for, or the last one that has anything."""
    context = seen.memory.context
    today = context.clock.now().astimezone(context.zone).date()
    asked = min(_day(seen.asked("day")) or _day(f"{seen.asked('month')}-01") or today, today)
    first, last = asked.replace(day=1), min(_end_of(asked), today)
    project, kind = (
        seen.asked("project"),
        seen.asked("kind") if seen.asked("kind") in _KINDS else "all",
    )
    scopes = [Scope(one) for one in seen.scopes if project in ("", one)]
    common: dict[str, Any] = {
        "project": project,
        "kind": kind,
        "kinds": _kinds(seen),
        "today": today,
        "projects": [(one, record.project_name(Scope(one))) for one in seen.scopes],
    }
    try:
        found = record.days(context, scopes, first, last)
        day = asked if seen.asked("day") else max(found, default=asked)
        whole = record.whole(context, scopes, day, found.get(day, DayOf((), ())))
        costs = _costs(seen, first, last, today)
    except GieokError as error:
        return seen.failed("timeline.html", error, **common)
    return seen.page(
        "timeline.html",
        **common,
        day=day,
        count=_count(whole),
        whole=_of_kind(whole, kind),
        weeks=list(_weeks(found, first, today)),
        month=first,
        before_month=(first - timedelta(days=1)).replace(day=1),
        after_month=_after(first, today),
        before_day=max((one for one in found if one < day), default=None),
        spent=_spent(seen, costs),
        after_day=min((one for one in found if one > day), default=None),
        costs=costs,
        weekdays=seen.words("Mo Tu We Th Fr Sa Su", "월 화 수 목 금 토 일").split(),
        query=_query(project=project, kind=kind.removeprefix("all")),
    )


def news(seen: Seen) -> Response:
    """Say, while today is looked at, what came since; the page itself stays as it is under the
    reader's hands.
    """
    context = seen.memory.context
    today = context.clock.now().astimezone(context.zone).date()
    scopes = [Scope(one) for one in seen.scopes if seen.asked("project") in ("", one)]
    found = record.days(context, scopes, today, today)
    new = _count(record.whole(context, scopes, today, found.get(today, DayOf((), ()))))
    new -= int(seen.asked("count")) if seen.asked("count").isdecimal() else 0
    told = seen.words(f"{new} new: show", f"새로 {new}개: 보기")
    back = _query(project=seen.asked("project"), kind=seen.asked("kind"))
    link = Markup('<a class="button" href="/timeline?day={}{}#day">{}</a>').format(
        today, back, told
    )
    return HTMLResponse(link if new > 0 else "")


def _count(whole: WholeDay) -> int:
    return len(whole.others) + sum(one.messages for one in whole.sessions)


def session(seen: Seen) -> Response:
    """Show what was said in a session, in pages, and what came of it."""
    try:
        name = _named(seen)
        found = record.session(seen.memory.context, name)
    except GieokError as error:
        return seen.failed("session.html", error, name=None)
    pages = max(1, -(-len(found.turns) // _PER_PAGE))
    page = min(max(int(seen.asked("page")) if seen.asked("page").isdecimal() else 1, 1), pages)
    shown = found.turns[(page - 1) * _PER_PAGE : page * _PER_PAGE]
    by_message: dict[str, list[record.Learned]] = {}
    for one in found.learned:
        for identity in one.message_ids:
            by_message.setdefault(identity, []).append(one)
    given = [one for one in every(seen.memory.context, _MOST_GIVEN) if one.session == name.session]
    return seen.page(
        "session.html",
        given=given[::-1],
        name=name,
        whole=found,
        shown=shown,
        page=page,
        pages=pages,
        by_message=by_message,
        kinds=_kinds(seen),
    )


def _named(seen: Seen) -> SessionName:
    """Return the session that is asked for. Raises NotFound, BadRequest."""
    name = SessionName(Scope(seen.asked("scope")), seen.asked("agent"), seen.asked("session"))
    if name.scope.path not in seen.scopes:
        raise NotFound("there is no such session", hint="the timeline has those that there are")
    return name


def _kinds(seen: Seen) -> dict[str, str]:
    names = (
        ("all", "everything", "전부"),
        ("sessions", "sessions alone", "세션만"),
        ("decision", "decision", "결정"),
        ("preference", "preference", "선호"),
        ("state", "fact", "사실"),
        ("task", "task", "할 일"),
        ("record", "record", "기록"),
        ("note", "note", "노트"),
        ("observation", "observation", "관찰"),
        ("memory", "note", "노트"),
        ("observed", "observed", "관찰"),
        ("corrected", "corrected", "고침"),
        ("compared", "compared", "견줌"),
        ("pattern", "pattern", "반복"),
        ("document", "note", "노트"),
        ("file", "note", "노트"),
        ("commit", "commit", "커밋"),
    )
    return {kind: seen.words(en, ko) for kind, en, ko in names}


def _of_kind(whole: record.WholeDay, kind: str) -> record.WholeDay:
    """Return a day with what was learned of one kind alone, and the sessions that have any of
    it.
    """
    if kind == "all":
        return whole
    if kind == "sessions":
        return whole._replace(
            sessions=tuple(one._replace(learned=()) for one in whole.sessions), others=()
        )
    kept = [one._replace(learned=_only(one.learned, kind)) for one in whole.sessions]
    return whole._replace(
        sessions=tuple(one for one in kept if one.learned), others=_only(whole.others, kind)
    )


def _only(learned: Sequence[record.Learned], kind: str) -> tuple[record.Learned, ...]:
    return tuple(one for one in learned if kind in (one.category, one.kind))


def _weeks(found: Mapping[date, DayOf], first: date, today: date) -> Iterator[list[Cell | None]]:
    """Yield the weeks of a month, Monday first; None stands for days of other months."""
    most = max((_much(one) for one in found.values()), default=0)
    for week in calendar.Calendar().monthdatescalendar(first.year, first.month):
        yield [
            _cell(day, found.get(day), most, today) if day.month == first.month else None
            for day in week
        ]


def _cell(day: date, of: DayOf | None, most: int, today: date) -> Cell:
    if of is None:
        return Cell(day=day, memories=0, sessions=0, level=0, is_ahead=day > today)
    level = 1 + min(_LEVELS - 1, _much(of) * _LEVELS // (most + 1))
    return Cell(
        day=day,
        memories=len(of.memories),
        sessions=len(of.sessions),
        level=level,
        is_ahead=day > today,
    )


def _much(of: DayOf) -> int:
    return len(of.memories) + 2 * len(of.sessions)


def _query(**values: str) -> str:
    return "".join(f"&{name}={quote(value)}" for name, value in values.items() if value)


def _spent(seen: Seen, costs: Sequence[Column]) -> str:
    tokens = sum(one.value for one in costs)
    return seen.words(f"{tokens:,.0f} tokens in the month", f"이 달에 {tokens:,.0f}토큰")


def _costs(seen: Seen, first: date, last: date, today: date) -> list[Column]:
    """Return a column for each day: the tokens that models used, and what they cost where that is
    known.
    """
    found = seen.memory.run("observe stats", days=(today - first).days + 1)
    tokens, dollars = Counter[date](), dict[date, float]()
    for (when, role), usage in found.usage.items():
        tokens[when] += usage.input_tokens + usage.output_tokens
        if (cost := found.costs.get((when, role))) is not None:
            dollars[when] = dollars.get(when, 0.0) + cost
    if not any(first <= when <= last for when in tokens):
        return []
    every = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    return [
        Column(str(day.day), tokens[day], _cost_title(seen, day, tokens[day], dollars.get(day)))
        for day in every
    ]


def _cost_title(seen: Seen, day: date, tokens: int, dollars: float | None) -> str:
    price = "" if dollars is None else f", ${dollars:.4f}"
    return f"{day}: " + seen.words(f"{tokens:,} tokens", f"{tokens:,}토큰") + price


def _end_of(day: date) -> date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def _after(first: date, today: date) -> date | None:
    after = _end_of(first) + timedelta(days=1)
    return after if after <= today else None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
