"""OpenClaw: JSONL files up to 2026.7, and the same envelopes as events of a database from 2026.8 on.

Kept is what OpenClaw itself would turn into memory: what the user and the assistant said, without heartbeats, scheduled
runs, messages between sessions and the envelopes that channels put around a message. Tool calls are kept shortened.
"""

import json
import re
from collections.abc import Sequence

from gieok.model import Role, Turn
from gieok.transcripts.session import (
    Format,
    Line,
    Session,
    mapping,
    message,
    name_of,
    parts,
    text_of,
    tool_call,
    tool_result,
)

AGENT = "openclaw"
#: What a database of transcripts is called, from 2026.8 on, in `agents/<agent>/agent`.
DATABASE = "openclaw-agent.sqlite"

#: Blocks that channels put before a message: a title that says that it is not to be trusted, then JSON.
_ENVELOPE = re.compile(r"^[^\n]{3,80}\(untrusted[^\n)]*\):\n```(?:json)?\n.*?\n```\s*", re.DOTALL)
_TRAILING_CONTEXT = re.compile(r"\n\s*Untrusted context \(metadata.*\Z", re.DOTALL)
#: `[Telegram Kim id:123 Wed 2026-02-11 10:23 KST] `: who wrote, when.
_STAMP = re.compile(r"^\[[^\]\n]{0,120}\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^\]\n]{0,40}\]\s*")
_DIRECTIVE = re.compile(r"\[\[\s*(?:reply_to_current|reply_to:[^\]]*|audio_as_voice)\s*\]\]\s*")
_SYSTEM_LINES = re.compile(r"^System(?: \(untrusted\))?: \[[^\n]*\n+")
#: What nobody said: begun by OpenClaw for itself.
_SYSTEM_STARTS = (
    "System: [",
    "System (untrusted): [",
    "[OpenClaw ",
    "[cron:",
    "Read HEARTBEAT.md",
    "A new session was started via /new or /reset.",
    "Pre-compaction memory flush",
    "An async command you ran earlier has completed",
)
_ENTRIES = frozenset(("message", "model_change", "thinking_level_change", "custom", "compaction"))
_SILENT_REPLIES = frozenset(("NO_REPLY", "HEARTBEAT_OK"))
_SYSTEM_SESSIONS = re.compile(r":(?:cron|hook|heartbeat|dreaming|subagent|internal)(?::|$)|dreaming")
#: 2026.8 and later wrap what a scheduled run or a webhook brought.
_UNATTENDED = "<<<EXTERNAL_UNTRUSTED_CONTENT"


def begin(name: str, first: Line) -> Session | None:
    """Recognise the header `{"type":"session",…}`; where that is damaged, an entry, and the session by the file's name."""
    if first.get("type") == "session" and isinstance(first.get("id"), str):
        return Session(id=first["id"], agent=AGENT, cwd=name_of(first.get("cwd")))
    if "parentId" in first and first.get("type") in _ENTRIES:
        return Session(id=session_of(name), agent=AGENT)
    return None


def is_system_session(session_key: str) -> bool:
    """Say whether nobody speaks in a session, going by its key (`agent:main:cron:…`)."""
    return bool(_SYSTEM_SESSIONS.search(session_key))


def session_of(name: str) -> str:
    """Return the id of the session whose transcript has this file name."""
    return name.partition(".jsonl")[0].partition("-topic-")[0]


def system_sessions(listed: str) -> frozenset[str]:
    """Return the ids of the sessions in which nobody speaks, from the text of OpenClaw's `sessions.json`."""
    try:
        rows = json.loads(listed)
    except ValueError:
        return frozenset()
    found = rows.items() if isinstance(rows, dict) else ()
    return frozenset(
        str(entry.get("sessionId")) for key, entry in found if isinstance(entry, dict) and is_system_session(key)
    )


def is_dream(line: Line) -> bool:
    """Say whether an entry tells that its session is a run of OpenClaw's dreaming, whatever its key is."""
    return name_of(mapping(line.get("data")).get("runId")).startswith("dreaming-narrative-")


def turns(session: Session, line: Line, fallback_id: str) -> Sequence[Turn]:
    """Return the messages of an entry."""
    found = mapping(line.get("message"))
    if line.get("type") != "message" or mapping(found.get("provenance")).get("kind"):
        return ()
    entry = name_of(line.get("id")) or fallback_id
    identity, at = f"{session.id}/{entry}", line.get("timestamp") or found.get("timestamp")
    content = found.get("content")
    match found.get("role"):
        case "user":
            return message(session, identity, Role.USER, _said(text_of(content)), at)
        case "assistant":
            reply = _DIRECTIVE.sub("", text_of(content))
            said = message(session, identity, Role.ASSISTANT, "" if reply.strip() in _SILENT_REPLIES else reply, at)
            calls = (part for part in parts(content) if part.get("type") == "toolCall")
            for number, part in enumerate(calls):
                call = tool_call(part.get("name"), part.get("arguments"))
                said += message(session, f"{identity}#{number}", Role.TOOL, call, at)
            return said
        case "toolResult":
            result = tool_result(found.get("toolName"), text_of(content), failed=found.get("isError") is True)
            return message(session, identity, Role.TOOL, result, at)
    return ()


def _said(text: str) -> str:
    """Return what the user really wrote."""
    text = _SYSTEM_LINES.sub("", text.strip())
    if text.startswith(_SYSTEM_STARTS) or _UNATTENDED in text:
        return ""
    while True:
        bare = _STAMP.sub("", _ENVELOPE.sub("", text, count=1).lstrip(), count=1)
        if bare == text:
            return _TRAILING_CONTEXT.sub("", text)
        text = bare


FORMAT = Format(AGENT, begin, turns)
