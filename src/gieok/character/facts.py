"""Memories of a character about a user, and the documents that hold them.

The memories are facts, ideas, moments and episodes.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from gieok.model.memory import REPLACED_BY, Document, Entry, Passage, Provenance, Scope

#: No key of this rib contains `/`, so no indexed folder can own a key.
PREFIX = "character:"
FACT, IDEA, MOMENT, EPISODE = "fact", "idea", "moment", "episode"
#: Subjects that are not the name of a third person.
USER, CHARACTER = "user", "character"
#: Confidence of a plan whose words do not say whose it is: "the wedding is on the 5th".
WHOSE_UNSURE = 0.75
#: `by` of a fact that a person set themselves.
PERSON = "person"
#: Metadata of memories that the user marked as important; holds the importance without the mark.
IMPORTANT = "important"
_HEX = 12
#: Scope for documents inside another document, which need no scope of their own.
_ANY = Scope("any:any")
#: Separator of emotions and topics in metadata.
_COMMA = ", "


class FactType(StrEnum):
    """Type of a fact."""

    PERSONAL = "personal"
    PREFERENCE = "preference"
    RELATIONSHIP = "relationship"
    HABIT = "habit"
    PLAN = "plan"


_TYPES = {kind.value: kind for kind in FactType}


_SIGNS = re.compile(r"[^\w]+")


def scope_of(user: str, character: str) -> Scope:
    """Return the scope of a character's memory of a user.

    Raises BadRequest for a name that cannot be in a scope.
    """
    return Scope(f"user:{user}/character:{character}")


def character_of(scope: Scope, user: str) -> str:
    """Return the character of a scope that a user shares with one; '' for other scopes."""
    head = f"user:{user}/character:"
    return scope.path.removeprefix(head) if scope.path.startswith(head) else ""


def talkers_of(scope: Scope) -> tuple[str, str]:
    """Return the user and the character of a scope that they share; the reverse of `scope_of`."""
    user, _, character = scope.path.removeprefix("user:").partition("/character:")
    return user, character


def same_value(text: str) -> str:
    """Return a value in the form in which values are compared: without case, gaps and signs."""
    return _SIGNS.sub("", text.casefold())


def digest(text: str) -> str:
    """Return the short hash from which keys are made."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_HEX]


def value_id(subject: str, predicate: str, value: str) -> str:
    """Return the id of a value in its slot; the id does not reveal the value."""
    return digest(f"{subject}\0{predicate}\0{same_value(value)}")


class LearnedFact(NamedTuple):
    """Content of a fact before the user changed it."""

    object: str
    day: str
    importance: float
    is_important: bool = False


@lru_cache(maxsize=1 << 15)  # asked for again and again in a turn
def _fact_key(kind: str, subject: str, predicate: str, said: str, born: str) -> str:
    what = digest(f"{same_value(said)}\0{born}")
    return f"{PREFIX}{kind}:{digest(subject)}:{predicate}:{what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One statement about the user, the character or somebody near them.

    The statement is a triple: subject, predicate, object.

    `at` is when the statement was first made, `until` when it ceased to hold: `replaced_by` names
    its successor, '' for none (`is_dropped`). `day` is the day of a plan, `2026-04-17`, '' for
    none. `subtype` names what the predicate leaves open ("cat"). `is_idea`: the user only thinks of
    it.

    `born` is the message that stated this value, `ended_by` the message that ended it. `slips` are
    wrong values said before, which this fact corrected. `edits` are the user's own changes, by id,
    oldest first; `learned` is the content before those changes. `by` names the model that found the
    fact, PERSON where a person set it, '' for rules. With these fields, a fact can be rolled back
    to any earlier message.
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
    born: str = ""
    ended_by: str = ""
    slips: tuple["Fact", ...] = ()
    edits: tuple[str, ...] = ()
    learned: "LearnedFact | None" = None
    by: str = ""
    is_important: bool = False

    @property
    def key(self) -> str:
        """Return the key of the fact's document, which an edit does not change."""
        return _fact_key(
            self.kind, self.subject, self.predicate, self.said, self.born or self.at.isoformat()
        )

    @property
    def kind(self) -> str:
        """Return the kind of the fact's document."""
        return IDEA if self.is_idea else FACT

    @property
    def said(self) -> str:
        """Return the object as it was learned, before any change by the user."""
        return self.learned.object if self.learned else self.object

    @property
    def value_id(self) -> str:
        """Return the id of this value in this slot; the id does not reveal the value."""
        return value_id(self.subject, self.predicate, self.said)

    @property
    def slot(self) -> tuple[str, str]:
        """Return the fact's subject and kind.

        Of a single-valued predicate, a slot has one current fact at a time.
        """
        return self.subject, self.predicate

    @property
    def weight(self) -> float:
        """Return the importance that counts: 1 where the user marked the fact."""
        return 1.0 if self.is_important else self.importance

    @property
    def is_current(self) -> bool:
        """Return whether the fact holds."""
        return self.until is None

    @property
    def is_set(self) -> bool:
        """Return whether a person set the value: it outranks what is detected."""
        was = self.learned
        is_changed = was is not None and (was.object, was.day) != (self.object, self.day)
        return self.by == PERSON or is_changed

    @property
    def is_dropped(self) -> bool:
        """Return whether the fact was given up without a successor."""
        return self.until is not None and not self.replaced_by


