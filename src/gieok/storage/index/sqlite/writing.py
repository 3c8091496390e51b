"""Changes documents, notes and keywords.

Each function runs inside the caller's transaction.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Sequence

from gieok.model.memory import Scope
from gieok.storage.index.prepared import PreparedEntry
from gieok.storage.index.rows import (
    DOCUMENT_COLUMNS,
    batches,
    document_row,
    marks,
    prefix_scope_tokens,
)
from gieok.storage.index.sqlite import vectors
from gieok.text.keywords import keyword_text


def ensure_sqlite_scope_id(db: sqlite3.Connection, scope: Scope) -> int:
    """Return the id of `scope`, making the row when it is new."""
    db.execute("INSERT OR IGNORE INTO scopes (path) VALUES (?)", (scope.path,))
    return int(db.execute("SELECT id FROM scopes WHERE path = ?", (scope.path,)).fetchone()[0])


def put(db: sqlite3.Connection, prepared: Sequence[PreparedEntry]) -> None:
    """Replace documents; (scope, key) are distinct in `prepared`."""
    active = vectors.active(db)
    by_scope: dict[Scope, list[PreparedEntry]] = defaultdict(list)
    for item in prepared:
        by_scope[item.entry.document.scope].append(item)
    for scope, items in by_scope.items():
        _put_scope_entries(
            db, ensure_sqlite_scope_id(db, scope), items, active.id if active else None
        )


def _put_scope_entries(
    db: sqlite3.Connection, sid: int, prepared: Sequence[PreparedEntry], model_id: int | None
) -> None:
    _remove_sqlite_documents(db, sid, [p.entry.document.key for p in prepared])
    first = _next_id(db, "passages")
    hashes = [h for p in prepared for h in p.hashes]
    linked = vectors.vector_ids(db, model_id, hashes) if model_id is not None else {}
    document_rows, passage_rows, keyword_rows, line_rows = [], [], [], []
    document_id = _next_id(db, "documents")
    for item in prepared:
        count = len(item.hashes)
        document_rows.append((document_id, sid, first, count, *document_row(item.entry.document)))
        for offset, passage in enumerate(item.entry.passages):
            vector = linked.get(item.hashes[offset])
            place = (
                passage.start,
                passage.end,
                passage.start_line,
                passage.end_line,
                item.lengths[offset],
            )
            passage_rows.append(
                (
                    first + offset,
                    document_id,
                    sid,
                    *place,
                    item.hashes[offset],
                    vector,
                    passage.context,
                )
            )
            line_rows += [(first + offset, *line) for line in item.lines[offset]]
            keyword_rows.append(
                (
                    first + offset,
                    prefix_scope_tokens(sid, item.bodies[offset]),
                    prefix_scope_tokens(sid, item.contexts[offset]),
                )
            )
        first += count
        document_id += 1
    names = f"id, scope_id, first_passage, passage_count, {DOCUMENT_COLUMNS}"
    db.executemany(
        f"INSERT INTO documents ({names}) VALUES ({marks(document_rows[0])})", document_rows
    )
    db.executemany(f"INSERT INTO passages VALUES ({','.join('?' * 11)})", passage_rows)
    db.executemany("INSERT INTO keywords (rowid, body, context) VALUES (?, ?, ?)", keyword_rows)
    db.executemany("INSERT INTO lines VALUES (?, ?, ?, ?)", line_rows)
    _touch_scope_counters(db, sid, len(passage_rows), sum(sum(p.lengths) for p in prepared))


def update_note(
    db: sqlite3.Connection, scope: Scope, name: str, change: Callable[[str], str]
) -> None:
    """Replace the value of a note by the result of `change`."""
    sid = ensure_sqlite_scope_id(db, scope)
    row = db.execute(
        "SELECT value FROM notes WHERE scope_id = ? AND name = ?", (sid, name)
    ).fetchone()
    db.execute(
        "INSERT OR REPLACE INTO notes VALUES (?, ?, ?)", (sid, name, change(row[0] if row else ""))
    )


def set_adopted(db: sqlite3.Connection) -> None:
    """Record that the journal knows the documents of this store."""
    db.execute("DELETE FROM meta WHERE name = 'unadopted'")


def forget(db: sqlite3.Connection, scope: Scope, keys: Sequence[str]) -> int:
    """Remove documents; return how many existed."""
    row = db.execute("SELECT id FROM scopes WHERE path = ?", (scope.path,)).fetchone()
    if row is None:
        return 0
    removed = _remove_sqlite_documents(db, row[0], keys)
    if removed:
        _touch_scope_counters(db, row[0], 0, 0)
    return removed


def drop_scope(db: sqlite3.Connection, scope: Scope) -> int:
    """Remove a scope, its documents and notes."""
    row = db.execute("SELECT id FROM scopes WHERE path = ?", (scope.path,)).fetchone()
    if row is None:
        return 0
    keys = [key for (key,) in db.execute("SELECT key FROM documents WHERE scope_id = ?", row)]
    removed = _remove_sqlite_documents(db, row[0], keys)
    db.execute("DELETE FROM notes WHERE scope_id = ?", row)
    db.execute("DELETE FROM scopes WHERE id = ?", row)
    return removed


def _touch_scope_counters(db: sqlite3.Connection, sid: int, passages: int, tokens: int) -> None:
    db.execute(
        (
            "UPDATE scopes SET generation = generation + 1, passages = passages + ?, tokens = "
            "tokens + ? WHERE id = ?"
        ),
        (passages, tokens, sid),
    )


def _remove_sqlite_documents(db: sqlite3.Connection, sid: int, keys: Sequence[str]) -> int:
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
            (
                passage,
                prefix_scope_tokens(sid, keyword_text(text[start:end])),
                prefix_scope_tokens(sid, keyword_text(context)),
            )
            for passage, start, end, context, _ in rows
        ],
    )
    db.execute("DELETE FROM passages WHERE id BETWEEN ? AND ?", span)
    db.execute("DELETE FROM lines WHERE passage_id BETWEEN ? AND ?", span)
    db.execute(
        "UPDATE scopes SET passages = passages - ?, tokens = tokens - ? WHERE id = ?",
        (count, sum(row[4] for row in rows), sid),
    )


def _next_id(db: sqlite3.Connection, table: str) -> int:
    row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    return int(row[0]) + 1 if row else 1


def tidy_sqlite_index(db: sqlite3.Connection) -> bool:
    """Drop removed rows from the keyword index and the vectors, once they are many.

    Many is half as much as the store holds. Returns whether they were dropped. Tombstones in FTS5
    otherwise grew the file to 2.5 times its size before they levelled off.
    """
    removed = int(
        db.execute("SELECT value FROM meta WHERE name = 'removed_passages'").fetchone()[0]
    )
    if 2 * removed < db.execute("SELECT total(passages) FROM scopes").fetchone()[0]:
        return False
    vectors.drop_unused_sqlite_vectors(db)
    db.execute("INSERT INTO keywords (keywords) VALUES ('optimize')")
    db.execute("UPDATE meta SET value = 0 WHERE name = 'removed_passages'")
    return True


def drop_texts(db: sqlite3.Connection) -> None:
    """Drop the vectors of texts without a passage, and erase removed words from the keywords.

    The keyword index is merged until no removed word is left.
    """
    db.execute(
        "DELETE FROM vectors WHERE text_hash NOT IN (SELECT text_hash FROM passages UNION ALL "
        "SELECT text_hash FROM lines)"
    )
    db.execute("INSERT INTO keywords (keywords) VALUES ('optimize')")
