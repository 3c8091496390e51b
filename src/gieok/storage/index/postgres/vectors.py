"""Embedding models and their vectors.

Each function runs inside the caller's transaction.
"""

from collections.abc import Iterable, Mapping, Sequence
from struct import Struct

import numpy as np
import psycopg

from gieok.model.memory import PassageId, Scope
from gieok.model.retrieval import Filter, Ranking, VectorQuery
from gieok.storage.index.order import rank_near
from gieok.storage.index.postgres import reading
from gieok.storage.index.postgres.schema import SWITCHING, WRITING
from gieok.storage.index.quantise import unpack
from gieok.storage.index.sql_vectors import VectorModel
from gieok.storage.postgres.numbers import scope_number
from gieok.storage.postgres.transaction import PendingRows, Transaction

#: Number of vectors kept though no passage uses them any more, for texts that come back (a branch
#: switched to and fro).
CACHED_VECTORS = 50_000
#: Format of a scope's number in front of a text's hash.
_SCOPE = Struct(">q")


def active(db: psycopg.Connection) -> VectorModel | None:
    """Return the model that search uses."""
    return _read_vector_model(
        db, "id = (SELECT value::int FROM gieok.meta WHERE name = 'model_id')"
    )


def named(db: psycopg.Connection, name: str) -> VectorModel | None:
    """Return a model by its name."""
    return _read_vector_model(db, "name = %s", name)


def _read_vector_model(db: psycopg.Connection, condition: str, *values: str) -> VectorModel | None:
    row = db.execute(
        f"SELECT id, name, dimension FROM gieok.models WHERE {condition}", values
    ).fetchone()
    return VectorModel(*row) if row else None


def add(db: psycopg.Connection, name: str, dimension: int) -> VectorModel:
    """Return a model with its recorded dimension; a new model gets a row."""
    db.execute(
        "INSERT INTO gieok.models (name, dimension) VALUES (%s, %s) ON CONFLICT (name) DO NOTHING",
        (name, dimension),
    )
    added = named(db, name)
    assert added
    return added


def activate(db: psycopg.Connection, model_id: int) -> None:
    """Make a model the active one, point every passage at its vectors, drop other vectors."""
    db.execute(
        (
            "INSERT INTO gieok.meta VALUES ('model_id', %s) ON CONFLICT (name) DO UPDATE SET "
            "value = excluded.value"
        ),
        (str(model_id),),
    )
    db.execute("DELETE FROM gieok.vectors WHERE model_id <> %s", (model_id,))
    db.execute("DELETE FROM gieok.models WHERE id <> %s", (model_id,))
    # Not TRUNCATE, which searches in progress would see.
    db.execute("DELETE FROM gieok.embeddings")
    db.execute("DELETE FROM gieok.waiting")
    with db.cursor(name="passages") as cursor:
        cursor.itersize = 2_000
        cursor.execute("SELECT id, scope_id, text_hash FROM gieok.passages")
        while rows := cursor.fetchmany(2_000):
            link(db, rows)


def lock(db: psycopg.Connection, *, to_switch: bool) -> None:
    """Keep the active model unchanged until the end of the transaction.

    With `to_switch`, wait until no other transaction writes.
    """
    db.execute(f"SELECT {SWITCHING if to_switch else WRITING}")


