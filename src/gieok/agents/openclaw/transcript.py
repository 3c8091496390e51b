"""OpenClaw transcripts: JSONL files up to 2026.7, events of a database from 2026.8 on.

Both use the same envelopes. The reader keeps what OpenClaw's own index keeps: the words of the user
and the assistant, without heartbeats, scheduled runs, messages between sessions, and channel
envelopes. Tool calls are shortened.
"""

import json
import re
from collections.abc import Sequence
from pathlib import PurePath

from gieok.agents.marks.mark import Speaker
from gieok.agents.transcripts.fields import (
    Line,
    list_content_parts,
    list_content_texts,
    read_content_text,
    read_object_field,
    read_text_field,
)
from gieok.agents.transcripts.session import (
    Format,
    Part,
    Session,
    SpokenPart,
    ToolUse,
    build_user_part,
    iter_tool_calls,
)
from gieok.agents.transcripts.speakers import find_line_speaker
from gieok.model.conversation import Role

NAME = "openclaw"
#: File name of a transcript database in `agents/<agent>/agent`, from 2026.8 on.
DATABASE = "openclaw-agent.sqlite"

_DIRECTIVE = re.compile(
    r"\[\[\s{0,9}(?:reply_to_current|reply_to:[^\]\[]{0,200}|audio_as_voice)\s{0,9}\]\]\s*"
)
_ENTRIES = frozenset(("message", "model_change", "thinking_level_change", "custom", "compaction"))
_SILENT_REPLIES = frozenset(("NO_REPLY", "HEARTBEAT_OK"))
_SYSTEM_SESSIONS = re.compile(
    r":(?:cron|hook|heartbeat|dreaming|subagent|internal)(?::|$)|dreaming"
)


class OpenClawFormat(Format):
    """Entries of OpenClaw."""

    name = NAME
    has_own_scope = True

    def begin_session(self, name: str, first: Line) -> Session | None:
        """Recognise the header `{"type":"session",…}`, or an entry where the header is damaged.

        In the second case the file's name gives the session.
        """
        if first.get("type") == "session" and isinstance(first.get("id"), str):
            parent = PurePath(read_text_field(first.get("parentSession"))).name
            return Session(
                id=first["id"],
                agent=NAME,
                cwd=read_text_field(first.get("cwd")),
                copied_from=parent.partition(".jsonl")[0].rpartition("_")[2],
            )
        if "parentId" in first and first.get("type") in _ENTRIES:
            return Session(id=parse_session_id(name), agent=NAME)
        return None

    def explain_ignored(self, line: Line) -> str:
        """Return why an entry's session is ignored; '' where it is not.

        A session may be a run of OpenClaw's dreaming, whatever its key is.
        """
        run = read_text_field(read_object_field(line.get("data")).get("runId"))
        return "a dream of OpenClaw's" if run.startswith("dreaming-narrative-") else ""

    def read_parts(self, session: Session, line: Line, fallback_id: str) -> Sequence[Part]:
        """Return the parts of an entry."""
        message = read_object_field(line.get("message"))
        if line.get("type") != "message" or find_line_speaker(self.name, line) is Speaker.PROGRAM:
            return ()
        entry = read_text_field(line.get("id")) or fallback_id
        identity, at = f"{session.id}/{entry}", line.get("timestamp") or message.get("timestamp")
        content = message.get("content")
        match message.get("role"):
            case "user":
                return (build_user_part(session, line, identity, list_content_texts(content), at),)
            case "assistant":
                reply = _DIRECTIVE.sub("", read_content_text(content))
                tool_calls = (
                    part for part in list_content_parts(content) if part.get("type") == "toolCall"
                )
                shown_reply = "" if reply.strip() in _SILENT_REPLIES else reply
                return (
                    SpokenPart(identity, Role.ASSISTANT, shown_reply, at),
                    *iter_tool_calls(identity, tool_calls, at),
                )
            case "toolResult":
                name = read_text_field(message.get("toolName"))
                call = read_text_field(message.get("toolCallId"))
                result, failed = read_content_text(content), message.get("isError") is True
                return (ToolUse(identity, call, name, at, result=result, failed=failed),)
        return ()


def is_system_session(session_key: str) -> bool:
    """Return whether a session has no person in it, by its key (`agent:main:cron:…`)."""
    return bool(_SYSTEM_SESSIONS.search(session_key))


def parse_session_id(name: str) -> str:
    """Return the id of the session whose transcript has this file name."""
    return name.partition(".jsonl")[0].partition("-topic-")[0]


def system_sessions(listed: str) -> frozenset[str]:
    """Return the ids of sessions without a person, from the text of OpenClaw's `sessions.json`."""
    try:
        rows = json.loads(listed)
    except ValueError:
        return frozenset()
    sessions = rows.items() if isinstance(rows, dict) else ()
    return frozenset(
        str(entry.get("sessionId"))
        for key, entry in sessions
        if isinstance(entry, dict) and is_system_session(key)
    )
