"""Queries, rankings and hits."""

from collections.abc import Mapping
from datetime import datetime
from string import ascii_lowercase, ascii_uppercase
from types import MappingProxyType
from typing import NamedTuple

from gieok.model.memory import Document, PassageId, Scope, Tier, find_document_status
from gieok.places import SEEDS, SESSIONS


class Filter(NamedTuple):
    """Which documents a search may return. Times compare with `valid_from`, else `updated_at`;
    `until` is exclusive.

    `tags` are as `normalise_tag` returns them; any of them is enough. `agents` are names of the
    table. `statuses` are those of `memory.status_of` at the time `at`.
    """

    kinds: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None
    #: Kinds that are left out.
    without: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    agents: frozenset[str] = frozenset()
    statuses: frozenset[str] = frozenset()
    at: datetime | None = None

    def __bool__(self) -> bool:
        return bool(
            self.kinds
            or self.since
            or self.until
            or self.without
            or self.tags
            or self.agents
            or self.statuses
        )

    def admits(self, document: Document) -> bool:
        """Say whether a document may be returned; stores say the same in their own language, and
        are compared with this.
        """
        moment = document.said_at
        return (
            (not self.kinds or document.kind in self.kinds)
            and document.kind not in self.without
            and (self.since is None or moment >= self.since)
            and (self.until is None or moment < self.until)
            and (not self.tags or not self.tags.isdisjoint(tags_of(document.metadata)))
            and (
                not self.agents
                or not self.agents.isdisjoint(agents_of(document.key, document.metadata))
            )
            and (
                not self.statuses
                or find_document_status(document, self.at or document.updated_at) in self.statuses
            )
        )


def normalise_tag(tag: str) -> str:
    """Return a tag as tags are compared: without `#`, in small letters (of ASCII: as every database
    has them).
    """
    return " ".join(tag.replace("#", "").split()).translate(_SMALL)


def tags_of(metadata: Mapping[str, str]) -> frozenset[str]:
    """Return the tags of a document, of `tags:` and of `tag:`, joined by commas."""
    named = ",".join(metadata.get(name, "") for name in TAG_FIELDS)
    return frozenset(filter(None, map(normalise_tag, named.split(","))))


def agents_of(key: str, metadata: Mapping[str, str]) -> frozenset[str]:
    """Return the agents that a document came from: that of its conversation or notes, and those
    that it names.
    """
    folder, _, rest = key.partition("/")
    own = {rest.partition("/")[0]} if folder in AGENT_FOLDERS else set()
    return frozenset(filter(None, {*own, *metadata.get(AGENT_FIELD, "").split(",")}))


#: Metadata with tags.
TAG_FIELDS = ("tags", "tag")
#: Metadata with the agents that something was said to, joined by commas.
AGENT_FIELD = "agent"
#: Folders of keys whose next part is an agent.
AGENT_FOLDERS = (SESSIONS, SEEDS)
_SMALL = str.maketrans(ascii_uppercase, ascii_lowercase)


class KeywordQuery(NamedTuple):
    """Tokens to look for with their weights, and the parameters of BM25 (formula and values:
    `gieok.text.bm25`).
    """

    weights: Mapping[str, float]
    k1: float
    b: float
    #: Weight of an occurrence in a passage's context; one in its text counts 1.
    context_weight: float
    #: Weights of an occurrence 1, 2 … passages away in the same document.
    spread: tuple[float, ...] = ()
    #: A passage of more tokens than this lends its neighbours proportionally less: it is
    #: intelligible by itself.
    spread_tokens: int = 40


class VectorQuery(NamedTuple):
    """A unit vector to look near, and the penalty of passages that are near to everything
    (hubs).
    """

    vector: bytes
    hub_weight: float = 0.0
    #: The model that made the vector; '' where nobody can have switched models since.
    model: str = ""


class Ranking(NamedTuple):
    """One ranked list from one retriever in one scope: passage ids with scores, best first, ties by
    id.
    """

    name: str
    ranked: tuple[tuple[PassageId, float], ...]
    #: Upper bound of a score for this query; scores divided by it compare across queries.
    ceiling: float = 1.0
    #: For each of `ranked`, its cosine before any correction; empty without vectors.
    cosines: tuple[float, ...] = ()
    #: Of a keyword ranking: how many passages the scope has, and how many of them hold each token
    #: that occurs.
    passages: int = 0
    holding: Mapping[str, int] = MappingProxyType({})


class NearLine(NamedTuple):
    """The line of a passage that is nearest to a question: `text[start:end]` of the passage.

    `score` is its cosine, lowered by how crowded the best lines of the other passages lie around
    it.
    """

    passage: PassageId
    start: int
    end: int
    cosine: float
    score: float


class Line(NamedTuple):
    """A line of a document, with its 1-based number there."""

    number: int
    text: str


class ManagedRankings(NamedTuple):
    """What a service ranks by itself, by scope; `note` says why it may hold less than it should, ''
    where it does not.
    """

    by_scope: Mapping[Scope, Ranking]
    note: str = ""


class FoundPassage(NamedTuple):
    """A passage as a store returns it: its text, and the fields of its document that ranking and
    citing need.
    """

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

    @property
    def said_at(self) -> datetime:
        """When it was said or began to hold; for what has no such time, when it was last changed."""
        return self.valid_from or self.updated_at


class Hit(NamedTuple):
    """A passage that answers a query. `score` is 0–1, comparable between queries, and computed from
    `signals`.
    """

    passage: FoundPassage
    score: float
    snippet: str
    signals: Mapping[str, float]
    #: What each feature adds to the log-odds of `score`; empty where the score is no probability.
    parts: Mapping[str, float] = MappingProxyType({})
    #: The line of the passage that answers best by meaning; None where no line has a vector.
    line: Line | None = None
