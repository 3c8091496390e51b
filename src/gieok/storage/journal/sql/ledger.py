"""Costs of models, and incidents that are open right now."""

from datetime import date

from gieok.model.conversation import Incident, Usage
from gieok.storage.index.rows import marks, to_ms, utc
from gieok.storage.journal.sql.database import SqlJournal

USAGE = "calls, input_tokens, output_tokens, failures, seconds, dollars"
_ADDED = ", ".join(f"{name} = usage.{name} + excluded.{name}" for name in USAGE.split(", "))


class SqlLedger(SqlJournal):
    """`Ledger` on an SQL database."""

    def charge(self, day: date, role: str, usage: Usage) -> None:
        """Add to the usage of a role on a day."""
        with self._writing() as db:
            db.execute(
                f"INSERT INTO usage (day, role, {USAGE}) VALUES (?, ?, {marks(usage)}) "
                f"ON CONFLICT (day, role) DO UPDATE SET {_ADDED}",
                (day.isoformat(), role, *usage),
            )

    def usage(self, since: date) -> dict[tuple[date, str], Usage]:
        """Return the usage by day and role, from a day on."""
        with self._reading() as db:
            rows = db.execute(
                f"SELECT day, role, {USAGE} FROM usage WHERE day >= ? ORDER BY day, role",
                (since.isoformat(),),
            )
            return {(date.fromisoformat(day), role): Usage(*rest) for day, role, *rest in rows}

    def raise_incident(self, incident: Incident) -> bool:
        """Keep an incident; a repeated incident keeps the time of its first beginning."""
        with self._writing() as db:
            name, detail, since, tries, due = incident
            is_new = db.execute(
                (
                    "INSERT INTO incidents (name, detail, since, tries, next_try) VALUES (?, ?, "
                    "?, ?, ?) ON CONFLICT DO NOTHING"
                ),
                (name, detail, to_ms(since), tries, to_ms(due)),
            ).rowcount
            if not is_new:
                known = "UPDATE incidents SET detail = ?, tries = ?, next_try = ? WHERE name = ?"
                db.execute(known, (detail, tries, to_ms(due), name))
            return bool(is_new)

    def resolve_incident(self, name: str) -> bool:
        """Forget an incident."""
        with self._writing() as db:
            return db.execute("DELETE FROM incidents WHERE name = ?", (name,)).rowcount > 0

    def incidents(self) -> list[Incident]:
        """Return all incidents, oldest first."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT name, detail, since, tries, next_try FROM incidents ORDER BY since, name"
            )
            return [
                Incident(name=name, detail=detail, since=utc(since), tries=tries, next_try=utc(due))
                for name, detail, since, tries, due in rows
            ]
