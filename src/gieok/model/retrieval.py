"""What is asked and what answers: queries, rankings, hits."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from gieok.model.memory import PassageId, Scope, Tier


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


class Ranking(NamedTuple):
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
