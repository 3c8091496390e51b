"""Statistics of the hook: how often each level fired, latency, and searches that followed.

They are read from the hook's counters.
"""

import json
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from math import ceil
from pathlib import Path
from typing import NamedTuple

from gieok.agents.table import PRE_TOOL

#: Session name of `gieok doctor`, which is not counted. It consists of letters that the counters
#: keep unchanged.
PROBE = "d0c70000-0000-4000-8000-000000000000"
#: Larger numbers were not written by the hook.
_MOST = 1e15
#: A search without a session counts as following a title that was shown at most this long before.
_FOLLOWS_MS = 10 * 60 * 1000


class Stats(NamedTuple):
    """Counts since `since_ms` (Unix); latencies in milliseconds, without Python's start."""

    prompts: int
    high: int
    medium: int
    notes: int
    silent: int
    followed: int
    p50_ms: float
    p95_ms: float
    #: Prompts that the daemon answered by vector search, and prompts answered by keyword search
    #: alone.
    by_meaning: int
    by_words: int
    events: Mapping[str, int]
    #: Notes before an edit.
    actions: int = 0
    #: Reminders of a rule beside a tool's use.
    reminders: int = 0


def read_hook_calls(home: Path) -> list[dict[str, object]]:
    """Return the rows of the counters, oldest first; invalid lines are skipped."""
    rows = []
    for name in ("calls.jsonl.1", "calls.jsonl"):
        file = home / "hook" / name
        lines = (
            file.read_text(encoding="utf-8", errors="replace").splitlines() if file.exists() else []
        )
        rows += [row for row in map(_parse_hook_call, lines) if row and row.get("session") != PROBE]
    return rows


def _parse_hook_call(line: str) -> dict[str, object] | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return (
        row if isinstance(row, dict) and "event" in row and isinstance(row.get("at"), int) else None
    )


def share_by_words(stats: Stats) -> float | None:
    """Return the share of answered prompts that words alone answered; None for no answers."""
    answered = stats.by_meaning + stats.by_words
    return stats.by_words / answered if answered else None


def count_hook_calls(rows: Iterable[Mapping[str, object]], since_ms: int = 0) -> Stats:
    """Return the figures of the given rows since a time."""
    rows = [row for row in rows if _read_call_number(row, "at") >= since_ms]
    prompts = [row for row in rows if row["event"] == "prompt"]
    compact = [row for row in prompts if _read_call_number(row, "medium")]
    searches = _by_session([row for row in rows if row["event"] == "search"])
    spent = sorted(_read_call_number(row, "ms") for row in prompts)
    return Stats(
        prompts=len(prompts),
        high=sum(1 for row in prompts if _read_call_number(row, "high")),
        medium=len(compact),
        notes=sum(1 for row in prompts if row.get("noted")),
        silent=sum(
            1
            for r in prompts
            if not (
                _read_call_number(r, "high") or _read_call_number(r, "medium") or r.get("noted")
            )
        ),
        followed=sum(1 for row in compact if _is_followed(row, searches)),
        p50_ms=_find_percentile(spent, 0.5),
        p95_ms=_find_percentile(spent, 0.95),
        by_meaning=sum(1 for row in prompts if row.get("by") == "daemon"),
        by_words=sum(1 for row in prompts if row.get("by") == "words"),
        events=Counter(str(row["event"]) for row in rows),
        actions=sum(1 for row in rows if row["event"] == PRE_TOOL and row.get("noted")),
        reminders=sum(1 for row in rows if row["event"] == PRE_TOOL and row.get("reminded")),
    )


def _by_session(searches: Iterable[Mapping[str, object]]) -> dict[str, list[float]]:
    """Return the times of searches by session, in order; '' for searches without a session."""
    by_session: dict[str, list[float]] = defaultdict(list)
    for row in searches:
        by_session[str(row.get("session") or "")].append(_read_call_number(row, "at"))
    return {session: sorted(times) for session, times in by_session.items()}


def _is_followed(shown: Mapping[str, object], searches: Mapping[str, list[float]]) -> bool:
    """Say whether a search followed a shown title.

    A search counts in the title's session, or soon after the title if the search has no session.
    """
    at = _read_call_number(shown, "at")
    own = searches.get(str(shown.get("session") or "-"), [])
    unknown = searches.get("", [])
    soon = bisect_left(unknown, at)
    return bool(own and own[-1] >= at) or (
        soon < len(unknown) and unknown[soon] - at <= _FOLLOWS_MS
    )


def _read_call_number(row: Mapping[str, object], name: str) -> float:
    value = row.get(name)
    return float(value) if isinstance(value, int | float) and abs(value) < _MOST else 0.0


def _find_percentile(values: list[float], share: float) -> float:
    """Return the least value that a share of the values does not exceed."""
    return values[max(0, ceil(share * len(values)) - 1)] if values else 0.0
