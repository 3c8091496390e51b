"""The store on a PostgreSQL server. Any number of processes on any number of machines; each thread has its own connection."""

from collections.abc import Callable, Mapping, Sequence

import psycopg

from gieok.backends.opening import Opening
from gieok.backends.stores.postgres import reading, writing
from gieok.backends.stores.postgres.connection import LOCK_TIMEOUT_MS, TIMEOUT_S, Connections, read_address
from gieok.backends.stores.prepared import prepare
from gieok.backends.stores.quantise import pack, restore
from gieok.errors import BadConfig, BadRequest, ShapeMismatch
from gieok.model.memory import Document, Entry, PassageId, Scope, StoreStats
from gieok.model.retrieval import Filter, FoundPassage, KeywordQuery, Ranking, VectorQuery
from gieok.text import bm25
from gieok.text.embedform import form_hash, text_to_embed

#: Above every passage id.
_ANY_ID = 1 << 62
#: What libpq itself takes an address from.
_LIBPQ = ("PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE")


def open_store(opening: Opening) -> "PostgresStore":
    """Return the store of `database.url`, or of libpq's own variables. Nothing is connected yet."""
    url = opening.setting("database.url")
    if not url and not any(map(opening.secret, _LIBPQ)):
        raise BadConfig("`store: postgres` needs `database.url`", hint="such as postgresql://me@localhost/memory")
    return PostgresStore(
        url, password=opening.secret("PGPASSWORD"), timeout_s=float(opening.setting("store.timeout_s"))
    )


