"""What formats share: the session that a transcript belongs to, and how its parts become messages."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from gieok.model import Message, Role, Turn
from gieok.text.echo import strip_echo

#: One line of a transcript, as JSON gives it.
Line = Mapping[str, Any]

#: Of a tool's result this much is kept at its beginning and its end: what was found, and how it ended.
_RESULT_HEAD_CHARS = 400
_RESULT_TAIL_CHARS = 200
_ARGUMENT_CHARS = 120
_SPACES = re.compile(r"\s+")
_HEX_OF_ID = 20
#: No store can keep these in a text; JSON can write them.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class Session(NamedTuple):
    """Whose lines follow. `ignored` says why none of them is for memory; '' means that they are."""

    id: str
    agent: str
    ignored: str = ""
    cwd: str = ""


class Format(NamedTuple):
    """How one agent writes.

    `begin` takes a file's name and first line and returns its session, or None where the file is of another format.
    `turns` takes the session, a line and an id to use where the line has none.
    """

    name: str
    begin: Callable[[str, Line], Session | None]
    turns: Callable[[Session, Line, str], Sequence[Turn]]
    #: Lines carry ids of their own, so that reading one again is harmless wherever it then stands.
    has_ids: bool = True


def message(session: Session, identity: str, role: Role, text: str, at: object) -> list[Message]:
    """Return one message, or none where nothing is left of its text."""
    text = _storable(strip_echo(text)).strip()
    if not text:
        return []
    return [Message(id=identity, role=role, text=text, at=moment(at), session=session.id, agent=session.agent)]


def _storable(text: str) -> str:
    """Return the text without what no store can keep. Encoding it finds that out five times as fast as a search does."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _UNSTORABLE.sub("\ufffd", text)
    return text.replace("\0", "\ufffd")


def moment(value: object) -> datetime:
    """Return the time that an ISO text or a number (Unix seconds or milliseconds) names; else the beginning of time."""
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value)
            return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            # 1e11 seconds are the year 5138, 1e11 milliseconds 1973.
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return datetime.fromtimestamp(0, UTC)


def text_of(content: object, kinds: Sequence[str] = ("text",)) -> str:
    """Return the text of a message's content: a string, or the parts of these kinds."""
    if isinstance(content, str):
        return content
    texts = [part["text"] for part in parts(content) if part.get("type") in kinds and isinstance(part.get("text"), str)]
    return "\n".join(texts)


def parts(content: object) -> list[Line]:
    """Return the parts of a content that is a list."""
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def tool_call(name: object, arguments: object) -> str:
    """Return `[read path=MEMORY.md]`: a call in one line."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return f"[{name} {_short(arguments)}]"
    if isinstance(arguments, dict):
        shown = " ".join(f"{key}={_short(value)}" for key, value in arguments.items())
        return f"[{name} {shown}]" if shown else f"[{name}]"
    return f"[{name}]"


def tool_result(name: object, text: str, *, failed: bool = False) -> str:
    """Return what came back: its outcome, its beginning and its end."""
    text = strip_echo(text).strip()
    if len(text) > _RESULT_HEAD_CHARS + _RESULT_TAIL_CHARS:
        left_out = len(text) - _RESULT_HEAD_CHARS - _RESULT_TAIL_CHARS
        text = f"{text[:_RESULT_HEAD_CHARS]} … {left_out:,} characters … {text[-_RESULT_TAIL_CHARS:]}"
    return f"[{name} {'failed' if failed else 'ok'}] {text}".strip()


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = _SPACES.sub(" ", text).strip()
    return text if len(text) <= _ARGUMENT_CHARS else text[:_ARGUMENT_CHARS] + "…"


def fingerprint(data: bytes) -> str:
    """Return an id for a line that has none."""
    return hashlib.sha256(data).hexdigest()[:_HEX_OF_ID]


def name_of(value: object) -> str:
    """Return a text field, '' where it is something else."""
    return value if isinstance(value, str) else ""


def mapping(value: object) -> Line:
    """Return an object field, empty where it is something else."""
    return value if isinstance(value, dict) else {}
