"""Store on a PostgreSQL server, for any number of processes on any number of machines.

The threads of a process share a few connections.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import psycopg

from gieok.errors import BadRequest, StoreError
from gieok.model.memory import Entry, PassageId, Scope
from gieok.model.retrieval import Filter, KeywordQuery, Ranking, VectorQuery
from gieok.opening import Opening
from gieok.ports.store import RemoteData
from gieok.storage.index.postgres import reading, vectors, writing
from gieok.storage.index.postgres.schema import OF_SCOPES
from gieok.storage.index.postgres.tables import TABLES
from gieok.storage.index.sql_vectors import SqlVectors
from gieok.storage.postgres.citus import distribute, list_citus_statements
from gieok.storage.postgres.connection import (
    LOCK_TIMEOUT_MS,
    TIMEOUT_S,
    Connections,
    configured,
    read_address,
)
from gieok.storage.postgres.tables import Tables

#: Number of waiting passages whose texts are looked for in other scopes at once.
_SHARED_AT_ONCE = 1_000
#: For a look at the server that makes no tables there.
_NO_TABLES = Tables("pg_catalog", (), lock=6)


class PostgresStore(SqlVectors[psycopg.Connection]):
    """Store on one PostgreSQL database.

    `Store`, `KeywordSearch`, `ModelSwitch`, `VectorCopy`, `Adoptable`, `Droppable` and `Described`.
    """

    _reads = reading
    _writes = writing
    _vectors = vectors

    def __init__(
        self,
        url: str,
        *,
        password: str = "",
        lock_timeout_ms: int = LOCK_TIMEOUT_MS,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        address = read_address(url, password)
        self.location = address.location
        self._address = address
        self._timeout_s = timeout_s
        self._connections = Connections(address, TABLES, lock_timeout_ms, timeout_s)

    @classmethod
    def open(cls, opening: Opening) -> "PostgresStore":
        """Return the store at `database.url`, or at the server that libpq's own variables name.

        Nothing is connected yet.
        """
        url, password, timeout_s = configured(opening, "store: postgres")
        return cls(url, password=password, timeout_s=timeout_s)

    def _reading(self) -> AbstractContextManager[psycopg.Connection]:
        return self._connections.reading()

    def _answering(self) -> AbstractContextManager[psycopg.Connection]:
        return self._connections.answering()

    def _writing(self) -> AbstractContextManager[psycopg.Connection]:
        return self._connections.writing()

    def put(self, entries: Sequence[Entry]) -> None:
        """Insert or replace documents."""
        for entry in entries:
            if "\0" in entry.document.key:
                raise BadRequest(
                    "the key {key!r} holds a NUL character",
                    key=entry.document.key,
                    hint="use another name",
                )
        super().put(entries)

    def missing(self, limit: int) -> list[tuple[PassageId, str]]:
        """Return passages without a vector, newest first.

        Before that, passages whose text has a vector in another scope get a copy of the vector.
        """
        while True:
            with self._reading() as db:
                model = vectors.active(db)
                known = vectors.elsewhere(db, model.id, _SHARED_AT_ONCE) if model else {}
            if not model or not known:
                return super().missing(limit)
            with self._writing() as db:
                vectors.lock(db, to_switch=False)
                if vectors.active(db) != model:
                    continue
                vectors.put(db, model.id, known)

    def compact(self) -> None:
        """Drop cached vectors beyond the cap.

        After large changes, also vacuum and update the planner's statistics at once.
        """
        with self._writing() as db:
            tidied = writing.tidy_postgres_index(db)
        if tidied:
            with self._connections.autocommit() as db:
                for table in (
                    "documents",
                    "passages",
                    "postings",
                    "embeddings",
                    "waiting",
                    "vectors",
                    "scopes",
                ):
                    db.execute(f"VACUUM (ANALYZE) gieok.{table}")

    by_hand = "DROP SCHEMA gieok CASCADE"

    def known_remote_data(self) -> list[RemoteData]:
        """Return nothing: no local record exists, the server has to be asked."""
        return []

    def remote_data(self) -> list[RemoteData]:
        """Ask the server for its data; no tables are made for that."""
        looking = Connections(self._address, _NO_TABLES, timeout_s=self._timeout_s)
        try:
            with looking.answering() as db:
                if not _has_postgres_schema(db, "gieok"):
                    return []
                row = db.execute("SELECT coalesce(sum(documents), 0) FROM gieok.scopes").fetchone()
        finally:
            looking.close()
        assert row
        return [RemoteData(f"{self.location}, schema gieok", int(row[0]))]

    def drop(self, progress: Callable[[int], None] = lambda done: None) -> list[RemoteData]:
        """Drop the schema with all its tables, and verify that it is gone.

        This deletes every scope of everybody who uses the schema.
        """
        there = self.remote_data()
        if not there:
            return []
        dropping = Connections(self._address, _NO_TABLES, timeout_s=self._timeout_s)
        try:
            with dropping.writing() as db:
                db.execute("DROP SCHEMA gieok CASCADE")
        finally:
            dropping.close()
        if self.remote_data():
            raise StoreError(
                "the schema is still there: {location}",
                location=self.location,
                command=self.by_hand,
                hint="`{command}` by hand",
            )
        progress(there[0].documents)
        return there

    def distribution(self) -> list[str]:
        """Return the Citus calls that spread the tables over nodes."""
        return list_citus_statements("gieok", OF_SCOPES, ("meta", "models", "migrations"))

    def distribute(self) -> int:
        """Run the calls of `distribution` and return their number."""
        return distribute(self._connections, self.distribution(), self.location)

    def close(self) -> None:
        """Close the connections of every thread."""
        self._connections.close()

    def describe(self) -> list[str]:
        """Return the versions of the server and of pgvector."""
        with self._answering() as db:
            row = db.execute(
                "SELECT current_setting('server_version'), (SELECT extversion FROM "
                "pg_extension WHERE extname = 'vector'), "
                "(SELECT count(*) FROM gieok.scopes WHERE documents > 0)"
            ).fetchone()
        assert row
        return [f"PostgreSQL {row[0]}, pgvector {row[1]}, {row[2]:,} scopes"]

    def keyword(self, scope: Scope, query: KeywordQuery, where: Filter, limit: int) -> Ranking:
        """Rank by BM25 with the scope's own statistics."""
        return self.rank_both(scope, query, None, where, limit)[0]

    def nearest(self, scope: Scope, query: VectorQuery, where: Filter, limit: int) -> Ranking:
        """Rank by exact cosine."""
        return self.rank_both(scope, None, query, where, limit)[1]

    def rank_both(
        self,
        scope: Scope,
        words: KeywordQuery | None,
        vector: VectorQuery | None,
        where: Filter,
        limit: int,
    ) -> tuple[Ranking, Ranking]:
        """Rank by BM25 and by exact cosine, in two round trips together."""
        by_words, by_vector = Ranking("keyword", ()), Ranking("vector", ())
        ranking = near = None
        with self._connections.begin_answering() as transaction:
            if vector is not None:
                near = vectors.defer_nearest(transaction, scope, vector, where, limit)
            if words is not None:
                ranking = reading.WordRanking(transaction, scope, words, where, limit)
        if ranking is not None:
            by_words = ranking.finish()
        if vector is not None and near is not None:
            by_vector = vectors.rank_nearest_vectors(near, vector, limit)
        return by_words, by_vector


def _has_postgres_schema(db: psycopg.Connection, schema: str) -> bool:
    return (
        db.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (schema,)).fetchone()
        is not None
    )
