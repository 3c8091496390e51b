"""Everything that reads the database, the keyword leg in SQL included. Each function runs inside one snapshot."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import psycopg
from numpy.typing import NDArray

from gieok.backends.stores import hubs
from gieok.backends.stores.order import best
from gieok.backends.stores.postgres.writing import key_hash
from gieok.backends.stores.rows import DOCUMENT_COLUMNS, filter_sql, to_document, to_found
from gieok.model.memory import Document, Entry, Passage, PassageId, Scope, StoreStats
from gieok.model.retrieval import Filter, FoundPassage, KeywordQuery, Ranking, VectorQuery
from gieok.ports.store import SCORE_DIGITS
from gieok.text.keywords import keyword_text

_Floats = NDArray[np.float32]
#: Rows fetched at a time where a whole table is read.
_FETCHED_ROWS = 4096


class ScopeStatistics(NamedTuple):
    """What BM25 needs of a scope."""

    id: int
    passages: int
    mean_length: float


def scope_statistics(db: psycopg.Connection, scope: Scope) -> ScopeStatistics | None:
    """Return the statistics of a scope that holds passages."""
    row = db.execute(
        "SELECT id, passages, tokens FROM gieok.scopes WHERE path = %s AND passages > 0", (scope.path,)
    ).fetchone()
    return ScopeStatistics(row[0], row[1], max(row[2] / row[1], 1.0)) if row else None


def scope_id(db: psycopg.Connection, scope: Scope) -> int:
    """Return the id of a scope; -1, which none has, where it is unknown."""
    row = db.execute("SELECT id FROM gieok.scopes WHERE path = %s", (scope.path,)).fetchone()
    return row[0] if row else -1


def get(db: psycopg.Connection, scope: Scope, keys: Sequence[str]) -> list[Document]:
    """Return documents in the order of `keys`."""
    rows = db.execute(
        f"SELECT {DOCUMENT_COLUMNS} FROM gieok.documents WHERE scope_id = %s AND key_hash = ANY(%s)",
        (scope_id(db, scope), list({key_hash(key) for key in keys})),
    )
    found = {row[0]: to_document(scope, row) for row in rows}
    return [found[key] for key in keys if key in found]


def entries(db: psycopg.Connection, scope: Scope, keys: Sequence[str]) -> list[Entry]:
    """Return documents with their passages, in the order of `keys`."""
    passages: dict[str, list[Passage]] = defaultdict(list)
    sid = scope_id(db, scope)
    rows = db.execute(
        'SELECT d.key, p.start, p."end", p.start_line, p.end_line, p.context FROM gieok.documents d '
        "JOIN gieok.passages p ON p.scope_id = %s AND p.id BETWEEN d.id + 1 AND d.id + d.passage_count "
        "WHERE d.scope_id = %s AND d.key_hash = ANY(%s) ORDER BY p.id",
        (sid, sid, list({key_hash(key) for key in keys})),
    )
    for key, *columns in rows:
        passages[key].append(Passage(*columns))
    return [Entry(document, tuple(passages[document.key])) for document in get(db, scope, keys)]


def hashes(db: psycopg.Connection, scope: Scope) -> dict[str, str]:
    """Return key → content hash, in the order in which the documents were put."""
    sid = scope_id(db, scope)
    rows = db.execute("SELECT key, content_hash FROM gieok.documents WHERE scope_id = %s ORDER BY id", (sid,))
    return dict(rows.fetchall())


def passages(db: psycopg.Connection, ids: Sequence[PassageId]) -> list[FoundPassage]:
    """Return passages in the order of `ids`."""
    rows = db.execute(
        'SELECT id, document_id, scope_id, start, "end", context, start_line, end_line '
        "FROM gieok.passages WHERE id = ANY(%s)",
        (list(ids),),
    ).fetchall()
    documents = _documents(db, rows)
    found: dict[PassageId, FoundPassage] = {}
    for passage, document, _, start, end, *place in rows:
        if document in documents:
            path, key, kind, title, text, *rest = documents[document]
            found[passage] = to_found((passage, path, key, kind, title, text[start:end], *place, *rest))
    return [found[i] for i in ids if i in found]


def _documents(db: psycopg.Connection, rows: Sequence[tuple[Any, ...]]) -> dict[int, tuple[Any, ...]]:
    """Return id → scope's path and columns of the documents of passage rows; their scopes let partitions be left out."""
    found = db.execute(
        "SELECT d.id, s.path, d.key, d.kind, d.title, d.text, d.importance, d.tier, d.updated_at, d.valid_from, d.metadata "
        "FROM gieok.documents d JOIN gieok.scopes s ON s.id = d.scope_id "
        "WHERE d.id = ANY(%s) AND d.scope_id = ANY(%s)",
        (list({row[1] for row in rows}), list({row[2] for row in rows})),
    )
    return {row[0]: row[1:] for row in found}


