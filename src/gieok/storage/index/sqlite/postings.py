"""Keyword ranking in memory: the gain of each passage by each token, computed once and cached.

A token's gains are fetched from the keyword index when a question first uses the token. After that
a question costs one addition per occurrence: 100,000 passages, eight words, neighbours included, in
about a millisecond.
"""

import sqlite3
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from gieok.model.retrieval import KeywordQuery
from gieok.storage.index.order import Doubles, Ints
from gieok.storage.index.sqlite.ranking import term_statistics
from gieok.text import bm25

Slots = NDArray[np.int32]

#: Number of cached gains of all tokens together: 12 bytes each. Beyond it the cache is emptied and
#: starts with the next question.
_KEPT_GAINS = 2_000_000


class Postings:
    """Tokens of one scope in one state (generation).

    A slot is the place of a passage among the scope's passages in id order.
    """

    def __init__(self, scope_id: int, ids: Ints, documents: Ints, lengths: Doubles) -> None:
        self._scope_id = scope_id
        self._ids = ids
        self._documents = documents
        self._lengths = lengths
        self._mean_length = max(float(lengths.mean()), 1.0) if len(lengths) else 1.0
        self._holding: dict[str, int] = {}
        self._shape: object = None
        self._gains: dict[str, tuple[Slots, Doubles]] = {}
        self._kept = 0

    def score(
        self, db: sqlite3.Connection, query: KeywordQuery
    ) -> tuple[Doubles, float, dict[str, int]]:
        """Return the BM25 score of every slot, the query's ceiling, and token counts.

        Score 0: the slot's passage holds no token. The counts are how many passages hold each
        token.
        """
        shape = (query.k1, query.b, query.context_weight, query.spread, query.spread_tokens)
        if shape != self._shape:
            self._forget_gains(shape)
        holding = self._count(db, query.weights)
        scores = np.zeros(len(self._ids), np.float64)
        for token, weight in bm25.token_weights(query, len(self._ids), holding).items():
            slots, gains = self._gain(db, token, query)
            scores[slots] += weight * gains
        return scores, bm25.ceiling(query, len(self._ids), holding), holding

    def _count(self, db: sqlite3.Connection, tokens: Iterable[str]) -> dict[str, int]:
        new = [token for token in tokens if token not in self._holding]
        if new:
            counted = term_statistics(db, self._scope_id, new)
            self._holding.update((token, counted.get(token, 0)) for token in new)
        return {token: self._holding[token] for token in tokens if self._holding[token]}

    def _gain(
        self, db: sqlite3.Connection, token: str, query: KeywordQuery
    ) -> tuple[Slots, Doubles]:
        gain = self._gains.get(token)
        if gain is None:
            slots, counts = self._spread(*self._occurrences(db, token, query), query)
            floor = query.k1 * (1 - query.b + query.b * self._lengths[slots] / self._mean_length)
            gain = slots.astype(np.int32), counts * (query.k1 + 1) / (counts + floor)
            if self._kept + len(slots) > _KEPT_GAINS:
                self._forget_gains(self._shape)
            self._kept += len(slots)
            self._gains[token] = gain
        return gain

    def _forget_gains(self, shape: object) -> None:
        self._gains.clear()
        self._kept = 0
        self._shape = shape

    def _occurrences(
        self, db: sqlite3.Connection, token: str, query: KeywordQuery
    ) -> tuple[Ints, Doubles]:
        rows = np.array(
            db.execute(
                "SELECT doc, sum(CASE col WHEN 'body' THEN 1.0 ELSE "
                f"{float(query.context_weight)} END) AS tf "
                "FROM keyword_tf WHERE term = ? GROUP BY doc HAVING tf > 0",
                (f"{self._scope_id}_{token}",),
            ).fetchall(),
            np.float64,
        ).reshape(-1, 2)
        return np.searchsorted(self._ids, rows[:, 0]), rows[:, 1]

    def _spread(self, slots: Ints, counts: Doubles, query: KeywordQuery) -> tuple[Ints, Doubles]:
        """Add to each passage a share of its neighbours' matches in the document.

        Short neighbours lend more than long ones.
        """
        if not query.spread:
            return slots, counts
        total = np.zeros(len(self._ids), np.float64)
        total[slots] = counts
        lent = counts * np.minimum(1, query.spread_tokens / np.maximum(self._lengths[slots], 1))
        for step, share in enumerate(query.spread, 1):
            for near in (slots - step, slots + step):
                inside = (near >= 0) & (near < len(total))
                inside[inside] = self._documents[near[inside]] == self._documents[slots[inside]]
                total[near[inside]] += share * lent[inside]
        reached = np.flatnonzero(total)
        return reached, total[reached]
