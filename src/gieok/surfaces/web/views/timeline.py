"""What was learned when, and what distilling it cost."""

from collections import Counter
from datetime import date, timedelta
from itertools import groupby

from starlette.responses import Response

from gieok.surfaces.web.site import Seen
from gieok.surfaces.web.views.memories import kind_names

_WEEKS = 26
_MOST_LISTED = 10_000


def timeline(seen: Seen) -> Response:
    """Show a calendar, a day or the last ones, and what was distilled."""
    context = seen.memory.context
    today = context.clock.now().astimezone(context.zone).date()
    first = today - timedelta(days=7 * _WEEKS)
    day = _day(seen.asked("day"))
    rows = seen.memory.run("list", since=min(first, day or first).isoformat(), limit=_MOST_LISTED).memories
    counts = Counter(row.day for row in rows)
    shown = [row for row in rows if row.day == day] if day else rows[:40]
    stats = seen.memory.run("observe stats", days=7)
    costs = [
        (when, role, usage.input_tokens + usage.output_tokens, stats.costs.get((when, role), 0.0))
        for (when, role), usage in sorted(stats.usage.items(), reverse=True)
    ]
    return seen.page(
        "timeline.html", counts=counts, last=today, day=day, runs=stats.runs[::-1][:20], costs=costs[:20],
        days=[(one, list(group)) for one, group in groupby(shown, key=lambda row: row.day)], kind_names=kind_names(seen),
    )  # fmt: skip


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
