"""Readers for the fields of a line that accept any value."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

#: One line of a transcript, as JSON gives it.
Line = Mapping[str, Any]

_HEX_OF_ID = 20
#: Fields that hold the time when a line, or the turn that it begins, was written.
_TIMES = ("timestamp", "at", "time", "created_at", "createdAt", "startTime", "ts", "date")
_FIRST_AGENTS = datetime(2015, 1, 1, tzinfo=UTC)


def read_text_field(value: object) -> str:
    """Return a text field, '' where it is something else."""
    return value if isinstance(value, str) else ""


def read_object_field(value: object) -> Line:
    """Return an object field, empty where it is something else."""
    return value if isinstance(value, dict) else {}


def list_content_parts(content: object) -> list[Line]:
    """Return the parts of a content that is a list; none for another content."""
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def read_content_text(content: object, kinds: Sequence[str] = ("text",)) -> str:
    """Return the text of a message's content: a string, or the parts of these kinds."""
    if isinstance(content, str):
        return content
    texts = [
        part["text"]
        for part in list_content_parts(content)
        if part.get("type") in kinds and isinstance(part.get("text"), str)
    ]
    return "\n".join(texts)


def list_content_texts(content: object, kinds: Sequence[str] = ("text",)) -> list[str]:
    """Return the texts of a message's content, one by one."""
    listed = list_content_parts(content) if isinstance(content, list) else []
    return (
        [read_content_text([part], kinds) for part in listed]
        if listed
        else [read_content_text(content, kinds)]
    )


def parse_moment(value: object) -> datetime | None:
    """Return the time that an ISO text or a number stands for; None for any other value.

    A number counts Unix seconds, milliseconds, microseconds or nanoseconds. A time before there
    were agents gives None: programs write 0 for an unknown time.
    """
    written_at = _read_moment(value)
    return written_at if written_at is not None and written_at >= _FIRST_AGENTS else None


def _read_moment(value: object) -> datetime | None:
    try:
        if isinstance(value, str) and not value.replace(".", "", 1).isdigit():
            at = datetime.fromisoformat(value)
            return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            # 1e11 seconds are the year 5138, 1e11 milliseconds the year 1973; the same limit times
            # a thousand separates micro- and nanoseconds.
            while value > 1e11:
                value /= 1000
            return datetime.fromtimestamp(value, UTC)
        if isinstance(value, str) and value.replace(".", "", 1).isdigit():
            return _read_moment(float(value))
    except (ValueError, OverflowError, OSError):
        pass
    return None


def find_line_time(line: Line) -> datetime | None:
    """Return the time of a line, from whichever field states it; None where no field does."""
    inner = (
        line,
        read_object_field(line.get("message")),
        read_object_field(line.get("payload")),
        read_object_field(line.get("data")),
    )
    values = (fields.get(name) for fields in inner for name in _TIMES)
    return next(filter(None, map(parse_moment, values)), None)


def strip_blocks(text: str, names: Sequence[str]) -> str:
    """Return text without the blocks `<name>…</name>` that an agent writes in the user's place."""
    if "<" not in text:
        return text
    pieces: list[str] = []
    position = 0
    for block in find_blocks(
        text, re.compile(rf"<({'|'.join(map(re.escape, names))})(?:\s[^<>]{{0,200}})?>")
    ):
        pieces.append(text[position : block.opener.start()])
        position = block.end
    return "".join((*pieces, text[position:])).strip() if pieces else text


class TagBlock(NamedTuple):
    """Block `<name>…</name>`: its opening tag, the start of its closing tag, and its end.

    The start of the closing tag is -1 where the block has none.
    """

    opener: re.Match[str]
    closer: int
    end: int


def find_blocks(text: str, opener: re.Pattern[str]) -> Iterator[TagBlock]:
    """Yield the outermost blocks; the first group of `opener` is the tag's name.

    A block that is never closed goes to the end of the text if its tag begins a line; elsewhere an
    unclosed tag is only being mentioned.
    """
    position = 0
    unclosed: set[str] = set()  # looked for once, and not behind each of many openers
    for match in opener.finditer(text):
        name = match[1]
        if match.start() < position or name in unclosed:
            continue
        closer = text.find(f"</{name}>", match.end())
        if closer < 0:
            unclosed.add(name)
            if text[position : match.start()].rpartition("\n")[2].strip():
                continue
        position = len(text) if closer < 0 else closer + len(name) + 3
        yield TagBlock(match, closer, position)


def hash_line_data(data: bytes) -> str:
    """Return an id for a line that has none."""
    return hashlib.sha256(data).hexdigest()[:_HEX_OF_ID]