class Moment(NamedTuple):
    """Event between user and character: its type, emotion, intensity (0–1), and the words said.

    `emotions` are the user's. `is_told`: the text tells what happened, in a model's words.
    """

    type: str
    text: str
    at: datetime
    emotions: tuple[str, ...] = ()
    intensity: float = 0.5
    message_ids: tuple[str, ...] = ()
    is_important: bool = False
    #: Ids of the user's own changes; `said` is the text before them.
    edits: tuple[str, ...] = ()
    said: str = ""
    character_emotion: str = ""
    is_told: bool = False

    @property
    def weight(self) -> float:
        """Return the importance that counts: 1 where the user marked the moment."""
        return 1.0 if self.is_important else 0.5 + self.intensity / 2

    @property
    def key(self) -> str:
        """Return the key of the moment's document."""
        return f"{PREFIX}{MOMENT}:{self.type}:{digest(self.at.isoformat())}"


class Episode(NamedTuple):
    """Summary of a span of messages, from the first to the last of `message_ids`.

    `is_edited`: the text is the user's. `is_stale`: the user's text may quote messages that were
    taken back or deleted since. `key_moments` tell the moments in the span, `open_topics` what was
    left to talk about next time.
    """

    text: str
    start: datetime
    end: datetime
    messages: int
    topics: tuple[str, ...] = ()
    emotion: str = ""
    message_ids: tuple[str, ...] = ()
    is_important: bool = False
    is_edited: bool = False
    is_stale: bool = False
    key_moments: tuple[str, ...] = ()
    open_topics: tuple[str, ...] = ()

    @property
    def weight(self) -> float:
        """Return the importance that counts: 1 where the user marked the episode."""
        return 1.0 if self.is_important else 0.5

    @property
    def key(self) -> str:
        """Return the key of the episode's document."""
        return f"{PREFIX}{EPISODE}:{self.message_ids[0] if self.message_ids else digest(self.text)}"


def fact_entry(scope: Scope, fact: Fact) -> Entry:
    """Return the document of a fact.

    Its text, which searches match, is the triple and the sentence.
    """
    metadata = {
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        "type": fact.type,
        "subtype": fact.subtype,
        "confidence": f"{fact.confidence:.2f}",
        "mentions": str(fact.mentions),
        "day": fact.day,
        REPLACED_BY: fact.replaced_by,
        "source": fact.source,
        "born": fact.born,
        "ended_by": fact.ended_by,
        "by": fact.by,
        "slips": json.dumps([_pack_fact(slip) for slip in fact.slips], ensure_ascii=False)
        if fact.slips
        else "",
        "edits": " ".join(fact.edits),
        "learned": json.dumps(fact.learned, ensure_ascii=False) if fact.learned else "",
        IMPORTANT: _format_importance_mark(fact.is_important, fact.importance),
    }
    text = f"{fact.object}. {fact.source}" if fact.source else fact.object
    return _build_memory_entry(
        scope,
        fact.key,
        fact.kind,
        text,
        fact.at,
        metadata,
        fact.weight,
        fact.message_ids,
        until=fact.until,
    )


def fact_of(document: Document) -> Fact:
    """Return the fact that a document holds."""
    held = document.metadata
    marked = held.get(IMPORTANT, "")
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
        message_ids=_list_provenance_ids(document),
        until=document.valid_to,
        replaced_by=held.get(REPLACED_BY, ""),
        importance=float(marked) if marked else document.importance,
        is_idea=document.kind == IDEA,
        born=held.get("born", ""),
        ended_by=held.get("ended_by", ""),
        slips=tuple(_unpack_fact(row) for row in json.loads(held.get("slips", "[]"))),
        edits=tuple(held.get("edits", "").split()),
        learned=LearnedFact(*json.loads(held["learned"])) if "learned" in held else None,
        by=held.get("by", ""),
        is_important=bool(marked),
    )


