"""Documents that Gieok made itself, such as memories."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from gieok.model.memory import Entry, Passage, Scope, Tier
from gieok.storage.index.rows import document_row, to_document
from gieok.storage.journal.sql.database import Db, SqlJournal


class SqlDurable(SqlJournal):
    """`MadeDocuments` on an SQL database."""

    def made_scopes(self) -> list[Scope]:
        """Return the scopes that have made documents."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT path FROM scopes WHERE id IN (SELECT scope_id FROM made UNION SELECT "
                "scope_id FROM archived) "
                "ORDER BY path"
            )
            return [Scope(path) for (path,) in rows]

    def made(self, scope: Scope) -> list[Entry]:
        """Return the made documents of a scope."""
        with self._reading_of(scope) as (db, sid):
            rows = db.execute("SELECT entry FROM made WHERE scope_id = ? ORDER BY key", (sid,))
            return [to_entry(scope, text) for (text,) in rows]

    def hand_over(
        self, put: Sequence[Entry] = (), forget: Sequence[tuple[Scope, str]] = ()
    ) -> None:
        """Make documents durable and queue them."""
        with self._writing_to_all(collect_entry_scopes(put, forget)) as (db, ids):
            self._hand_over(db, ids, put, forget)

    def adopt(self, entries: Sequence[Entry]) -> None:
        """Make documents durable that the journal does not know yet."""
        with self._writing_to_all(collect_entry_scopes(entries)) as (db, ids):
            rows = [
                (ids[entry.document.scope], entry.document.key, to_text(entry)) for entry in entries
            ]
            db.executemany(
                "INSERT INTO made (scope_id, key, entry) SELECT ?, ?, ? "
                "WHERE NOT EXISTS (SELECT 1 FROM archived WHERE scope_id = ? AND key = ?) ON "
                "CONFLICT DO NOTHING",
                [(sid, key, text, sid, key) for sid, key, text in rows],
            )

    def _hand_over(
        self,
        db: Db,
        ids: Mapping[Scope, int],
        put: Sequence[Entry],
        forget: Sequence[tuple[Scope, str]],
    ) -> None:
        """Queue documents.

        Documents to forget go first: a document may replace its own key.
        """
        for scope, group in groupby(forget, key=lambda gone: gone[0]):
            self._queue(db, ids[scope], [(key, None) for _, key in group])
        for scope, entries in groupby(put, key=lambda entry: entry.document.scope):
            self._queue(db, ids[scope], [(entry.document.key, to_text(entry)) for entry in entries])


def collect_entry_scopes(
    put: Sequence[Entry], forget: Sequence[tuple[Scope, str]] = ()
) -> set[Scope]:
    """Return the scopes of entries to put and of keys to forget."""
    return {entry.document.scope for entry in put} | {scope for scope, _ in forget}


def to_entry(scope: Scope, text: str) -> Entry:
    """Return the entry of a text in the table `outbox` or `made`."""
    row, passages = json.loads(text)
    return Entry(to_document(scope, tuple(row)), tuple(Passage(*passage) for passage in passages))


def to_text(entry: Entry, tier: Tier = Tier.HOT) -> str:
    """Return an entry as text, with the tier hot: every made document lives in hot."""
    document = entry.document if entry.document.tier is tier else replace(entry.document, tier=tier)
    return json.dumps([document_row(document), entry.passages])