def term_statistics(db: psycopg.Connection, sid: int, tokens: Iterable[str]) -> dict[str, int]:
    """Return how many passages of the scope hold each token, for the tokens that occur."""
    rows = db.execute(
        "SELECT token, count(*) FROM gieok.postings WHERE scope_id = %s AND token = ANY(%s) GROUP BY token",
        (sid, list(tokens)),
    )
    return dict(rows.fetchall())


def keyword_ranking(
    db: psycopg.Connection,
    known: ScopeStatistics,
    query: KeywordQuery,
    weights: Mapping[str, float],
    where: Filter,
    limit: int,
) -> list[tuple[PassageId, float]]:
    """Rank by `gieok.text.bm25`; `weights` is weight · idf of the tokens that occur."""
    if not weights:
        return []
    condition, values = _condition(where)
    allowed = (
        "JOIN gieok.passages p ON p.scope_id = %(s)s AND p.id = c.id "
        f"JOIN gieok.documents d ON d.scope_id = %(s)s AND d.id = p.document_id{condition}"
    )
    rows = db.execute(
        f"""WITH query (token, weight) AS (SELECT * FROM unnest(%(tokens)s::text[], %(weights)s::float8[])),
        own AS (
            SELECT t.passage_id AS id, q.token, q.weight, t.length, t.before, t.after,
                t.body + %(context)s::float8 * t.context AS tf
            FROM query q JOIN gieok.postings t ON t.scope_id = %(s)s AND t.token = q.token
        ),
        counted AS ({_spread_sql(query) if query.spread else "SELECT * FROM own"}),
        scored AS (
            SELECT c.id, sum(c.weight * c.tf * (%(k1)s::float8 + 1) / (
                c.tf + %(k1)s::float8 * (1 - %(b)s::float8 + %(b)s::float8 * c.length / %(mean)s::float8))) AS score
            FROM counted c {allowed if condition else ""} WHERE c.tf > 0 GROUP BY c.id
        )
        SELECT id, score FROM scored ORDER BY round(score::numeric, {SCORE_DIGITS}) DESC, id LIMIT %(limit)s""",
        {
            "s": known.id, "tokens": list(weights), "weights": list(weights.values()), "context": query.context_weight,
            "k1": query.k1, "b": query.b, "mean": known.mean_length, "limit": limit, **values,
        },
    )  # fmt: skip
    return rows.fetchall()


def _spread_sql(query: KeywordQuery) -> str:
    """Return a query that adds to each passage what its neighbours in the document hold; short ones lend more."""
    lent = f"own.tf * s.share * least(1.0::float8, {float(query.spread_tokens)}::float8 / greatest(own.length, 1))"
    steps = ", ".join(
        f"({sign * n}, {float(share)!r}::float8)" for n, share in enumerate(query.spread, 1) for sign in (-1, 1)
    )
    return f"""
        SELECT id, token, weight, length, sum(tf) AS tf FROM (
            SELECT id, token, weight, length, tf FROM own
            UNION ALL
            SELECT near.id, own.token, own.weight, near.length, {lent} FROM own
            JOIN (VALUES {steps}) s (step, share) ON s.step BETWEEN -own.before AND own.after
            JOIN gieok.passages near ON near.scope_id = %(s)s AND near.id = own.id + s.step
            WHERE own.before + own.after > 0
        ) part GROUP BY token, weight, id, length"""


