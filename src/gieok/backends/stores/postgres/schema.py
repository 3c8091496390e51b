"""The tables, as numbered steps that only go forward. Applied under an advisory lock, so that many may start at once.

Design choices, each measured (docs/backends.md):
- Everything that belongs to a scope is hash-partitioned by it and indexed by it: cost follows the size of a scope, not of
  the database. There is no approximate index, whose recall would drop under the scope's filter.
- A document's passages have consecutive ids after the document's own, so a neighbour is `id ± 1`, as in SQLite.
- Postings are rows (scope, token, passage) with counts, the passage's length and how many of its document stand before and
  after it, so that BM25 runs in SQL over one index. PostgreSQL's own `ts_rank` knows no document frequency, and no Korean.
- Vectors are halves that hold the integers of `quantise` exactly, beside their scale: SQLite's vectors, so that both stores
  rank alike. `vectors` keeps them by text; `embeddings` has those of passages, next to each other by scope.
- Every passage without an embedding is in `waiting`, so that finding the few never looks at the many.
- Names are qualified and nothing is set for a session, so that a pooler may hand each transaction another connection.
"""

import psycopg

from gieok.backends.stores.prepared import are_keywords_old
from gieok.errors import ShapeMismatch, StoreError
from gieok.text import keywords

_PARTITIONS = 16


def _partitioned(name: str, columns: str) -> str:
    parts = (
        f"CREATE TABLE gieok.{name}_{n} PARTITION OF gieok.{name} FOR VALUES WITH (MODULUS {_PARTITIONS}, REMAINDER {n});"
        for n in range(_PARTITIONS)
    )
    return f"CREATE TABLE gieok.{name} ({columns}) PARTITION BY HASH (scope_id);" + "".join(parts)


_FIRST = f"""
CREATE TABLE gieok.meta (name text PRIMARY KEY, value text NOT NULL);
INSERT INTO gieok.meta VALUES ('keywords_version', '{keywords.VERSION}');
CREATE TABLE gieok.scopes (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, path text COLLATE "C" NOT NULL UNIQUE,
    documents bigint NOT NULL DEFAULT 0, passages bigint NOT NULL DEFAULT 0, tokens bigint NOT NULL DEFAULT 0,
    changed bigint NOT NULL DEFAULT 0  -- passages written or removed since the last time that space was given back
) WITH (fillfactor = 70);
CREATE TABLE gieok.notes (scope_id int NOT NULL, name text NOT NULL, value text NOT NULL, PRIMARY KEY (scope_id, name));
CREATE TABLE gieok.models (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE, dimension int NOT NULL);
CREATE TABLE gieok.vectors (  -- float32 scale and int8 values, by text: an equal text is embedded once
    model_id int NOT NULL, text_hash bytea NOT NULL, data bytea NOT NULL, kept bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (model_id, text_hash)
);
ALTER TABLE gieok.vectors ALTER data SET STORAGE EXTERNAL;
CREATE TABLE gieok.waiting (id bigint PRIMARY KEY, scope_id int NOT NULL, text_hash bytea NOT NULL);
CREATE INDEX ON gieok.waiting (scope_id);
CREATE INDEX ON gieok.waiting (text_hash);
CREATE SEQUENCE gieok.ids;
CREATE FUNCTION gieok.take_ids(count bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE first bigint;
BEGIN  -- consecutive ones; the lock is held for this statement only, not until the end of the transaction
    PERFORM pg_advisory_lock(4749454, 2);
    first := nextval('gieok.ids');
    PERFORM setval('gieok.ids', first + count - 1);
    PERFORM pg_advisory_unlock(4749454, 2);
    RETURN first;
END $$;
""" + "".join(
    (
        _partitioned(
            "documents",
            """id bigint NOT NULL, scope_id int NOT NULL, key_hash bytea NOT NULL, passage_count int NOT NULL,
            key text NOT NULL, kind text NOT NULL, title text NOT NULL, content_hash text NOT NULL,
            importance float8 NOT NULL, tier text NOT NULL,
            created_at bigint NOT NULL, updated_at bigint NOT NULL, valid_from bigint, valid_to bigint,  -- Unix milliseconds
            metadata text NOT NULL, provenance text NOT NULL, text text NOT NULL,
            PRIMARY KEY (id, scope_id), UNIQUE (scope_id, key_hash)""",
        ),
        _partitioned(
            "passages",
            """id bigint NOT NULL, document_id bigint NOT NULL, scope_id int NOT NULL,
            start int NOT NULL, "end" int NOT NULL, start_line int NOT NULL, end_line int NOT NULL,
            length int NOT NULL, text_hash bytea NOT NULL, context text NOT NULL,
            PRIMARY KEY (id, scope_id)""",
        ),
        _partitioned(
            "postings",
            """scope_id int NOT NULL, passage_id bigint NOT NULL, body int NOT NULL, context int NOT NULL,
            length int NOT NULL, before smallint NOT NULL, after smallint NOT NULL, token text COLLATE "C" NOT NULL,
            PRIMARY KEY (scope_id, token, passage_id) INCLUDE (body, context, length, before, after)""",
        ),
        _partitioned(
            "embeddings",
            """scope_id int NOT NULL, scale real NOT NULL, id bigint NOT NULL, embedding halfvec NOT NULL,
            PRIMARY KEY (scope_id, id)""",
        ),
    )
)

