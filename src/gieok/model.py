"""The nouns. Each word means one thing everywhere; see DESIGN notes in ARCHITECTURE.md for the flow they travel.

Plain, frozen data: no I/O, no behaviour beyond their own arithmetic. Times are aware datetimes in UTC. The small ones are
named tuples, because making a dataclass takes a millisecond at import and a cold keyword search has eighty.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from gieok.errors import BadRequest

_SCOPE = re.compile(r"[^\s/:]+:[^\s/]+(/[^\s/:]+:[^\s/]+)*")

#: Identifies a passage within one store; never reused.
PassageId = int


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """Whose memory it is: an ordered path of `kind:name` parts, e.g. `user:kim/character:mina`. A partition."""

    path: str

    def __post_init__(self) -> None:
        if not _SCOPE.fullmatch(self.path):
            raise BadRequest(
                f"bad scope {self.path!r}",
                hint="a scope is `kind:name` parts joined by `/`, such as `agent:main` or `user:kim/character:mina`",
            )

    def __str__(self) -> str:
        return self.path


class Tier(StrEnum):
    """How warm a document is kept."""

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"


class Provenance(NamedTuple):
    """Where a document came from: a path with 1-based inclusive lines, or message ids of the journal."""

    source: str
    start_line: int | None = None
    end_line: int | None = None
    message_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The unit that is put, replaced and forgotten. `key` is stable and unique within its scope."""

    scope: Scope
    key: str
    kind: str
    text: str
    content_hash: str
    created_at: datetime
    updated_at: datetime
    title: str = ""
    importance: float = 0.5
    tier: Tier = Tier.HOT
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    provenance: tuple[Provenance, ...] = ()


class Passage(NamedTuple):
    """A slice `text[start:end]` of its document that is searched, with its 1-based inclusive line range.

    `context` is what surrounds the slice and explains it (heading path); it is searched with a lower weight.
    """

    start: int
    end: int
    start_line: int
    end_line: int
    context: str = ""


class Entry(NamedTuple):
    """A document with its passages, in order: what a store takes in one piece."""

    document: Document
    passages: tuple[Passage, ...]


class Filter(NamedTuple):
    """Which documents a search may return. Times compare with `valid_from`, else `updated_at`; `until` is exclusive."""

    kinds: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None

    def __bool__(self) -> bool:
        return bool(self.kinds or self.since or self.until)


class KeywordQuery(NamedTuple):
    """Tokens to look for with their weights, and how BM25 is to count them (see `gieok.text.bm25`)."""

    weights: Mapping[str, float]
    k1: float = 1.2
    b: float = 0.75
    #: What an occurrence in a passage's context counts beside one in its text.
    context_weight: float = 0.5
    #: What an occurrence 1, 2 … passages away in the same document counts: a turn alone is often unintelligible.
    spread: tuple[float, ...] = ()
    #: A passage of more tokens than this lends its neighbours proportionally less: it speaks for itself.
    spread_tokens: int = 40


class VectorQuery(NamedTuple):
    """A unit vector to look near, and how much to hold against passages that are near to everything (hubs)."""

    vector: bytes
    hub_weight: float = 0.0


class Leg(NamedTuple):
    """One ranked list from one way of searching one scope: passage ids with scores, best first, ties by id."""

    name: str
    ranked: tuple[tuple[PassageId, float], ...]
    #: The best score that any passage could have reached for this query; scores divided by it compare across queries.
    ceiling: float = 1.0
    #: Beside each of `ranked`, its cosine before any correction; empty for legs without vectors.
    cosines: tuple[float, ...] = ()


class FoundPassage(NamedTuple):
    """A passage as a store hands it out: its text, and what of its document ranking and citing need."""

    id: PassageId
    scope: Scope
    key: str
    kind: str
    title: str
    text: str
    context: str
    start_line: int
    end_line: int
    importance: float
    tier: Tier
    updated_at: datetime
    valid_from: datetime | None
    metadata: Mapping[str, str]


class Hit(NamedTuple):
    """A passage that answers a query. `score` is 0–1 and comparable between queries; `signals` made it."""

    passage: FoundPassage
    score: float
    snippet: str
    signals: Mapping[str, float]


class StoreStats(NamedTuple):
    """What a store holds, for one scope or for all. `vectors` counts passages that have one for the active model."""

    documents: int
    passages: int
    vectors: int
    disk_bytes: int
    cached_vectors: int


class SourceFile(NamedTuple):
    """A file of a project as it was when its facts were read. `note` says why `status` is not `parsed`."""

    path: str
    language: str
    content_hash: str
    size: int
    mtime_ns: int
    status: str
    note: str = ""


class Symbol(NamedTuple):
    """A named stretch of a project: `key` is `path::qualified.name` (`path::<module>` for the file itself)."""

    key: str
    path: str
    name: str
    kind: str
    start_line: int
    end_line: int
    parent: str
    signature: str
    doc: str
    complexity: int
    traits: str
    status: str
    code_hash: str


class Edge(NamedTuple):
    """That one symbol depends on another: how (`kind`), where (`line` of the source's file), how sure, and why."""

    source: str
    target: str
    kind: str
    tier: int
    reason: str
    line: int


class OpenCall(NamedTuple):
    """A call of which no target is known, though symbols of that name exist."""

    source: str
    name: str
    line: int
