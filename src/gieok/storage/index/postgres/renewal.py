"""Rebuilds the keyword postings of an earlier release, whose tokens differ."""

import psycopg

from gieok.model.memory import Scope
from gieok.storage.index.postgres import reading, vectors, writing
from gieok.storage.index.prepared import prepare_entry
from gieok.text import keywords

_AT_ONCE = 200


def renew_keywords(db: psycopg.Connection) -> None:
    """Rebuild all postings from the texts, in one transaction.

    Other processes search the old postings until it commits.
    """
    with db.transaction():
        vectors.lock(db, to_switch=True)
        row = db.execute("SELECT value FROM gieok.meta WHERE name = 'keywords_version'").fetchone()
        if row and int(row[0]) >= keywords.VERSION:
            return  # another process was faster
        db.execute("DELETE FROM gieok.postings")
        for sid, path in db.execute("SELECT id, path FROM gieok.scopes ORDER BY id").fetchall():
            _renew_scope(db, sid, Scope(path))
        db.execute(
            "UPDATE gieok.meta SET value = %s WHERE name = 'keywords_version'",
            (str(keywords.VERSION),),
        )


def _renew_scope(db: psycopg.Connection, sid: int, scope: Scope) -> None:
    rows = db.execute(
        "SELECT key, id FROM gieok.documents WHERE scope_id = %s ORDER BY id", (sid,)
    ).fetchall()
    ids: dict[str, int] = dict(rows)
    keys = list(ids)
    for start in range(0, len(keys), _AT_ONCE):
        entries = reading.entries(db, scope, keys[start : start + _AT_ONCE])
        placed = [
            writing.PlacedEntry(sid, ids[entry.document.key], prepare_entry(entry))
            for entry in entries
        ]
        writing.copy_postings(db, placed)
        lengths = [
            (p.id + 1 + n, length) for p in placed for n, length in enumerate(p.item.lengths)
        ]
        db.execute(
            "UPDATE gieok.passages p SET length = fresh.length FROM unnest(%s::bigint[], "
            "%s::int[]) fresh (id, length) "
            "WHERE p.scope_id = %s AND p.id = fresh.id",
            ([passage for passage, _ in lengths], [length for _, length in lengths], sid),
        )
    db.execute(
        "UPDATE gieok.scopes SET tokens = (SELECT coalesce(sum(length), 0) FROM "
        "gieok.passages WHERE scope_id = %s) "
        "WHERE id = %s",
        (sid, sid),
    )
