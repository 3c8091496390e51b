"""Everything that reads the database, the keyword leg in SQL included. Standard library only: the cold path."""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gieok.backends.stores.rows import (
    DOCUMENT_COLUMNS,
    FOUND_COLUMNS,
    filter_sql,
    marks,
    scoped,
    to_document,
    to_found,
)
from gieok.backends.stores.sqlite.writing import batches
from gieok.model.memory import Document, Entry, Passage, PassageId, Scope, StoreStats
from gieok.model.retrieval import Filter, FoundPassage
from gieok.text.keywords import keyword_text


def get(db: sqlite3.Connection, scope: Scope, keys: Sequence[str]) -> list[Document]:
    """Return documents in the order of `keys`."""
    found: dict[str, Document] = {}
    for batch in batches(keys):
        rows = db.execute(
            f"SELECT {DOCUMENT_COLUMNS} FROM documents "
            f"WHERE scope_id = (SELECT id FROM scopes WHERE path = ?) AND key IN ({marks(batch)})",
            (scope.path, *batch),
        )
        found.update((row[0], to_document(scope, row)) for row in rows)
    return [found[key] for key in keys if key in found]


def entries(db: sqlite3.Connection, scope: Scope, keys: Sequence[str]) -> list[Entry]:
    """Return documents with their passages, in the order of `keys`."""
    passages: dict[str, list[Passage]] = defaultdict(list)
    for batch in batches(keys):
        rows = db.execute(
            'SELECT d.key, p.start, p."end", p.start_line, p.end_line, p.context FROM documents d '
            "JOIN passages p ON p.id BETWEEN d.first_passage AND d.first_passage + d.passage_count - 1 "
            f"WHERE d.scope_id = (SELECT id FROM scopes WHERE path = ?) AND d.key IN ({marks(batch)}) ORDER BY p.id",
            (scope.path, *batch),
        )
        for key, *columns in rows:
            passages[key].append(Passage(*columns))
    return [Entry(document, tuple(passages[document.key])) for document in get(db, scope, keys)]


def hashes(db: sqlite3.Connection, scope: Scope) -> dict[str, str]:
    """Return key → content hash."""
    rows = db.execute(
        "SELECT key, content_hash FROM documents WHERE scope_id = (SELECT id FROM scopes WHERE path = ?)", (scope.path,)
    )
    return dict(rows.fetchall())


def passages(db: sqlite3.Connection, ids: Sequence[PassageId]) -> list[FoundPassage]:
    """Return passages in the order of `ids`."""
    found: dict[PassageId, FoundPassage] = {}
    for batch in batches(ids):
        rows = db.execute(
            f"SELECT {FOUND_COLUMNS} FROM passages p JOIN documents d ON d.id = p.document_id "
            f"JOIN scopes s ON s.id = p.scope_id WHERE p.id IN ({marks(batch)})",
            batch,
        )
        found.update((row[0], to_found(row)) for row in rows)
    return [found[i] for i in ids if i in found]


class ScopeStatistics(NamedTuple):
    """What BM25 needs of a scope, and the generation by which a copy in memory knows whether it is stale."""

    id: int
    passages: int
    mean_length: float
    generation: int


def scope_statistics(db: sqlite3.Connection, scope: Scope) -> ScopeStatistics | None:
    """Return the statistics of a scope that holds passages."""
    row = db.execute(
        "SELECT id, passages, tokens, generation FROM scopes WHERE path = ? AND passages > 0", (scope.path,)
    ).fetchone()
    return ScopeStatistics(row[0], row[1], max(row[2] / row[1], 1.0), row[3]) if row else None


def allowed_ids(db: sqlite3.Connection, sid: int, where: Filter) -> list[PassageId]:
    """Return the passages of a scope that a filter lets through."""
    condition, values = filter_sql(where)
    rows = db.execute(
        f"SELECT p.id FROM passages p JOIN documents d ON d.id = p.document_id{condition} "
        "WHERE p.scope_id = ? ORDER BY p.id",
        (*values, sid),
    )
    return [row[0] for row in rows]


def waiting(db: sqlite3.Connection, sid: int) -> int:
    """Count the passages of a scope that have no vector; costs nothing where there is none."""
    row = db.execute("SELECT count(*) FROM passages WHERE vector_id IS NULL AND +scope_id = ?", (sid,)).fetchone()
    return int(row[0])


