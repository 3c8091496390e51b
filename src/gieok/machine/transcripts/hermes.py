"""Hermes Agent: one database for all sessions, `~/.hermes/state.db`.

A line is a message with its session: `{"hermes", "session", "message"}`. Messages are numbered over
all sessions. Those that a person took back are not active; those that were compacted are not
active either, and stand again behind, in part. `content` is what was said; `api_content` also holds
what memory put before the model, and is not read.
"""

import json
from typing import Any

from gieok.machine.transcripts.database import TranscriptDatabase

_COLUMNS = frozenset(
    ("id", "session_id", "role", "content", "timestamp", "active", "compacted", "tool_calls")
)
#: A text that is no longer is often said twice; a longer one is a copy of what was compacted.
_SHORT_BYTES = 40
_SESSION_FIELDS = ("id", "source", "cwd", "parent")
_MESSAGE_FIELDS = ("id", "role", "content", "tool_call_id", "tool_name", "tool_calls", "timestamp")


class HermesDatabase(TranscriptDatabase):
    """`TranscriptStore` on the database of Hermes; the key of a session is where it came from."""

    AGENT = "Hermes"
    NEEDS = ("messages", _COLUMNS)
    SESSIONS = (
        "SELECT s.id, coalesce(s.source, ''), "
        "coalesce((SELECT max(m.id) FROM messages m WHERE m.session_id = s.id), -1) "
        "FROM sessions s ORDER BY s.id"
    )
    # Copies are found in one pass over the session: a search for each message is quadratic.
    EVENTS = (
        "SELECT m.id, s.id, s.source, s.cwd, s.parent_session_id, m.id, m.role, m.content, "
        "m.tool_call_id, m.tool_name, m.tool_calls, m.timestamp "
        "FROM messages m JOIN sessions s ON s.id = m.session_id "
        "WHERE m.session_id = ?1 AND m.id > ?2 AND (m.active = 1 OR m.compacted = 1) "
        "AND m.id NOT IN (SELECT id FROM (SELECT id, min(CASE WHEN compacted = 1 THEN id END) "
        "OVER (PARTITION BY role, content) AS first FROM messages WHERE session_id = ?1 "
        f"AND length(CAST(content AS BLOB)) > {_SHORT_BYTES}) WHERE first < id) "
        "ORDER BY m.id LIMIT ?3"
    )

    def line(self, row: tuple[Any, ...]) -> str:
        """Return the JSON of a message with its session; a value that no JSON holds is null."""
        values = [None if isinstance(value, bytes) else value for value in row[1:]]
        session = dict(zip(_SESSION_FIELDS, values, strict=False))
        message = dict(zip(_MESSAGE_FIELDS, values[len(_SESSION_FIELDS) :], strict=True))
        message["tool_calls"] = _parse_calls(message["tool_calls"])
        return json.dumps({"hermes": 1, "session": session, "message": message})


def _parse_calls(text: object) -> object:
    try:
        return json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
