"""How far readers are, what they buffer, and what waits for the store. Each function runs inside the caller's transaction."""

import json
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime

from gieok.backends.journals.sqlite.durable import hand_over, to_entry
from gieok.backends.journals.sqlite.messages import scope_id
from gieok.backends.stores.rows import document_row, to_document
from gieok.model.conversation import BufferedSpan, Run
from gieok.model.memory import Document, Entry, Scope

_RUN = 'reader, kind, at, start, "end", messages, source_tokens, documents, document_tokens, model'


def position(db: sqlite3.Connection, sid: int, reader: str) -> int:
    """Return up to which message a reader has distilled."""
    row = db.execute("SELECT seq FROM positions WHERE scope_id = ? AND reader = ?", (sid, reader)).fetchone()
    return row[0] if row else 0


def chunks(db: sqlite3.Connection, sid: int, reader: str) -> list[BufferedSpan]:
    """Return the buffered chunks in order."""
    rows = db.execute(
        'SELECT start, "end", tokens, body FROM chunks WHERE scope_id = ? AND reader = ? ORDER BY start', (sid, reader)
    )
    return [BufferedSpan(*row) for row in rows]


def buffer(db: sqlite3.Connection, sid: int, reader: str, chunk: BufferedSpan) -> bool:
    """Add a chunk where it goes on from the last one."""
    row = db.execute('SELECT max("end") FROM chunks WHERE scope_id = ? AND reader = ?', (sid, reader)).fetchone()
    end = row[0] if row[0] is not None else position(db, sid, reader)
    if chunk.start != end:
        return False
    db.execute("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?)", (sid, reader, *chunk))
    return True


def commit(db: sqlite3.Connection, expected: int, run: Run, put: Sequence[Entry], forget: Sequence[Document]) -> bool:
    """Move a position and hand documents over."""
    sid = scope_id(db, run.scope)
    if position(db, sid, run.reader) != expected or _is_inside_chunk(db, sid, run):
        return False
    db.execute("INSERT OR REPLACE INTO positions VALUES (?, ?, ?)", (sid, run.reader, run.end))
    db.execute('DELETE FROM chunks WHERE scope_id = ? AND reader = ? AND "end" <= ?', (sid, run.reader, run.end))
    db.execute(
        f"INSERT INTO runs (scope_id, {_RUN}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (sid, run.reader, run.kind, round(run.at.timestamp() * 1000), *run[4:]),
    )
    run_id = db.execute("SELECT last_insert_rowid()").fetchone()[0]
    db.executemany(
        "INSERT INTO history (scope_id, run_id, document) VALUES (?, ?, ?)",
        [(sid, run_id, json.dumps(document_row(document))) for document in forget],
    )
    hand_over(db, put, [(run.scope, document.key) for document in forget])
    return True


def _is_inside_chunk(db: sqlite3.Connection, sid: int, run: Run) -> bool:
    row = db.execute(
        'SELECT 1 FROM chunks WHERE scope_id = ? AND reader = ? AND start < ? AND "end" > ?',
        (sid, run.reader, run.end, run.end),
    ).fetchone()
    return row is not None


def undelivered(db: sqlite3.Connection, limit: int) -> list[tuple[int, Scope, Entry | str]]:
    """Return what waits for the store, in order."""
    rows = db.execute(
        "SELECT o.id, s.path, o.key, o.entry FROM outbox o JOIN scopes s ON s.id = o.scope_id ORDER BY o.id LIMIT ?",
        (limit,),
    )
    return [(row_id, Scope(path), to_entry(Scope(path), entry) if entry else key) for row_id, path, key, entry in rows]


def delivered(db: sqlite3.Connection, ids: Sequence[int]) -> None:
    """Strike off what the store has got."""
    db.executemany("DELETE FROM outbox WHERE id = ?", [(row_id,) for row_id in ids])


def history(db: sqlite3.Connection, sid: int, scope: Scope, limit: int) -> list[Document]:
    """Return documents that were replaced, the newest first."""
    rows = db.execute("SELECT document FROM history WHERE scope_id = ? ORDER BY id DESC LIMIT ?", (sid, limit))
    return [to_document(scope, tuple(json.loads(text))) for (text,) in rows]


def runs(db: sqlite3.Connection, sid: int, scope: Scope, since: datetime) -> list[Run]:
    """Return runs from a time on."""
    rows = db.execute(
        f"SELECT {_RUN} FROM runs WHERE scope_id = ? AND at >= ? ORDER BY id", (sid, round(since.timestamp() * 1000))
    )
    return [Run(scope, reader, kind, datetime.fromtimestamp(at / 1000, UTC), *rest) for reader, kind, at, *rest in rows]
