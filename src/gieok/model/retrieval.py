"""Queries, rankings and hits."""

from collections.abc import Mapping
from datetime import datetime
from string import ascii_lowercase, ascii_uppercase
from types import MappingProxyType
from typing import NamedTuple

from gieok.model.memory import Document, PassageId, Scope, Tier, find_document_status
from gieok.places.scope import SEEDS, SESSIONS


class Filter(NamedTuple):
    """Conditions on the documents that a search may return.

    Times compare with `valid_from`, else `updated_at`; `until` is exclusive. `tags` are as
    `normalise_tag` returns them; a document needs any of them. `agents` are names of the table.
    `statuses` are those of `memory.find_document_status` at the time `at`.
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
    #: Categories and priorities, as the metadata names them; a document has one of each.
    categories: frozenset[str] = frozenset()
    priorities: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return any(self._replace(at=None))

    def admits(self, document: Document) -> bool:
        """Say whether a document may be returned.

        Stores express the same test in their own query language, and are compared with this method.
        """
        moment = document.said_at
        return (
            (not self.kinds or document.kind in self.kinds)
            and document.kind not in self.without
            and (self.since is None or moment >= self.since)
            and (self.until is None or moment < self.until)
            and self.admits_metadata(document.key, document.metadata)
            and (
                not self.statuses
                or find_document_status(document, self.at or document.updated_at) in self.statuses
            )
        )

    def admits_metadata(self, key: str, metadata: Mapping[str, str]) -> bool:
        """Say whether a document with this key and metadata has what the filter names of it.

        These are tags, agents, category and priority.
        """
        return (
            (not self.tags or not self.tags.isdisjoint(tags_of(metadata)))
            and (not self.agents or not self.agents.isdisjoint(agents_of(key, metadata)))
            and (not self.categories or metadata.get(CATEGORY_FIELD, "") in self.categories)
            and (not self.priorities or metadata.get(PRIORITY_FIELD, "") in self.priorities)
        )


def normalise_tag(tag: str) -> str:
    """Return a tag in the form in which tags are compared: without `#`, in lower case.

    Only ASCII letters are lowered, as every database does.
    """
    return " ".join(tag.replace("#", "").split()).translate(_SMALL)


def tags_of(metadata: Mapping[str, str]) -> frozenset[str]:
    """Return the tags of a document: those of `tags:` and of `tag:`, joined by commas."""
    named = ",".join(metadata.get(name, "") for name in TAG_FIELDS)
    return frozenset(filter(None, map(normalise_tag, named.split(","))))


def agents_of(key: str, metadata: Mapping[str, str]) -> frozenset[str]:
    """Return the agents that a document came from.

    These are the agent of its conversation or notes, and the agents that its metadata names.
    """
    folder, _, rest = key.partition("/")
    own = {rest.partition("/")[0]} if folder in AGENT_FOLDERS else set()
    return frozenset(filter(None, {*own, *metadata.get(AGENT_FIELD, "").split(",")}))


#: Metadata with tags.
TAG_FIELDS = ("tags", "tag")
#: Metadata with the agents that the text was said to, joined by commas.
AGENT_FIELD = "agent"
#: Metadata with the category of an observation or a record, and with an observation's priority.
CATEGORY_FIELD, PRIORITY_FIELD = "category", "priority"
#: Folders of keys whose next part is an agent.
AGENT_FOLDERS = (SESSIONS, SEEDS)
_SMALL = str.maketrans(ascii_uppercase, ascii_lowercase)


class KeywordQuery(NamedTuple):
    """Weighted tokens to search for, and the parameters of BM25.

    Formula and values: `gieok.text.bm25`.
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
    """Unit vector to search near, and the penalty of hubs: passages that are near to everything."""

    vector: bytes
    hub_weight: float = 0.0
    #: The model that made the vector; '' where nobody can have switched models since.
    model: str = ""


class Ranking(NamedTuple):
    """Ranked list of one retriever in one scope: passage ids with scores, best first, ties by
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
    #: Keys of the documents of passages, where the store has them at hand.
    keys: Mapping[PassageId, str] = MappingProxyType({})


class NearLine(NamedTuple):
    """Line of a passage that is nearest to a question: `text[start:end]` of the passage.

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
    """Rankings that a service computes itself, by scope.

    `note` says why they may hold less than they should, '' where they are complete.
    """

    by_scope: Mapping[Scope, Ranking]
    note: str = ""


class FoundPassage(NamedTuple):
    """Passage as a store returns it: its text, and the document fields for ranking and citing."""

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
        """Time when the document was said or began to hold; without one, the time of its last
        change.
        """
        return self.valid_from or self.updated_at


class Hit(NamedTuple):
    """Passage that answers a query.

    `score` is 0–1, comparable between queries, and computed from `signals`.
    """

    passage: FoundPassage
    score: float
    snippet: str
    signals: Mapping[str, float]
    #: What each feature adds to the log-odds of `score`; empty where the score is no probability.
    parts: Mapping[str, float] = MappingProxyType({})
    #: The line of the passage that answers best by meaning; None where no line has a vector.
    line: Line | None = None
