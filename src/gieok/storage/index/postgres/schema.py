"""Tables of the store, as numbered migrations that only go forward.

The migrations are applied under an advisory lock, so that many processes may start at once. Design
choices, each measured (docs/backends.md):

- Every row of a scope is hash-partitioned by the scope's number, which is first in every key: cost
  follows the size of a scope, not of the database, and Citus can distribute the tables. The number
  is made of the scope's path, as in the journal, so that the rows of both are on one node. There is
  no approximate index, whose recall would drop under the scope's filter.

- A document's passages have consecutive ids after the document's own, so a neighbour is `id ± 1`,
  as in SQLite.

- Postings are rows (scope, token, passage) with counts, the passage's length and how many passages
  of its document stand before and after it, so that BM25 runs in SQL over one index. PostgreSQL's
  own `ts_rank` knows no document frequency, and no Korean.

- Vectors are halves that hold the integers of `quantise` exactly, beside their scale: SQLite's
  vectors, so that both stores rank alike. `vectors` keeps vectors by text; `embeddings` has those
  of passages, next to each other by scope.

- A vector is kept in each scope that has its text, so that no put looks into another scope;
  `missing` copies vectors from other scopes.

- Every passage without an embedding is in `waiting`, so that finding the few never looks at the
  many.

- Names are qualified and nothing is set for a session, so that a pooler may hand each transaction
  another connection.
"""

import psycopg

from gieok.storage.postgres.numbers import scope_number
from gieok.storage.postgres.tables import Step, partitioned
from gieok.text import keywords

_PARTITIONS = 16


#: Table → columns, and how its partitions are made. The scope's number is `scope_id`, in `scopes`
#: itself `id`.
OF_SCOPES = {
    "scopes": """
        id bigint PRIMARY KEY, path text COLLATE "C" NOT NULL,
        documents bigint NOT NULL DEFAULT 0, passages bigint NOT NULL DEFAULT 0,
        tokens bigint NOT NULL DEFAULT 0,
        -- passages written or removed since the last time that space was given back
        changed bigint NOT NULL DEFAULT 0
        """,
    "notes": (
        "scope_id bigint NOT NULL, name text NOT NULL, value text NOT NULL, PRIMARY KEY "
        "(scope_id, name)"
    ),
    "vectors": """
        scope_id bigint NOT NULL, model_id int NOT NULL, text_hash bytea NOT NULL,
        data bytea NOT NULL,  -- float32 scale and int8 values, by text
        kept bigint NOT NULL DEFAULT nextval('gieok.kept'), PRIMARY KEY (scope_id, model_id,
        text_hash)""",
    "waiting": (
        "scope_id bigint NOT NULL, id bigint NOT NULL, text_hash bytea NOT NULL, PRIMARY KEY "
        "(scope_id, id)"
    ),
    "documents": """
        id bigint NOT NULL, scope_id bigint NOT NULL, key_hash bytea NOT NULL,
        passage_count int NOT NULL,
        key text NOT NULL, kind text NOT NULL, title text NOT NULL, content_hash text NOT NULL,
        importance float8 NOT NULL, tier text NOT NULL,
        -- Unix milliseconds
        created_at bigint NOT NULL, updated_at bigint NOT NULL, valid_from bigint, valid_to bigint,
        metadata text NOT NULL, provenance text NOT NULL, text text NOT NULL,
        PRIMARY KEY (scope_id, id), UNIQUE (scope_id, key_hash)""",
    "passages": """
        id bigint NOT NULL, document_id bigint NOT NULL, scope_id bigint NOT NULL,
        start int NOT NULL, "end" int NOT NULL, start_line int NOT NULL, end_line int NOT NULL,
        length int NOT NULL, text_hash bytea NOT NULL, context text NOT NULL, PRIMARY KEY (scope_id,
        id)""",
    "postings": """
        scope_id bigint NOT NULL, passage_id bigint NOT NULL, body int NOT NULL,
        context int NOT NULL,
        length int NOT NULL, before smallint NOT NULL, after smallint NOT NULL,
        token text COLLATE "C" NOT NULL,
        PRIMARY KEY (scope_id, token, passage_id) INCLUDE (body, context, length, before, after)""",
    "embeddings": """
        scope_id bigint NOT NULL, scale real NOT NULL, id bigint NOT NULL,
        embedding halfvec NOT NULL,
        PRIMARY KEY (scope_id, id)""",
}
#: Storage options: the row of a scope is written again with every put, so its pages keep free room.
_OPTIONS = {"scopes": " WITH (fillfactor = 70)"}
_TABLES = (
    "".join(
        partitioned(
            f"gieok.{name}",
            columns,
            _PARTITIONS,
            by="id" if name == "scopes" else "scope_id",
            options=_OPTIONS.get(name, ""),
        )
        for name, columns in OF_SCOPES.items()
    )
    + """
ALTER TABLE gieok.vectors ALTER data SET STORAGE EXTERNAL;
CREATE INDEX ON gieok.waiting (scope_id, text_hash);
CREATE INDEX ON gieok.waiting (id);
CREATE INDEX ON gieok.vectors (text_hash);
CREATE INDEX ON gieok.passages (id);
"""
)


