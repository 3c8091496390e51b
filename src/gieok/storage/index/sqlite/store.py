"""The default store: one SQLite file.

A one-shot process answers keyword questions in SQL and never imports numpy for them. A long-lived
process (`resident=True`) keeps the scopes that it searches in memory. Both give the same ranking.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypedDict, Unpack

from gieok import fs
from gieok.model.memory import LineId, PassageId, Scope
from gieok.model.retrieval import Filter, KeywordQuery, NearLine, Ranking, VectorQuery
from gieok.opening import Opening
from gieok.storage.index.sql_documents import ScopeStatistics, SqlKeywords
from gieok.storage.index.sql_vectors import ANY_ID, SqlVectors
from gieok.storage.index.sqlite import reading, schema, vectors, writing
from gieok.storage.sqlite.connections import SqliteFile
from gieok.storage.sqlite.failures import translated
from gieok.storage.sqlite.files import BUSY_TIMEOUT_MS, free_pages
from gieok.text.embedform import text_to_embed

if TYPE_CHECKING:
    from gieok.storage.index.sqlite.resident import ResidentScope

#: Tables whose ids a renewed file continues.
_COUNTERS = ("scopes", "documents", "passages", "vectors", "models")


class SqliteOptions(TypedDict, total=False):
    """Options of opening a file.

    `resident` is for long-lived processes, `say` is called with the progress of an upgrade.
    """

    resident: bool
    busy_timeout_ms: int
    say: Callable[[str], None]


class SqliteDocuments(SqliteFile, SqlKeywords[sqlite3.Connection]):
    """`Store`, `KeywordSearch`, `Adoptable` and `Scrubbing` on one SQLite file."""

    _reads = reading
    _writes = writing

    def __init__(self, file: Path, **options: Unpack[SqliteOptions]) -> None:
        self._say = options.get("say", lambda line: None)
        self._is_resident = options.get("resident", False)
        self._residents: dict[str, ResidentScope] = {}
        self._resident_lock = threading.Lock()
        self._inode = 0
        super().__init__(file, options.get("busy_timeout_ms", BUSY_TIMEOUT_MS))

    @property
    def location(self) -> str:
        """Return the path of the file."""
        return str(self._file)

    @classmethod
    def open(cls, opening: Opening) -> Self:
        """Open the store of a home folder."""
        return cls(opening.file, resident=opening.is_resident, say=opening.say)

    def _connect(self) -> sqlite3.Connection:
        return schema.connect_index_file(self._file, self._busy_timeout_ms, self.what, self._say)

    def _reopened(self) -> None:
        with self._resident_lock:
            if self._inode != self._local.inode:
                # The copies are of another file, whose generations say nothing of this one.
                self._residents.clear()
                self._inode = self._local.inode

    def compact(self) -> None:
        """Drop cached vectors beyond the cap and give free pages back."""
        with self._writing() as db:
            tidied = writing.tidy_sqlite_index(db)
            # Inside the block, where the write lock is held: outside, this would read and then want
            # to write, and a write by another process in between is "busy".
            db.execute("PRAGMA optimize")
        with translated(self._file, self.what):
            if tidied:
                free_pages(self._db())
            self._db().execute("PRAGMA wal_checkpoint(PASSIVE)")

    def _renewed_file(self) -> Path:
        return self._file.with_name(f"{self._file.name}.renewed")

    def scrub(self) -> list[str]:
        """Write the file anew without removed rows; not while `renewed` replaces the file."""
        fs.remove_database(self._renewed_file())  # a renewal that was killed
        with self._writing() as db:
            writing.drop_texts(db)
        return super().scrub()

    def _ranked(
        self,
        db: sqlite3.Connection,
        known: ScopeStatistics,
        query: KeywordQuery,
        where: Filter,
        limit: int,
    ) -> Ranking:
        if not self._is_resident:
            return super()._ranked(db, known, query, where, limit)
        with self._resident_lock:
            return self._resident(db, known).keyword(db, query, where, limit)

    def _resident_dimension(self, db: sqlite3.Connection) -> int:
        """Return the dimension of the vectors in memory; 0 where no vectors are held."""
        del db
        return 0

    def _resident(self, db: sqlite3.Connection, known: ScopeStatistics) -> "ResidentScope":
        """Return the copy of a scope in memory, as of this snapshot."""
        # numpy costs a tenth of a second, which a one-shot keyword search does not have.
        from gieok.storage.index.sqlite.resident import ResidentScope

        dimension = self._resident_dimension(db)
        resident = self._residents.get(known.path)
        if resident is None or (resident.scope_id, resident.dimension) != (known.id, dimension):
            resident = self._residents[known.path] = ResidentScope(known.id, dimension)
        resident.refresh(db, known.generation)
        return resident


class SqliteStore(SqliteDocuments, SqlVectors[sqlite3.Connection]):
    """`Store` with every ability of `gieok.ports.store`, except those of services."""

    _vectors = vectors

    def nearest(self, scope: Scope, query: VectorQuery, where: Filter, limit: int) -> Ranking:
        """Rank by exact cosine."""
        with self._reading() as db:
            known, model = reading.scope_statistics(db, scope), vectors.active(db)
            if known is None or model is None:
                return Ranking("vector", ())
            model.verify_query(query)
            with self._resident_lock:
                return self._resident(db, known).nearest(db, query, where, limit)

    def rank_both(
        self,
        scope: Scope,
        words: KeywordQuery | None,
        vector: VectorQuery | None,
        where: Filter,
        limit: int,
    ) -> tuple[Ranking, Ranking]:
        """Rank by BM25 and by exact cosine: two reads of a file cost no more than one."""
        return (
            self.keyword(scope, words, where, limit) if words else Ranking("keyword", ()),
            self.nearest(scope, vector, where, limit) if vector else Ranking("vector", ()),
        )

    def best_lines(self, query: VectorQuery, passages: Sequence[PassageId]) -> list[NearLine]:
        """Return the nearest line of each passage."""
        # numpy: a one-shot keyword search has no time for it
        from gieok.storage.index.order import near_lines

        with self._reading() as db:
            model = vectors.active(db)
            if model is None or not passages:
                return []
            model.verify_query(query)
            rows = vectors.with_vectors(db, passages)
        return near_lines(rows, query, passages, model.dimension)

    def missing_lines(self, limit: int, before: LineId | None = None) -> list[tuple[LineId, str]]:
        """Return lines without a vector, newest first."""
        with self._reading() as db:
            rows = vectors.missing_lines(db, before or (ANY_ID, 0), limit)
        return [(line, text_to_embed(text)) for line, text in rows]

    def put_lines(self, model: str, lines: Mapping[LineId, bytes]) -> None:
        """Store vectors of the active model."""
        from gieok.storage.index.quantise import pack  # numpy: see `best_lines`

        with self._writing() as db:
            active = self._active_named(db, model)
            for vector in lines.values():
                active.verify(vector)
            hashes = vectors.line_hashes(db, sorted(lines))
            vectors.keep(
                db, active.id, {text_hash: pack(lines[line]) for line, text_hash in hashes.items()}
            )

    def _resident_dimension(self, db: sqlite3.Connection) -> int:
        model = vectors.active(db)
        return model.dimension if model else 0

    @contextmanager
    def renewed(self) -> Iterator["SqliteStore"]:
        """Give an empty store in another file, which replaces this one's file at the end.

        The replacement is one step.
        """
        file = self._renewed_file()
        fs.remove_database(file)
        fresh = SqliteStore(file, busy_timeout_ms=self._busy_timeout_ms)
        try:
            self._continue_counting(fresh)
            yield fresh
            fresh.set_adopted()
            self._continue_counting(fresh)
            with translated(self._file, self.what):
                fresh._db().backup(self._db())
        finally:
            fresh.close()
            fs.remove_database(file)

    def _continue_counting(self, fresh: "SqliteStore") -> None:
        """Give the fresh store this store's scope numbers, and continue its ids and generations.

        An id never stands for another thing, so a copy in memory finds out by the generation alone
        that it is stale.
        """
        with self._reading() as old, fresh._writing() as new:  # noqa: SLF001 - of this class
            scopes = old.execute("SELECT id, path, generation FROM scopes").fetchall()
            new.executemany(
                "INSERT OR IGNORE INTO scopes (id, path) VALUES (?, ?)", [row[:2] for row in scopes]
            )
            new.executemany(
                "UPDATE scopes SET generation = max(generation, ?) + 1 WHERE path = ?",
                [(row[2], row[1]) for row in scopes],
            )
            for table in _COUNTERS:
                row = old.execute(
                    "SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)
                ).fetchone()
                values = (row[0] if row else 0, table)
                if not new.execute(
                    "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", values
                ).rowcount:
                    new.execute("INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)", values)
