"""Memories and messages as a user reads them: by layer, in pages, each with its source."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from gieok.character.facts import (
    EPISODE,
    FACT,
    IDEA,
    MOMENT,
    PERSON,
    Episode,
    Fact,
    Moment,
    episode_of,
    fact_of,
    read_moment_document,
)
from gieok.character.memory import decisions
from gieok.character.memory.memory_state import Memories
from gieok.character.memory.unread_talk import ALL
from gieok.character.memory.voice import is_well_supported
from gieok.errors import BadRequest
from gieok.model.conversation import Journalled
from gieok.model.memory import Document, Scope
from gieok.ports.journal import Journal

MOST_LIMIT = 200
#: Share of what rules found, and the reader left, that was so in messages written to mislead: 27 of
#: 40 (docs/character.md). A rule's own figure orders findings and was never measured.
_RULES_RIGHT = 0.68


class Layer(StrEnum):
    """Kind of memory."""

    SEMANTIC = "semantic"
    IDEAS = "ideas"
    EMOTIONAL = "emotional"
    EPISODIC = "episodic"


class RememberedItem(NamedTuple):
    """Memory as a user reads it; fields that its layer does not have are empty.

    `is_current`: the memory holds now. `is_edited`: the user changed it. `is_stale`: the user's
    text may quote messages that were deleted since. `is_sure`: it is told as known, and not as what
    may have been said. `by` names the model that found it, or `person`; '' for rules.
    """

    id: str
    layer: Layer
    text: str
    at: datetime
    importance: float
    is_important: bool
    is_current: bool
    is_edited: bool
    is_stale: bool
    message_ids: tuple[str, ...]
    until: datetime | None = None
    replaced_by: str = ""
    subject: str = ""
    predicate: str = ""
    object: str = ""
    type: str = ""
    subtype: str = ""
    day: str = ""
    confidence: float = 1.0
    mentions: int = 1
    source: str = ""
    emotions: tuple[str, ...] = ()
    intensity: float = 0.0
    topics: tuple[str, ...] = ()
    messages: int = 0
    character_emotion: str = ""
    is_sure: bool = True
    by: str = ""
    key_moments: tuple[str, ...] = ()
    open_topics: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """Return what a fact states, or the type of a moment; '' for an episode."""
        return self.predicate or (self.type if self.layer is Layer.EMOTIONAL else "")

    @property
    def start_message_id(self) -> str:
        """Return the first message that the memory came from; '' for none."""
        return self.message_ids[0] if self.message_ids else ""

    @property
    def end_message_id(self) -> str:
        """Return the last message that the memory came from; '' for none."""
        return self.message_ids[-1] if self.message_ids else ""

    @property
    def user_emotion(self) -> str:
        """Return what the user felt; '' for unknown."""
        return self.emotions[0] if self.emotions else ""


class SaidMessage(NamedTuple):
    """A message as a user reads it."""

    id: str
    role: str
    text: str
    at: datetime
    session: str
    tokens: int = 0
    #: The episode that summarises the message, '' for none.
    summary_id: str = ""
    is_summarized: bool = False


class Pagination(NamedTuple):
    """Place of a page: number `page`, counted from 1, of `total` rows, `limit` to a page."""

    total: int
    page: int
    limit: int


class MemoryPage(NamedTuple):
    """Page number `page`, counted from 1, of `total` memories, `limit` to a page."""

    total: int
    page: int
    limit: int
    items: tuple[RememberedItem, ...]

    @property
    def pagination(self) -> Pagination:
        """Return the place of the page as one object."""
        return Pagination(self.total, self.page, self.limit)


class MessagePage(NamedTuple):
    """Page number `page`, counted from 1, of `total` messages, `limit` to a page."""

    total: int
    page: int
    limit: int
    items: tuple[SaidMessage, ...]


def of_fact(fact: Fact) -> RememberedItem:
    """Return a fact, or an idea, as a user reads it."""
    return RememberedItem(
        id=fact.key,
        layer=Layer.IDEAS if fact.is_idea else Layer.SEMANTIC,
        text=fact.object,
        at=fact.at,
        importance=fact.weight,
        is_important=fact.is_important,
        is_current=fact.is_current,
        is_edited=bool(fact.edits),
        is_stale=False,
        message_ids=fact.message_ids,
        until=fact.until,
        replaced_by=fact.replaced_by,
        subject=fact.subject,
        predicate=fact.predicate,
        object=fact.object,
        type=fact.type.value,
        subtype=fact.subtype,
        day=fact.day,
        confidence=_state_confidence(fact),
        mentions=fact.mentions,
        source=fact.source,
        is_sure=is_well_supported(fact),
        by=PERSON if fact.is_set else fact.by,
    )


def _state_confidence(fact: Fact) -> float:
    """Return how sure a fact is, as an app is told: by rules, no surer than was measured."""
    is_of_rules = not fact.is_set and not fact.by
    return min(fact.confidence, _RULES_RIGHT) if is_of_rules else fact.confidence


def of_moment(moment: Moment) -> RememberedItem:
    """Return a moment as a user reads it."""
    return RememberedItem(
        id=moment.key,
        layer=Layer.EMOTIONAL,
        text=moment.text,
        at=moment.at,
        is_important=moment.is_important,
        importance=moment.weight,
        is_current=True,
        is_edited=bool(moment.edits),
        is_stale=False,
        message_ids=moment.message_ids,
        type=moment.type,
        emotions=moment.emotions,
        intensity=moment.intensity,
        character_emotion=moment.character_emotion,
    )


def of_episode(episode: Episode) -> RememberedItem:
    """Return an episode as a user reads it."""
    return RememberedItem(
        id=episode.key,
        layer=Layer.EPISODIC,
        text=episode.text,
        at=episode.start,
        until=episode.end,
        importance=episode.weight,
        is_important=episode.is_important,
        is_current=True,
        is_edited=episode.is_edited,
        is_stale=episode.is_stale,
        message_ids=episode.message_ids,
        emotions=(episode.emotion,) if episode.emotion else (),
        topics=episode.topics,
        messages=episode.messages,
        key_moments=episode.key_moments,
        open_topics=episode.open_topics,
    )


def of_memory(memory: Fact | Moment | Episode) -> RememberedItem:
    """Return a memory as a user reads it."""
    if isinstance(memory, Fact):
        return of_fact(memory)
    return of_moment(memory) if isinstance(memory, Moment) else of_episode(memory)


def of_document(document: Document) -> RememberedItem | None:
    """Return a document of a scope as a user reads it; None for any other kind of document."""
    if document.kind in (FACT, IDEA):
        return of_fact(fact_of(document))
    if document.kind == MOMENT:
        return of_moment(read_moment_document(document))
    return of_episode(episode_of(document)) if document.kind == EPISODE else None


def of_layer(held: Memories, layer: Layer | None) -> list[RememberedItem]:
    """Return the memories of a layer, None for all: current memories first, then the newest."""
    memories: dict[Layer, Sequence[Fact | Moment | Episode]] = {
        Layer.SEMANTIC: [fact for fact in held.facts if not fact.is_idea],
        Layer.IDEAS: [fact for fact in held.facts if fact.is_idea],
        Layer.EMOTIONAL: held.moments,
        Layer.EPISODIC: held.episodes,
    }
    chosen = held.every if layer is None else memories[layer]
    items = map(of_memory, chosen)
    return sorted(items, key=lambda item: (not item.is_current, -item.at.timestamp(), item.id))


def layer_named(name: str) -> Layer | None:
    """Return a layer by its name, None for ''. Raises BadRequest for an unknown name."""
    if not name:
        return None
    try:
        return Layer(name)
    except ValueError:
        names = ", ".join(layer.value for layer in Layer)
        raise BadRequest(
            "no layer {name!r}",
            name=name,
            names=names,
            hint="layers are {names}; messages are read apart",
        ) from None


def paged(items: Sequence[RememberedItem], page: int, limit: int) -> MemoryPage:
    """Return a page of memories. Raises BadRequest for a page below 1, or a limit out of bounds."""
    start = first_of(page, limit)
    return MemoryPage(len(items), page, limit, tuple(items[start : start + limit]))


class Summaries(NamedTuple):
    """Which messages are summarised: all up to the place `end`, most of them by an episode."""

    end: int
    episodes: Mapping[str, str]

    @classmethod
    def of(cls, episodes: Sequence[Episode], end: int) -> "Summaries":
        """Return the summaries of a scope."""
        return cls(end, {i: episode.key for episode in episodes for i in episode.message_ids})


def page_messages(
    journal: Journal,
    scope: Scope,
    summaries: Summaries,
    page: int,
    limit: int,
    after: int = 0,
) -> MessagePage:
    """Return a page of the messages that hold, newest first. Raises as `paged`."""
    start = first_of(page, limit)
    stored_messages = [
        entry
        for entry in journal.read(scope, after, budget_tokens=ALL, limit=ALL)
        if entry.place > after
    ]
    spoken_messages = decisions.select_spoken_messages(stored_messages)[::-1]
    return MessagePage(
        len(spoken_messages),
        page,
        limit,
        tuple(as_said(one, summaries) for one in spoken_messages[start : start + limit]),
    )


def as_said(one: Journalled, summaries: Summaries) -> SaidMessage:
    """Return a message as a user reads it."""
    message = one.message
    return SaidMessage(
        id=message.id,
        role=message.role.value,
        text=message.text,
        at=message.at,
        session=message.session,
        tokens=message.tokens,
        summary_id=summaries.episodes.get(message.id, ""),
        is_summarized=one.place <= summaries.end,
    )


def first_of(page: int, limit: int) -> int:
    """Return how many items come before a page. Raises BadRequest."""
    if page < 1 or not 1 <= limit <= MOST_LIMIT:
        raise BadRequest(
            "no page {page} of {limit}",
            page=page,
            limit=limit,
            most_limit=MOST_LIMIT,
            hint="pages count from 1, and hold 1 to {most_limit}",
        )
    return (page - 1) * limit
