"""Observations of a conversation: short, dated, prioritised, with the messages that they come from."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from gieok.model.memory import CORRECTED, Document, Entry, Passage, Provenance, Scope
from gieok.text.tokens import count_tokens

KIND = "observation"
#: No key of this rib has a `/`, and every file's key has one: no indexed folder can own an observation.
PREFIX = "observe:"
#: The current task: one document, replaced by each run that names a task.
TASK_KEY = PREFIX + "current-task"
TASK_KIND = "current-task"
PATTERN_KIND = "pattern"
_HEX = 12


class Priority(StrEnum):
    """Priority of an observation, the highest first."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @property
    def mark(self) -> str:
        """Return the sign that stands for it in texts."""
        return _MARKS[self]


_MARKS = {Priority.HIGH: "🔴", Priority.MEDIUM: "🟡", Priority.LOW: "🟢"}
PRIORITY_OF_MARK = {mark: priority for priority, mark in _MARKS.items()}
_IMPORTANCE = {Priority.HIGH: 0.9, Priority.MEDIUM: 0.6, Priority.LOW: 0.3}


class Category(StrEnum):
    """Category of an observation."""

    STATE = "state"
    DECISION = "decision"
    PREFERENCE = "preference"
    TASK = "task"


_PRIORITIES = {priority.value: priority for priority in Priority}
_CATEGORIES = {category.value: category for category in Category}


class Observation(NamedTuple):
    """One observation. `at` is the time of the event, in UTC."""

    text: str
    at: datetime
    priority: Priority
    category: Category
    is_done: bool = False
    message_ids: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """Return the estimated tokens of its line."""
        return count_tokens(self.text) + 6


class Observed(NamedTuple):
    """The result of observing a span. `task` and `patterns` may be empty; `model` is '' for rules."""

    observations: tuple[Observation, ...]
    task: str = ""
    patterns: tuple[str, ...] = ()
    model: str = ""


def most_important(found: Iterable[Observation], limit: int) -> tuple[Observation, ...]:
    """Return the most important observations, the newest of equals, in order of time."""
    rank = list(Priority)
    kept = sorted(found, key=lambda o: (rank.index(o.priority), -o.at.timestamp()))[:limit]
    return tuple(sorted(kept, key=lambda o: o.at))


def dump(observed: Observed) -> str:
    """Return an `Observed` as JSON, the body of a `BufferedSpan`."""
    rows = [[*o[:1], o.at.isoformat(), *o[2:]] for o in observed.observations]
    return json.dumps([rows, *observed[1:]], ensure_ascii=False)


def load(body: str) -> Observed:
    """Return the `Observed` of a body."""
    rows, task, patterns, model = json.loads(body)
    return Observed(tuple(map(_from_row, rows)), task, tuple(patterns), model)


def _from_row(row: Sequence[object]) -> Observation:
    text, at, priority, category, is_done, ids = row
    return Observation(
        str(text), datetime.fromisoformat(str(at)), Priority(str(priority)), Category(str(category)), bool(is_done),
        tuple(ids),  # type: ignore[arg-type]
    )  # fmt: skip


def merge(parts: Iterable[Observed]) -> Observed:
    """Join the results of several spans; the newest task wins."""
    parts = list(parts)
    return Observed(
        tuple(o for part in parts for o in part.observations),
        next((part.task for part in reversed(parts) if part.task), ""),
        tuple(dict.fromkeys(p for part in parts for p in part.patterns)),
        next((part.model for part in reversed(parts) if part.model), ""),
    )


def entries(scope: Scope, observed: Observed, now: datetime) -> list[Entry]:
    """Return the documents to put. An observation repeated on one day has one key, so it is kept once."""
    made = [_entry(scope, _key(o), KIND, o.text, now, o) for o in observed.observations]
    if observed.task:
        made.append(_entry(scope, TASK_KEY, TASK_KIND, observed.task, now))
    made += [_entry(scope, PREFIX + "pattern:" + _hash(p), PATTERN_KIND, p, now) for p in observed.patterns]
    return list({entry.document.key: entry for entry in made}.values())


def _key(o: Observation) -> str:
    return f"{PREFIX}{o.at:%Y-%m-%d}:{_hash(o.text)}"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_HEX]


def _entry(scope: Scope, key: str, kind: str, text: str, now: datetime, o: Observation | None = None) -> Entry:
    metadata = {"priority": o.priority, "category": o.category, "done": "yes" if o.is_done else ""} if o else {}
    document = Document(
        scope=scope,
        key=key,
        kind=kind,
        text=text,
        content_hash=_hash(f"{text}\0{metadata}"),
        created_at=o.at if o else now,
        updated_at=o.at if o else now,
        importance=_IMPORTANCE[o.priority] if o else 0.5,
        valid_from=o.at if o else None,
        metadata={name: str(value) for name, value in metadata.items() if value},
        provenance=(Provenance("journal", message_ids=o.message_ids),) if o else (),
    )
    return Entry(document, (Passage(0, len(text), 1, text.count("\n") + 1),))


def corrected(document: Document, text: str, now: datetime) -> Entry:
    """Return what a person puts in the place of a document of this rib. The task goes on with its conversation."""
    mark = {} if document.key == TASK_KEY else {CORRECTED: now.isoformat(timespec="seconds")}
    metadata = {**document.metadata, **mark}
    fresh = replace(
        document,
        text=text,
        content_hash=_hash(f"{text}\0{metadata}"),
        updated_at=now,
        importance=max(document.importance, _IMPORTANCE[Priority.HIGH]),
        metadata=metadata,
    )
    return Entry(fresh, (Passage(0, len(text), 1, text.count("\n") + 1),))


def observation_of(document: Document) -> Observation:
    """Return the observation that a document holds."""
    ids = tuple([identity for origin in document.provenance for identity in origin.message_ids])
    return Observation(
        document.text,
        document.valid_from or document.updated_at,
        _PRIORITIES[document.metadata.get("priority", Priority.MEDIUM)],
        _CATEGORIES[document.metadata.get("category", Category.STATE)],
        document.metadata.get("done") == "yes",
        ids,
    )