def stats(db: sqlite3.Connection, scope: Scope | None, model_id: int | None) -> StoreStats:
    """Count documents, passages and vectors, of one scope or of all."""
    condition, values = ("scope_id = (SELECT id FROM scopes WHERE path = ?)", (scope.path,)) if scope else ("1", ())
    documents = db.execute(f"SELECT count(*) FROM documents WHERE {condition}", values).fetchone()[0]
    total, linked = db.execute(f"SELECT count(*), count(vector_id) FROM passages WHERE {condition}", values).fetchone()
    size = db.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()[0]
    vectors = db.execute("SELECT count(*) FROM vectors").fetchone()[0]
    return StoreStats(documents, total, linked if model_id else 0, size, vectors)


def texts(db: sqlite3.Connection, condition: str, values: Sequence[object], limit: int) -> list[tuple[PassageId, str]]:
    """Return (id, text) of passages that meet a condition on `passages p`, newest first."""
    rows = db.execute(
        f'SELECT id, document_id, start, "end" FROM passages p WHERE {condition} ORDER BY id DESC LIMIT ?',
        (*values, limit),
    ).fetchall()
    # Cut here: `substr` would read a long document again for each of its passages (5,000: 12 s instead of 0.3 s).
    whole: dict[int, str] = {}
    for batch in batches(sorted({row[1] for row in rows})):
        whole.update(db.execute(f"SELECT id, text FROM documents WHERE id IN ({marks(batch)})", batch).fetchall())
    return [(passage, whole[document][start:end]) for passage, document, start, end in rows]


def text_hashes(db: sqlite3.Connection, ids: Sequence[PassageId]) -> dict[PassageId, bytes]:
    """Return the hash of the text to embed of the passages that exist."""
    found: dict[PassageId, bytes] = {}
    for batch in batches(ids):
        found.update(db.execute(f"SELECT id, text_hash FROM passages WHERE id IN ({marks(batch)})", batch).fetchall())
    return found


def packed(db: sqlite3.Connection, model: str, hashes: Sequence[bytes]) -> dict[bytes, bytes]:
    """Return text hash → packed vector of a model, for those that are there."""
    found: dict[bytes, bytes] = {}
    for batch in batches(hashes):
        rows = db.execute(
            "SELECT text_hash, data FROM vectors WHERE model_id = (SELECT id FROM models WHERE name = ?) "
            f"AND text_hash IN ({marks(batch)})",
            (model, *batch),
        )
        found.update(rows.fetchall())
    return found


def check(db: sqlite3.Connection) -> list[str]:
    """Verify pages, references, counters, and that the keyword index holds the tokens of the texts and nothing else."""
    wrong = [row[0] for row in db.execute("PRAGMA integrity_check") if row[0] != "ok"]
    for what, sql in _BROKEN.items():
        count = db.execute(sql).fetchone()[0]
        if count:
            wrong.append(f"{count} {what}")
    if Counter(_expected_tokens(db)) != dict(db.execute("SELECT term, cnt FROM keyword_df")):
        wrong.append("the keyword index does not hold the tokens of the texts")
    return wrong


def _expected_tokens(db: sqlite3.Connection) -> Iterator[str]:
    for sid, first, count, text in db.execute("SELECT scope_id, first_passage, passage_count, text FROM documents"):
        rows = db.execute(
            'SELECT start, "end", context FROM passages WHERE id BETWEEN ? AND ?', (first, first + count - 1)
        )
        for start, end, context in rows:
            yield from scoped(sid, keyword_text(text[start:end])).split()
            yield from scoped(sid, keyword_text(context)).split()


_BROKEN = {
    "passages without their document": "SELECT count(*) FROM passages p WHERE NOT EXISTS ("
    "SELECT 1 FROM documents d "
    "WHERE d.id = p.document_id AND p.id - d.first_passage BETWEEN 0 AND d.passage_count - 1)",
    "documents with passages missing": "SELECT count(*) FROM documents d WHERE passage_count <> ("
    "SELECT count(*) FROM passages WHERE id BETWEEN d.first_passage AND d.first_passage + d.passage_count - 1)",
    "passages whose vector is missing": "SELECT count(*) FROM passages p WHERE vector_id IS NOT NULL "
    "AND NOT EXISTS (SELECT 1 FROM vectors WHERE id = p.vector_id)",
    "scopes with wrong counters": "SELECT count(*) FROM scopes s WHERE (passages, tokens) <> ("
    "SELECT count(*), coalesce(sum(length), 0) FROM passages WHERE scope_id = s.id)",
}
