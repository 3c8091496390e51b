"""What Gieok made itself: documents and small values. Each function runs inside the caller's transaction."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence

from gieok.backends.journals.sqlite.messages import scope_id
from gieok.backends.stores.rows import document_row, to_document
from gieok.model.memory import Entry, Passage, Scope


def to_text(entry: Entry) -> str:
    """Return an entry as it lies in the outbox and among what is made."""
    return json.dumps([document_row(entry.document), entry.passages])


def to_entry(scope: Scope, text: str) -> Entry:
    """Return the entry of such a text."""
    row, passages = json.loads(text)
    return Entry(to_document(scope, tuple(row)), tuple(Passage(*passage) for passage in passages))


def hand_over(db: sqlite3.Connection, put: Sequence[Entry], forget: Iterable[tuple[Scope, str]]) -> None:
    """Queue documents; triggers make them durable. What is forgotten goes first: a document may replace its own key."""
    rows: list[tuple[int, str, str | None]] = [(scope_id(db, scope), key, None) for scope, key in forget]
    rows += [(scope_id(db, entry.document.scope), entry.document.key, to_text(entry)) for entry in put]
    db.executemany("INSERT INTO outbox (scope_id, key, entry) VALUES (?, ?, ?)", rows)


def made_scopes(db: sqlite3.Connection) -> list[Scope]:
    """Return the scopes of which there are documents."""
    rows = db.execute("SELECT path FROM scopes WHERE id IN (SELECT scope_id FROM made) ORDER BY path")
    return [Scope(path) for (path,) in rows]


def made(db: sqlite3.Connection, sid: int, scope: Scope) -> list[Entry]:
    """Return the documents of a scope."""
    rows = db.execute("SELECT entry FROM made WHERE scope_id = ? ORDER BY key", (sid,))
    return [to_entry(scope, text) for (text,) in rows]


def adopt(db: sqlite3.Connection, entries: Sequence[Entry]) -> None:
    """Make documents durable that are not known yet."""
    rows = [(scope_id(db, entry.document.scope), entry.document.key, to_text(entry)) for entry in entries]
    db.executemany("INSERT OR IGNORE INTO made VALUES (?, ?, ?)", rows)


def realms(db: sqlite3.Connection, prefix: str) -> list[str]:
    """Return the realms whose name begins so."""
    rows = db.execute(
        "SELECT DISTINCT realm FROM kept WHERE substr(realm, 1, ?) = ? ORDER BY realm", (len(prefix), prefix)
    )
    return [realm for (realm,) in rows]


def kept(db: sqlite3.Connection, realm: str) -> dict[str, str]:
    """Return the values of a realm."""
    return dict(db.execute("SELECT name, value FROM kept WHERE realm = ? ORDER BY name", (realm,)).fetchall())


def keep(db: sqlite3.Connection, realm: str, values: Mapping[str, str], gone: Iterable[str]) -> None:
    """Set values and forget others."""
    db.executemany("DELETE FROM kept WHERE realm = ? AND name = ?", [(realm, name) for name in gone])
    db.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", [(realm, *pair) for pair in values.items()])


def update(db: sqlite3.Connection, realm: str, name: str, change: Callable[[str], str]) -> str:
    """Set one value to what `change` makes of it."""
    row = db.execute("SELECT value FROM kept WHERE realm = ? AND name = ?", (realm, name)).fetchone()
    value = change(row[0] if row else "")
    keep(db, realm, {name: value}, ())
    return value
