"""What models cost, and what is wrong right now. Each function runs inside the caller's transaction."""

import sqlite3
from datetime import UTC, date, datetime

from gieok.model.conversation import Incident, Usage


def charge(db: sqlite3.Connection, day: date, role: str, usage: Usage) -> None:
    """Add to what a role used on a day."""
    db.execute(
        "INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, "
        "input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens, "
        "failures = failures + excluded.failures, seconds = seconds + excluded.seconds",
        (day.isoformat(), role, *usage),
    )


def usage(db: sqlite3.Connection, since: date) -> dict[tuple[date, str], Usage]:
    """Return what was used from a day on."""
    rows = db.execute("SELECT * FROM usage WHERE day >= ? ORDER BY day, role", (since.isoformat(),))
    return {(date.fromisoformat(day), role): Usage(*rest) for day, role, *rest in rows}


def raise_incident(db: sqlite3.Connection, incident: Incident) -> bool:
    """Keep an incident; its beginning stays that of the first time."""
    row = db.execute("SELECT 1 FROM incidents WHERE name = ?", (incident.name,)).fetchone()
    db.execute(
        "INSERT INTO incidents VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
        "detail = excluded.detail, tries = excluded.tries, next_try = excluded.next_try",
        (incident.name, incident.detail, _ms(incident.since), incident.tries, _ms(incident.next_try)),
    )
    return row is None


def resolve_incident(db: sqlite3.Connection, name: str) -> bool:
    """Forget an incident."""
    return db.execute("DELETE FROM incidents WHERE name = ?", (name,)).rowcount > 0


def incidents(db: sqlite3.Connection) -> list[Incident]:
    """Return all incidents, oldest first."""
    rows = db.execute("SELECT name, detail, since, tries, next_try FROM incidents ORDER BY since, name")
    return [Incident(name, detail, _moment(since), tries, _moment(due)) for name, detail, since, tries, due in rows]


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def _moment(unix_ms: int) -> datetime:
    return datetime.fromtimestamp(unix_ms / 1000, UTC)
