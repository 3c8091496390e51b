"""opencode 1.3 and later: one database for all projects, `~/.local/share/opencode/opencode.db`.

What is read is its log of events, numbered in each session; the tables `message` and `part` hold the newest state alone. A line
is `{"event", "data", "message"}`: the event's type, what it says, and the message that its part belongs to.
"""

from gieok.backends.transcripts.database import TranscriptDatabase

#: What says nothing new about a conversation: titles, costs.
_READ = "(type GLOB 'session.created.*' OR type GLOB 'message.part.updated.*' OR type GLOB 'message.removed.*')"


class OpenCodeDatabase(TranscriptDatabase):
    """`TranscriptStore` on the database; the sessions' keys are empty."""

    AGENT = "opencode"
    NEEDS = ("event", frozenset(("aggregate_id", "seq", "type", "data")))
    SESSIONS = (
        f"SELECT aggregate_id, '', max(seq) FROM event WHERE {_READ} "
        "AND aggregate_id IN (SELECT id FROM session) GROUP BY aggregate_id ORDER BY aggregate_id"
    )
    EVENTS = (
        """SELECT e.seq, '{"event":"' || e.type || '","data":' || e.data || ',"message":' || coalesce(m.data, 'null') || '}' """
        "FROM event e LEFT JOIN message m "
        "ON m.id = CASE WHEN json_valid(e.data) THEN json_extract(e.data, '$.part.messageID') END "
        f"WHERE e.aggregate_id = ? AND e.seq > ? AND {_READ} ORDER BY e.seq LIMIT ?"
    )
