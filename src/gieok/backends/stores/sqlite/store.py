"""The default store. One file, any number of processes; each thread has its own connection.

A one-shot process answers keyword questions in SQL and never imports numpy for them. A long-lived one (`resident=True`)
keeps the scopes it is asked about in memory. Both give the same ranking.
"""

import sqlite3
import threading
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gieok import fs, paths
from gieok.backends.opening import Opening
from gieok.backends.stores.prepared import Prepared, prepare
from gieok.backends.stores.rows import filter_sql
from gieok.backends.stores.sqlite import ranking, reading, renewal, schema, writing
from gieok.errors import ShapeMismatch
from gieok.model.memory import Document, Entry, PassageId, Scope, StoreStats
from gieok.model.retrieval import Filter, FoundPassage, KeywordQuery, Ranking, VectorQuery
from gieok.text import bm25
from gieok.text.embedform import form_hash, text_to_embed

if TYPE_CHECKING:
    from gieok.backends.stores.sqlite.resident import ResidentScope

#: Above every passage id.
_ANY_ID = 1 << 62


def open_store(opening: Opening) -> "SqliteStore":
    """Open the store of a home folder."""
    return SqliteStore(paths.database(opening.home), resident=opening.is_resident, say=opening.say)


class SqliteStore:
    """`Store`, `KeywordSearch`, `VectorSearch`, `VectorCopy`, `ModelSwitch`, `Adoptable`, `Scrubbing` and `Renewable`.

    All of it on one SQLite file.
    """

    #: What messages call it (see `schema.translated`).
    what = "store"

    def __init__(
        self,
        file: Path,
        *,
        resident: bool = False,
        busy_timeout_ms: int = schema.BUSY_TIMEOUT_MS,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        self._file = file
        self.location = str(file)
        self._busy_timeout_ms = busy_timeout_ms
        self._say = say
        self._inode = 0
        self._is_resident = resident
        self._local = threading.local()
        self._connections: dict[threading.Thread, sqlite3.Connection] = {}
        weakref.finalize(self, _close, self._connections)
        self._residents: dict[str, ResidentScope] = {}
        self._resident_lock = threading.Lock()
        self._db()

    def _db(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is not None and self._local.inode != self._current_inode():
            self._connections.pop(threading.current_thread(), None)
            connection.close()  # the file was set aside: what is written there nobody reads
            connection = None
        if connection is None:
            connection = schema.connect(self._file, self._busy_timeout_ms, self.what, self._say)
            self._local.connection, self._local.inode = connection, self._current_inode()
            self._close_of_dead_threads()
            self._connections[threading.current_thread()] = connection
            with self._resident_lock:
                if self._inode != self._local.inode:
                    self._residents.clear()  # copies of another file: its numbers say nothing of this one
                    self._inode = self._local.inode
        return connection

    def _current_inode(self) -> int:
        try:
            return self._file.stat().st_ino
        except OSError:
            return 0

    def _close_of_dead_threads(self) -> None:
        for thread in [thread for thread in list(self._connections) if not thread.is_alive()]:
            connection = self._connections.pop(thread, None)  # another thread may be at the same
            if connection is not None:
                connection.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """One snapshot for all statements inside, so that an answer never mixes two states."""
        db = self._db()
        with schema.translated(self._file, self.what):
            db.execute("BEGIN")
            try:
                yield db
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        db = self._db()
        with schema.translated(self._file, self.what):
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    # Store

    def put(self, entries: Sequence[Entry]) -> None:
        """Insert or replace documents."""
        latest = {(e.document.scope, e.document.key): e for e in entries}
        by_scope: dict[Scope, list[Prepared]] = defaultdict(list)
        for entry in latest.values():
            by_scope[entry.document.scope].append(prepare(entry))
        with self._writing() as db:
            model_id = self._active_model(db)
            for scope, prepared in by_scope.items():
                writing.put(db, scope, prepared, model_id)

    def forget(self, scope: Scope, keys: Sequence[str]) -> int:
        """Remove documents."""
        with self._writing() as db:
            return writing.forget(db, scope, keys)

    def get(self, scope: Scope, keys: Sequence[str]) -> list[Document]:
        """Return documents in the order of `keys`."""
        with self._reading() as db:
            return reading.get(db, scope, keys)

    def entries(self, scope: Scope, keys: Sequence[str]) -> list[Entry]:
        """Return documents with their passages."""
        with self._reading() as db:
            return reading.entries(db, scope, keys)

    def hashes(self, scope: Scope) -> dict[str, str]:
        """Return key → content hash."""
        with self._reading() as db:
            return reading.hashes(db, scope)

    def scopes(self) -> list[Scope]:
        """Return the scopes that hold anything."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT path FROM scopes s WHERE passages > 0 OR EXISTS (SELECT 1 FROM notes WHERE scope_id = s.id) "
                "OR EXISTS (SELECT 1 FROM documents WHERE scope_id = s.id) ORDER BY path"
            )
            return [Scope(path) for (path,) in rows]

    def passages(self, ids: Sequence[PassageId]) -> list[FoundPassage]:
        """Return passages in the order of `ids`."""
        with self._reading() as db:
            return reading.passages(db, ids)

    def notes(self, scope: Scope) -> dict[str, str]:
        """Return the notes beside a scope."""
        with self._reading() as db:
            return dict(
                db.execute(
                    "SELECT name, value FROM notes WHERE scope_id = (SELECT id FROM scopes WHERE path = ?)",
                    (scope.path,),
                ).fetchall()
            )

    def write_note(self, scope: Scope, name: str, value: str) -> None:
        """Set one note."""
        self.update_note(scope, name, lambda _: value)

    def update_note(self, scope: Scope, name: str, change: Callable[[str], str]) -> None:
        """Set one note to what `change` makes of it."""
        with self._writing() as db:
            sid = writing.scope_id(db, scope)
            row = db.execute("SELECT value FROM notes WHERE scope_id = ? AND name = ?", (sid, name)).fetchone()
            db.execute("INSERT OR REPLACE INTO notes VALUES (?, ?, ?)", (sid, name, change(row[0] if row else "")))

    def stats(self, scope: Scope | None = None) -> StoreStats:
        """Count what is held."""
        with self._reading() as db:
            return reading.stats(db, scope, self._active_model(db))

    def check(self) -> list[str]:
        """Read the whole database and compare the keyword index with the texts it was made from."""
        with self._reading() as db:
            return reading.check(db)

    def compact(self) -> None:
        """Forget cached vectors beyond the cap and give free pages back."""
        with self._writing() as db:
            tidied = writing.tidy(db)
            # Inside, where the write lock is held: alone it reads, then wants to write, and a write between is "busy".
            db.execute("PRAGMA optimize")
        with schema.translated(self._file, self.what):
            if tidied:
                # A script, because `execute` takes one step of it, which frees one page.
                self._db().executescript("PRAGMA incremental_vacuum")
            self._db().execute("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Close the connections of every thread."""
        _close(self._connections)
        self._local = threading.local()

    # Adoptable

    def is_unadopted(self) -> bool:
        """Say whether an older release wrote what is here, and the journal does not know it yet."""
        with self._reading() as db:
            return db.execute("SELECT 1 FROM meta WHERE name = 'unadopted'").fetchone() is not None

    def set_adopted(self) -> None:
        """Say that the journal knows it."""
        with self._writing() as db:
            db.execute("DELETE FROM meta WHERE name = 'unadopted'")

    def _beside(self) -> Path:
        return self._file.with_name(f"{self._file.name}.renewed")

    # Scrubbing

    def scrub(self) -> list[str]:
        """Write the file anew without what was removed. Not while it is renewed."""
        fs.remove_database(self._beside())  # a renewal that was killed
        with self._writing() as db:
            writing.drop_texts(db)
        with schema.translated(self._file, self.what):
            return schema.scrub(self._db(), self._file)

    # Renewable

    @contextmanager
    def renewed(self) -> Iterator["SqliteStore"]:
        """Give an empty store beside this one, which takes this one's place in one step at the end."""
        beside = self._beside()
        fs.remove_database(beside)
        fresh = SqliteStore(beside, busy_timeout_ms=self._busy_timeout_ms)
        try:
            with self._reading() as db, fresh._writing() as new:
                renewal.begin(db, new)
            yield fresh
            fresh.set_adopted()
            with self._reading() as db, fresh._writing() as new:
                renewal.begin(db, new)
            with schema.translated(self._file, self.what):
                fresh._db().backup(self._db())
        finally:
            fresh.close()
            fs.remove_database(beside)

    # KeywordSearch

    def keyword(self, scope: Scope, query: KeywordQuery, where: Filter, limit: int) -> Ranking:
        """Rank by BM25 with the scope's own statistics."""
        with self._reading() as db:
            known = reading.scope_statistics(db, scope)
            if known is None:
                return Ranking("keyword", ())
            if self._is_resident:
                allowed = reading.allowed_ids(db, known.id, where) if where else None
                with self._resident_lock:
                    return self._resident(db, scope, known).keyword(db, query, allowed, limit)
            holding = ranking.term_statistics(db, known.id, query.weights)
            weights = bm25.token_weights(query, known.passages, holding)
            ranked = ranking.keyword_ranking(db, known.id, known.mean_length, query, weights, limit, *filter_sql(where))
            return Ranking("keyword", tuple(ranked), bm25.ceiling(query, known.passages, holding))

    # VectorSearch

    def nearest(self, scope: Scope, query: VectorQuery, where: Filter, limit: int) -> Ranking:
        """Rank by exact cosine."""
        with self._reading() as db:
            known = reading.scope_statistics(db, scope)
            if known is None or self._active_model(db) is None:
                return Ranking("vector", ())
            verify_dimension(query.vector, self._dimension(db))
            allowed = reading.allowed_ids(db, known.id, where) if where else None
            with self._resident_lock:
                resident = self._resident(db, scope, known)
                return resident.nearest(query.vector, query.hub_weight, allowed, limit)

    def waiting(self, scope: Scope) -> int:
        """Count passages without a vector."""
        with self._reading() as db:
            known = reading.scope_statistics(db, scope)
            return reading.waiting(db, known.id) if known else 0

    def _resident(self, db: sqlite3.Connection, scope: Scope, known: reading.ScopeStatistics) -> "ResidentScope":
        # numpy costs a tenth of a second, which a one-shot keyword search does not have.
        from gieok.backends.stores.sqlite.resident import ResidentScope

        dimension = self._dimension(db)
        resident = self._residents.get(scope.path)
        if resident is None or (resident.scope_id, resident.dimension) != (known.id, dimension):
            resident = self._residents[scope.path] = ResidentScope(known.id, dimension)
        resident.refresh(db, known.generation)
        return resident

    def use_model(self, model: str, dimension: int) -> None:
        """Declare the model that vectors come from."""
        with self._reading() as db:
            active = self._model(db)
        if active is None:
            with self._writing() as db:
                if self._model(db) is None:  # nobody was faster
                    writing.link_all(db, self._activate(db, model, dimension))
                active = self._model(db)
        assert active
        if active != (model, dimension):
            raise ShapeMismatch(
                f"the index holds vectors of {active[0]!r} ({active[1]}), configured is {model!r} ({dimension})"
            )

    def missing(self, limit: int) -> list[tuple[PassageId, str]]:
        """Return passages without a vector, newest first, each with the text to embed."""
        with self._reading() as db:
            rows = reading.texts(db, "p.vector_id IS NULL", (), limit)
            return [(passage, text_to_embed(text)) for passage, text in rows]

    def put_vectors(self, model: str, vectors: Mapping[PassageId, bytes]) -> None:
        """Store vectors of the active model."""
        with self._writing() as db:
            active = self._model(db)
            if active is None or active[0] != model:
                raise ShapeMismatch(f"vectors of {model!r} for an index of {active[0] if active else 'no model'!r}")
            writing.put_vectors(db, *self._packed(db, model, vectors))

    # VectorCopy

    def active_model(self) -> tuple[str, int] | None:
        """Return the model that vectors are of."""
        with self._reading() as db:
            return self._model(db)

    def vectors_of(self, model: str, texts: Sequence[str]) -> dict[str, bytes]:
        """Return the vectors that are here for texts to embed."""
        from gieok.backends.stores.quantise import restore  # numpy: see _resident

        hashes = {form_hash(text): text for text in texts}
        with self._reading() as db:
            found = reading.packed(db, model, list(hashes))
        return {hashes[text_hash]: restore(data) for text_hash, data in found.items()}

    # ModelSwitch

    def missing_for(
        self, model: str, dimension: int, before: PassageId | None, limit: int
    ) -> list[tuple[PassageId, str]]:
        """Return passages whose text has no vector of `model`, newest first."""
        with self._writing() as db:
            model_id = self._add_model(db, model, dimension)
            condition = (
                "p.id < ? AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model_id = ? AND v.text_hash = p.text_hash)"
            )
            rows = reading.texts(db, condition, (before if before is not None else _ANY_ID, model_id), limit)
            return [(passage, text_to_embed(text)) for passage, text in rows]

    def keep_vectors(self, model: str, vectors: Mapping[PassageId, bytes]) -> None:
        """Store vectors of a model that is not active yet."""
        with self._writing() as db:
            writing.keep_vectors(db, *self._packed(db, model, vectors))

    def switch_model(self, model: str, dimension: int) -> None:
        """Make `model` the active one."""
        with self._writing() as db:
            writing.link_all(db, self._activate(db, model, dimension))

    def _packed(
        self, db: sqlite3.Connection, model: str, vectors: Mapping[PassageId, bytes]
    ) -> tuple[int, dict[bytes, bytes]]:
        """Return the model's id, and text hash → packed vector of the passages that still exist."""
        from gieok.backends.stores.quantise import pack  # numpy: see _resident

        row = db.execute("SELECT id, dimension FROM models WHERE name = ?", (model,)).fetchone()
        if row is None:
            raise ShapeMismatch(f"the index knows no model {model!r}")
        for vector in vectors.values():
            verify_dimension(vector, row[1])
        hashes = reading.text_hashes(db, sorted(vectors))
        return row[0], {text_hash: pack(vectors[passage]) for passage, text_hash in hashes.items()}

    def _model(self, db: sqlite3.Connection) -> tuple[str, int] | None:
        row: tuple[str, int] | None = db.execute(
            "SELECT name, dimension FROM models WHERE id = (SELECT value FROM meta WHERE name = 'model_id')"
        ).fetchone()
        return row

    def _active_model(self, db: sqlite3.Connection) -> int | None:
        row = db.execute("SELECT value FROM meta WHERE name = 'model_id'").fetchone()
        return int(row[0]) if row else None

    def _dimension(self, db: sqlite3.Connection) -> int:
        active = self._model(db)
        return active[1] if active else 0

    def _add_model(self, db: sqlite3.Connection, model: str, dimension: int) -> int:
        db.execute("INSERT OR IGNORE INTO models (name, dimension) VALUES (?, ?)", (model, dimension))
        model_id, known = db.execute("SELECT id, dimension FROM models WHERE name = ?", (model,)).fetchone()
        if known != dimension:
            raise ShapeMismatch(f"the index holds vectors of {model!r} with {known} dimensions, not {dimension}")
        return int(model_id)

    def _activate(self, db: sqlite3.Connection, model: str, dimension: int) -> int:
        model_id = self._add_model(db, model, dimension)
        db.execute("INSERT OR REPLACE INTO meta VALUES ('model_id', ?)", (str(model_id),))
        return model_id


def _close(connections: dict[threading.Thread, sqlite3.Connection]) -> None:
    for connection in connections.values():
        connection.close()
    connections.clear()


def verify_dimension(vector: bytes, dimension: int) -> None:
    """Raise ShapeMismatch for a vector of another dimension."""
    if len(vector) != 4 * dimension:
        raise ShapeMismatch(f"a vector of {len(vector) // 4} dimensions where the index holds {dimension}")
