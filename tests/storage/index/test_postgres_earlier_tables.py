"""Tables of earlier versions (before the journal adopts what the store holds; before scopes had
numbers made of their paths) are brought over whole, and searched as before.
"""

from collections.abc import Callable

import psycopg
import pytest

from gieok.model.retrieval import Filter
from gieok.storage.index.postgres import schema
from gieok.storage.index.postgres.store import PostgresStore
from gieok.storage.postgres.tables import partitioned
from gieok.testing import HashEmbedder
from gieok.testing.samples import (
    HOME,
    OTHER,
    build_entry,
    build_keyword_query,
    corpus,
    embed_missing,
)

_EARLIER = {
    "documents": """id bigint NOT NULL, scope_id int NOT NULL, key_hash bytea NOT NULL, passage_count int NOT NULL,
        key text NOT NULL, kind text NOT NULL, title text NOT NULL, content_hash text NOT NULL,
        importance float8 NOT NULL, tier text NOT NULL,
        created_at bigint NOT NULL, updated_at bigint NOT NULL, valid_from bigint, valid_to bigint,
        metadata text NOT NULL, provenance text NOT NULL, text text NOT NULL,
        PRIMARY KEY (id, scope_id), UNIQUE (scope_id, key_hash)""",
    "passages": """id bigint NOT NULL, document_id bigint NOT NULL, scope_id int NOT NULL,
        start int NOT NULL, "end" int NOT NULL, start_line int NOT NULL, end_line int NOT NULL,
        length int NOT NULL, text_hash bytea NOT NULL, context text NOT NULL, PRIMARY KEY (id, scope_id)""",
    "postings": """scope_id int NOT NULL, passage_id bigint NOT NULL, body int NOT NULL, context int NOT NULL,
        length int NOT NULL, before smallint NOT NULL, after smallint NOT NULL, token text COLLATE "C" NOT NULL,
        PRIMARY KEY (scope_id, token, passage_id)""",
    "embeddings": """scope_id int NOT NULL, scale real NOT NULL, id bigint NOT NULL, embedding halfvec NOT NULL,
        PRIMARY KEY (scope_id, id)""",
}
_WHOLE = """
DROP TABLE gieok.scopes, gieok.notes, gieok.vectors, gieok.waiting, gieok.documents, gieok.passages, gieok.postings,
    gieok.embeddings;
DROP SEQUENCE gieok.kept;
CREATE TABLE gieok.scopes (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, path text COLLATE "C" NOT NULL UNIQUE, documents bigint NOT NULL DEFAULT 0,
    passages bigint NOT NULL DEFAULT 0, tokens bigint NOT NULL DEFAULT 0, changed bigint NOT NULL DEFAULT 0
);
CREATE TABLE gieok.notes (scope_id int NOT NULL, name text NOT NULL, value text NOT NULL, PRIMARY KEY (scope_id, name));
CREATE TABLE gieok.vectors (
    model_id int NOT NULL, text_hash bytea NOT NULL, data bytea NOT NULL, kept bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (model_id, text_hash)
);
CREATE TABLE gieok.waiting (id bigint PRIMARY KEY, scope_id int NOT NULL, text_hash bytea NOT NULL);
"""
#: Version of the tables → what they do not have yet.
_NOT_YET = {
    1: "DELETE FROM gieok.migrations WHERE version > 1;"
    "DELETE FROM gieok.meta WHERE name = 'unadopted'",
    2: "DELETE FROM gieok.migrations WHERE version > 2",
}


def _as_it_was(url: str, version: int) -> None:
    """Write what the tables hold into tables as an earlier release made them."""
    kept = {
        name: f"CREATE TEMPORARY TABLE {name} AS SELECT * FROM gieok.{name}"
        for name in schema.OF_SCOPES
    }
    with psycopg.connect(url) as db:
        for sql in kept.values():
            db.execute(sql)
        db.execute(
            _WHOLE
            + "".join(
                partitioned(f"gieok.{name}", columns, 16) for name, columns in _EARLIER.items()
            )
        )
        db.execute(_NOT_YET[version])
        db.execute(
            "INSERT INTO gieok.scopes (path, documents, passages, tokens) "
            "SELECT path, documents, passages, tokens FROM scopes"
        )
        db.execute(
            "CREATE TEMPORARY TABLE old AS SELECT n.id AS new, s.id FROM scopes n JOIN "
            "gieok.scopes s USING (path)"
        )
        for name in ("notes", "waiting", *_EARLIER):
            columns = [
                row[0]
                for row in db.execute(
                    "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0",
                    (f"gieok.{name}",),
                )
            ]
            names = ", ".join(f'"{one}"' for one in columns)
            values = ", ".join("o.id" if one == "scope_id" else f'k."{one}"' for one in columns)
            db.execute(
                f"INSERT INTO gieok.{name} ({names}) SELECT {values} FROM {name} k JOIN old o "
                "ON o.new = k.scope_id"
            )
        db.execute(
            "INSERT INTO gieok.vectors (model_id, text_hash, data) SELECT model_id, "
            "text_hash, data FROM vectors "
            "ON CONFLICT DO NOTHING"
        )


@pytest.mark.parametrize("version", _NOT_YET)
def test_earlier_tables_are_brought_over_and_searched_as_before(
    make_empty_database: Callable[[], str], version: int
) -> None:
    url, embedder = make_empty_database(), HashEmbedder()
    store = PostgresStore(url)
    store.use_model(embedder.model, embedder.dimension)
    store.put([*corpus(71, 20), *(build_entry(f"{n}", f"결제 {n}", scope=OTHER) for n in range(5))])
    store.write_note(HOME, "a", "b")
    embed_missing(store, embedder)
    store.put([build_entry("late", "waits for its vector")])
    asked = build_keyword_query("결제 deploy")
    before = [store.keyword(scope, asked, Filter(), 50) for scope in (HOME, OTHER)]
    stats = [store.stats(scope)[:3] for scope in (HOME, OTHER)]
    store.close()
    _as_it_was(url, version)

    store = PostgresStore(url)
    assert store.check() == []
    assert store.is_unadopted()
    assert [store.keyword(scope, asked, Filter(), 50) for scope in (HOME, OTHER)] == before
    assert ([store.stats(scope)[:3] for scope in (HOME, OTHER)], store.notes(HOME)) == (
        stats,
        {"a": "b"},
    )
    embed_missing(store, embedder)
    assert store.missing(9) == []
    with psycopg.connect(url) as db:
        assert (
            db.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'gieok_before'").fetchone()
            is None
        )
    store.close()
