"""Any agent that writes `{"role", "content", "timestamp"}` lines; also `text` for `content`, and OpenAI's roles."""

from collections.abc import Sequence
from pathlib import PurePath

from gieok.model import Role, Turn
from gieok.transcripts.session import Format, Line, Session, message, name_of, parts, text_of, tool_call, tool_result

AGENT = "plain"

_SAID = {
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
}
_ROLES = frozenset((*_SAID, "tool", "function", "system", "developer"))


def begin(name: str, first: Line) -> Session | None:
    """Recognise a line with a role and a content. The session is the file's name up to `.jsonl`."""
    if first.get("role") not in _ROLES or not ("content" in first or "text" in first):
        return None
    return Session(id=PurePath(name).name.partition(".jsonl")[0], agent=AGENT)


def turns(session: Session, line: Line, fallback_id: str) -> Sequence[Turn]:
    """Return the message of a line; what stands in `system` lines is instruction, not conversation."""
    content, at = line.get("content", line.get("text")), line.get("timestamp", line.get("at"))
    identity = f"{session.id}/{name_of(line.get('id')) or fallback_id}"
    text, role = text_of(content, ("text", "input_text", "output_text")), name_of(line.get("role"))
    if role in ("tool", "function"):
        failed = line.get("is_error") is True
        return message(session, identity, Role.TOOL, tool_result(line.get("name", "tool"), text, failed=failed), at)
    if role not in _SAID:
        return ()
    found = message(session, identity, _SAID[role], text, at)
    for number, call in enumerate(parts(line.get("tool_calls"))):
        function = call.get("function")
        named = function if isinstance(function, dict) else call
        shown = tool_call(named.get("name"), named.get("arguments"))
        found += message(session, f"{identity}#{number}", Role.TOOL, shown, at)
    return found


FORMAT = Format(AGENT, begin, turns, has_ids=False)
