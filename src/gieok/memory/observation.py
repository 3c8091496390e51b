"""Observations of a conversation: short, dated, prioritised, with their source messages."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from gieok.model.memory import (
    AGENT,
    CORRECTED,
    CORRECTED_BY,
    REPLACED_BY,
    Document,
    Entry,
    Passage,
    Provenance,
    Scope,
)
from gieok.model.retrieval import AGENT_FIELD
from gieok.text.tokens import estimate_tokens

KIND = "observation"
#: No key of this rib has a `/`, and every file's key has one: no indexed folder can own an
#: observation.
PREFIX = "observe:"
#: The current task: one document, replaced by each run that names a task.
TASK_KEY = PREFIX + "current-task"
TASK_KIND = "current-task"
PATTERN_KIND = "pattern"
#: Metadata of the current task: the session in which it was named, and when its last message was
#: said.
_SESSION, _SAID_AT = "session", "said_at"
_HEX = 12
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class Priority(StrEnum):
    """Priority of an observation, the highest first."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @property
    def mark(self) -> str:
        """Return the sign that stands for the priority in texts."""
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
    """Observation of a conversation.

    `at` is the time of the event, in UTC; `replaces` are the keys of observations that no longer
    hold.
    """

    text: str
    at: datetime
    priority: Priority
    category: Category
    is_done: bool = False
    message_ids: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Return the key of the observation's document."""
        return f"{PREFIX}{self.at:%Y-%m-%d}:{_hash_observation_text(self.text)}"

    @property
    def tokens(self) -> int:
        """Return the estimated tokens of the observation's line."""
        return estimate_tokens(self.text) + 6


class Observed(NamedTuple):
    """Result of observing a span.

    `task` and `patterns` may be empty; `model` is '' for rules. `task_session` is the session in
    which the task was named, and `task_at` is when the last message of the task was said.
    """

    observations: tuple[Observation, ...]
    task: str = ""
    patterns: tuple[str, ...] = ()
    model: str = ""
    task_session: str = ""
    task_at: datetime | None = None


def most_important(found: Iterable[Observation], limit: int) -> tuple[Observation, ...]:
    """Return the most important observations in order of time; the newest of equals are kept."""
    rank = list(Priority)
    best = sorted(found, key=lambda o: (rank.index(o.priority), -o.at.timestamp()))[:limit]
    return tuple(sorted(best, key=lambda o: o.at))


def dump_observed(observed: Observed) -> str:
    """Return an `Observed` as JSON, the body of a `BufferedSpan`."""
    rows = [[*o[:1], o.at.isoformat(), *o[2:]] for o in observed.observations]
    at = observed.task_at.isoformat() if observed.task_at else ""
    return json.dumps([rows, *observed[1:-1], at], ensure_ascii=False)


def load_observed(body: str) -> Observed:
    """Return the `Observed` in a body, also in one that an earlier release wrote."""
    rows, task, patterns, model, *of_task = json.loads(body)
    session, at = of_task or ("", "")
    said_at = datetime.fromisoformat(at) if at else None
    return Observed(
        observations=tuple(map(_from_row, rows)),
        task=task,
        patterns=tuple(patterns),
        model=model,
        task_session=session,
        task_at=said_at,
    )


def _from_row(row: Sequence[object]) -> Observation:
    text, at, priority, category, is_done, ids, *replaces = row
    return Observation(
        text=str(text),
        at=datetime.fromisoformat(str(at)),
        priority=Priority(str(priority)),
        category=Category(str(category)),
        is_done=bool(is_done),
        message_ids=tuple(ids),  # type: ignore[arg-type]
        replaces=tuple(*replaces),  # type: ignore[arg-type]
    )


def merge(parts: Iterable[Observed]) -> Observed:
    """Join the results of several spans or sessions; the newest task wins."""
    parts = list(parts)
    named = [part for part in parts if part.task]
    newest = (
        max(enumerate(named), key=lambda pair: (pair[1].task_at or _LONG_AGO, pair[0]))[1]
        if named
        else None
    )
    return Observed(
        observations=tuple(o for part in parts for o in part.observations),
        task=newest.task if newest else "",
        patterns=tuple(dict.fromkeys(p for part in parts for p in part.patterns)),
        model=next((part.model for part in reversed(parts) if part.model), ""),
        task_session=newest.task_session if newest else "",
        task_at=newest.task_at if newest else None,
    )


def build_observed_entries(
    scope: Scope,
    observed: Observed,
    now: datetime,
    agents: Mapping[str, str] = MappingProxyType({}),
) -> list[Entry]:
    """Return the documents to put.

    An observation that is repeated on one day has the same key, so it is kept once. `agents` is
    message id → the agent that the message was said to or by, as far as known.
    """
    entries = [
        _build_observation_entry(
            scope, o.key, KIND, o.text, now, o, {AGENT_FIELD: ",".join(_agents_of(o, agents))}
        )
        for o in observed.observations
    ]
    if observed.task:
        of_task = {
            _SESSION: observed.task_session,
            _SAID_AT: observed.task_at.isoformat() if observed.task_at else "",
        }
        entries.append(
            _build_observation_entry(scope, TASK_KEY, TASK_KIND, observed.task, now, more=of_task)
        )
    entries += [
        _build_observation_entry(
            scope, PREFIX + "pattern:" + _hash_observation_text(p), PATTERN_KIND, p, now
        )
        for p in observed.patterns
    ]
    return list({entry.document.key: entry for entry in entries}.values())