_HALFVEC = "SELECT 1 FROM pg_type WHERE typname = 'halfvec'"

#: Let the journal know what so far only the store holds.
_SECOND = "INSERT INTO gieok.meta VALUES ('unadopted', '1')"

#: Each is applied once, in order, and never changed after a release.
_MIGRATIONS = (_FIRST, _SECOND)
SCHEMA_VERSION = len(_MIGRATIONS)
#: Keys of advisory locks: one for migrating, one for the ids (above), one that a change of model holds against writers.
_MIGRATING = "pg_advisory_xact_lock(4749454, 1)"
WRITING = "pg_advisory_xact_lock_shared(4749454, 3)"
SWITCHING = "pg_advisory_xact_lock(4749454, 3)"


def is_ready(db: psycopg.Connection) -> bool:
    """Say whether there is nothing to migrate."""
    return _version(db) >= SCHEMA_VERSION


def migrate(db: psycopg.Connection, location: str, lock_timeout_ms: int) -> None:
    """Bring the tables to this version. Raises StoreError where pgvector is missing."""
    with db.transaction():
        db.execute(f"SET LOCAL lock_timeout = {lock_timeout_ms}")
        db.execute(f"SELECT {_MIGRATING}")
        _migrate(db, location)


def verify(db: psycopg.Connection, location: str) -> bool:
    """Say whether the keywords are of an earlier release. Raises ShapeMismatch for tables of a newer one."""
    version = _version(db)
    if version > SCHEMA_VERSION:
        raise ShapeMismatch(f"{location} has schema {version}, this gieok reads {SCHEMA_VERSION}", hint="update gieok")
    row = db.execute("SELECT value FROM gieok.meta WHERE name = 'keywords_version'").fetchone()
    return are_keywords_old(int(row[0]) if row else 0, location)


def _version(db: psycopg.Connection) -> int:
    # Not to_regclass, which remembers that a name was missing when another process makes it meanwhile.
    named = "relname = 'migrations' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'gieok')"
    if _is_missing(db, f"SELECT 1 FROM pg_class WHERE {named}"):
        return 0
    row = db.execute("SELECT coalesce(max(version), 0) FROM gieok.migrations").fetchone()
    return int(row[0]) if row else 0


def _migrate(db: psycopg.Connection, location: str) -> None:
    version = _version(db)  # again, under the lock: another process may have been faster
    if version >= SCHEMA_VERSION:
        return
    if _is_missing(db, _HALFVEC):
        _create_extension(db, location)
    if version == 0:
        db.execute("CREATE SCHEMA IF NOT EXISTS gieok")
        db.execute("CREATE TABLE gieok.migrations (version int PRIMARY KEY, applied_at timestamptz DEFAULT now())")
    for number, script in enumerate(_MIGRATIONS[version:], version + 1):
        db.execute(script)
        db.execute("INSERT INTO gieok.migrations (version) VALUES (%s)", (number,))


def _create_extension(db: psycopg.Connection, location: str) -> None:
    """Make pgvector's types known to this database, or say which command does."""
    try:
        with db.transaction():
            db.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except (psycopg.errors.FeatureNotSupported, psycopg.errors.UndefinedFile) as error:
        raise StoreError(
            f"{location} has no pgvector",
            hint="install it on the server (Debian: `apt install postgresql-18-pgvector`, with your version for 18)",
        ) from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreError(
            f"{location} has pgvector, but this user may not enable it",
            hint=f"as a superuser: `psql -d {db.info.dbname} -c 'CREATE EXTENSION vector'`",
        ) from error
    if _is_missing(db, _HALFVEC):
        raise StoreError(
            f"{location} has a pgvector older than 0.7",
            hint=f"update it, then as its owner: `psql -d {db.info.dbname} -c 'ALTER EXTENSION vector UPDATE'`",
        )


def _is_missing(db: psycopg.Connection, lookup: str) -> bool:
    row = db.execute(lookup).fetchone()
    return row is None or row[0] is None
