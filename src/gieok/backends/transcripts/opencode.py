"""opencode 1.3 and later: one database for all projects, `~/.local/share/opencode/opencode.db`.

What is read is its log of events, numbered in each session; the tables `message` and `part` hold the newest state alone. A line
is `{"event", "data", "message"}`: the event's type, what it says, and the message that its part belongs to.
"""

from gieok.backends.transcripts.database import TranscriptDatabase


class OpenCodeDatabase(TranscriptDatabase):
    """`TranscriptStore` on the database; the sessions' keys are empty."""

    AGENT = "opencode"
    NEEDS = ("event", frozenset(("aggregate_id", "seq", "type", "data")))
    SESSIONS = (
        "SELECT aggregate_id, '', seq FROM event_sequence WHERE aggregate_id IN (SELECT id FROM session) "
        "ORDER BY aggregate_id"
    )
    EVENTS = (
        """SELECT e.seq, '{"event":"' || e.type || '","data":' || e.data || ',"message":' || coalesce(m.data, 'null') || '}' """
        "FROM event e LEFT JOIN message m "
        "ON m.id = CASE WHEN json_valid(e.data) THEN json_extract(e.data, '$.part.messageID') END "
        "WHERE e.aggregate_id = ? AND e.seq > ? ORDER BY e.seq LIMIT ?"
    )
