"""Gemini CLI: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`.

A message is written again as it grows (the last one wins), `$rewindTo` takes a message and all after it back, and
`$set.messages` replaces the whole conversation.
"""

from collections.abc import Sequence

from gieok.model import Message, Retraction, Role, Turn
from gieok.transcripts.session import Format, Line, Session, message, name_of, parts, tool_call, tool_result

AGENT = "gemini-cli"

_ROLES = {"user": Role.USER, "gemini": Role.ASSISTANT}


def begin(name: str, first: Line) -> Session | None:
    """Recognise the metadata line."""
    del name
    if not isinstance(first.get("sessionId"), str) or "projectHash" not in first:
        return None
    return Session(id=first["sessionId"], agent=AGENT, ignored="a sub-agent" if first.get("kind") == "subagent" else "")


def turns(session: Session, line: Line, fallback_id: str) -> Sequence[Turn]:
    """Return the messages of a line, or what it takes back."""
    if isinstance(line.get("$rewindTo"), str):
        return (Retraction(session.id, f"{session.id}/{line['$rewindTo']}", after=True),)
    changed = line.get("$set")
    if isinstance(changed, dict):
        whole = changed.get("messages")
        return _replacement(session, whole, fallback_id) if isinstance(whole, list) else ()
    return _messages(session, line, fallback_id)


def _replacement(session: Session, whole: list[object], fallback_id: str) -> list[Turn]:
    """Take everything back that is not in `whole`; what is in it stays as it was read."""
    found = [
        turn
        for number, item in enumerate(whole)
        if isinstance(item, dict)
        for turn in _messages(session, item, f"{fallback_id}.{number}")
    ]
    return [Retraction(session.id, after=True), *found]


def _messages(session: Session, line: Line, fallback_id: str) -> list[Message]:
    role = _ROLES.get(name_of(line.get("type")))
    if role is None:
        return []
    identity, at = f"{session.id}/{name_of(line.get('id')) or fallback_id}", line.get("timestamp")
    found = message(session, identity, role, _text(line.get("content")), at)
    for number, call in enumerate(parts(line.get("toolCalls"))):
        shown = tool_call(call.get("name"), call.get("args"))
        outcome = tool_result(
            call.get("name"), name_of(call.get("resultDisplay")), failed=call.get("status") == "error"
        )
        found += message(session, f"{identity}#{number}", Role.TOOL, f"{shown} {outcome}", at)
    return found


def _text(content: object) -> str:
    """Return a content's text: a string, one part, or parts, which have no type here."""
    if isinstance(content, str):
        return content
    shown = parts([content] if isinstance(content, dict) else content)
    return "\n".join(name_of(part.get("text")) for part in shown if not part.get("thought")).strip()


FORMAT = Format(AGENT, begin, turns)
