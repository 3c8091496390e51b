"""How memory grew, and what the hook decided, for the pages: counted from what there is; nothing is
kept for it.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from gieok.hook import stats
from gieok.hook.stats import Stats
from gieok.model.memory import Scope
from gieok.model.retrieval import Filter
from gieok.ops.context import Context
from gieok.ports.store import Store
from gieok.ranking import timeline
from gieok.ranking.recall import first_answer

#: Passages of a scope that are looked at, the newest; the curve begins where they end.
_MOST_PASSAGES = 30_000


class Size(NamedTuple):
    """How much there was at the end of a day: documents, passages, and bytes of their text."""

    day: date
    documents: int
    passages: int
    bytes: int


class WeekOfHook(NamedTuple):
    """What the hook did in the week that begins on a Monday."""

    monday: date
    stats: Stats


def growth(context: Context, scopes: Sequence[Scope], weeks: int) -> list[Size]:
    """Return a point a week, oldest first: of what is there now, how much is dated up to that day.

    The last point is everything that there is. What was forgotten since is not in it.
    """
    today = context.clock.now().astimezone(context.zone).date()
    first = today - timedelta(days=7 * weeks)
    documents, passages, size, cut = Counter[int](), Counter[int](), Counter[int](), 0
    known = [0, 0, 0]
    for scope in scopes:
        rows, _ = first_answer(context.memory.stores(), lambda store: _rows(store, scope, context))  # noqa: B023
        seen = set[str]()
        for day, key, length in rows:
            week = max(0, min(weeks, -((today - day).days // -7) if day <= today else 0))
            passages[week] += 1
            size[week] += length
            documents[week] += key not in seen
            seen.add(key)
        cut += len(rows) == _MOST_PASSAGES
    made = []
    for week in range(weeks, -1, -1):
        known = [known[0] + documents[week], known[1] + passages[week], known[2] + size[week]]
        made.append(Size(max(today - timedelta(days=7 * week), first), *known))
    return made if not cut else [one for one in made if one.documents]


def _rows(store: Store, scope: Scope, context: Context) -> list[tuple[date, str, int]]:
    found = store.passages(store.within(scope, Filter(), _MOST_PASSAGES), scope)
    return [
        (
            timeline.day_of_moment(p.valid_from, p.updated_at, context.zone),
            p.key,
            len(p.text.encode("utf-8", "replace")),
        )
        for p in found
    ]


def hook_weeks(context: Context, weeks: int) -> list[WeekOfHook]:
    """Return what the hook did in each of the last weeks, oldest first; none where it was never
    called.
    """
    rows = stats.read(context.home)
    if not rows:
        return []
    today = context.clock.now().astimezone(context.zone).date()
    monday = today - timedelta(days=today.weekday())
    begins = [monday - timedelta(days=7 * n) for n in range(weeks - 1, -1, -1)]
    made = []
    for begin in begins:
        since, until = (
            round(datetime.combine(day, time(), context.zone).timestamp() * 1000)
            for day in (begin, begin + timedelta(7))
        )
        of_week = [row for row in rows if isinstance(at := row["at"], int) and since <= at < until]
        made.append(WeekOfHook(begin, stats.count(of_week)))
    return made
