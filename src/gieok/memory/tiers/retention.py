"""How long a memory of each kind stays in hot: a table."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta, tzinfo
from typing import NamedTuple

from gieok.memory import observation
from gieok.memory.observation import Category, Priority
from gieok.model.memory import CORRECTED, Document, Entry
from gieok.text import binding

#: What a person brought back stays this long, though its day is over.
KEPT_DAYS = 30


class RetentionRule(NamedTuple):
    """Days in hot, by a memory's date, of a kind and a category ('': all of the kind). None: it
    never leaves.
    """

    kind: str
    category: str
    hot_days: int | None


def build_retention_rules(hot_days: int = 90) -> tuple[RetentionRule, ...]:
    """Return the table; the first row that fits holds. A kind that is in none never leaves."""
    return (
        RetentionRule(observation.TASK_KIND, "", None),
        RetentionRule(observation.KIND, "", hot_days),
        RetentionRule(observation.PATTERN_KIND, "", hot_days),
    )


def find_memory_day(document: Document, zone: tzinfo) -> date:
    """Return the day of a memory: when it was said, else when it was written, in a time zone."""
    return document.said_at.astimezone(zone).date()


def select_due_entries(
    entries: Iterable[Entry],
    table: Iterable[RetentionRule],
    now: datetime,
    kept: Mapping[str, datetime] | None = None,
) -> list[Entry]:
    """Return what is to leave hot now, the oldest first. `kept` is key → until when it stays all
    the same.
    """
    table, kept = tuple(table), kept or {}
    found = [one for one in entries if _is_past_hot_days(one.document, table, now)]
    found = [one for one in found if kept.get(one.document.key, now) <= now]
    return sorted(
        found,
        key=lambda one: (one.document.said_at, one.document.key),
    )


def days_in_hot(document: Document, table: Iterable[RetentionRule]) -> int | None:
    """Return how many days a memory is in hot; None where it never leaves."""
    category = document.metadata.get("category", "")
    return next(
        (r.hot_days for r in table if r.kind == document.kind and r.category in ("", category)),
        None,
    )


def _is_past_hot_days(document: Document, table: tuple[RetentionRule, ...], now: datetime) -> bool:
    days = days_in_hot(document, table)
    if days is None or document.said_at > now - timedelta(days=days):
        return False
    # A rule that binds is not aged: it leaves with what ends it.
    return document.valid_to is not None or not binding.has_binding_rule(document.text)


def is_told_at_any_age(document: Document) -> bool:
    """Say whether an agent is told of a memory whatever its age: a preference, or a weighty
    decision, that still holds.
    """
    if document.kind != observation.KIND or document.valid_to is not None:
        return False
    category = document.metadata.get("category", "")
    is_weighty = (
        document.metadata.get("priority") == Priority.HIGH or CORRECTED in document.metadata
    )
    return category == Category.PREFERENCE or (category == Category.DECISION and is_weighty)
