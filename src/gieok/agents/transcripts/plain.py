"""Any agent that writes `{"role", "content", "timestamp"}` lines.

`text` for `content` and OpenAI's roles are accepted too.
"""

from collections.abc import Sequence
from pathlib import PurePath

from gieok.agents.transcripts.fields import (
    Line,
    list_content_parts,
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
from gieok.model.conversation import Role

NAME = "plain"

_SAID = {
    **dict.fromkeys(("user", "human"), Role.USER),
    **dict.fromkeys(("assistant", "model", "ai"), Role.ASSISTANT),
}
_ROLES = frozenset((*_SAID, "tool", "function", "system", "developer"))


class PlainFormat(Format):
    """Lines with a role and a content."""

    name = NAME
    has_ids = False

    def begin_session(self, name: str, first: Line) -> Session | None:
        """Recognise a line with a role and a content.

        The session's id is the file's name up to `.jsonl`.
        """
        if first.get("role") not in _ROLES or not ("content" in first or "text" in first):
            return None
        return Session(id=PurePath(name).name.partition(".jsonl")[0], agent=NAME)

    def read_parts(self, session: Session, line: Line, fallback_id: str) -> Sequence[Part]:
        """Return the parts of a line; `system` lines give none, because they hold instructions."""
        content, at = line.get("content", line.get("text")), read_plain_time(line)
        identity = f"{session.id}/{read_text_field(line.get('id')) or fallback_id}"
        text = read_content_text(content, ("text", "input_text", "output_text"))
        role = read_text_field(line.get("role"))
        if role in ("tool", "function"):
            call, name = (
                read_text_field(line.get("tool_call_id")),
                read_text_field(line.get("name")),
            )
            failed = line.get("is_error") is True
            return (ToolUse(identity, call, name, at, result=text, failed=failed),)
        speaker_role = _SAID.get(role)
        if speaker_role is None:
            return ()
        calls_made = (
            {**call, **read_object_field(call.get("function"))}
            for call in list_content_parts(line.get("tool_calls"))
        )
        spoken = (
            build_user_part(session, line, identity, text, at)
            if speaker_role is Role.USER
            else SpokenPart(identity, speaker_role, text, at)
        )
        return (spoken, *iter_tool_calls(identity, calls_made, at))


def read_plain_time(line: Line) -> object:
    """Return the time that a line states; None where it states none."""
    return line.get("timestamp", line.get("at"))


FORMAT = PlainFormat()