def _condition(where: Filter) -> tuple[str, dict[str, object]]:
    """Return a condition on `documents d`, starting with AND, and its named parameters."""
    condition, values = filter_sql(where)
    names = [f"f{n}" for n in range(len(values))]
    for name in names:
        condition = condition.replace("?", f"%({name})s", 1)
    return condition, dict(zip(names, values, strict=True))


def nearest(db: psycopg.Connection, sid: int, query: VectorQuery, where: Filter, limit: int) -> Ranking:
    """Rank by exact cosine, lowered by crowding.

    The server's product rounds the query to halves, so it is asked for a few more than wanted, and they are looked at again.
    """
    condition, values = _condition(where)
    documents = (
        "JOIN gieok.passages p ON p.scope_id = %(s)s AND p.id = e.id "
        f"JOIN gieok.documents d ON d.scope_id = %(s)s AND d.id = p.document_id{condition}"
        if condition
        else ""
    )
    vector = np.frombuffer(query.vector, "<f4")
    rows = db.execute(
        f"SELECT e.id, e.scale, e.embedding FROM gieok.embeddings e {documents} WHERE e.scope_id = %(s)s "
        "ORDER BY (e.embedding <#> %(q)s::text::halfvec) * e.scale, e.id LIMIT %(limit)s",
        {"s": sid, "q": str(vector.tolist()), "limit": limit + limit // 8 + 8 if limit else 0, **values},
        binary=True,
    ).fetchall()
    return _leg(rows, vector, query.hub_weight, limit)


def _leg(rows: Sequence[tuple[int, float, bytes]], query: _Floats, hub_weight: float, limit: int) -> Ranking:
    ids = np.array([row[0] for row in rows], np.int64)
    scales = np.array([row[1] for row in rows], np.float32)
    # pgvector's binary form: two 16-bit words (dimension, unused), then halves, most significant byte first.
    halves = [np.frombuffer(row[2], ">f2", offset=4) for row in rows]
    values = np.array(halves, np.float32).reshape(len(rows), len(query))
    cosines = (values @ query) * scales
    top = best(cosines, ids, limit)
    ids, cosines, values, scales = ids[top], cosines[top], values[top], scales[top]
    scores = cosines - hub_weight * hubs.crowding(values * scales[:, None]) if hub_weight else cosines
    order = best(scores, ids, limit)
    ranked = zip(ids[order].tolist(), scores[order].tolist(), strict=True)
    return Ranking("vector", tuple(ranked), cosines=tuple(cosines[order].tolist()))


def waiting(db: psycopg.Connection, scope: Scope) -> int:
    """Count the passages of a scope that have no vector; costs nothing where there is none."""
    row = db.execute(
        "SELECT count(*) FROM gieok.waiting WHERE scope_id = (SELECT id FROM gieok.scopes WHERE path = %s)",
        (scope.path,),
    ).fetchone()
    return int(row[0]) if row else 0


def stats(db: psycopg.Connection, scope: Scope | None) -> StoreStats:
    """Count documents, passages and vectors, of one scope or of all."""
    condition, values = ("WHERE id = %s", [scope_id(db, scope)]) if scope else ("", [])
    row = db.execute(
        f"WITH s AS (SELECT id, documents, passages FROM gieok.scopes {condition}) "
        "SELECT coalesce(sum(documents), 0), coalesce(sum(passages), 0), "
        "(SELECT count(*) FROM gieok.waiting WHERE scope_id IN (SELECT id FROM s)), "
        "(SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE c.relnamespace = 'gieok'::regnamespace "
        "AND c.relkind IN ('r', 'S')), "
        "(SELECT count(*) FROM gieok.vectors) FROM s",
        values,
    ).fetchone()
    assert row
    documents, passages_, without, size, cached = map(int, row)
    return StoreStats(documents, passages_, passages_ - without, size, cached)


def missing(db: psycopg.Connection, limit: int) -> list[tuple[PassageId, str]]:
    """Return (id, text) of passages without a vector, newest first."""
    rows = db.execute("SELECT id, scope_id FROM gieok.waiting ORDER BY id DESC LIMIT %s", (limit,)).fetchall()
    return _texts(db, rows)


def missing_for(db: psycopg.Connection, model_id: int, before: PassageId, limit: int) -> list[tuple[PassageId, str]]:
    """Return (id, text) of passages below an id whose text has no vector of a model, newest first."""
    rows = db.execute(
        "SELECT p.id, p.scope_id FROM gieok.passages p WHERE p.id < %s AND NOT EXISTS ("
        "SELECT FROM gieok.vectors v WHERE v.model_id = %s AND v.text_hash = p.text_hash) ORDER BY p.id DESC LIMIT %s",
        (before, model_id, limit),
    ).fetchall()
    return _texts(db, rows)


def _texts(db: psycopg.Connection, found: Sequence[tuple[int, int]]) -> list[tuple[PassageId, str]]:
    """Return (id, text) of passages given as (id, scope); cut here, because `substr` reads a document for each passage."""
    scopes = list({sid for _, sid in found})
    rows = db.execute(
        'SELECT id, document_id, start, "end" FROM gieok.passages WHERE id = ANY(%s) AND scope_id = ANY(%s) '
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


def text_hashes(db: psycopg.Connection, ids: Sequence[PassageId]) -> dict[PassageId, bytes]:
    """Return the hash of the text to embed of the passages that exist."""
    rows = db.execute("SELECT id, text_hash FROM gieok.passages WHERE id = ANY(%s)", (list(ids),))
    return dict(rows.fetchall())


def check(db: psycopg.Connection) -> list[str]:
    """Verify references and counters, and that the postings are the tokens of the texts and nothing else."""
    wrong = []
    for what, sql in _BROKEN.items():
        row = db.execute(sql).fetchone()
        if row and row[0]:
            wrong.append(f"{row[0]} {what}")
    held = db.execute("SELECT scope_id, token, sum(body + context) FROM gieok.postings GROUP BY scope_id, token")
    if Counter(_expected_tokens(db)) != {(sid, token): int(count) for sid, token, count in held}:
        wrong.append("the postings are not the tokens of the texts")
    return wrong


def _expected_tokens(db: psycopg.Connection) -> Iterator[tuple[int, str]]:
    with db.cursor(name="texts") as cursor:
        cursor.execute(
            'SELECT p.scope_id, substr(d.text, p.start + 1, p."end" - p.start), p.context FROM gieok.passages p '
            "JOIN gieok.documents d ON d.id = p.document_id AND d.scope_id = p.scope_id"
        )
        while rows := cursor.fetchmany(_FETCHED_ROWS):
            for sid, *texts in rows:
                yield from ((sid, token) for text in texts for token in keyword_text(text).split())


_BROKEN = {
    "passages without their document": "SELECT count(*) FROM gieok.passages p WHERE NOT EXISTS ("
    "SELECT FROM gieok.documents d WHERE d.scope_id = p.scope_id AND d.id = p.document_id "
    "AND p.id BETWEEN d.id + 1 AND d.id + d.passage_count)",
    "documents with passages missing": "SELECT count(*) FROM gieok.documents d WHERE passage_count <> ("
    "SELECT count(*) FROM gieok.passages p WHERE p.scope_id = d.scope_id "
    "AND p.id BETWEEN d.id + 1 AND d.id + d.passage_count)",
    "passages that neither have a vector nor wait for one, or both": "SELECT count(*) FROM gieok.passages p "
    "LEFT JOIN gieok.embeddings e ON e.scope_id = p.scope_id AND e.id = p.id LEFT JOIN gieok.waiting w ON w.id = p.id "
    "WHERE (e.id IS NULL) = (w.id IS NULL)",
    "vectors without their passage": "SELECT (SELECT count(*) FROM gieok.embeddings) "
    "+ (SELECT count(*) FROM gieok.waiting) - (SELECT count(*) FROM gieok.passages)",
    "scopes with wrong counters": "SELECT count(*) FROM gieok.scopes s WHERE (documents, passages, tokens) <> ("
    "(SELECT count(*) FROM gieok.documents WHERE scope_id = s.id), "
    "(SELECT count(*) FROM gieok.passages WHERE scope_id = s.id), "
    "(SELECT coalesce(sum(length), 0) FROM gieok.passages WHERE scope_id = s.id))",
}