def _agents_of(o: Observation, agents: Mapping[str, str]) -> list[str]:
    return sorted({agents[message_id] for message_id in o.message_ids if message_id in agents})


def with_ends(
    made: Sequence[Entry], observed: Observed, stored: Mapping[str, Document]
) -> list[Entry]:
    """Return the entries, with an end for each that another of them replaces.

    Documents of `stored` that end are included. An observation replaces none of a later day and
    never itself, and a person's correction stays.
    """
    new_documents = {entry.document.key: entry.document for entry in made}
    ends = dict(stored) | new_documents
    for newer in (o for o in observed.observations if o.key in new_documents):
        for key in newer.replaces:
            older = ends.get(key)
            is_circle = ends[newer.key].metadata.get(REPLACED_BY) == key
            if older is not None and key != newer.key and not is_circle and _may_end(older, newer):
                ends[key] = end_document(older, new_documents[newer.key])
    changed = {
        key: document
        for key, document in ends.items()
        if key in new_documents or document is not stored[key]
    }
    return [build_whole_entry(document) for document in changed.values()]


def _may_end(older: Document, newer: Observation) -> bool:
    since = older.said_at
    return (
        older.kind == KIND and not older.metadata.get(CORRECTED) and newer.at.date() >= since.date()
    )


def stamp(document: Document) -> str:
    """Return the hash of a document in its current state, its end included."""
    return _hash_observation_text(
        f"{document.text}\0{document.metadata}\0"
        f"{document.valid_to.isoformat() if document.valid_to else ''}"
    )


def end_document(older: Document, newer: Document) -> Document:
    """Return a document as ended by another one that replaced it; its text is kept."""
    since, until = older.said_at, newer.said_at
    metadata = {**older.metadata, REPLACED_BY: newer.key}
    end = max(since, until)
    content_hash = _hash_observation_text(f"{older.text}\0{metadata}\0{end.isoformat()}")
    return replace(older, valid_to=end, metadata=metadata, content_hash=content_hash)


def is_older_task(observed: Observed, stored: Document | None) -> bool:
    """Say whether the observed task is older than the stored one: transcripts may be read late."""
    said_at = stored.metadata.get(_SAID_AT, "") if stored else ""
    return bool(said_at and observed.task_at) and datetime.fromisoformat(said_at) > (
        observed.task_at or _LONG_AGO
    )


def read_task_session(task: Document) -> str:
    """Return the session in which the current task was named; '' if that is unknown."""
    return task.metadata.get(_SESSION, "")


def _hash_observation_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_HEX]


def _build_observation_entry(
    scope: Scope,
    key: str,
    kind: str,
    text: str,
    now: datetime,
    o: Observation | None = None,
    more: Mapping[str, str] | None = None,
) -> Entry:
    metadata: dict[str, str] = dict(more or {})
    if o:
        metadata |= {
            "priority": o.priority,
            "category": o.category,
            "done": "yes" if o.is_done else "",
        }
    document = Document(
        scope=scope,
        key=key,
        kind=kind,
        text=text,
        content_hash=_hash_observation_text(f"{text}\0{metadata}"),
        created_at=o.at if o else now,
        updated_at=o.at if o else now,
        importance=_IMPORTANCE[o.priority] if o else 0.5,
        valid_from=o.at if o else None,
        metadata={name: str(value) for name, value in metadata.items() if value},
        provenance=(Provenance("journal", message_ids=o.message_ids),) if o else (),
    )
    return build_whole_entry(document)


def build_whole_entry(document: Document) -> Entry:
    """Return a document as an entry with one passage."""
    text = document.text
    return Entry(document, (Passage(0, len(text), 1, text.count("\n") + 1),))


def corrected(document: Document, text: str, now: datetime, *, by_agent: bool = False) -> Entry:
    """Return the entry with which a person replaces a document of this rib.

    `by_agent`: the person had an agent write it. A corrected task goes on with its conversation.
    """
    mark = {} if document.key == TASK_KEY else {CORRECTED: now.isoformat(timespec="seconds")}
    metadata = {**document.metadata, **mark}
    metadata.pop(REPLACED_BY, None)
    metadata.pop(CORRECTED_BY, None)
    if by_agent:
        metadata[CORRECTED_BY] = AGENT
    fresh = replace(
        document,
        text=text,
        content_hash=_hash_observation_text(f"{text}\0{metadata}"),
        updated_at=now,
        importance=max(document.importance, _IMPORTANCE[Priority.HIGH]),
        valid_to=None,  # whatever a model took it for: now a person says it
        metadata=metadata,
    )
    return build_whole_entry(fresh)


def observation_of(document: Document) -> Observation:
    """Return the observation that a document holds."""
    ids = tuple([identity for origin in document.provenance for identity in origin.message_ids])
    return Observation(
        text=document.text,
        at=document.said_at,
        priority=_PRIORITIES[document.metadata.get("priority", Priority.MEDIUM)],
        category=_CATEGORIES[document.metadata.get("category", Category.STATE)],
        is_done=document.metadata.get("done") == "yes",
        message_ids=ids,
    )
