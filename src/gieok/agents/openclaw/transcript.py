"""OpenClaw: JSONL files up to 2026.7, and the same envelopes as events of a database from 2026.8
on.

Keeps what OpenClaw's own index keeps: what the user and the assistant said, without heartbeats,
scheduled runs, messages between sessions, and channel envelopes. Tool calls are shortened.
"""

import json
import re
from collections.abc import Sequence
from pathlib import PurePath

from gieok.agents.marks.mark import Speaker
from gieok.agents.transcripts.fields import Line, mapping, name_of, parts, text_of, texts_of
from gieok.agents.transcripts.session import Format, Part, Said, Session, ToolUse, calls, heard
from gieok.agents.transcripts.speakers import speaker_of
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


def begin(name: str, first: Line) -> Session | None:
    """Recognise the header `{"type":"session",…}`; where that is damaged, an entry, and the session
    by the file's name.
    """
    if first.get("type") == "session" and isinstance(first.get("id"), str):
        parent = (
            PurePath(name_of(first.get("parentSession")))
            .name.partition(".jsonl")[0]
            .rpartition("_")[2]
        )
        return Session(
            id=first["id"], agent=NAME, cwd=name_of(first.get("cwd")), copied_from=parent
        )
    if "parentId" in first and first.get("type") in _ENTRIES:
        return Session(id=session_of(name), agent=NAME)
    return None


def is_system_session(session_key: str) -> bool:
    """Return whether a session has no person in it, by its key (`agent:main:cron:…`)."""
    return bool(_SYSTEM_SESSIONS.search(session_key))


def session_of(name: str) -> str:
    """Return the id of the session whose transcript has this file name."""
    return name.partition(".jsonl")[0].partition("-topic-")[0]


def system_sessions(listed: str) -> frozenset[str]:
    """Return the ids of sessions without a person, from the text of OpenClaw's `sessions.json`."""
    try:
        rows = json.loads(listed)
    except ValueError:
        return frozenset()
    found = rows.items() if isinstance(rows, dict) else ()
    return frozenset(
        str(entry.get("sessionId"))
        for key, entry in found
        if isinstance(entry, dict) and is_system_session(key)
    )


def _ignores(line: Line) -> str:
    """Return why an entry's session is ignored: it may be a run of OpenClaw's dreaming, whatever
    its key is.
    """
    is_dream = name_of(mapping(line.get("data")).get("runId")).startswith("dreaming-narrative-")
    return "a dream of OpenClaw's" if is_dream else ""


def read(session: Session, line: Line, fallback_id: str) -> Sequence[Part]:
    """Return the parts of an entry."""
    found = mapping(line.get("message"))
    if line.get("type") != "message" or speaker_of(NAME, line) is Speaker.PROGRAM:
        return ()
    entry = name_of(line.get("id")) or fallback_id
    identity, at = f"{session.id}/{entry}", line.get("timestamp") or found.get("timestamp")
    content = found.get("content")
    match found.get("role"):
        case "user":
            return (heard(session, line, identity, texts_of(content), at),)
        case "assistant":
            reply = _DIRECTIVE.sub("", text_of(content))
            made = (part for part in parts(content) if part.get("type") == "toolCall")
            said = "" if reply.strip() in _SILENT_REPLIES else reply
            return (Said(identity, Role.ASSISTANT, said, at), *calls(identity, made, at))
        case "toolResult":
            name, call = name_of(found.get("toolName")), name_of(found.get("toolCallId"))
            failed = found.get("isError") is True
            return (ToolUse(identity, call, name, at, result=text_of(content), failed=failed),)
    return ()


FORMAT = Format(NAME, begin, read, ignores=_ignores, has_own_scope=True)