def defer_nearest(
    transaction: Transaction, scope: Scope, query: VectorQuery, where: Filter, limit: int
) -> PendingRows:
    """Return rows of the active model (name, dimension) with the nearest passages by exact cosine
    (id, scale, vector, key of the document where the filter looked at it).

    A model has a row, without a passage where there is none. The server's product rounds the query
    to halves, so the server is asked for a few more vectors than wanted, whose cosines are computed
    again in `rank_nearest_vectors`.
    """
    condition, values = reading.condition(where)
    documents = (
        "JOIN gieok.passages p ON p.scope_id = %(s)s AND p.id = e.id "
        f"JOIN gieok.documents d ON d.scope_id = %(s)s AND d.id = p.document_id{condition}"
        if condition
        else ""
    )
    vector = np.frombuffer(query.vector, "<f4")
    return transaction.defer_bound(
        "SELECT m.id, m.name, m.dimension, n.* FROM gieok.models m LEFT JOIN LATERAL ("
        f"SELECT e.id, e.scale, e.embedding, {'d.key' if condition else 'NULL::text'} "
        f"FROM gieok.embeddings e {documents} "
        # A product with a vector of another length is an error of the server's own.
        "WHERE e.scope_id = %(s)s AND m.dimension = %(dimension)s AND EXISTS ("
        "SELECT FROM gieok.scopes WHERE id = %(s)s AND path = %(path)s) "
        "ORDER BY (e.embedding <#> %(q)s::text::halfvec) * e.scale, e.id LIMIT %(limit)s"
        ") n ON true WHERE m.id = (SELECT value::int FROM gieok.meta WHERE name = 'model_id')",
        {
            "s": scope_number(scope.path),
            "path": scope.path,
            "dimension": len(vector),
            "q": str(vector.tolist()),
            "limit": limit + limit // 8 + 8 if limit else 0,
            **values,
        },
        is_binary=True,
    )