def _pack_fact(fact: Fact) -> list[object]:
    """Return a fact as a JSON row; its slips stay with it."""
    document = fact_entry(_ANY, fact).document
    return [
        document.kind,
        document.text,
        fact.at.isoformat(),
        fact.importance,
        dict(document.metadata),
        fact.message_ids,
    ]


def _unpack_fact(row: Sequence[Any]) -> Fact:
    kind, text, at, importance, metadata, ids = row
    return fact_of(
        _build_memory_entry(
            _ANY, "-", kind, text, datetime.fromisoformat(at), metadata, importance, tuple(ids)
        ).document
    )


def _format_importance_mark(is_important: bool, importance: float) -> str:
    """Return the stored form of the user's mark: the importance without the mark; '' for no
    mark.
    """
    return f"{importance:.4f}" if is_important else ""


def moment_entry(scope: Scope, moment: Moment) -> Entry:
    """Return the document of a moment."""
    metadata = {
        "type": moment.type,
        "emotions": _COMMA.join(moment.emotions),
        "intensity": f"{moment.intensity:.2f}",
        IMPORTANT: _format_importance_mark(moment.is_important, moment.intensity),
        "edits": " ".join(moment.edits),
        "said": moment.said,
        "character_emotion": moment.character_emotion,
        "told": "yes" if moment.is_told else "",
    }
    return _build_memory_entry(
        scope,
        moment.key,
        MOMENT,
        moment.text,
        moment.at,
        metadata,
        moment.weight,
        moment.message_ids,
    )


def read_moment_document(document: Document) -> Moment:
    """Return the moment that a document holds."""
    metadata = document.metadata
    at = document.valid_from or document.created_at
    emotions = tuple(metadata.get("emotions", "").split(_COMMA)) if metadata.get("emotions") else ()
    return Moment(
        type=metadata.get("type", ""),
        text=document.text,
        at=at,
        emotions=emotions,
        intensity=float(metadata.get("intensity", "0.5")),
        message_ids=_list_provenance_ids(document),
        is_important=IMPORTANT in metadata,
        edits=tuple(metadata.get("edits", "").split()),
        said=metadata.get("said", ""),
        character_emotion=metadata.get("character_emotion", ""),
        is_told="told" in metadata,
    )


def episode_entry(scope: Scope, episode: Episode) -> Entry:
    """Return the document of an episode."""
    metadata = {
        "topics": _COMMA.join(episode.topics),
        "emotion": episode.emotion,
        "count": str(episode.messages),
        "end": episode.end.isoformat(),
        IMPORTANT: _format_importance_mark(episode.is_important, 0.5),
        "edited": "yes" if episode.is_edited else "",
        "stale": "yes" if episode.is_stale else "",
        "key_moments": _pack_texts(episode.key_moments),
        "open_topics": _pack_texts(episode.open_topics),
    }
    return _build_memory_entry(
        scope,
        episode.key,
        EPISODE,
        episode.text,
        episode.start,
        metadata,
        episode.weight,
        episode.message_ids,
    )


def episode_of(document: Document) -> Episode:
    """Return the episode that a document holds."""
    held = document.metadata
    start = document.valid_from or document.created_at
    topics = tuple(held.get("topics", "").split(_COMMA)) if held.get("topics") else ()
    return Episode(
        text=document.text,
        start=start,
        end=datetime.fromisoformat(held.get("end", start.isoformat())),
        messages=int(held.get("count", "0")),
        topics=topics,
        emotion=held.get("emotion", ""),
        message_ids=_list_provenance_ids(document),
        is_important=IMPORTANT in held,
        is_edited="edited" in held,
        is_stale="stale" in held,
        key_moments=tuple(json.loads(held.get("key_moments", "[]"))),
        open_topics=tuple(json.loads(held.get("open_topics", "[]"))),
    )


def _pack_texts(texts: Sequence[str]) -> str:
    return json.dumps(texts, ensure_ascii=False) if texts else ""


def _list_provenance_ids(document: Document) -> tuple[str, ...]:
    return tuple(identity for origin in document.provenance for identity in origin.message_ids)


def _build_memory_entry(
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
    fields = {name: str(value) for name, value in metadata.items() if value}
    document = Document(
        scope=scope,
        key=key,
        kind=kind,
        text=text,
        content_hash=digest(f"{text}\0{sorted(fields.items())}\0{until}\0{importance}"),
        created_at=at,
        updated_at=at,
        importance=importance,
        valid_from=at,
        valid_to=until,
        metadata=fields,
        provenance=(Provenance("journal", message_ids=ids),),
    )
    return Entry(document, (Passage(0, len(text), 1, text.count("\n") + 1),))
