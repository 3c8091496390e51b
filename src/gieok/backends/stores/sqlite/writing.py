"""Everything that changes the database. Each function runs inside the caller's transaction."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from gieok.backends.stores.prepared import Prepared
from gieok.backends.stores.rows import DOCUMENT_COLUMNS, document_row, marks, scoped
from gieok.model.memory import Passage, Scope
from gieok.text.keywords import keyword_text

_T = TypeVar("_T")
_BATCH = 500
#: Vectors that no passage uses any more are kept for texts that come back (a branch switched to and fro).
CACHED_VECTORS = 50_000


def scope_id(db: sqlite3.Connection, scope: Scope) -> int:
    """Return the id of `scope`, making the row when it is new."""
    db.execute("INSERT OR IGNORE INTO scopes (path) VALUES (?)", (scope.path,))
    return int(db.execute("SELECT id FROM scopes WHERE path = ?", (scope.path,)).fetchone()[0])


def put(db: sqlite3.Connection, scope: Scope, prepared: Sequence[Prepared], model_id: int | None) -> None:
    """Replace the documents of one scope; keys in `prepared` are distinct."""
    sid = scope_id(db, scope)
    _remove(db, sid, [p.entry.document.key for p in prepared])
    first = _next_id(db, "passages")
    linked = vector_ids(db, model_id, [h for p in prepared for h in p.hashes])
    document_rows, passage_rows, keyword_rows = [], [], []
    document_id = _next_id(db, "documents")
    for item in prepared:
        count = len(item.hashes)
        document_rows.append((document_id, sid, first, count, *document_row(item.entry.document)))
        for offset, passage in enumerate(item.entry.passages):
            vector = linked.get(item.hashes[offset])
            row = _passage_columns(passage, item.lengths[offset])
            passage_rows.append((first + offset, document_id, sid, *row, item.hashes[offset], vector, passage.context))
            keyword_rows.append((first + offset, scoped(sid, item.bodies[offset]), scoped(sid, item.contexts[offset])))
        first += count
        document_id += 1
    names = f"id, scope_id, first_passage, passage_count, {DOCUMENT_COLUMNS}"
    db.executemany(f"INSERT INTO documents ({names}) VALUES ({marks(document_rows[0])})", document_rows)
    db.executemany(f"INSERT INTO passages VALUES ({','.join('?' * 11)})", passage_rows)
    db.executemany("INSERT INTO keywords (rowid, body, context) VALUES (?, ?, ?)", keyword_rows)
    _touch(db, sid, len(passage_rows), sum(sum(p.lengths) for p in prepared))


def _passage_columns(passage: Passage, length: int) -> tuple[int, ...]:
    return passage.start, passage.end, passage.start_line, passage.end_line, length


def forget(db: sqlite3.Connection, scope: Scope, keys: Sequence[str]) -> int:
    """Remove documents; return how many there were."""
    row = db.execute("SELECT id FROM scopes WHERE path = ?", (scope.path,)).fetchone()
    if row is None:
        return 0
    removed = _remove(db, row[0], keys)
    if removed:
        _touch(db, row[0], 0, 0)
    return removed


def _touch(db: sqlite3.Connection, sid: int, passages: int, tokens: int) -> None:
    db.execute(
        "UPDATE scopes SET generation = generation + 1, passages = passages + ?, tokens = tokens + ? WHERE id = ?",
        (passages, tokens, sid),
    )


def _remove(db: sqlite3.Connection, sid: int, keys: Sequence[str]) -> int:
    removed = 0
    for batch in batches(keys):
        rows = db.execute(
            "SELECT id, first_passage, passage_count, text FROM documents "
            f"WHERE scope_id = ? AND key IN ({marks(batch)})",
            (sid, *batch),
        ).fetchall()
        for document_id, first, count, text in rows:
            _remove_passages(db, sid, first, count, text)
            db.execute("DELETE FROM documents WHERE id = ?", (document_id,))
        removed += len(rows)
        passages = sum(row[2] for row in rows)
        db.execute("UPDATE meta SET value = value + ? WHERE name = 'removed_passages'", (passages,))
    return removed


def _remove_passages(db: sqlite3.Connection, sid: int, first: int, count: int, text: str) -> None:
    span = (first, first + count - 1)
    rows = db.execute(
        'SELECT id, start, "end", context, length FROM passages WHERE id BETWEEN ? AND ?', span
    ).fetchall()
    # A contentless FTS5 table forgets a row only when it is told the row's exact tokens.
    db.executemany(
        "INSERT INTO keywords (keywords, rowid, body, context) VALUES ('delete', ?, ?, ?)",
        [
            (passage, scoped(sid, keyword_text(text[start:end])), scoped(sid, keyword_text(context)))
            for passage, start, end, context, _ in rows
        ],
    )
    db.execute("DELETE FROM passages WHERE id BETWEEN ? AND ?", span)
    db.execute(
        "UPDATE scopes SET passages = passages - ?, tokens = tokens - ? WHERE id = ?",
        (count, sum(row[4] for row in rows), sid),
    )


def _next_id(db: sqlite3.Connection, table: str) -> int:
    row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    return int(row[0]) + 1 if row else 1


def vector_ids(db: sqlite3.Connection, model_id: int | None, hashes: Iterable[bytes]) -> dict[bytes, int]:
    """Return text hash → id of the vectors of the model that are there already."""
    if model_id is None:
        return {}
    found: dict[bytes, int] = {}
    for batch in batches(sorted(set(hashes))):
        found.update(
            db.execute(
                f"SELECT text_hash, id FROM vectors WHERE model_id = ? AND text_hash IN ({marks(batch)})",
                (model_id, *batch),
            ).fetchall()
        )
    return found


def put_vectors(db: sqlite3.Connection, model_id: int, packed: Mapping[bytes, bytes]) -> None:
    """Keep text hash → data of the active model, and link every passage with such a text."""
    keep_vectors(db, model_id, packed)
    ids = vector_ids(db, model_id, packed)
    for batch in batches(list(ids)):
        db.execute(
            "UPDATE scopes SET generation = generation + 1 WHERE id IN "
            f"(SELECT scope_id FROM passages WHERE vector_id IS NULL AND text_hash IN ({marks(batch)}))",
            batch,
        )
    db.executemany(
        "UPDATE passages SET vector_id = ? WHERE text_hash = ? AND vector_id IS NULL", [(i, h) for h, i in ids.items()]
    )


def keep_vectors(db: sqlite3.Connection, model_id: int, packed: Mapping[bytes, bytes]) -> None:
    """Keep text hash → data without linking it: the side of a rebuild that is not seen yet."""
    db.executemany(
        "INSERT OR IGNORE INTO vectors (model_id, text_hash, data) VALUES (?, ?, ?)",
        [(model_id, text_hash, data) for text_hash, data in packed.items()],
    )


def link_all(db: sqlite3.Connection, model_id: int) -> None:
    """Point every passage at its vector of `model_id`, and drop the vectors of other models."""
    db.execute(
        "UPDATE passages SET vector_id = "
        "(SELECT id FROM vectors v WHERE v.model_id = ? AND v.text_hash = passages.text_hash)",
        (model_id,),
    )
    db.execute("DELETE FROM vectors WHERE model_id <> ?", (model_id,))
    db.execute("DELETE FROM models WHERE id <> ?", (model_id,))
    db.execute("UPDATE scopes SET generation = generation + 1")


def tidy(db: sqlite3.Connection) -> bool:
    """Drop what was removed from the keyword index and the vectors, once it is as much as half of what is there.

    Return whether it was. Tombstones in FTS5 otherwise grew the file to 2.5 times its size before they levelled off.
    """
    removed = int(db.execute("SELECT value FROM meta WHERE name = 'removed_passages'").fetchone()[0])
    if 2 * removed < db.execute("SELECT total(passages) FROM scopes").fetchone()[0]:
        return False
    drop_unused_vectors(db)
    db.execute("INSERT INTO keywords (keywords) VALUES ('optimize')")
    db.execute("UPDATE meta SET value = 0 WHERE name = 'removed_passages'")
    return True


def drop_unused_vectors(db: sqlite3.Connection, keep: int = CACHED_VECTORS) -> None:
    """Drop the oldest vectors of the active model that no passage uses, beyond `keep`; a rebuild's are not used yet."""
    unused = (
        "FROM vectors WHERE model_id = (SELECT value FROM meta WHERE name = 'model_id') "
        "AND id NOT IN (SELECT vector_id FROM passages WHERE vector_id IS NOT NULL)"
    )
    count = db.execute(f"SELECT count(*) {unused}").fetchone()[0]
    if count > keep:
        db.execute(f"DELETE FROM vectors WHERE id IN (SELECT id {unused} ORDER BY id LIMIT ?)", (count - keep,))


def drop_texts(db: sqlite3.Connection) -> None:
    """Drop the vectors of texts that no passage has, and merge the keywords until no removed word is left."""
    db.execute("DELETE FROM vectors WHERE text_hash NOT IN (SELECT text_hash FROM passages)")
    db.execute("INSERT INTO keywords (keywords) VALUES ('optimize')")


def batches(values: Sequence[_T]) -> Iterable[Sequence[_T]]:
    """Cut `values` into runs that fit SQLite's limit on parameters."""
    return (values[i : i + _BATCH] for i in range(0, len(values), _BATCH))