def rank_nearest_vectors(found: PendingRows, query: VectorQuery, limit: int) -> Ranking:
    """Rank the rows of `defer_nearest` by exact cosine, lowered by crowding.

    Raises ShapeMismatch for a question whose vector another model made.
    """
    all_rows = found.fetchall()
    if not all_rows:
        return Ranking("vector", ())
    VectorModel(*all_rows[0][:3]).verify_query(query)
    rows = [row[3:] for row in all_rows if row[3] is not None]
    ids = np.array([row[0] for row in rows], np.int64)
    scales = np.array([row[1] for row in rows], np.float32)
    # pgvector's binary form: two 16-bit words (dimension, unused), then halves, most significant
    # byte first.
    halves = [np.frombuffer(row[2], ">f2", offset=4) for row in rows]
    packed = np.array(halves, np.int8).reshape(len(rows), len(query.vector) // 4)
    ranking = rank_near(ids, packed, scales, query.vector, query.hub_weight, limit)
    return ranking._replace(keys={row[0]: row[3] for row in rows if row[3] is not None})


def waiting(db: psycopg.Connection, scope: Scope) -> int:
    """Count the passages of a scope that have no vector.

    Costs nothing where every passage has a vector.
    """
    row = db.execute(
        "SELECT count(*) FROM gieok.waiting WHERE scope_id = %s AND EXISTS ("
        "SELECT FROM gieok.scopes WHERE id = %s AND path = %s)",
        (scope_number(scope.path), scope_number(scope.path), scope.path),
    ).fetchone()
    return int(row[0]) if row else 0


def missing(db: psycopg.Connection, limit: int) -> list[tuple[PassageId, str]]:
    """Return (id, text) of passages without a vector, newest first."""
    rows = db.execute(
        "SELECT id, scope_id FROM gieok.waiting ORDER BY id DESC LIMIT %s", (limit,)
    ).fetchall()
    return _read_postgres_texts(db, rows)


def elsewhere(db: psycopg.Connection, model_id: int, limit: int) -> dict[bytes, bytes]:
    """Return vectors from other scopes for the newest waiting passages.

    The keys are scope and text hash in one value.
    """
    rows = db.execute(
        "SELECT w.scope_id, w.text_hash, v.data "
        "FROM (SELECT scope_id, text_hash FROM gieok.waiting ORDER BY id DESC LIMIT %s) w "
        "CROSS JOIN LATERAL (SELECT data FROM gieok.vectors WHERE text_hash = w.text_hash AND "
        "model_id = %s LIMIT 1) v",
        (limit, model_id),
    )
    return {_SCOPE.pack(sid) + text_hash: data for sid, text_hash, data in rows}


def missing_for(
    db: psycopg.Connection, model_id: int, before: PassageId, limit: int
) -> list[tuple[PassageId, str]]:
    """Return (id, text) of passages whose text has no vector of a model, newest first.

    Only passages with an id below `before`.
    """
    rows = db.execute(
        "SELECT p.id, p.scope_id FROM gieok.passages p WHERE p.id < %s AND NOT EXISTS ("
        "SELECT FROM gieok.vectors v WHERE v.scope_id = p.scope_id AND v.model_id = %s AND "
        "v.text_hash = p.text_hash) "
        "ORDER BY p.id DESC LIMIT %s",
        (before, model_id, limit),
    ).fetchall()
    return _read_postgres_texts(db, rows)


def _read_postgres_texts(
    db: psycopg.Connection, found: Sequence[tuple[int, int]]
) -> list[tuple[PassageId, str]]:
    """Return (id, text) of passages given as (id, scope).

    Texts are cut here, because `substr` reads a document for each passage.
    """
    scopes = list({sid for _, sid in found})
    rows = db.execute(
        'SELECT id, document_id, start, "end" FROM gieok.passages WHERE id = ANY(%s) AND '
        "scope_id = ANY(%s) "
        "ORDER BY id DESC",
        ([i for i, _ in found], scopes),
    ).fetchall()
    texts: dict[int, str] = dict(
        db.execute(
            "SELECT id, text FROM gieok.documents WHERE id = ANY(%s) AND scope_id = ANY(%s)",
            (list({row[1] for row in rows}), scopes),
        ).fetchall()
    )
    return [(passage, texts[document][start:end]) for passage, document, start, end in rows]


def prepared(db: psycopg.Connection, model_id: int) -> int:
    """Count the passages whose text has a vector of a model."""
    row = db.execute(
        "SELECT count(*) FROM gieok.passages p WHERE EXISTS ("
        "SELECT FROM gieok.vectors v WHERE v.scope_id = p.scope_id AND v.model_id = %s AND "
        "v.text_hash = p.text_hash)",
        (model_id,),
    ).fetchone()
    return int(row[0]) if row else 0


def text_hashes(db: psycopg.Connection, ids: Sequence[PassageId]) -> dict[PassageId, bytes]:
    """Return scope and hash of the text to embed, in one value, by passage.

    Only passages that exist. `put` and `keep` take the value.
    """
    rows = db.execute(
        "SELECT id, scope_id, text_hash FROM gieok.passages WHERE id = ANY(%s)", (list(ids),)
    )
    return {passage: _SCOPE.pack(sid) + text_hash for passage, sid, text_hash in rows}


def packed(db: psycopg.Connection, model_id: int, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
    """Return text hash → packed vector of the vectors that exist in any scope."""
    rows = db.execute(
        "SELECT text_hash, data FROM gieok.vectors WHERE model_id = %s AND text_hash = ANY(%s)",
        (model_id, sorted(set(hashes))),
    )
    return dict(rows.fetchall())


def put(db: psycopg.Connection, model_id: int, packed: Mapping[bytes, bytes]) -> None:
    """Keep vectors of the active model, and link every waiting passage with such a text.

    The keys of `packed` are scope and text hash in one value.
    """
    sids, hashes = keep(db, model_id, packed)
    # A document may be deleted meanwhile: lock its scope, then see which passages still wait.
    db.execute(
        "SELECT id FROM gieok.scopes WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE",
        (list(set(sids)),),
    )
    waiting = db.execute(
        "DELETE FROM gieok.waiting w USING unnest(%s::bigint[], %s::bytea[]) k (sid, hash) "
        "WHERE w.scope_id = k.sid AND w.scope_id = ANY(%s) AND w.text_hash = k.hash RETURNING "
        "w.id, w.scope_id, w.text_hash",
        (sids, hashes, list(set(sids))),
    ).fetchall()
    _copy_embeddings(db, [(i, sid, packed[_SCOPE.pack(sid) + h]) for i, sid, h in waiting])


def keep(
    db: psycopg.Connection, model_id: int, packed: Mapping[bytes, bytes]
) -> tuple[list[int], list[bytes]]:
    """Keep vectors without linking them; return the scopes and the hashes of the keys.

    For a rebuild, which is not visible yet. The keys of `packed` are scope and text hash in one
    value.
    """
    keys = sorted(packed)  # in one order, so that two writers never wait for each other in a circle
    sids, hashes = (
        [_SCOPE.unpack_from(key)[0] for key in keys],
        [key[_SCOPE.size :] for key in keys],
    )
    db.execute(
        "INSERT INTO gieok.vectors (scope_id, model_id, text_hash, data) "
        "SELECT sid, %s, hash, data FROM unnest(%s::bigint[], %s::bytea[], %s::bytea[]) k "
        "(sid, hash, data) "
        "ON CONFLICT DO NOTHING",
        (model_id, sids, hashes, [packed[key] for key in keys]),
    )
    return sids, hashes


def drop_unused_postgres_vectors(db: psycopg.Connection, keep: int = CACHED_VECTORS) -> None:
    """Drop the oldest unused vectors of the active model, beyond `keep` of them.

    A vector is unused where no passage has it; the vectors of a rebuild are not used yet.
    """
    db.execute(
        "DELETE FROM gieok.vectors WHERE (scope_id, model_id, text_hash) IN ("
        "SELECT scope_id, model_id, text_hash FROM gieok.vectors v "
        "WHERE model_id = (SELECT value::int FROM gieok.meta WHERE name = 'model_id') "
        "AND NOT EXISTS (SELECT FROM gieok.passages p WHERE p.scope_id = v.scope_id AND "
        "p.text_hash = v.text_hash) "
        "ORDER BY kept DESC OFFSET %s)",
        (keep,),
    )


def link(db: psycopg.Connection, passages: Sequence[tuple[int, int, bytes]]) -> None:
    """Give passages (id, scope, text hash) the active model's existing vectors.

    Passages without such a vector wait.
    """
    model = active(db)
    vector_ids = _read_linked_vectors(db, model.id, passages) if model else {}
    _copy_embeddings(
        db, [(i, sid, vector_ids[sid, h]) for i, sid, h in passages if (sid, h) in vector_ids]
    )
    copy_postgres_rows(
        db,
        "waiting (id, scope_id, text_hash)",
        (row for row in passages if row[1:] not in vector_ids),
    )


def _read_linked_vectors(
    db: psycopg.Connection, model_id: int, passages: Sequence[tuple[int, int, bytes]]
) -> dict[tuple[int, bytes], bytes]:
    """Return (scope, text hash) → packed vector, for passages whose scope has the vector."""
    rows = db.execute(
        "SELECT scope_id, text_hash, data FROM gieok.vectors "
        "WHERE scope_id = ANY(%s) AND model_id = %s AND text_hash = ANY(%s)",
        (list({sid for _, sid, _ in passages}), model_id, list({h for _, _, h in passages})),
    )
    return {(sid, text_hash): data for sid, text_hash, data in rows}


def _copy_embeddings(db: psycopg.Connection, rows: Sequence[tuple[int, int, bytes]]) -> None:
    if not rows:
        return
    values, scales = unpack([data for _, _, data in rows], len(rows[0][2]) - 4)
    with db.cursor().copy(
        "COPY gieok.embeddings (id, scope_id, scale, embedding) FROM STDIN"
    ) as out:
        for (passage, sid, _), row, scale in zip(
            rows, values.tolist(), scales.tolist(), strict=True
        ):
            out.write(f"{passage}\t{sid}\t{scale!r}\t{row}\n")


def copy_postgres_rows(
    db: psycopg.Connection, target: str, rows: Iterable[tuple[object, ...]]
) -> None:
    """Write rows to a table and its columns."""
    with db.cursor().copy(f"COPY gieok.{target} FROM STDIN") as out:
        for row in rows:
            out.write_row(row)
