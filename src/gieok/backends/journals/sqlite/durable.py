"""What Gieok made itself: documents, and small values by realm."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from gieok.backends.journals.sqlite.file import JournalFile, scope_id
from gieok.backends.stores.rows import document_row, to_document
from gieok.model.memory import Entry, Passage, Scope, Tier


class SqliteDurable(JournalFile):
    """`MadeDocuments` and `KeptValues`."""

    def made_scopes(self) -> list[Scope]:
        """Return the scopes of which there are documents."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT path FROM scopes WHERE id IN (SELECT scope_id FROM made UNION SELECT scope_id FROM archived) "
                "ORDER BY path"
            )
            return [Scope(path) for (path,) in rows]

    def made(self, scope: Scope) -> list[Entry]:
        """Return the documents of a scope."""
        with self._reading_of(scope) as (db, sid):
            rows = db.execute("SELECT entry FROM made WHERE scope_id = ? ORDER BY key", (sid,))
            return [to_entry(scope, text) for (text,) in rows]

    def hand_over(self, put: Sequence[Entry] = (), forget: Sequence[tuple[Scope, str]] = ()) -> None:
        """Make documents durable and queue them."""
        with self._writing() as db:
            hand_over(db, put, forget)

    def adopt(self, entries: Sequence[Entry]) -> None:
        """Make documents durable that are not known yet."""
        with self._writing() as db:
            rows = [(scope_id(db, entry.document.scope), entry.document.key, to_text(entry)) for entry in entries]
            db.executemany(
                "INSERT OR IGNORE INTO made SELECT ?1, ?2, ?3 "
                "WHERE NOT EXISTS (SELECT 1 FROM archived WHERE scope_id = ?1 AND key = ?2)",
                rows,
            )

    def realms(self, prefix: str = "") -> list[str]:
        """Return the realms whose name begins so."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT DISTINCT realm FROM kept WHERE substr(realm, 1, ?) = ? ORDER BY realm", (len(prefix), prefix)
            )
            return [realm for (realm,) in rows]

    def kept(self, realm: str) -> dict[str, str]:
        """Return the values of a realm."""
        with self._reading() as db:
            return dict(db.execute("SELECT name, value FROM kept WHERE realm = ? ORDER BY name", (realm,)).fetchall())

    def keep(self, realm: str, values: Mapping[str, str], gone: Iterable[str] = ()) -> None:
        """Set values and forget others."""
        with self._writing() as db:
            db.executemany("DELETE FROM kept WHERE realm = ? AND name = ?", [(realm, name) for name in gone])
            db.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", [(realm, *pair) for pair in values.items()])

    def update_kept(self, realm: str, name: str, change: Callable[[str], str]) -> str:
        """Set one value to what `change` makes of it."""
        with self._writing() as db:
            row = db.execute("SELECT value FROM kept WHERE realm = ? AND name = ?", (realm, name)).fetchone()
            value = change(row[0] if row else "")
            db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", (realm, name, value))
        return value


def hand_over(db: sqlite3.Connection, put: Sequence[Entry], forget: Iterable[tuple[Scope, str]]) -> None:
    """Queue documents; triggers make them durable. What is forgotten goes first: a document may replace its own key."""
    rows: list[tuple[int, str, str | None]] = [(scope_id(db, scope), key, None) for scope, key in forget]
    rows += [(scope_id(db, entry.document.scope), entry.document.key, to_text(entry)) for entry in put]
    db.executemany("INSERT INTO outbox (scope_id, key, entry) VALUES (?, ?, ?)", rows)


def to_entry(scope: Scope, text: str) -> Entry:
    """Return the entry of a text in the outbox or among what is made."""
    row, passages = json.loads(text)
    return Entry(to_document(scope, tuple(row)), tuple(Passage(*passage) for passage in passages))


def to_text(entry: Entry, tier: Tier = Tier.HOT) -> str:
    """Return an entry as text: whatever is made lives in hot."""
    document = entry.document if entry.document.tier is tier else replace(entry.document, tier=tier)
    return json.dumps([document_row(document), entry.passages])
