"""Takes text out of the journal. Each function runs inside the caller's transaction."""

import json
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import PurePath

from gieok.backends.journals.sqlite.messages import MESSAGE_COLUMNS, drop_chunks, text_hash, to_journalled
from gieok.backends.stores.rows import to_document
from gieok.model import Document, Journalled, Scope
from gieok.ports import MessageFilter
from gieok.text.keywords import normalise

FORGOTTEN = 2
#: Texts that are not messages: table, column, and what names a row.
_OTHER_TEXTS = (
    ("history", "document", "id"),
    ("chunks", "body", "scope_id, reader, start"),
    ("kept", "value", "realm, name"),
    ("incidents", "detail", "name"),
)


def find(db: sqlite3.Connection, sid: int, wanted: MessageFilter) -> list[Journalled]:
    """Return messages that fit, those that were taken back too, in order."""
    if not any(wanted):
        return []
    rows = db.execute(
        f"SELECT {MESSAGE_COLUMNS} WHERE m.scope_id = ? AND m.retracted < {FORGOTTEN} ORDER BY m.seq", (sid,)
    )
    return [found for found in map(to_journalled, rows) if _fits(found, wanted)]


def _fits(found: Journalled, wanted: MessageFilter) -> bool:
    m = found.message
    return (
        (not wanted.ids or m.id in wanted.ids)
        and (not wanted.match or contains(m.text, wanted.match))
        and (not wanted.source or _is_below(m.source, wanted.source))
        and (wanted.before is None or m.at < wanted.before)
    )


def contains(text: str, part: str) -> bool:
    """Say whether a part is in a text, in any case and normal form."""
    return normalise(part).casefold() in normalise(text).casefold()


def _is_below(path: str, folder: str) -> bool:
    return path == folder or PurePath(path).is_relative_to(folder)


def replaced(db: sqlite3.Connection, sid: int, scope: Scope) -> list[tuple[int, Document]]:
    """Return the history with a number for each document."""
    rows = db.execute("SELECT id, document FROM history WHERE scope_id = ? ORDER BY id", (sid,))
    return [(number, to_document(scope, tuple(json.loads(text)))) for number, text in rows]


def erase(
    db: sqlite3.Connection, sid: int, messages: Sequence[int], documents: Sequence[str], gone: Sequence[int]
) -> None:
    """Take texts out; the store is told through the outbox."""
    db.executemany(
        f"UPDATE messages SET text = '', tokens = 0, retracted = {FORGOTTEN} WHERE seq = ?",
        [(seq,) for seq in messages],
    )
    drop_chunks(db, sid, messages)
    db.executemany("DELETE FROM history WHERE id = ?", [(number,) for number in gone])
    keys = [(sid, key) for key in documents]
    # What waits to be put is not needed any more, and would stay until it is delivered.
    db.executemany("DELETE FROM outbox WHERE scope_id = ? AND key = ?", keys)
    db.executemany("INSERT INTO outbox (scope_id, key, entry) VALUES (?, ?, NULL)", keys)


def rewrite(db: sqlite3.Connection, change: Callable[[str], str]) -> int:
    """Replace texts by what `change` makes of them; return how many differ."""
    return _rewrite_messages(db, change) + sum(_rewrite_others(db, *where, change) for where in _OTHER_TEXTS)


def _rewrite_messages(db: sqlite3.Connection, change: Callable[[str], str]) -> int:
    done = 0
    for seq, sid, identity, text in db.execute("SELECT seq, scope_id, id, text FROM messages").fetchall():
        if (fresh := change(text)) == text:
            continue
        done += 1
        known = db.execute(
            "SELECT 1 FROM messages WHERE scope_id = ? AND id = ? AND text_hash = ? AND seq <> ?",
            (sid, identity, text_hash(fresh), seq),
        ).fetchone()
        if known:  # the same turn, read again since: that version stays
            erase(db, sid, [seq], (), ())
        else:
            db.execute("UPDATE messages SET text = ?, text_hash = ? WHERE seq = ?", (fresh, text_hash(fresh), seq))
    return done


def _rewrite_others(db: sqlite3.Connection, table: str, column: str, key: str, change: Callable[[str], str]) -> int:
    names = key.split(", ")
    found = ((text, _changed(text, change), row) for text, *row in db.execute(f"SELECT {column}, {key} FROM {table}"))
    differing = [(fresh, *row) for text, fresh, row in found if fresh != text]
    where = " AND ".join(f"{name} = ?" for name in names)
    db.executemany(f"UPDATE {table} SET {column} = ? WHERE {where}", differing)
    return len(differing)


def _changed(text: str, change: Callable[[str], str]) -> str:
    """Return a text changed; one that is JSON string by string, so that it stays JSON."""
    try:
        data = json.loads(text)
    except ValueError:
        return change(text)
    fresh = _walked(data, change)
    return text if fresh == data else json.dumps(fresh, ensure_ascii=False)


def _walked(data: object, change: Callable[[str], str]) -> object:
    if isinstance(data, str):
        return _changed(data, change) if data[:1] in ("{", "[") else change(data)
    if isinstance(data, list):
        return [_walked(item, change) for item in data]
    if isinstance(data, dict):
        return {name: _walked(value, change) for name, value in data.items()}
    return data
