"""Tolerant access to fields of other programs' records.

A field may be missing, of another type, or in one of several forms.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"^\s*#{1,6}\s+(.*?)\s*#*$")
_BOLD_LABEL = re.compile(r"^\s*\*\*([^*]{1,80})\*\*:?\s*$")
_SENTENCE = re.compile(r"(?<=[.!?。])\s+")
#: A longer paragraph is cut between sentences.
_LONGEST = 600
_SHORTEST = 3
#: Unix seconds up to the year 2100; a larger number counts milliseconds.
_MOST_SECONDS = 4_102_444_800


def read_mapping(value: object) -> Mapping[str, object]:
    """Return a value if it is an object, else an empty object."""
    return value if isinstance(value, dict) else {}


def listing(value: object) -> list[object]:
    """Return a value if it is an array, else an empty array."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """Return a value if it is a text, else ''."""
    return value if isinstance(value, str) else ""


def read_one_line(value: object) -> str:
    """Return a text value on one line."""
    return " ".join(text(value).split())


def parse_field_time(value: object) -> datetime | None:
    """Return a time from Unix seconds, Unix milliseconds or ISO 8601.

    An ISO time without a zone is in UTC.
    """
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if value > _MOST_SECONDS else value, UTC)
        if isinstance(value, str) and value.strip():
            time = datetime.fromisoformat(value.strip())
            return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def split_prose_statements(prose: str) -> Iterator[tuple[int, str]]:
    """Yield the list items and paragraphs of a Markdown text as one line each.

    Each line comes with the number of its first line in the text. Code is left out, and a heading
    is put before the text below it, so that each line is intelligible alone.
    """
    heading, is_code, held, first = "", False, list[str](), 1

    def flush() -> Iterator[tuple[int, str]]:
        statement = " ".join(" ".join(held).split())
        held.clear()
        for part in _split_long_statement(statement):
            yield (
                first,
                f"{heading}: {part}" if heading and heading.lower() not in part.lower() else part,
            )

    for number, row in enumerate(prose.split("\n"), start=1):
        if row.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
            continue
        if is_code:
            continue
        title, is_item = _HEADING.match(row) or _BOLD_LABEL.match(row), bool(_BULLET.match(row))
        if title or is_item or not row.strip():
            yield from flush()
        if title:
            heading = title[1].strip("* ")
        elif row.strip() and row.strip() not in ("---", "***"):
            first = first if held else number
            held.append(_BULLET.sub("", row))
    yield from flush()


def _split_long_statement(said: str) -> Iterator[str]:
    part = ""
    for sentence in _SENTENCE.split(said) if len(said) > _LONGEST else [said]:
        if part and len(part) + len(sentence) > _LONGEST:
            yield part
            part = ""
        part = f"{part} {sentence}".strip()
    if len(part) >= _SHORTEST:
        yield part