class PostgresStore:
    """`Store`, `KeywordSearch`, `VectorSearch`, `VectorCopy` and `ModelSwitch` on one database."""

    def __init__(
        self, url: str, *, password: str = "", lock_timeout_ms: int = LOCK_TIMEOUT_MS, timeout_s: float = TIMEOUT_S
    ) -> None:
        address = read_address(url, password)
        self.location = address.location
        self._connections = Connections(address, lock_timeout_ms, timeout_s)
        self._reading, self._writing = self._connections.reading, self._connections.writing
        self._answering = self._connections.answering

    # Store

    def put(self, entries: Sequence[Entry]) -> None:
        """Insert or replace documents."""
        latest = {(e.document.scope, e.document.key): e for e in entries}
        for _, key in latest:
            if "\0" in key:
                raise BadRequest(f"the key {key!r} holds a NUL character", hint="use another name")
        if prepared := [prepare(entry) for entry in latest.values()]:
            with self._writing() as db:
                writing.put(db, prepared)

    def forget(self, scope: Scope, keys: Sequence[str]) -> int:
        """Remove documents."""
        with self._writing() as db:
            return writing.forget(db, scope, keys)

    def get(self, scope: Scope, keys: Sequence[str]) -> list[Document]:
        """Return documents in the order of `keys`."""
        with self._answering() as db:
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
        with self._answering() as db:
            rows = db.execute(
                "SELECT path FROM gieok.scopes s WHERE documents > 0 "
                "OR EXISTS (SELECT FROM gieok.notes WHERE scope_id = s.id) ORDER BY path"
            )
            return [Scope(path) for (path,) in rows.fetchall()]

    def passages(self, ids: Sequence[PassageId]) -> list[FoundPassage]:
        """Return passages in the order of `ids`."""
        with self._answering() as db:
            return reading.passages(db, ids)

    def notes(self, scope: Scope) -> dict[str, str]:
        """Return the notes beside a scope."""
        with self._answering() as db:
            sid = reading.scope_id(db, scope)
            return dict(db.execute("SELECT name, value FROM gieok.notes WHERE scope_id = %s", (sid,)).fetchall())

    def write_note(self, scope: Scope, name: str, value: str) -> None:
        """Set one note."""
        self.update_note(scope, name, lambda _: value)

    def update_note(self, scope: Scope, name: str, change: Callable[[str], str]) -> None:
        """Set one note to what `change` makes of it."""
        with self._writing() as db:
            sid = writing.lock_scopes(db, [scope.path])[scope.path]
            known = "SELECT value FROM gieok.notes WHERE scope_id = %s AND name = %s"
            row = db.execute(known, (sid, name)).fetchone()
            db.execute(
                "INSERT INTO gieok.notes VALUES (%s, %s, %s) "
                "ON CONFLICT (scope_id, name) DO UPDATE SET value = excluded.value",
                (sid, name, change(row[0] if row else "")),
            )

    def is_unadopted(self) -> bool:
        """Say whether an older release wrote what is here, and the journal does not know it yet."""
        with self._reading() as db:
            return db.execute("SELECT 1 FROM gieok.meta WHERE name = 'unadopted'").fetchone() is not None

    def set_adopted(self) -> None:
        """Say that the journal knows it."""
        with self._writing() as db:
            db.execute("DELETE FROM gieok.meta WHERE name = 'unadopted'")

    def stats(self, scope: Scope | None = None) -> StoreStats:
        """Count what is held."""
        with self._reading() as db:
            return reading.stats(db, scope)

    def check(self) -> list[str]:
        """Read everything and compare the postings with the texts they were made from."""
        with self._reading() as db:
            return reading.check(db)

    def compact(self) -> None:
        """Forget cached vectors beyond the cap; after large changes, clean up and count again at once."""
        with self._writing() as db:
            tidied = writing.tidy(db)
        if tidied:
            with self._connections.autocommit() as db:
                for table in ("documents", "passages", "postings", "embeddings", "waiting", "vectors", "scopes"):
                    db.execute(f"VACUUM (ANALYZE) gieok.{table}")

    def close(self) -> None:
        """Close the connections of every thread."""
        self._connections.close()

    def describe(self) -> list[str]:
        """Return the versions of the server and of pgvector."""
        with self._answering() as db:
            row = db.execute(
                "SELECT current_setting('server_version'), (SELECT extversion FROM pg_extension WHERE extname = 'vector'), "
                "(SELECT count(*) FROM gieok.scopes WHERE documents > 0)"
            ).fetchone()
        assert row
        return [f"PostgreSQL {row[0]}, pgvector {row[1]}, {row[2]:,} scopes"]

    # KeywordSearch

    def keyword(self, scope: Scope, query: KeywordQuery, where: Filter, limit: int) -> Ranking:
        """Rank by BM25 with the scope's own statistics."""
        with self._answering() as db:
            known = reading.scope_statistics(db, scope)
            if known is None:
                return Ranking("keyword", ())
            holding = reading.term_statistics(db, known.id, query.weights)
            weights = bm25.token_weights(query, known.passages, holding)
            ranking = reading.keyword_ranking(db, known, query, weights, where, limit)
            return Ranking("keyword", tuple(ranking), bm25.ceiling(query, known.passages, holding))

    # VectorSearch

    def nearest(self, scope: Scope, query: VectorQuery, where: Filter, limit: int) -> Ranking:
        """Rank by exact cosine."""
        with self._answering() as db:
            active = self._model(db)
            if active is None:
                return Ranking("vector", ())
            _verify_dimension(query.vector, active[1])
            return reading.nearest(db, reading.scope_id(db, scope), query, where, limit)

    def waiting(self, scope: Scope) -> int:
        """Count passages without a vector."""
        with self._answering() as db:
            return reading.waiting(db, scope)

    def use_model(self, model: str, dimension: int) -> None:
        """Declare the model that vectors come from."""
        active = self.active_model()
        if active is None:
            with self._writing() as db:
                writing.hold_writers(db)
                if self._model(db) is None:  # nobody was faster
                    writing.activate(db, self._add_model(db, model, dimension))
                active = self._model(db)
        if active != (model, dimension):
            raise ShapeMismatch(f"the index holds vectors of {active}, configured is {model!r} ({dimension})")

    def missing(self, limit: int) -> list[tuple[PassageId, str]]:
        """Return passages without a vector, newest first, each with the text to embed."""
        with self._reading() as db:
            return [(passage, text_to_embed(text)) for passage, text in reading.missing(db, limit)]

    def put_vectors(self, model: str, vectors: Mapping[PassageId, bytes]) -> None:
        """Store vectors of the active model."""
        with self._writing() as db:
            writing.join_writers(db)
            active = self._model(db)
            if active is None or active[0] != model:
                raise ShapeMismatch(f"vectors of {model!r} for an index of {active[0] if active else 'no model'!r}")
            writing.put_vectors(db, *self._packed(db, model, vectors))

    # VectorCopy

    def active_model(self) -> tuple[str, int] | None:
        """Return the model that vectors are of."""
        with self._answering() as db:
            return self._model(db)

    def vectors_of(self, model: str, texts: Sequence[str]) -> dict[str, bytes]:
        """Return the vectors that are here for texts to embed."""
        by_hash = {form_hash(text): text for text in texts}
        with self._reading() as db:
            row = db.execute("SELECT id FROM gieok.models WHERE name = %s", (model,)).fetchone()
            found = writing.packed_vectors(db, row[0], by_hash) if row else {}
        return {by_hash[text_hash]: restore(data) for text_hash, data in found.items()}

    # ModelSwitch

    def missing_for(
        self, model: str, dimension: int, before: PassageId | None, limit: int
    ) -> list[tuple[PassageId, str]]:
        """Return passages whose text has no vector of `model`, newest first."""
        with self._writing() as db:
            model_id = self._add_model(db, model, dimension)
        with self._reading() as db:
            rows = reading.missing_for(db, model_id, before if before is not None else _ANY_ID, limit)
        return [(passage, text_to_embed(text)) for passage, text in rows]

    def keep_vectors(self, model: str, vectors: Mapping[PassageId, bytes]) -> None:
        """Store vectors of a model that is not active yet."""
        with self._writing() as db:
            writing.keep_vectors(db, *self._packed(db, model, vectors))

    def switch_model(self, model: str, dimension: int) -> None:
        """Make `model` the active one."""
        with self._writing() as db:
            writing.hold_writers(db)
            writing.activate(db, self._add_model(db, model, dimension))

    def _packed(
        self, db: psycopg.Connection, model: str, vectors: Mapping[PassageId, bytes]
    ) -> tuple[int, dict[bytes, bytes]]:
        """Return the model's id, and text hash → packed vector of the passages that still exist."""
        row = db.execute("SELECT id, dimension FROM gieok.models WHERE name = %s", (model,)).fetchone()
        if row is None:
            raise ShapeMismatch(f"the index knows no model {model!r}")
        for vector in vectors.values():
            _verify_dimension(vector, row[1])
        hashes = reading.text_hashes(db, sorted(vectors))
        return row[0], {text_hash: pack(vectors[passage]) for passage, text_hash in hashes.items()}

    def _model(self, db: psycopg.Connection) -> tuple[str, int] | None:
        return db.execute(
            "SELECT name, dimension FROM gieok.models "
            "WHERE id = (SELECT value::int FROM gieok.meta WHERE name = 'model_id')"
        ).fetchone()

    def _add_model(self, db: psycopg.Connection, model: str, dimension: int) -> int:
        model_id, known = writing.add_model(db, model, dimension)
        if known != dimension:
            raise ShapeMismatch(f"the index holds vectors of {model!r} with {known} dimensions, not {dimension}")
        return model_id


def _verify_dimension(vector: bytes, dimension: int) -> None:
    if len(vector) != 4 * dimension:
        raise ShapeMismatch(f"a vector of {len(vector) // 4} dimensions where the index holds {dimension}")
