"""SQLite store whose vectors are searched by another library.

SQLite holds documents, passages, keywords, notes and the vectors themselves, by the same code as in
`store: sqlite`: every write goes to SQLite. The library picks candidates; their scores are computed
from SQLite's vectors, so that rankings agree with every other store.
"""

import sqlite3
import threading
from math import inf
from pathlib import Path
from typing import NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from gieok.model.memory import Scope, StoreStats
from gieok.model.retrieval import Filter, Ranking, VectorQuery
from gieok.storage.index.mirrored.library import Floats, Ints, Library
from gieok.storage.index.mirrored.mirror import VectorMirror, Wanted
from gieok.storage.index.order import rank_near
from gieok.storage.index.quantise import unpack
from gieok.storage.index.rows import batches, marks
from gieok.storage.index.sql_documents import ScopeStatistics
from gieok.storage.index.sql_vectors import VectorModel
from gieok.storage.index.sqlite import reading, vectors
from gieok.storage.index.sqlite.store import SqliteOptions, SqliteStore

#: Candidates beyond the limit: rounding to eight bits may change the order around the limit.
_RESERVE = 16


class _Held(NamedTuple):
    """Passages of a scope that have a vector, in id order, and the mirror's required content."""

    ids: Ints
    vector_ids: Ints
    model: VectorModel
    wanted: Wanted


class MirroredStore(SqliteStore):
    """`Store`, `KeywordSearch`, `VectorSearch` and `ModelSwitch` with a mirror.

    A subclass names the library and its limits.
    """

    #: Name of the library in messages.
    library_name: str
    library: type[Library]
    #: A question for more than this share of a scope is answered from SQLite's vectors.
    largest_share = inf

    def __init__(self, file: Path, **options: Unpack[SqliteOptions]) -> None:
        super().__init__(file, **options)
        self._mirror = VectorMirror(file.with_suffix(""), self.library, self._busy_timeout_ms)
        self._mirror_lock = threading.Lock()
        self._held: dict[str, _Held] = {}

    def nearest(self, scope: Scope, query: VectorQuery, where: Filter, limit: int) -> Ranking:
        """Rank by cosine, among the candidates that the library returns."""
        with self._reading() as db, self._mirror_lock:
            held = self._scope(db, scope)
            if held is None:
                return Ranking("vector", ())
            held.model.verify_query(query)
            if where:
                allowed = reading.allowed_ids(db, held.wanted.scope_id, where)
                slots = np.flatnonzero(np.isin(held.ids, np.array(allowed, np.int64)))
            else:
                slots = self._candidates(held, query.vector, limit)
            values, scales = self._packed_rows(db, held.vector_ids[slots], held.wanted.dimension)
            return rank_near(held.ids[slots], values, scales, query.vector, query.hub_weight, limit)

    def _candidates(self, held: _Held, vector: bytes, limit: int) -> Ints:
        """Return the slots of the library's candidates.

        All slots where the library cannot be asked or returns too few candidates.
        """
        count = len(held.wanted.numbers)
        if limit + _RESERVE < self.largest_share * count:
            candidate_count = min(limit + _RESERVE, count)
            near = self._mirror.near(
                held.wanted, self._fetch, np.frombuffer(vector, "<f4"), candidate_count
            )
            slots = np.flatnonzero(np.isin(held.vector_ids, near))
            if len(slots) >= min(limit, len(held.ids)):
                # Otherwise another process wrote since this snapshot, and the mirror is ahead of
                # it.
                return slots
        return np.arange(len(held.ids))

    def compact(self) -> None:
        """Give back space, and synchronise the mirror before the next search has to."""
        super().compact()
        mirrored = self._mirror.generations()
        for scope in self.scopes():
            with self._reading() as db, self._mirror_lock:
                known, model = reading.scope_statistics(db, scope), vectors.active(db)
                if known and model and mirrored.get(known.id) != (model.id, known.generation):
                    self._mirror.in_line(self._columns(db, known, model).wanted, self._fetch)

    def check(self) -> list[str]:
        """Verify the SQLite file, and that the mirror holds the vectors that it claims."""
        wrong = super().check()
        for scope in self.scopes():
            with self._reading() as db, self._mirror_lock:
                held = self._scope(db, scope)
                if held and self._mirror.differs(held.wanted):
                    wrong.append(
                        f"the {self.library_name} mirror of {scope} does not hold the vectors "
                        "of the store"
                    )
        return wrong

    def stats(self, scope: Scope | None = None) -> StoreStats:
        """Count documents, passages and vectors, the mirror's space included."""
        counted = super().stats(scope)
        return counted._replace(disk_bytes=counted.disk_bytes + self._mirror.disk_bytes())

    def close(self) -> None:
        """Close the SQLite file and the mirror."""
        with self._mirror_lock:
            self._mirror.close()
        super().close()

    def _resident_dimension(self, db: sqlite3.Connection) -> int:
        del db
        return 0  # the vectors stay with the library

    def _scope(self, db: sqlite3.Connection, scope: Scope) -> _Held | None:
        """Return the scope's columns as of this snapshot.

        None where the scope holds nothing, or there is no model.
        """
        known, model = reading.scope_statistics(db, scope), vectors.active(db)
        return self._columns(db, known, model) if known and model else None

    def _columns(self, db: sqlite3.Connection, known: ScopeStatistics, model: VectorModel) -> _Held:
        held = self._held.get(known.path)
        if held is None or (held.wanted.generation, held.model) != (known.generation, model):
            rows = db.execute(
                (
                    "SELECT id, vector_id FROM passages WHERE scope_id = ? AND vector_id IS NOT "
                    "NULL ORDER BY id"
                ),
                (known.id,),
            ).fetchall()
            columns = np.array(rows, np.int64).reshape(-1, 2)
            vector_ids = np.ascontiguousarray(columns[:, 1])
            wanted = Wanted(
                scope_id=known.id,
                model_id=model.id,
                dimension=model.dimension,
                generation=known.generation,
                numbers=np.unique(vector_ids),
            )
            held = _Held(np.ascontiguousarray(columns[:, 0]), vector_ids, model, wanted)
            self._held[known.path] = held
        return held

    def _fetch(self, numbers: Ints) -> Floats:
        """Return vectors for the mirror, read in the same snapshot in which the mirror lacks
        them.
        """
        db = self._db()
        model = vectors.active(db)
        values, scales = self._packed_rows(db, numbers, model.dimension if model else 0)
        return values * scales[:, None]

    def _packed_rows(
        self, db: sqlite3.Connection, numbers: Ints, dimension: int
    ) -> tuple[NDArray[np.int8], Floats]:
        """Return int8 rows and scales, in the order of `numbers`."""
        packed: dict[int, bytes] = {}
        for batch in batches(numbers.tolist()):
            packed.update(
                db.execute(
                    f"SELECT id, data FROM vectors WHERE id IN ({marks(batch)})", batch
                ).fetchall()
            )
        return unpack([packed[number] for number in numbers.tolist()], dimension)
