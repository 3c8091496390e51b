"""opencode 1.3 and later: one database for all projects.

Its path is `~/.local/share/opencode/opencode.db`. The database's event log is read, whose events
are numbered within each session. A session that is older than the log has no events, or its events
do not begin with the session: for such a session the tables `message` and `part` are read, which
hold only the newest state. A line is `{"event", "data", "message"}`: the event's type, its data,
and the message that its part belongs to; rows of the table `part` are returned as such events too.
"""

from pathlib import Path
from typing import Any

from gieok.errors import TranscriptUnreadable
from gieok.machine.transcripts.database import TranscriptDatabase
from gieok.machine.transcripts.opencode_files import OpenCodeFiles
from gieok.ports.transcripts import StoredSession, TranscriptStore

_LOG = frozenset(("aggregate_id", "seq", "type", "data"))
_PARTS = frozenset(("id", "message_id", "session_id", "time_created", "time_updated", "data"))
#: Number of a part: it grows with each change, and no two parts of one millisecond share a number.
_NUMBER = "p.time_updated * 10000 + p.rowid % 10000"
_LOGGED = (
    "SELECT 1 FROM event e WHERE e.aggregate_id = {session} AND e.type LIKE 'session.created%'"
)


class OpenCodeDatabase(TranscriptDatabase):
    """`TranscriptStore` on opencode's database; the keys of its sessions are empty."""

    AGENT = "opencode"
    NEEDS = ("session", frozenset(("id", "directory", "parent_id")))
    SESSIONS = (
        "SELECT aggregate_id, '', seq FROM event_sequence WHERE aggregate_id IN (SELECT id "
        "FROM session) "
        "ORDER BY aggregate_id"
    )
    EVENTS = (
        """SELECT e.seq, '{"event":"' || e.type || '","data":' || e.data || ',"message":' """
        "|| coalesce(m.data, 'null') || '}' "
        "FROM event e LEFT JOIN message m "
        "ON m.id = CASE WHEN json_valid(e.data) THEN json_extract(e.data, '$.part.messageID') END "
        "WHERE e.aggregate_id = ? AND e.seq > ? ORDER BY e.seq LIMIT ?"
    )
    #: The sessions without a complete log, each with the number of its newest part.
    OLD_SESSIONS = (
        f"SELECT p.session_id, '', max({_NUMBER}) FROM part p WHERE p.session_id IN (SELECT "
        "id FROM session) "
        "AND NOT EXISTS ({logged}) GROUP BY p.session_id ORDER BY p.session_id"
    )
    #: Takes (session, after, session, after, limit): returns the session's beginning, then its
    #: parts.
    PARTS = (
        "SELECT * FROM (SELECT 0 AS number, json_object('event', 'session.created.1', 'data', "
        "json_object('sessionID', id, "
        "'info', json_object('directory', directory, 'parentID', parent_id, 'permission', "
        "{rules})), 'message', NULL) AS line "
        "FROM session WHERE id = ? AND 0 > ? UNION ALL "
        f"SELECT {_NUMBER}, CASE WHEN json_valid(p.data) THEN json_object('event', "
        "'message.part.updated.1', 'data', "
        "json_object('sessionID', p.session_id, 'time', p.time_created, "
        "'part', json_set(p.data, '$.id', p.id, '$.messageID', p.message_id)), "
        "'message', CASE WHEN json_valid(m.data) THEN json(m.data) END) ELSE p.data END "
        "FROM part p LEFT JOIN message m ON m.id = p.message_id WHERE p.session_id = ? AND "
        f"{_NUMBER} > ?) "
        "ORDER BY number LIMIT ?"
    )

    def __init__(self, file: Path) -> None:
        super().__init__(file)
        has_rules = "permission" in self.columns
        #: Permissions that a session has from its beginning.
        self._rules = (
            "CASE WHEN json_valid(permission) THEN json(permission) END" if has_rules else "NULL"
        )
        self._has_log, self._has_parts = self._has("event", _LOG), self._has("part", _PARTS)
        #: Sessions whose parts are read, because their log is incomplete.
        self._old: set[str] = set()
        if not (self._has_log or self._has_parts):
            self.close()
            raise TranscriptUnreadable(
                "{file!r} is no opencode database that this gieok knows", file=file
            )

    def _has(self, table: str, needed: frozenset[str]) -> bool:
        return needed <= {row[1] for row in self._rows(f"PRAGMA table_info({table})")}

    def sessions(self) -> list[StoredSession]:
        """Return every session: those of the event log, and older ones."""
        logged = super().sessions() if self._has_log else []
        old = self._list_old() if self._has_parts else []
        self._old = {session.id for session in old}
        return sorted((*(session for session in logged if session.id not in self._old), *old))

    def _list_old(self) -> list[StoredSession]:
        logged = _LOGGED.format(session="p.session_id") if self._has_log else "SELECT 1 WHERE 0"
        return [StoredSession(*row) for row in self._rows(self.OLD_SESSIONS.format(logged=logged))]

    def events(self, session: str, after: int, limit: int) -> list[tuple[int, str]]:
        """Return up to `limit` events of a session with numbers above `after`, in order.

        For a session without a complete log, the result is made of the session's row and its parts,
        in the form of events.
        """
        if session not in self._old:
            return super().events(session, after, limit) if self._has_log else []
        rows: list[tuple[Any, ...]] = self._rows(
            self.PARTS.format(rules=self._rules), session, after, session, after, limit
        )
        return [(row[0], str(row[1])) for row in rows]


class KiloDatabase(OpenCodeDatabase):
    """`TranscriptStore` on the database of Kilo, whose lines name their host."""

    AGENT = "Kilo"

    def events(self, session: str, after: int, limit: int) -> list[tuple[int, str]]:
        """Return the events of a session as opencode's, each with the member `host`."""
        rows = super().events(session, after, limit)
        return [(number, f'{{"host":"kilo",{line[1:]}') for number, line in rows]


def open_transcripts(path: Path) -> TranscriptStore:
    """Open opencode's database, or the folder of messages that opencode kept before 1.3."""
    return OpenCodeFiles(path) if path.is_dir() else OpenCodeDatabase(path)
