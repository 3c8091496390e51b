"""Copy of a scope in the memory of a long-lived process: SQL's answers, ten times faster.

`refresh` compares the scope's generation and loads what any process wrote since the last refresh;
of the vectors, only new ones are loaded.
"""

import sqlite3
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gieok.model.retrieval import Filter, KeywordQuery, Ranking, VectorQuery
from gieok.storage.index.order import Floats, Ints, best, pairs, rank_near
from gieok.storage.index.quantise import unpack
from gieok.storage.index.rows import batches, marks
from gieok.storage.index.sqlite.postings import Postings
from gieok.storage.index.sqlite.reading import allowed_ids
from gieok.storage.index.sqlite.scan import RESCORED, Signs

#: Below this number of passages the exact scan is cheaper than the prefilter.
_PREFILTER_FROM = 4 * RESCORED
#: Rows fetched at a time, few against the rows that are kept.
_FETCHED_ROWS = 4096
#: Number of filters whose answer is cached: the families of a search need two, and a person asks
#: for days now and then.
_MOST_FILTERS = 8
#: Number of scans after which signs are made: only a scope that is asked again and again needs
#: them.
_SCANS_BEFORE_SIGNS = 3

Admitted = NDArray[np.bool_]


class ResidentScope:
    """Passages of one scope as columns in id order.

    A passage's place in the columns is its slot. Not thread-safe.
    """

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
        self._admitted: dict[Filter, Admitted | None] = {}

    def refresh(self, db: sqlite3.Connection, generation: int) -> None:
        """Load what was written since the last refresh, if anything was."""
        if generation == self._generation:
            return
        cursor = db.execute(
            (
                "SELECT id, document_id, length, coalesce(vector_id, -1) FROM passages WHERE "
                "scope_id = ? ORDER BY id"
            ),
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
        self._admitted.clear()
        self._generation = generation

    def _load_vectors(
        self, db: sqlite3.Connection, ids: Ints, wanted: Ints
    ) -> tuple[NDArray[np.int8], Floats]:
        """Return one row per slot; rows that are loaded already are kept.

        Slots without a vector get zeros and scale 0. A scope that is asked for keywords alone has
        dimension 0.
        """
        values = np.zeros((len(wanted), self.dimension), np.int8)
        scales = np.zeros(len(wanted), np.float32)
        if not self.dimension:
            return values, scales
        slots, known = self._known(wanted)
        values[slots], scales[slots] = self._values[known], self._scales[known]
        fresh = np.setdiff1d(np.flatnonzero(wanted >= 0), slots, assume_unique=True)
        everything = 2 * len(fresh) > len(ids)
        for fetched_ids, fetched, fetched_scales in self._fetch(
            db, None if everything else ids[fresh]
        ):
            at = np.searchsorted(ids, fetched_ids)
            values[at], scales[at] = fetched, fetched_scales
        return values, scales

    def _known(self, wanted: Ints) -> tuple[Ints, Ints]:
        """Return the slots whose vector is loaded already, and the old slots of these vectors."""
        if not len(self._vector_ids):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        order = np.argsort(self._vector_ids, kind="stable")
        place = np.minimum(np.searchsorted(self._vector_ids[order], wanted), len(order) - 1)
        at = order[place]
        slots = np.flatnonzero((self._vector_ids[at] == wanted) & (wanted >= 0))
        return slots, at[slots]

    def _fetch(
        self, db: sqlite3.Connection, wanted: Ints | None
    ) -> Iterator[tuple[Ints, NDArray[np.int8], Floats]]:
        """Yield ids, quantised vectors and their scales, a few thousand passages at a time.

        `wanted` holds the ids of the passages; None stands for every passage of the scope.
        """
        sql = "SELECT p.id, v.data FROM passages p JOIN vectors v ON v.id = p.vector_id WHERE"
        if wanted is None:
            cursors = [db.execute(f"{sql} p.scope_id = ?", (self.scope_id,))]
        else:
            cursors = [
                db.execute(f"{sql} p.id IN ({marks(b)})", b) for b in batches(wanted.tolist())
            ]
        for cursor in cursors:
            while rows := cursor.fetchmany(_FETCHED_ROWS):
                values, scales = unpack([data for _, data in rows], self.dimension)
                yield np.fromiter((i for i, _ in rows), np.int64, len(rows)), values, scales

    def keyword(
        self, db: sqlite3.Connection, query: KeywordQuery, where: Filter, limit: int
    ) -> Ranking:
        """Rank by `gieok.text.bm25`."""
        scores, ceiling, holding = self._postings.score(db, query)
        admitted = self._admits(db, where)
        slots = np.flatnonzero(scores if admitted is None else scores * admitted)
        order = slots[best(scores[slots], slots, limit)]
        ranked = pairs(self._ids[order], scores[order])
        return Ranking("keyword", ranked, ceiling, passages=len(self._ids), holding=holding)

    def nearest(
        self, db: sqlite3.Connection, query: VectorQuery, where: Filter, limit: int
    ) -> Ranking:
        """Return the passages of highest cosine, lowered by their crowding and ranked again."""
        slots = self._candidates(np.frombuffer(query.vector, "<f4"), limit, self._admits(db, where))
        near = self._ids[slots], self._values[slots], self._scales[slots]
        return rank_near(*near, query.vector, query.hub_weight, limit)

    def _candidates(self, vector: Floats, limit: int, admitted: Admitted | None) -> Ints:
        self._scans += 1
        if admitted is not None and 2 * np.count_nonzero(admitted) < len(admitted):
            return self._with_vector[admitted[self._with_vector]]
        if len(self._with_vector) >= _PREFILTER_FROM and self._scans >= _SCANS_BEFORE_SIGNS:
            if self._signs is None:
                self._signs = Signs(self._values, self._scales)
            near = self._signs.near(vector, max(RESCORED, limit) * (1 if admitted is None else 2))
            return near[(self._scales[near] > 0) & (True if admitted is None else admitted[near])]
        return (
            self._with_vector
            if admitted is None
            else self._with_vector[admitted[self._with_vector]]
        )

    def _admits(self, db: sqlite3.Connection, where: Filter) -> Admitted | None:
        """Return which slots a filter admits, None for all.

        The answer is cached until the scope is written.
        """
        if not where:
            return None
        if where not in self._admitted:
            if len(self._admitted) == _MOST_FILTERS:
                self._admitted.clear()
            allowed = np.fromiter(allowed_ids(db, self.scope_id, where), np.int64)
            admitted = np.isin(self._ids, allowed, assume_unique=True)
            self._admitted[where] = None if admitted.all() else admitted
        return self._admitted[where]
