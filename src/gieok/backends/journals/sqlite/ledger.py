"""What models cost, and what is wrong right now."""

from datetime import date

from gieok.backends.journals.sqlite.file import JournalFile
from gieok.backends.stores.rows import to_ms, utc
from gieok.model.conversation import Incident, Usage


class SqliteLedger(JournalFile):
    """`Ledger`."""

    def charge(self, day: date, role: str, usage: Usage) -> None:
        """Add to what a role used on a day."""
        with self._writing() as db:
            db.execute(
                "INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                "calls = calls + excluded.calls, input_tokens = input_tokens + excluded.input_tokens, "
                "output_tokens = output_tokens + excluded.output_tokens, "
                "failures = failures + excluded.failures, seconds = seconds + excluded.seconds, "
                "dollars = dollars + excluded.dollars",
                (day.isoformat(), role, *usage),
            )

    def usage(self, since: date) -> dict[tuple[date, str], Usage]:
        """Return what was used from a day on."""
        with self._reading() as db:
            rows = db.execute("SELECT * FROM usage WHERE day >= ? ORDER BY day, role", (since.isoformat(),))
            return {(date.fromisoformat(day), role): Usage(*rest) for day, role, *rest in rows}

    def raise_incident(self, incident: Incident) -> bool:
        """Keep an incident; its beginning stays that of the first time."""
        with self._writing() as db:
            row = db.execute("SELECT 1 FROM incidents WHERE name = ?", (incident.name,)).fetchone()
            db.execute(
                "INSERT INTO incidents VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                "detail = excluded.detail, tries = excluded.tries, next_try = excluded.next_try",
                (incident.name, incident.detail, to_ms(incident.since), incident.tries, to_ms(incident.next_try)),
            )
            return row is None

    def resolve_incident(self, name: str) -> bool:
        """Forget an incident."""
        with self._writing() as db:
            return db.execute("DELETE FROM incidents WHERE name = ?", (name,)).rowcount > 0

    def incidents(self) -> list[Incident]:
        """Return all incidents, oldest first."""
        with self._reading() as db:
            rows = db.execute("SELECT name, detail, since, tries, next_try FROM incidents ORDER BY since, name")
            return [Incident(name, detail, utc(since), tries, utc(due)) for name, detail, since, tries, due in rows]
