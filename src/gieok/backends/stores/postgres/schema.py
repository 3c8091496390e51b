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

from gieok.backends.postgres.tables import partitioned
from gieok.text import keywords

_PARTITIONS = 16


def _partitioned(name: str, columns: str) -> str:
    return partitioned(f"gieok.{name}", columns, _PARTITIONS)


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

#: Let the journal know what so far only the store holds.
_SECOND = "INSERT INTO gieok.meta VALUES ('unadopted', '1')"

#: Each is applied once, in order, and never changed after a release.
MIGRATIONS = (_FIRST, _SECOND)
#: Keys of advisory locks: one for migrating, one for the ids (above), one that a change of model holds against writers.
MIGRATING = 1
WRITING = "pg_advisory_xact_lock_shared(4749454, 3)"
SWITCHING = "pg_advisory_xact_lock(4749454, 3)"