_FIRST = f"""
CREATE TABLE gieok.meta (name text PRIMARY KEY, value text NOT NULL);
INSERT INTO gieok.meta VALUES ('keywords_version', '{keywords.VERSION}');
CREATE TABLE gieok.models (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE, dimension int NOT NULL);
CREATE SEQUENCE gieok.ids;
CREATE SEQUENCE gieok.kept;
CREATE FUNCTION gieok.take_ids(count bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE first bigint;
-- consecutive ones; the lock is held for this statement only, not until the end of the transaction
BEGIN
    PERFORM pg_advisory_lock(4749454, 2);
    first := nextval('gieok.ids');
    PERFORM setval('gieok.ids', first + count - 1);
    PERFORM pg_advisory_unlock(4749454, 2);
    RETURN first;
END $$;
{_TABLES}"""

#: Make the journal adopt the documents that so far only the store holds.
_SECOND = "INSERT INTO gieok.meta VALUES ('unadopted', '1')"


def _renumber_scopes(db: psycopg.Connection) -> None:
    """Number the scopes of earlier tables by their paths, and put the scope first in every key.

    New tables have both already.
    """
    row = db.execute(_IS_EARLIER).fetchone()
    if not row or not row[0]:
        return
    db.execute("CREATE SCHEMA gieok_before")
    for (name,) in db.execute(_MOVED).fetchall():
        db.execute(f"ALTER TABLE gieok.{name} SET SCHEMA gieok_before")
    db.execute(f"CREATE SEQUENCE gieok.kept;{_TABLES}")
    known = db.execute("SELECT id, path FROM gieok_before.scopes").fetchall()
    db.execute(
        "CREATE TEMPORARY TABLE numbered (old int PRIMARY KEY, scope_id bigint NOT NULL "
        "UNIQUE) ON COMMIT DROP"
    )
    with db.cursor().copy("COPY numbered FROM STDIN") as out:
        for old, path in known:
            out.write_row((old, scope_number(path)))
    for name, columns in _CARRIED.items():
        key = "id" if name == "scopes" else "scope_id"
        db.execute(
            f"INSERT INTO gieok.{name} ({key}, {columns}) SELECT n.scope_id, {columns} FROM "
            f"gieok_before.{name} b "
            f"JOIN numbered n ON n.old = b.{key}"
        )
    db.execute(
        "INSERT INTO gieok.vectors (scope_id, model_id, text_hash, data) "
        "SELECT DISTINCT ON (p.scope_id, v.model_id, v.text_hash) p.scope_id, v.model_id, "
        "v.text_hash, v.data "
        "FROM gieok_before.vectors v JOIN gieok.passages p USING (text_hash)"
    )
    db.execute("DROP SCHEMA gieok_before CASCADE")


_IS_EARLIER = """
SELECT atttypid = 'int4'::regtype FROM pg_attribute WHERE attrelid = 'gieok.scopes'::regclass
    AND attname = 'id'
"""
_MOVED = """
SELECT relname FROM pg_class WHERE relnamespace = 'gieok'::regnamespace AND relkind IN ('r', 'p')
AND relname NOT IN ('meta', 'models', 'migrations')
"""
#: Table → the columns that are copied unchanged.
_CARRIED = {
    "scopes": "path, documents, passages, tokens, changed",
    "notes": "name, value",
    "waiting": "id, text_hash",
    "documents": "id, key_hash, passage_count, key, kind, title, content_hash, importance, tier, "
    "created_at, updated_at, "
    "valid_from, valid_to, metadata, provenance, text",
    "passages": 'id, document_id, start, "end", start_line, end_line, length, text_hash, context',
    "postings": "passage_id, body, context, length, before, after, token",
    "embeddings": "scale, id, embedding",
}

#: Each migration is applied once, in order, and never changed after a release. The third changes
#: nothing in a new database.
MIGRATIONS: tuple[Step, ...] = (_FIRST, _SECOND, _renumber_scopes)
#: Keys of advisory locks: one for migrating, one for the ids (above), one that a switch of the
#: model holds against writers.
MIGRATING = 1
WRITING = "pg_advisory_xact_lock_shared(4749454, 3)"
SWITCHING = "pg_advisory_xact_lock(4749454, 3)"
