"""Hermes Agent: one database for all sessions, `~/.hermes/state.db`.

A line is a message with its session: `{"hermes", "session", "message"}`. Messages are numbered over
all sessions. Those that a person took back are not active; those that were compacted are not
active either, and stand again behind, in part. `content` is what was said; `api_content` also holds
what memory put before the model, and is not read.
"""

from gieok.machine.transcripts.database import TranscriptDatabase

_COLUMNS = frozenset(
    ("id", "session_id", "role", "content", "timestamp", "active", "compacted", "tool_calls")
)
#: A text that is no longer is often said twice; a longer one is a copy of what was compacted.
_SHORT_CHARS = 40


class HermesDatabase(TranscriptDatabase):
    """`TranscriptStore` on the database of Hermes; the key of a session is where it came from."""

    AGENT = "Hermes"
    NEEDS = ("messages", _COLUMNS)
    SESSIONS = (
        "SELECT s.id, coalesce(s.source, ''), "
        "coalesce((SELECT max(m.id) FROM messages m WHERE m.session_id = s.id), -1) "
        "FROM sessions s ORDER BY s.id"
    )
    EVENTS = (
        "SELECT m.id, json_object('hermes', 1, 'session', json_object('id', s.id, "
        "'source', s.source, 'cwd', s.cwd, 'parent', s.parent_session_id), "
        "'message', json_object('id', m.id, 'role', m.role, 'content', m.content, "
        "'tool_call_id', m.tool_call_id, 'tool_name', m.tool_name, "
        "'tool_calls', CASE WHEN json_valid(m.tool_calls) THEN json(m.tool_calls) END, "
        "'timestamp', m.timestamp)) "
        "FROM messages m JOIN sessions s ON s.id = m.session_id "
        "WHERE m.session_id = ? AND m.id > ? AND (m.active = 1 OR m.compacted = 1) "
        f"AND NOT (length(m.content) > {_SHORT_CHARS} AND EXISTS ("
        "SELECT 1 FROM messages o WHERE o.session_id = m.session_id "
        "AND o.compacted = 1 AND o.id < m.id AND o.role = m.role AND o.content = m.content)) "
        "ORDER BY m.id LIMIT ?"
    )
