"""Ranks memories of a scope for a message.

The score is `0.5·similarity + 0.3·recency + 0.2·importance`; each part is returned.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from gieok.character.facts import EPISODE, FACT, IDEA, MOMENT
from gieok.errors import EmbedderFailed
from gieok.flow import lifecycle
from gieok.model.memory import Document, PassageId, Scope
from gieok.model.retrieval import Filter, KeywordQuery, Ranking, VectorQuery
from gieok.ports.models import Embedder
from gieok.ports.store import JointSearch, KeywordSearch, Store, VectorSearch
from gieok.text import bm25
from gieok.text.keywords import query_tokens

KINDS = frozenset((FACT, IDEA, MOMENT, EPISODE))
_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallWeights:
    """Weights of the ranking.

    `steps` are pairs (days, recency below that age); `oldest` is the recency beyond the last step.
    """

    similarity: float = 0.5
    recency: float = 0.3
    importance: float = 0.2
    steps: tuple[tuple[float, float], ...] = ((1, 1.0), (7, 0.8), (30, 0.5), (90, 0.3))
    oldest: float = 0.1
    candidates: int = 100
    limit: int = 5

    def score(self, similarity: float, recency: float, importance: float) -> float:
        """Return the score of a memory by its three parts, each 0 to 1."""
        return self.similarity * similarity + self.recency * recency + self.importance * importance

    def recency_of(self, at: datetime, now: datetime) -> float:
        """Return the recency of a time, by its age in days."""
        days = max((now - at).total_seconds(), 0.0) / _DAY_S
        return next((value for below, value in self.steps if days < below), self.oldest)


class RecalledDocument(NamedTuple):
    """Memory with its score and the score's parts.

    The parts `similarity`, `recency` and `importance` are each 0–1 before the weight.
    """

    document: Document
    score: float
    signals: Mapping[str, float]


def recalled(
    store: Store,
    embedder: Embedder | None,
    scope: Scope,
    text: str,
    now: datetime,
    weights: RecallWeights,
    limit: int = 0,
    kinds: frozenset[str] = KINDS,
    *,
    held: Sequence[Document] = (),
) -> list[RecalledDocument]:
    """Return the best memories of exactly this scope for a message, best first, ties by key.

    `held` are documents that the caller already has; the other documents are read from the store.
    """
    query = _embed_question(store, embedder, text)
    known = {document.key: document for document in held}
    rankings = _rank_passages(store, query, scope, text, weights.candidates, Filter(kinds=kinds))
    alike = _measure_similarities(*rankings)
    keys = _find_document_keys(store, scope, alike, rankings)
    best: dict[str, float] = {}
    for passage, key in keys.items():
        best[key] = max(best.get(key, 0.0), alike[passage])
    others = sorted(best.keys() - known.keys())
    found = store.get(scope, others) if others else []
    hits = []
    for document in [known[key] for key in best if key in known] + found:
        signals = {
            "similarity": best[document.key],
            "recency": weights.recency_of(document.said_at, now),
            "importance": document.importance,
        }
        hits.append(RecalledDocument(document, weights.score(**signals), signals))
    return sorted(hits, key=lambda one: (-one.score, one.document.key))[: limit or weights.limit]


def _embed_question(store: Store, embedder: Embedder | None, text: str) -> VectorQuery | None:
    """Return the vector of a question; None where nothing is found by vectors."""
    if embedder is None or not isinstance(store, VectorSearch):
        return None
    try:
        embedder = lifecycle.for_store(embedder, store)
        vector = embedder.embed_query(text)
    except EmbedderFailed:
        return None
    return VectorQuery(vector, model=embedder.model)


def _rank_passages(
    store: Store, query: VectorQuery | None, scope: Scope, text: str, limit: int, where: Filter
) -> tuple[Ranking, Ranking]:
    """Return the rankings by words and by vectors; empty where the store has no such search."""
    words = _build_keyword_query(text)
    if isinstance(store, JointSearch):
        return store.rank_both(scope, words, query, where, limit)
    by_words, by_vector = Ranking("keyword", ()), Ranking("vector", ())
    if words is not None and isinstance(store, KeywordSearch):
        by_words = store.keyword(scope, words, where, limit)
    if query is not None and isinstance(store, VectorSearch):
        by_vector = store.nearest(scope, query, where, limit)
    return by_words, by_vector


def _find_document_keys(
    store: Store, scope: Scope, passages: Iterable[PassageId], rankings: Sequence[Ranking]
) -> dict[PassageId, str]:
    """Return the keys of the documents of passages."""
    keys = {passage: key for one in rankings for passage, key in one.keys.items()}
    unknown = [passage for passage in passages if passage not in keys]
    found = store.passages(unknown, scope) if unknown else []
    keys |= {passage.id: passage.key for passage in found}
    return {passage: keys[passage] for passage in passages if passage in keys}


def _measure_similarities(by_words: Ranking, by_vector: Ranking) -> dict[PassageId, float]:
    """Return the similarity of passages: cosines (at least 0) where vectors are available.

    Otherwise keyword scores, as shares of the highest possible score.
    """
    word_scores = {
        passage: min(score / (by_words.ceiling or 1.0), 1.0) for passage, score in by_words.ranked
    }
    near = _spread_cosines(
        {
            passage: cosine
            for (passage, _), cosine in zip(by_vector.ranked, by_vector.cosines, strict=False)
        }
    )
    # A passage without a vector is found by its words; a passage with a word of the question is at
    # least as similar as its keyword score says.
    return {
        passage: max(near.get(passage, 0.0), word_scores.get(passage, 0.0))
        for passage in {**word_scores, **near}
    }


def _spread_cosines(cosines: Mapping[PassageId, float]) -> dict[PassageId, float]:
    """Return cosines rescaled so that the farthest found becomes 0.

    A model's cosines lie so close together that they would not rank otherwise.
    """
    top, low = max(cosines.values(), default=0.0), min(cosines.values(), default=0.0)
    return {
        passage: top * (cosine - low) / (top - low or 1.0) for passage, cosine in cosines.items()
    }


def _build_keyword_query(text: str) -> KeywordQuery | None:
    """Return the words of a message as a question; None where it has none."""
    by = bm25.PROSE
    tokens = query_tokens(text)
    if not tokens:
        return None
    return KeywordQuery(
        weights=tokens, k1=by.k1, b=by.b, context_weight=by.context_weight, spread=by.spread
    )
