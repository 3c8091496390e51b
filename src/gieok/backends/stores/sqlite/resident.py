"""A scope in the memory of a long-lived process: the answers of SQL, ten times faster.

`refresh` compares the scope's generation and loads what any process wrote since; of vectors, the new ones only.
"""

import sqlite3
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from gieok.backends.stores.order import Floats, Ints, best, pairs, rank_near
from gieok.backends.stores.quantise import unpack
from gieok.backends.stores.rows import batches, marks
from gieok.backends.stores.sqlite.postings import Postings
from gieok.backends.stores.sqlite.scan import RESCORED, Signs
from gieok.model.memory import PassageId
from gieok.model.retrieval import KeywordQuery, Ranking

#: Below this the exact scan is cheaper than the prefilter.
_PREFILTER_FROM = 4 * RESCORED
#: Rows fetched at a time, few against those that are kept.
_FETCHED_ROWS = 4096


class ResidentScope:
    """The passages of one scope as columns in id order; a passage's place in them is its slot. Not thread-safe."""

    def __init__(self, scope_id: int, dimension: int) -> None:
        self.dimension = dimension
        self.scope_id = scope_id
        self._generation = -1
        self._ids: Ints = np.empty(0, np.int64)
        self._postings = Postings(scope_id, self._ids, self._ids, np.empty(0))
        self._vector_ids: Ints = np.empty(0, np.int64)
        self._values: NDArray[np.int8] = np.empty((0, dimension), np.int8)
        self._scales: Floats = np.empty(0, np.float32)
        self._with_vector: Ints = np.empty(0, np.int64)
        self._signs: Signs | None = None
        self._scans = 0

    def refresh(self, db: sqlite3.Connection, generation: int) -> None:
        """Take over what was written since, if anything was."""
        if generation == self._generation:
            return
        cursor = db.execute(
            "SELECT id, document_id, length, coalesce(vector_id, -1) FROM passages WHERE scope_id = ? ORDER BY id",
            (self.scope_id,),
        )
        parts = [np.empty((0, 4), np.int64)]
        while rows := cursor.fetchmany(_FETCHED_ROWS):
            parts.append(np.array(rows, np.int64))
        columns = np.concatenate(parts)
        ids, documents, vector_ids = (np.ascontiguousarray(columns[:, i]) for i in (0, 1, 3))
        values, scales = self._load_vectors(db, ids, vector_ids)
        # All at once, and last: a refresh that failed on the way has changed nothing.
        self._ids, self._vector_ids, self._values, self._scales = ids, vector_ids, values, scales
        self._postings = Postings(self.scope_id, ids, documents, columns[:, 2].astype(np.float64))
        self._with_vector = np.flatnonzero(self._scales)
        self._signs, self._scans = None, 0
        self._generation = generation

    def _load_vectors(self, db: sqlite3.Connection, ids: Ints, wanted: Ints) -> tuple[NDArray[np.int8], Floats]:
        """Return one row per slot; slots without a vector get zeros and scale 0. Rows already here are kept.

        Of dimension 0 is a scope that is asked for keywords alone.
        """
        values = np.zeros((len(wanted), self.dimension), np.int8)
        scales = np.zeros(len(wanted), np.float32)
        if not self.dimension:
            return values, scales
        slots, known = self._known(wanted)
        values[slots], scales[slots] = self._values[known], self._scales[known]
        fresh = np.setdiff1d(np.flatnonzero(wanted >= 0), slots, assume_unique=True)
        everything = 2 * len(fresh) > len(ids)
        for found, fetched, fetched_scales in self._fetch(db, None if everything else ids[fresh]):
            at = np.searchsorted(ids, found)
            values[at], scales[at] = fetched, fetched_scales
        return values, scales

    def _known(self, wanted: Ints) -> tuple[Ints, Ints]:
        """Return slots whose vector is here already, and where it is."""
        if not len(self._vector_ids):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        order = np.argsort(self._vector_ids, kind="stable")
        place = np.minimum(np.searchsorted(self._vector_ids[order], wanted), len(order) - 1)
        at = order[place]
        slots = np.flatnonzero((self._vector_ids[at] == wanted) & (wanted >= 0))
        return slots, at[slots]

    def _fetch(self, db: sqlite3.Connection, wanted: Ints | None) -> Iterator[tuple[Ints, NDArray[np.int8], Floats]]:
        """Yield ids, values and scales of the wanted passages (None: of all), a few thousand at a time."""
        sql = "SELECT p.id, v.data FROM passages p JOIN vectors v ON v.id = p.vector_id WHERE"
        if wanted is None:
            cursors = [db.execute(f"{sql} p.scope_id = ?", (self.scope_id,))]
        else:
            cursors = [db.execute(f"{sql} p.id IN ({marks(b)})", b) for b in batches(wanted.tolist())]
        for cursor in cursors:
            while rows := cursor.fetchmany(_FETCHED_ROWS):
                values, scales = unpack([data for _, data in rows], self.dimension)
                yield np.fromiter((i for i, _ in rows), np.int64, len(rows)), values, scales

    def keyword(
        self, db: sqlite3.Connection, query: KeywordQuery, allowed: Iterable[PassageId] | None, limit: int
    ) -> Ranking:
        """Rank by `gieok.text.bm25`."""
        scores, ceiling = self._postings.score(db, query)
        found = self._within(np.flatnonzero(scores), allowed)
        order = found[best(scores[found], found, limit)]
        return Ranking("keyword", pairs(self._ids[order], scores[order]), ceiling)

    def nearest(self, vector: bytes, hub_weight: float, allowed: Iterable[PassageId] | None, limit: int) -> Ranking:
        """Return the passages of highest cosine, lowered by their crowding and ranked again."""
        query = np.frombuffer(vector, "<f4")
        slots = self._within(self._candidates(query, limit, filtered=allowed is not None), allowed)
        return rank_near(self._ids[slots], self._values[slots], self._scales[slots], vector, hub_weight, limit)

    def _candidates(self, query: Floats, limit: int, *, filtered: bool) -> Ints:
        self._scans += 1
        if filtered or len(self._with_vector) < _PREFILTER_FROM or self._scans < 3:
            return self._with_vector
        if self._signs is None:
            self._signs = Signs(self._values, self._scales)
        near = self._signs.near(query, max(RESCORED, limit))
        return near[self._scales[near] > 0]

    def _within(self, slots: Ints, allowed: Iterable[PassageId] | None) -> Ints:
        if allowed is None:
            return slots
        return slots[np.isin(self._ids[slots], np.fromiter(allowed, np.int64))]
