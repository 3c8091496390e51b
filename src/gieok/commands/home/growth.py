"""Growth of memory and decisions of the hook by week, for the pages.

Both are counted from existing data; nothing is stored for them.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from gieok.home.call import Call
from gieok.hook import stats
from gieok.hook.stats import Stats
from gieok.model.memory import Scope
from gieok.model.retrieval import Filter
from gieok.ports.store import Store
from gieok.ranking import timeline
from gieok.ranking.recall import first_answer

#: Number of a scope's newest passages that are counted; the curve begins at the oldest of them.
_MOST_PASSAGES = 30_000


class Size(NamedTuple):
    """Size at the end of a day: documents, passages, and bytes of their text."""

    day: date
    documents: int
    passages: int
    bytes: int


class WeekOfHook(NamedTuple):
    """Counts of the hook's decisions in the week that begins on a Monday."""

    monday: date
    stats: Stats


def count_weekly_growth(call: Call, scopes: Sequence[Scope], weeks: int) -> list[Size]:
    """Return a point a week, oldest first: the size of the present data dated up to that day.

    The last point covers all present data. Memories forgotten since are not counted.
    """
    today = call.clock.now().astimezone(call.zone).date()
    first = today - timedelta(days=7 * weeks)
    documents, passages, size, cut = Counter[int](), Counter[int](), Counter[int](), 0
    known = [0, 0, 0]
    for scope in scopes:
        rows, _ = first_answer(
            call.home.stores.all(),
            lambda store: _list_dated_passages(store, scope, call),  # noqa: B023
        )
        seen = set[str]()
        for day, key, length in rows:
            week = max(0, min(weeks, -((today - day).days // -7) if day <= today else 0))
            passages[week] += 1
            size[week] += length
            documents[week] += key not in seen
            seen.add(key)
        cut += len(rows) == _MOST_PASSAGES
    points = []
    for week in range(weeks, -1, -1):
        known = [known[0] + documents[week], known[1] + passages[week], known[2] + size[week]]
        points.append(Size(max(today - timedelta(days=7 * week), first), *known))
    return points if not cut else [point for point in points if point.documents]


def _list_dated_passages(store: Store, scope: Scope, call: Call) -> list[tuple[date, str, int]]:
    dated_passages = store.passages(store.within(scope, Filter(), _MOST_PASSAGES), scope)
    return [
        (
            timeline.day_of_moment(p.valid_from, p.updated_at, call.zone),
            p.key,
            len(p.text.encode("utf-8", "replace")),
        )
        for p in dated_passages
    ]


def count_weekly_hook_calls(call: Call, weeks: int) -> list[WeekOfHook]:
    """Return the hook's counts for each of the last weeks, oldest first; empty if it never ran."""
    rows = stats.read_hook_calls(call.home.folder)
    if not rows:
        return []
    today = call.clock.now().astimezone(call.zone).date()
    monday = today - timedelta(days=today.weekday())
    begins = [monday - timedelta(days=7 * n) for n in range(weeks - 1, -1, -1)]
    week_points = []
    for begin in begins:
        since, until = (
            round(datetime.combine(day, time(), call.zone).timestamp() * 1000)
            for day in (begin, begin + timedelta(7))
        )
        of_week = [row for row in rows if isinstance(at := row["at"], int) and since <= at < until]
        week_points.append(WeekOfHook(begin, stats.count_hook_calls(of_week)))
    return week_points
