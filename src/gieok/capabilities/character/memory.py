"""What a character remembers of a user: facts, ideas, moments and episodes, and the documents that hold them."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from gieok.model.memory import REPLACED_BY, Document, Entry, Passage, Provenance, Scope

#: No key of this rib has a `/`: no indexed folder can own one.
PREFIX = "character:"
FACT, IDEA, MOMENT, EPISODE = "fact", "idea", "moment", "episode"
#: Subjects that are no third person's name.
USER, CHARACTER = "user", "character"
_HEX = 12
#: What joins emotions and topics in metadata.
_COMMA = ", "


class FactType(StrEnum):
    """Type of a fact."""

    PERSONAL = "personal"
    PREFERENCE = "preference"
    RELATIONSHIP = "relationship"
    HABIT = "habit"
    PLAN = "plan"


_TYPES = {kind.value: kind for kind in FactType}


def scope_of(user: str, character: str) -> Scope:
    """Return the scope of what a character remembers of a user. Raises BadRequest for a name that cannot be in a scope."""
    return Scope(f"user:{user}/character:{character}")


def same_value(text: str) -> str:
    """Return a value as it is compared: without case, gaps and signs."""
    return re.sub(r"[^\w]+", "", text.casefold())


def digest(text: str) -> str:
    """Return the short hash that keys are made of."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_HEX]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One statement about the user, the character or somebody near them: subject, predicate, object.

    `at` is when it was said first, `until` when it held no more: `replaced_by` names what took its place, '' for nothing
    (`is_dropped`). `day` is the day of a plan, `2026-04-17`, '' for none. `subtype` names what the predicate leaves open
    ("cat"). `is_idea`: the user only thinks of it.
    """

    subject: str
    predicate: str
    object: str
    type: FactType
    at: datetime
    confidence: float
    source: str = ""
    subtype: str = ""
    mentions: int = 1
    day: str = ""
    message_ids: tuple[str, ...] = ()
    until: datetime | None = None
    replaced_by: str = ""
    importance: float = 0.5
    is_idea: bool = False

    @property
    def key(self) -> str:
        """Return the key of its document."""
        what = digest(f"{same_value(self.object)}\0{self.at.isoformat()}")
        return f"{PREFIX}{self.kind}:{digest(self.subject)}:{self.predicate}:{what}"

    @property
    def kind(self) -> str:
        """Return the kind of its document."""
        return IDEA if self.is_idea else FACT

    @property
    def slot(self) -> tuple[str, str]:
        """Return whose and what it is: of a single-valued predicate, one fact holds at a time."""
        return self.subject, self.predicate

    @property
    def is_current(self) -> bool:
        """Say whether it holds."""
        return self.until is None

    @property
    def is_dropped(self) -> bool:
        """Say whether it was given up, and nothing took its place."""
        return self.until is not None and not self.replaced_by


class Moment(NamedTuple):
    """Something that happened between the two: its type, what was felt, how strongly (0–1), and what was said."""

    type: str
    text: str
    at: datetime
    emotions: tuple[str, ...] = ()
    intensity: float = 0.5
    message_ids: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Return the key of its document."""
        return f"{PREFIX}{MOMENT}:{self.type}:{digest(self.at.isoformat())}"


class Episode(NamedTuple):
    """The summary of a span of messages, from the first to the last of `message_ids`."""

    text: str
    start: datetime
    end: datetime
    messages: int
    topics: tuple[str, ...] = ()
    emotion: str = ""
    message_ids: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Return the key of its document."""
        return f"{PREFIX}{EPISODE}:{self.message_ids[0] if self.message_ids else digest(self.text)}"


def fact_entry(scope: Scope, fact: Fact) -> Entry:
    """Return the document of a fact: its text is what a question finds, the triple and the sentence."""
    metadata = {
        "subject": fact.subject, "predicate": fact.predicate, "object": fact.object, "type": fact.type,
        "subtype": fact.subtype, "confidence": f"{fact.confidence:.2f}", "mentions": str(fact.mentions), "day": fact.day,
        REPLACED_BY: fact.replaced_by, "source": fact.source,
    }  # fmt: skip
    text = f"{fact.object}. {fact.source}" if fact.source else fact.object
    return _entry(
        scope, fact.key, fact.kind, text, fact.at, metadata, fact.importance, fact.message_ids, until=fact.until
    )


def fact_of(document: Document) -> Fact:
    """Return the fact that a document holds."""
    held = document.metadata
    return Fact(
        subject=held.get("subject", USER),
        predicate=held.get("predicate", ""),
        object=held.get("object", document.text),
        type=_TYPES.get(held.get("type", ""), FactType.PERSONAL),
        at=document.valid_from or document.created_at,
        confidence=float(held.get("confidence", "1")),
        source=held.get("source", ""),
        subtype=held.get("subtype", ""),
        mentions=int(held.get("mentions", "1")),
        day=held.get("day", ""),
        message_ids=_ids(document),
        until=document.valid_to,
        replaced_by=held.get(REPLACED_BY, ""),
        importance=document.importance,
        is_idea=document.kind == IDEA,
    )


def moment_entry(scope: Scope, moment: Moment) -> Entry:
    """Return the document of a moment."""
    metadata = {
        "type": moment.type, "emotions": _COMMA.join(moment.emotions), "intensity": f"{moment.intensity:.2f}",
    }  # fmt: skip
    importance = 0.5 + moment.intensity / 2
    return _entry(scope, moment.key, MOMENT, moment.text, moment.at, metadata, importance, moment.message_ids)


def moment_of(document: Document) -> Moment:
    """Return the moment that a document holds."""
    held = document.metadata
    at = document.valid_from or document.created_at
    emotions = tuple(held.get("emotions", "").split(_COMMA)) if held.get("emotions") else ()
    return Moment(
        held.get("type", ""), document.text, at, emotions, float(held.get("intensity", "0.5")), _ids(document)
    )


def episode_entry(scope: Scope, episode: Episode) -> Entry:
    """Return the document of an episode."""
    metadata = {
        "topics": _COMMA.join(episode.topics), "emotion": episode.emotion, "count": str(episode.messages),
        "end": episode.end.isoformat(),
    }  # fmt: skip
    return _entry(scope, episode.key, EPISODE, episode.text, episode.start, metadata, 0.5, episode.message_ids)


def episode_of(document: Document) -> Episode:
    """Return the episode that a document holds."""
    held = document.metadata
    start = document.valid_from or document.created_at
    topics = tuple(held.get("topics", "").split(_COMMA)) if held.get("topics") else ()
    return Episode(
        document.text, start, datetime.fromisoformat(held.get("end", start.isoformat())), int(held.get("count", "0")),
        topics, held.get("emotion", ""), _ids(document),
    )  # fmt: skip


def _ids(document: Document) -> tuple[str, ...]:
    return tuple(identity for origin in document.provenance for identity in origin.message_ids)


def _entry(
    scope: Scope,
    key: str,
    kind: str,
    text: str,
    at: datetime,
    metadata: Mapping[str, str],
    importance: float,
    ids: tuple[str, ...],
    until: datetime | None = None,
) -> Entry:
    held = {name: str(value) for name, value in metadata.items() if value}
    document = Document(
        scope=scope,
        key=key,
        kind=kind,
        text=text,
        content_hash=digest(f"{text}\0{sorted(held.items())}\0{until}\0{importance}"),
        created_at=at,
        updated_at=at,
        importance=importance,
        valid_from=at,
        valid_to=until,
        metadata=held,
        provenance=(Provenance("journal", message_ids=ids),),
    )
    return Entry(document, (Passage(0, len(text), 1, text.count("\n") + 1),))
