"""Drops rows that nobody asks for any more."""

from collections.abc import Mapping
from datetime import datetime

from gieok.storage.index.rows import to_ms
from gieok.storage.journal.sql.database import SqlJournal

#: Kind → its table, and the condition for rows older than `?`. A run's replaced documents go before
#: the run.
_OLD = {
    "history": ("history", "run_id IN (SELECT id FROM runs WHERE at < ?)"),
    "runs": ("runs", "at < ? AND id NOT IN (SELECT run_id FROM history)"),
    "usage": ("usage", "day < ?"),
}


class SqlUpkeep(SqlJournal):
    """Upkeep of the tables that grow beside messages and memories."""

    def tiers(self) -> dict[str, int]:
        """Count the memories of each tier; empty tiers are left out."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT 'hot', count(*) FROM made UNION ALL SELECT tier, count(*) FROM "
                "archived GROUP BY tier"
            )
            return {tier: count for tier, count in rows if count}

    def grown(self) -> dict[str, int]:
        """Count the rows of each kind that `prune` knows."""
        with self._reading() as db:
            tables = {kind: table for kind, (table, _) in _OLD.items()} | {"rejects": "rejects"}
            return {
                kind: int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
                for kind, table in tables.items()
            }

    def prune(self, before: Mapping[str, datetime], *, most_rejects: int = 0) -> dict[str, int]:
        """Drop rows of a kind from before a time, and old rejects; return the numbers by kind.

        The newest `most_rejects` rejects stay.
        """
        counts: dict[str, int] = {}
        with self._writing() as db:
            for kind, (table, old) in _OLD.items():
                if kind in before:
                    at = before[kind]
                    bound = at.date().isoformat() if kind == "usage" else to_ms(at)
                    counts[kind] = db.execute(f"DELETE FROM {table} WHERE {old}", (bound,)).rowcount
            if most_rejects:
                newest = "SELECT id FROM rejects ORDER BY id DESC LIMIT ?"
                counts["rejects"] = db.execute(
                    f"DELETE FROM rejects WHERE id NOT IN ({newest})", (most_rejects,)
                ).rowcount
        return counts
