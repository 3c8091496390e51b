"""Reads documents, and ranks by keywords in SQL.

Standard library only, for a quick start of one-shot commands.
"""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from gieok.model.memory import Document, Entry, Passage, PassageId, Scope, StoreStats
from gieok.model.retrieval import Filter, FoundPassage, KeywordQuery
from gieok.storage.index.rows import (
    DOCUMENT_COLUMNS,
    FOUND_COLUMNS,
    batches,
    filter_sql,
    marks,
    prefix_scope_tokens,
    to_document,
    to_found,
)
from gieok.storage.index.sql_documents import ScopeStatistics
from gieok.storage.index.sqlite import ranking
from gieok.text.keywords import keyword_text

term_statistics = ranking.term_statistics


def get(db: sqlite3.Connection, scope: Scope, keys: Sequence[str]) -> list[Document]:
    """Return documents in the order of `keys`."""
    by_key: dict[str, Document] = {}
    for batch in batches(keys):
        rows = db.execute(
            f"SELECT {DOCUMENT_COLUMNS} FROM documents "
            f"WHERE scope_id = (SELECT id FROM scopes WHERE path = ?) AND key IN ({marks(batch)})",
            (scope.path, *batch),
        )
        by_key.update((row[0], to_document(scope, row)) for row in rows)
    return [by_key[key] for key in keys if key in by_key]


def entries(db: sqlite3.Connection, scope: Scope, keys: Sequence[str]) -> list[Entry]:
    """Return documents with their passages, in the order of `keys`."""
    passages: dict[str, list[Passage]] = defaultdict(list)
    for batch in batches(keys):
        rows = db.execute(
            'SELECT d.key, p.start, p."end", p.start_line, p.end_line, p.context FROM documents d '
            "JOIN passages p ON p.id BETWEEN d.first_passage AND d.first_passage + "
            "d.passage_count - 1 "
            "WHERE d.scope_id = (SELECT id FROM scopes WHERE path = ?) AND d.key IN "
            f"({marks(batch)}) ORDER BY p.id",
            (scope.path, *batch),
        )
        for key, *columns in rows:
            passages[key].append(Passage(*columns))
    return [Entry(document, tuple(passages[document.key])) for document in get(db, scope, keys)]


def hashes(db: sqlite3.Connection, scope: Scope) -> dict[str, str]:
    """Return key → content hash."""
    rows = db.execute(
        (
            "SELECT key, content_hash FROM documents WHERE scope_id = (SELECT id FROM scopes "
            "WHERE path = ?)"
        ),
        (scope.path,),
    )
    return dict(rows.fetchall())


def passages(
    db: sqlite3.Connection, ids: Sequence[PassageId], scope: Scope | None = None
) -> list[FoundPassage]:
    """Return passages in the order of `ids`, of one scope where a scope is given."""
    by_id: dict[PassageId, FoundPassage] = {}
    for batch in batches(ids):
        rows = db.execute(
            f"SELECT {FOUND_COLUMNS} FROM passages p JOIN documents d ON d.id = p.document_id "
            f"JOIN scopes s ON s.id = p.scope_id WHERE p.id IN ({marks(batch)})",
            batch,
        )
        by_id.update((row[0], to_found(row)) for row in rows)
    return [by_id[i] for i in ids if i in by_id and scope in (None, by_id[i].scope)]


def within(db: sqlite3.Connection, scope: Scope, where: Filter, limit: int) -> list[PassageId]:
    """Return the passages of documents that a filter admits, the newest document first."""
    condition, values = filter_sql(where)
    rows = db.execute(
        # CROSS JOIN keeps the order of the loops: in the other order, each passage looks through
        # all documents (10,000: 12 s).
        "SELECT p.id FROM documents d CROSS JOIN passages p "
        "ON p.id BETWEEN d.first_passage AND d.first_passage + d.passage_count - 1 "
        f"WHERE d.scope_id = (SELECT id FROM scopes WHERE path = ?){condition} "
        "ORDER BY coalesce(d.valid_from, d.updated_at) DESC, d.key, p.id LIMIT ?",
        (scope.path, *values, limit),
    )
    return [row[0] for row in rows]


def allowed_ids(db: sqlite3.Connection, sid: int, where: Filter) -> list[PassageId]:
    """Return the passages of a scope that a filter admits."""
    condition, values = filter_sql(where)
    rows = db.execute(
        f"SELECT p.id FROM passages p JOIN documents d ON d.id = p.document_id{condition} "
        "WHERE p.scope_id = ? ORDER BY p.id",
        (*values, sid),
    )
    return [row[0] for row in rows]


def scopes(db: sqlite3.Connection) -> list[Scope]:
    """Return the scopes that hold a document or a note."""
    rows = db.execute(
        "SELECT path FROM scopes s WHERE passages > 0 OR EXISTS (SELECT 1 FROM notes WHERE "
        "scope_id = s.id) "
        "OR EXISTS (SELECT 1 FROM documents WHERE scope_id = s.id) ORDER BY path"
    )
    return [Scope(path) for (path,) in rows]


