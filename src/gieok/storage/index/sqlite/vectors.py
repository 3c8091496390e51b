"""Embedding models and their vectors.

Each function runs inside the caller's transaction.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gieok.model.memory import LineId, PassageId, Scope
from gieok.storage.index.rows import batches, marks
from gieok.storage.index.sql_vectors import VectorModel

#: Number of vectors kept though no passage uses them any more, for texts that come back (a branch
#: switched to and fro).
CACHED_VECTORS = 50_000
_ACTIVE = "(SELECT value FROM meta WHERE name = 'model_id')"


def active(db: sqlite3.Connection) -> VectorModel | None:
    """Return the model that search uses."""
    row = db.execute(f"SELECT id, name, dimension FROM models WHERE id = {_ACTIVE}").fetchone()
    return VectorModel(*row) if row else None


def named(db: sqlite3.Connection, name: str) -> VectorModel | None:
    """Return a model by its name."""
    row = db.execute("SELECT id, name, dimension FROM models WHERE name = ?", (name,)).fetchone()
    return VectorModel(*row) if row else None


def add(db: sqlite3.Connection, name: str, dimension: int) -> VectorModel:
    """Return a model with its recorded dimension; a new model gets a row."""
    db.execute("INSERT OR IGNORE INTO models (name, dimension) VALUES (?, ?)", (name, dimension))
    return VectorModel(
        *db.execute("SELECT id, name, dimension FROM models WHERE name = ?", (name,)).fetchone()
    )


def activate(db: sqlite3.Connection, model_id: int) -> None:
    """Make a model the active one, point every passage at its vectors, drop other vectors."""
    db.execute("INSERT OR REPLACE INTO meta VALUES ('model_id', ?)", (str(model_id),))
    db.execute(
        "UPDATE passages SET vector_id = "
        "(SELECT id FROM vectors v WHERE v.model_id = ? AND v.text_hash = passages.text_hash)",
        (model_id,),
    )
    db.execute("DELETE FROM vectors WHERE model_id <> ?", (model_id,))
    db.execute("DELETE FROM models WHERE id <> ?", (model_id,))
    db.execute("UPDATE scopes SET generation = generation + 1")


def lock(db: sqlite3.Connection, *, to_switch: bool) -> None:
    """Do nothing: SQLite has one writer."""
    del db, to_switch


def missing(db: sqlite3.Connection, limit: int) -> list[tuple[PassageId, str]]:
    """Return (id, text) of passages without a vector, newest first."""
    return _read_sqlite_texts(db, "p.vector_id IS NULL", (), limit)


def missing_for(
    db: sqlite3.Connection, model_id: int, before: PassageId, limit: int
) -> list[tuple[PassageId, str]]:
    """Return (id, text) of passages whose text has no vector of a model, newest first.

    Only passages with an id below `before`.
    """
    without = (
        "NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model_id = ? AND v.text_hash = p.text_hash)"
    )
    return _read_sqlite_texts(db, f"p.id < ? AND {without}", (before, model_id), limit)


def _read_sqlite_texts(
    db: sqlite3.Connection, condition: str, values: Sequence[object], limit: int
) -> list[tuple[PassageId, str]]:
    """Return (id, text) of passages that meet a condition on `passages p`, newest first."""
    rows = db.execute(
        (
            f'SELECT id, document_id, start, "end" FROM passages p WHERE {condition} ORDER BY id '
            "DESC LIMIT ?"
        ),
        (*values, limit),
    ).fetchall()
    # Texts are cut here: `substr` would read a long document again for each of its passages (5,000:
    # 12 s instead of 0.3 s).
    whole: dict[int, str] = {}
    for batch in batches(sorted({row[1] for row in rows})):
        whole.update(
            db.execute(
                f"SELECT id, text FROM documents WHERE id IN ({marks(batch)})", batch
            ).fetchall()
        )
    return [(passage, whole[document][start:end]) for passage, document, start, end in rows]


def waiting(db: sqlite3.Connection, scope: Scope) -> int:
    """Count the passages of a scope that have no vector.

    Costs nothing where every passage has a vector.
    """
    row = db.execute(
        (
            "SELECT count(*) FROM passages WHERE vector_id IS NULL AND +scope_id = (SELECT id "
            "FROM scopes WHERE path = ?)"
        ),
        (scope.path,),
    ).fetchone()
    return int(row[0])


def prepared(db: sqlite3.Connection, model_id: int) -> int:
    """Count the passages whose text has a vector of a model."""
    with_vector = (
        "EXISTS (SELECT 1 FROM vectors v WHERE v.model_id = ? AND v.text_hash = p.text_hash)"
    )
    return int(
        db.execute(f"SELECT count(*) FROM passages p WHERE {with_vector}", (model_id,)).fetchone()[
            0
        ]
    )


def text_hashes(db: sqlite3.Connection, ids: Sequence[PassageId]) -> dict[PassageId, bytes]:
    """Return the hash of the text to embed, by passage; only passages that exist."""
    hashes: dict[PassageId, bytes] = {}
    for batch in batches(ids):
        hashes.update(
            db.execute(
                f"SELECT id, text_hash FROM passages WHERE id IN ({marks(batch)})", batch
            ).fetchall()
        )
    return hashes


def packed(db: sqlite3.Connection, model_id: int, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
    """Return text hash → packed vector of the vectors that exist."""
    return dict(_of_texts(db, "data", model_id, hashes))


def vector_ids(db: sqlite3.Connection, model_id: int, hashes: Iterable[bytes]) -> dict[bytes, int]:
    """Return text hash → id of the vectors that exist."""
    return dict(_of_texts(db, "id", model_id, hashes))


def _of_texts(
    db: sqlite3.Connection, column: str, model_id: int, hashes: Iterable[bytes]
) -> list[tuple[bytes, Any]]:
    return [
        row
        for batch in batches(sorted(set(hashes)))
        for row in db.execute(
            (
                f"SELECT text_hash, {column} FROM vectors WHERE model_id = ? AND text_hash IN "
                f"({marks(batch)})"
            ),
            (model_id, *batch),
        )
    ]


def put(db: sqlite3.Connection, model_id: int, packed: Mapping[bytes, bytes]) -> None:
    """Keep vectors of the active model by text hash, and link every passage with such a text."""
    keep(db, model_id, packed)
    ids = vector_ids(db, model_id, packed)
    for batch in batches(list(ids)):
        db.execute(
            "UPDATE scopes SET generation = generation + 1 WHERE id IN "
            "(SELECT scope_id FROM passages WHERE vector_id IS NULL AND text_hash IN "
            f"({marks(batch)}))",
            batch,
        )
    db.executemany(
        "UPDATE passages SET vector_id = ? WHERE text_hash = ? AND vector_id IS NULL",
        [(i, h) for h, i in ids.items()],
    )


def keep(db: sqlite3.Connection, model_id: int, packed: Mapping[bytes, bytes]) -> None:
    """Keep vectors by text hash without linking them.

    For a rebuild, which is not visible yet.
    """
    db.executemany(
        "INSERT OR IGNORE INTO vectors (model_id, text_hash, data) VALUES (?, ?, ?)",
        [(model_id, text_hash, data) for text_hash, data in packed.items()],
    )


def drop_unused_sqlite_vectors(db: sqlite3.Connection, keep: int = CACHED_VECTORS) -> None:
    """Drop the oldest unused vectors of the active model, beyond `keep` of them.

    A vector is unused where no passage has it; the vectors of a rebuild are not used yet.
    """
    unused = (
        f"FROM vectors WHERE model_id = {_ACTIVE} "
        "AND id NOT IN (SELECT vector_id FROM passages WHERE vector_id IS NOT NULL) "
        "AND text_hash NOT IN (SELECT text_hash FROM lines)"
    )
    count = db.execute(f"SELECT count(*) {unused}").fetchone()[0]
    if count > keep:
        db.execute(
            f"DELETE FROM vectors WHERE id IN (SELECT id {unused} ORDER BY id LIMIT ?)",
            (count - keep,),
        )


def missing_lines(db: sqlite3.Connection, before: LineId, limit: int) -> list[tuple[LineId, str]]:
    """Return ((passage, start), text) of lines without a vector, newest first.

    Lines whose text has no vector of the active model.
    """
    rows = db.execute(
        'SELECT l.passage_id, l.start, l."end", p.document_id, p.start FROM lines l JOIN '
        "passages p ON p.id = l.passage_id "
        "WHERE (l.passage_id, l.start) < (?, ?) AND NOT EXISTS "
        f"(SELECT 1 FROM vectors v WHERE v.model_id = {_ACTIVE} AND v.text_hash = l.text_hash) "
        "ORDER BY l.passage_id DESC, l.start DESC LIMIT ?",
        (*before, limit),
    ).fetchall()
    whole: dict[int, str] = {}
    for batch in batches(sorted({row[3] for row in rows})):
        whole.update(
            db.execute(
                f"SELECT id, text FROM documents WHERE id IN ({marks(batch)})", batch
            ).fetchall()
        )
    return [
        ((passage, start), whole[document][at + start : at + end])
        for passage, start, end, document, at in rows
    ]


def line_hashes(db: sqlite3.Connection, lines: Sequence[LineId]) -> dict[LineId, bytes]:
    """Return the hash of the text to embed, by line; only lines that exist."""
    hashes: dict[LineId, bytes] = {}
    for batch in batches(sorted({passage for passage, _ in lines})):
        rows = db.execute(
            f"SELECT passage_id, start, text_hash FROM lines WHERE passage_id IN ({marks(batch)})",
            batch,
        )
        hashes.update(((passage, start), text_hash) for passage, start, text_hash in rows)
    return {line: hashes[line] for line in lines if line in hashes}


def with_vectors(
    db: sqlite3.Connection, passages: Sequence[PassageId]
) -> list[tuple[PassageId, int, int, bytes]]:
    """Return passage, start, end and vector of the lines of passages.

    A passage whose lines have no vectors is returned as a line itself.
    """
    rows: list[tuple[PassageId, int, int, bytes]] = []
    for batch in batches(passages):
        lines = db.execute(
            'SELECT l.passage_id, l.start, l."end", v.data FROM lines l '
            f"JOIN vectors v ON v.model_id = {_ACTIVE} AND v.text_hash = l.text_hash WHERE "
            f"l.passage_id IN ({marks(batch)})",
            batch,
        ).fetchall()
        rest = sorted(set(batch) - {row[0] for row in lines})
        rows += lines
        rows += db.execute(
            'SELECT p.id, 0, p."end" - p.start, v.data FROM passages p JOIN vectors v ON v.id '
            "= p.vector_id "
            f"WHERE p.id IN ({marks(rest)})",
            rest,
        ).fetchall()
    return rows
