"""Prepares a new file to take the place of an old one, whose numbers other processes hold in memory."""

import sqlite3

_COUNTERS = ("scopes", "documents", "passages", "vectors", "models")


def begin(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Give scopes the numbers they have in `old` and a later generation, and let ids go on where they end there.

    An id is never used again for something else, so a copy in memory finds out by the generation alone that it is stale.
    """
    scopes = old.execute("SELECT id, path, generation FROM scopes").fetchall()
    new.executemany("INSERT OR IGNORE INTO scopes (id, path) VALUES (?, ?)", [row[:2] for row in scopes])
    new.executemany(
        "UPDATE scopes SET generation = max(generation, ?) + 1 WHERE path = ?", [(row[2], row[1]) for row in scopes]
    )
    for table in _COUNTERS:
        row = old.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        highest = row[0] if row else 0
        if not new.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (highest, table)).rowcount:
            new.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (table, highest))