def notes(db: sqlite3.Connection, scope: Scope) -> dict[str, str]:
    """Return the notes of a scope by name."""
    rows = db.execute(
        "SELECT name, value FROM notes WHERE scope_id = (SELECT id FROM scopes WHERE path = ?)",
        (scope.path,),
    )
    return dict(rows.fetchall())


def is_unadopted(db: sqlite3.Connection) -> bool:
    """Say whether an older release wrote documents that the journal does not know yet."""
    return db.execute("SELECT 1 FROM meta WHERE name = 'unadopted'").fetchone() is not None


def scope_statistics(db: sqlite3.Connection, scope: Scope) -> ScopeStatistics | None:
    """Return the statistics of a scope that holds passages."""
    row = db.execute(
        "SELECT id, passages, tokens, generation FROM scopes WHERE path = ? AND passages > 0",
        (scope.path,),
    ).fetchone()
    return (
        ScopeStatistics(
            id=row[0],
            path=scope.path,
            passages=row[1],
            mean_length=max(row[2] / row[1], 1.0),
            generation=row[3],
        )
        if row
        else None
    )


def keyword_ranking(
    db: sqlite3.Connection,
    known: ScopeStatistics,
    query: KeywordQuery,
    weights: Mapping[str, float],
    where: Filter,
    limit: int,
) -> list[tuple[PassageId, float]]:
    """Rank by `gieok.text.bm25`.

    `weights` is weight · idf of the tokens that occur.
    """
    return ranking.rank_sqlite_keywords(
        db, known.id, known.mean_length, query, weights, limit, *filter_sql(where)
    )


def stats(db: sqlite3.Connection, scope: Scope | None) -> StoreStats:
    """Count documents, passages and vectors, of one scope or of all."""
    condition, values = (
        ("scope_id = (SELECT id FROM scopes WHERE path = ?)", (scope.path,)) if scope else ("1", ())
    )
    documents = db.execute(f"SELECT count(*) FROM documents WHERE {condition}", values).fetchone()[
        0
    ]
    total, linked = db.execute(
        f"SELECT count(*), count(vector_id) FROM passages WHERE {condition}", values
    ).fetchone()
    size = db.execute(
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    ).fetchone()[0]
    vectors = db.execute("SELECT count(*) FROM vectors").fetchone()[0]
    return StoreStats(
        documents=documents, passages=total, vectors=linked, disk_bytes=size, cached_vectors=vectors
    )


def check(db: sqlite3.Connection) -> list[str]:
    """Verify pages, references, counters, and the tokens of the keyword index.

    The keyword index must hold the tokens of the texts and nothing else.
    """
    wrong = [row[0] for row in db.execute("PRAGMA integrity_check") if row[0] != "ok"]
    for what, sql in _BROKEN.items():
        count = db.execute(sql).fetchone()[0]
        if count:
            wrong.append(f"{count} {what}")
    if Counter(_iter_sqlite_tokens(db)) != dict(db.execute("SELECT term, cnt FROM keyword_df")):
        wrong.append("the keyword index does not hold the tokens of the texts")
    return wrong


def _iter_sqlite_tokens(db: sqlite3.Connection) -> Iterator[str]:
    for sid, first, count, text in db.execute(
        "SELECT scope_id, first_passage, passage_count, text FROM documents"
    ):
        rows = db.execute(
            'SELECT start, "end", context FROM passages WHERE id BETWEEN ? AND ?',
            (first, first + count - 1),
        )
        for start, end, context in rows:
            yield from prefix_scope_tokens(sid, keyword_text(text[start:end])).split()
            yield from prefix_scope_tokens(sid, keyword_text(context)).split()


_BROKEN = {
    "lines without their passage": (
        "SELECT count(*) FROM lines WHERE passage_id NOT IN (SELECT id FROM passages)"
    ),
    "passages without their document": "SELECT count(*) FROM passages p WHERE NOT EXISTS ("
    "SELECT 1 FROM documents d "
    "WHERE d.id = p.document_id AND p.id - d.first_passage BETWEEN 0 AND d.passage_count - 1)",
    "documents with passages missing": "SELECT count(*) FROM documents d WHERE passage_count <> ("
    "SELECT count(*) FROM passages WHERE id BETWEEN d.first_passage AND d.first_passage + "
    "d.passage_count - 1)",
    "passages whose vector is missing": "SELECT count(*) FROM passages p WHERE vector_id IS NOT "
    "NULL "
    "AND NOT EXISTS (SELECT 1 FROM vectors WHERE id = p.vector_id)",
    "scopes with wrong counters": "SELECT count(*) FROM scopes s WHERE (passages, tokens) <> ("
    "SELECT count(*), coalesce(sum(length), 0) FROM passages WHERE scope_id = s.id)",
}
