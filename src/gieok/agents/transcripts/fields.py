"""Reads fields of a line, whatever stands in them."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

#: One line of a transcript, as JSON gives it.
Line = Mapping[str, Any]

_HEX_OF_ID = 20


def name_of(value: object) -> str:
    """Return a text field, '' where it is something else."""
    return value if isinstance(value, str) else ""


def mapping(value: object) -> Line:
    """Return an object field, empty where it is something else."""
    return value if isinstance(value, dict) else {}


def parts(content: object) -> list[Line]:
    """Return the parts of a content that is a list."""
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def text_of(content: object, kinds: Sequence[str] = ("text",)) -> str:
    """Return the text of a message's content: a string, or the parts of these kinds."""
    if isinstance(content, str):
        return content
    texts = [part["text"] for part in parts(content) if part.get("type") in kinds and isinstance(part.get("text"), str)]
    return "\n".join(texts)


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


def unwrapped(text: str, names: Sequence[str]) -> str:
    """Return text without the blocks `<name>…</name>` that an agent writes in the user's place.

    A block that is never closed goes to the end of the text where its tag begins a line; elsewhere somebody speaks of it.
    """
    if "<" not in text:
        return text
    kept: list[str] = []
    position = 0
    unclosed: set[str] = set()  # looked for once, and not behind each of many openers
    for found in re.finditer(rf"<({'|'.join(map(re.escape, names))})(?:\s[^<>]{{0,200}})?>", text):
        name = found[1]
        if found.start() < position or name in unclosed:
            continue
        end = text.find(f"</{name}>", found.end())
        if end < 0:
            unclosed.add(name)
            if text[position : found.start()].rpartition("\n")[2].strip():
                continue
        kept.append(text[position : found.start()])
        position = len(text) if end < 0 else end + len(name) + 3
    return "".join((*kept, text[position:])).strip() if kept or position else text


def fingerprint(data: bytes) -> str:
    """Return an id for a line that has none."""
    return hashlib.sha256(data).hexdigest()[:_HEX_OF_ID]
