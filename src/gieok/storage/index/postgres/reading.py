"""Reads documents, and ranks by keywords in SQL.

Each function runs inside one snapshot.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import psycopg

from gieok.model.memory import Document, Entry, Passage, PassageId, Scope, StoreStats
from gieok.model.retrieval import Filter, FoundPassage, KeywordQuery, Ranking
from gieok.ports.store import SCORE_DIGITS
from gieok.storage.index.rows import (
    DOCUMENT_COLUMNS,
    filter_sql,
    postgres_field,
    to_document,
    to_found,
)
from gieok.storage.index.sql_documents import ScopeStatistics
from gieok.storage.postgres.numbers import scope_number
from gieok.storage.postgres.transaction import PendingRows, Transaction
from gieok.text import bm25
from gieok.text.keywords import keyword_text

#: Rows fetched at a time where a whole table is read.
_FETCHED_ROWS = 4096


def key_hash(key: str) -> bytes:
    """Return the hash of a document's key, by which the document is found.

    A key may be longer than an index takes.
    """
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def find_postgres_scope_id(db: psycopg.Connection, scope: Scope) -> int:
    """Return the id of a scope; -1, which no scope has, where the scope is unknown."""
    # Compare the path too: whoever may name scopes could find two with one number.
    named = "SELECT id FROM gieok.scopes WHERE id = %s AND path = %s"
    row = db.execute(named, (scope_number(scope.path), scope.path)).fetchone()
    return row[0] if row else -1


def get(db: psycopg.Connection, scope: Scope, keys: Sequence[str]) -> list[Document]:
    """Return documents in the order of `keys`."""
    rows = db.execute(
        (
            f"SELECT {DOCUMENT_COLUMNS} FROM gieok.documents WHERE scope_id = %s AND key_hash = "
            "ANY(%s)"
        ),
        (find_postgres_scope_id(db, scope), list({key_hash(key) for key in keys})),
    )
    by_key = {row[0]: to_document(scope, row) for row in rows}
    return [by_key[key] for key in keys if key in by_key]


def entries(db: psycopg.Connection, scope: Scope, keys: Sequence[str]) -> list[Entry]:
    """Return documents with their passages, in the order of `keys`."""
    passages: dict[str, list[Passage]] = defaultdict(list)
    sid = find_postgres_scope_id(db, scope)
    rows = db.execute(
        'SELECT d.key, p.start, p."end", p.start_line, p.end_line, p.context FROM '
        "gieok.documents d "
        "JOIN gieok.passages p ON p.scope_id = %s AND p.id BETWEEN d.id + 1 AND d.id + "
        "d.passage_count "
        "WHERE d.scope_id = %s AND d.key_hash = ANY(%s) ORDER BY p.id",
        (sid, sid, list({key_hash(key) for key in keys})),
    )
    for key, *columns in rows:
        passages[key].append(Passage(*columns))
    return [Entry(document, tuple(passages[document.key])) for document in get(db, scope, keys)]


def hashes(db: psycopg.Connection, scope: Scope) -> dict[str, str]:
    """Return key → content hash, in the order in which the documents were put."""
    sid = find_postgres_scope_id(db, scope)
    rows = db.execute(
        "SELECT key, content_hash FROM gieok.documents WHERE scope_id = %s ORDER BY id", (sid,)
    )
    return dict(rows.fetchall())


def scopes(db: psycopg.Connection) -> list[Scope]:
    """Return the scopes that hold a document or a note."""
    rows = db.execute(
        "SELECT path FROM gieok.scopes s WHERE documents > 0 "
        "OR EXISTS (SELECT FROM gieok.notes WHERE scope_id = s.id) ORDER BY path"
    )
    return [Scope(path) for (path,) in rows]


def notes(db: psycopg.Connection, scope: Scope) -> dict[str, str]:
    """Return the notes of a scope by name."""
    rows = db.execute(
        "SELECT name, value FROM gieok.notes WHERE scope_id = %s",
        (find_postgres_scope_id(db, scope),),
    )
    return dict(rows.fetchall())


def is_unadopted(db: psycopg.Connection) -> bool:
    """Say whether an older release wrote documents that the journal does not know yet."""
    return db.execute("SELECT 1 FROM gieok.meta WHERE name = 'unadopted'").fetchone() is not None


def passages(
    db: psycopg.Connection, ids: Sequence[PassageId], scope: Scope | None = None
) -> list[FoundPassage]:
    """Return passages in the order of `ids`, of one scope where a scope is given."""
    named, values = (
        ("", []) if scope is None else (" AND scope_id = %s", [find_postgres_scope_id(db, scope)])
    )
    rows = db.execute(
        'SELECT id, document_id, scope_id, start, "end", context, start_line, end_line '
        f"FROM gieok.passages WHERE id = ANY(%s){named}",
        (list(ids), *values),
    ).fetchall()
    documents = _read_passage_documents(db, rows)
    by_id: dict[PassageId, FoundPassage] = {}
    for passage, document, _, start, end, *place in rows:
        if document in documents:
            path, key, kind, title, text, *rest = documents[document]
            by_id[passage] = to_found(
                (passage, path, key, kind, title, text[start:end], *place, *rest)
            )
    return [by_id[i] for i in ids if i in by_id]


def within(db: psycopg.Connection, scope: Scope, where: Filter, limit: int) -> list[PassageId]:
    """Return the passages of documents that a filter admits, the newest document first."""
    sql, values = condition(where)
    rows = db.execute(
        "SELECT p.id FROM gieok.documents d JOIN gieok.passages p ON p.scope_id = %(scope)s "
        "AND p.id BETWEEN d.id + 1 AND d.id + d.passage_count "
        f"WHERE d.scope_id = %(scope)s{sql} "
        'ORDER BY coalesce(d.valid_from, d.updated_at) DESC, d.key COLLATE "C", p.id LIMIT '
        "%(limit)s",
        {"scope": find_postgres_scope_id(db, scope), "limit": limit, **values},
    )
    return [row[0] for row in rows]


def _read_passage_documents(
    db: psycopg.Connection, rows: Sequence[tuple[Any, ...]]
) -> dict[int, tuple[Any, ...]]:
    """Return document id → the scope's path and the document's columns, for passage rows.

    The scopes in the rows let partitions be left out.
    """
    document_rows = db.execute(
        "SELECT d.id, s.path, d.key, d.kind, d.title, d.text, d.importance, d.tier, "
        "d.updated_at, d.valid_from, d.metadata "
        "FROM gieok.documents d JOIN gieok.scopes s ON s.id = d.scope_id AND s.id = "
        "ANY(%(scopes)s) "
        "WHERE d.id = ANY(%(ids)s) AND d.scope_id = ANY(%(scopes)s)",
        {"ids": list({row[1] for row in rows}), "scopes": list({row[2] for row in rows})},
    )
    return {row[0]: row[1:] for row in document_rows}


def _defer_word_counts(transaction: Transaction, scope: Scope, query: KeywordQuery) -> PendingRows:
    """Return rows of (passages of the scope, their tokens, token, passages that hold it).

    A scope that holds passages has a row, without a token where none of the query's occurs.
    """
    sid = scope_number(scope.path)
    return transaction.defer(
        "SELECT s.passages, s.tokens, t.token, t.count FROM gieok.scopes s LEFT JOIN ("
        "SELECT token, count(*) FROM gieok.postings WHERE scope_id = %s AND token = ANY(%s) "
        "GROUP BY token) t ON true WHERE s.id = %s AND s.path = %s AND s.passages > 0",
        (sid, list(query.weights), sid, scope.path),
    )


class WordRanking:
    """Ranking by `gieok.text.bm25`, with the counts of `_defer_word_counts`."""

    def __init__(
        self,
        transaction: Transaction,
        scope: Scope,
        query: KeywordQuery,
        where: Filter,
        limit: int,
    ) -> None:
        self._query = query
        self._rows: PendingRows | None = None
        counted = _defer_word_counts(transaction, scope, query).fetchall()
        self._passages, tokens = counted[0][:2] if counted else (0, 0)
        self._holding = {token: count for _, _, token, count in counted if token is not None}
        if weights := bm25.token_weights(query, self._passages, self._holding):
            known = ScopeStatistics(
                scope_number(scope.path),
                scope.path,
                self._passages,
                max(tokens / self._passages, 1.0),
            )
            self._rows = _defer_keyword_ranking(transaction, known, query, weights, where, limit)

    def finish(self) -> Ranking:
        """Return the ranking."""
        if not self._passages:
            return Ranking("keyword", ())
        rows = self._rows.fetchall() if self._rows else []
        return Ranking(
            "keyword",
            tuple((passage, score) for passage, score, _ in rows),
            bm25.ceiling(self._query, self._passages, self._holding),
            passages=self._passages,
            holding=self._holding,
            keys={passage: key for passage, _, key in rows if key is not None},
        )


def _defer_keyword_ranking(
    transaction: Transaction,
    known: ScopeStatistics,
    query: KeywordQuery,
    weights: Mapping[str, float],
    where: Filter,
    limit: int,
) -> PendingRows:
    """Return rows of (passage, score, key of its document where the filter looked at it).

    `weights` is weight · idf of the tokens that occur.
    """
    named, values = condition(where)
    allowed = (
        "JOIN gieok.passages p ON p.scope_id = %(s)s AND p.id = c.id "
        f"JOIN gieok.documents d ON d.scope_id = %(s)s AND d.id = p.document_id{named}"
    )
    key = "d.key" if named else "NULL::text"
    return transaction.defer(
        f"""WITH query (token, weight) AS (SELECT * FROM unnest(%(tokens)s::text[],
            %(weights)s::float8[])),
        own AS (
            SELECT t.passage_id AS id, q.token, q.weight, t.length, t.before, t.after,
                t.body + %(context)s::float8 * t.context AS tf
            FROM query q JOIN gieok.postings t ON t.scope_id = %(s)s AND t.token = q.token
        ),
        counted AS ({_build_postgres_spread_sql(query) if query.spread else "SELECT * FROM own"}),
        scored AS (
            SELECT c.id, {key} AS key, sum(c.weight * c.tf * (%(k1)s::float8 + 1) / (
                c.tf + %(k1)s::float8
                    * (1 - %(b)s::float8 + %(b)s::float8 * c.length / %(mean)s::float8))) AS score
            FROM counted c {allowed if named else ""} WHERE c.tf > 0
            GROUP BY c.id{", d.key" if named else ""}
        )
        SELECT id, score, key FROM scored ORDER BY round(score::numeric, {SCORE_DIGITS}) DESC, id
        LIMIT %(limit)s""",
        {
            "s": known.id,
            "tokens": list(weights),
            "weights": list(weights.values()),
            "context": query.context_weight,
            "k1": query.k1,
            "b": query.b,
            "mean": known.mean_length,
            "limit": limit,
            **values,
        },
    )


def _build_postgres_spread_sql(query: KeywordQuery) -> str:
    """Return SQL that adds to each passage a share of its neighbours' matches.

    Neighbours are the passages around it in the document; short ones lend more.
    """
    lent = (
        f"own.tf * s.share * least(1.0::float8, {float(query.spread_tokens)}::float8 / "
        "greatest(own.length, 1))"
    )
    steps = ", ".join(
        f"({sign * n}, {float(share)!r}::float8)"
        for n, share in enumerate(query.spread, 1)
        for sign in (-1, 1)
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


def condition(where: Filter) -> tuple[str, dict[str, object]]:
    """Return a condition on `documents d`, starting with AND, and its named parameters."""
    sql, values = filter_sql(where, postgres_field)
    names = [f"f{n}" for n in range(len(values))]
    for name in names:
        sql = sql.replace("?", f"%({name})s", 1)
    return sql, dict(zip(names, values, strict=True))


def stats(db: psycopg.Connection, scope: Scope | None) -> StoreStats:
    """Count documents, passages and vectors, of one scope or of all."""
    condition, values = (
        ("WHERE id = %s", [find_postgres_scope_id(db, scope)]) if scope else ("", [])
    )
    row = db.execute(
        f"WITH s AS (SELECT id, documents, passages FROM gieok.scopes {condition}) "
        "SELECT coalesce(sum(documents), 0), coalesce(sum(passages), 0), "
        "(SELECT count(*) FROM gieok.waiting WHERE scope_id IN (SELECT id FROM s)), "
        "(SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE c.relnamespace = "
        "'gieok'::regnamespace "
        "AND c.relkind IN ('r', 'S')), "
        "(SELECT count(*) FROM gieok.vectors) FROM s",
        values,
    ).fetchone()
    assert row
    documents, passages_, without, size, cached = map(int, row)
    return StoreStats(
        documents=documents,
        passages=passages_,
        vectors=passages_ - without,
        disk_bytes=size,
        cached_vectors=cached,
    )


def check(db: psycopg.Connection) -> list[str]:
    """Verify references and counters, and that postings and texts have the same tokens."""
    wrong = []
    for what, sql in _BROKEN.items():
        row = db.execute(sql).fetchone()
        if row and row[0]:
            wrong.append(f"{row[0]} {what}")
    postings = db.execute(
        "SELECT scope_id, token, sum(body + context) FROM gieok.postings GROUP BY scope_id, token"
    )
    if Counter(_iter_postgres_tokens(db)) != {
        (sid, token): int(count) for sid, token, count in postings
    }:
        wrong.append("the postings are not the tokens of the texts")
    return wrong


def _iter_postgres_tokens(db: psycopg.Connection) -> Iterator[tuple[int, str]]:
    with db.cursor(name="texts") as cursor:
        cursor.execute(
            'SELECT p.scope_id, substr(d.text, p.start + 1, p."end" - p.start), p.context '
            "FROM gieok.passages p "
            "JOIN gieok.documents d ON d.id = p.document_id AND d.scope_id = p.scope_id"
        )
        while rows := cursor.fetchmany(_FETCHED_ROWS):
            for sid, *texts in rows:
                yield from ((sid, token) for text in texts for token in keyword_text(text).split())


_BROKEN = {
    "passages without their document": "SELECT count(*) FROM gieok.passages p WHERE NOT EXISTS ("
    "SELECT FROM gieok.documents d WHERE d.scope_id = p.scope_id AND d.id = p.document_id "
    "AND p.id BETWEEN d.id + 1 AND d.id + d.passage_count)",
    "documents with passages missing": "SELECT count(*) FROM gieok.documents d WHERE "
    "passage_count <> ("
    "SELECT count(*) FROM gieok.passages p WHERE p.scope_id = d.scope_id "
    "AND p.id BETWEEN d.id + 1 AND d.id + d.passage_count)",
    (
        "passages that neither have a vector nor wait for one, or both"
    ): "SELECT count(*) FROM gieok.passages p "
    "LEFT JOIN gieok.embeddings e ON e.scope_id = p.scope_id AND e.id = p.id LEFT JOIN "
    "gieok.waiting w "
    "ON w.scope_id = p.scope_id AND w.id = p.id "
    "WHERE (e.id IS NULL) = (w.id IS NULL)",
    "vectors without their passage": "SELECT (SELECT count(*) FROM gieok.embeddings) "
    "+ (SELECT count(*) FROM gieok.waiting) - (SELECT count(*) FROM gieok.passages)",
    "scopes with wrong counters": "SELECT count(*) FROM gieok.scopes s WHERE (documents, "
    "passages, tokens) <> ("
    "(SELECT count(*) FROM gieok.documents WHERE scope_id = s.id), "
    "(SELECT count(*) FROM gieok.passages WHERE scope_id = s.id), "
    "(SELECT coalesce(sum(length), 0) FROM gieok.passages WHERE scope_id = s.id))",
}
