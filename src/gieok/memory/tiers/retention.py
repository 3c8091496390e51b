"""Table of retention rules: how long a memory of each kind stays in hot."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta, tzinfo
from typing import NamedTuple

from gieok.memory import observation
from gieok.memory.observation import Category, Priority
from gieok.model.memory import CORRECTED, Document, Entry
from gieok.text import binding

#: Days that a memory stays in hot after a person brought it back, although it is due.
KEPT_DAYS = 30


class RetentionRule(NamedTuple):
    """Days in hot, counted from a memory's date, for a kind and a category ('': all of the kind).

    None: the memory never leaves.
    """

    kind: str
    category: str
    hot_days: int | None


def build_retention_rules(hot_days: int = 90) -> tuple[RetentionRule, ...]:
    """Return the retention table; the first matching row applies.

    A kind without a row never leaves.
    """
    return (
        RetentionRule(observation.TASK_KIND, "", None),
        RetentionRule(observation.KIND, "", hot_days),
        RetentionRule(observation.PATTERN_KIND, "", hot_days),
    )


def find_memory_day(document: Document, zone: tzinfo) -> date:
    """Return the day of a memory in a time zone: when it was said, else when it was written."""
    return document.said_at.astimezone(zone).date()


def select_due_entries(
    entries: Iterable[Entry],
    table: Iterable[RetentionRule],
    now: datetime,
    kept: Mapping[str, datetime] | None = None,
) -> list[Entry]:
    """Return the entries that are due to leave hot, oldest first.

    `kept` maps keys to the time until which an entry stays although it is due.
    """
    table, kept = tuple(table), kept or {}
    due = [one for one in entries if _is_past_hot_days(one.document, table, now)]
    due = [one for one in due if kept.get(one.document.key, now) <= now]
    return sorted(
        due,
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
    # A binding rule has no age limit: it leaves when another memory ends it.
    return document.valid_to is not None or not binding.has_binding_rule(document.text)


def is_told_at_any_age(document: Document) -> bool:
    """Say whether an agent is told of a memory whatever its age.

    True for a preference, or a weighty decision, that still holds.
    """
    if document.kind != observation.KIND or document.valid_to is not None:
        return False
    category = document.metadata.get("category", "")
    is_weighty = (
        document.metadata.get("priority") == Priority.HIGH or CORRECTED in document.metadata
    )
    return category == Category.PREFERENCE or (category == Category.DECISION and is_weighty)
