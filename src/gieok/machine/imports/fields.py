"""Fields of others' records, as they may be: missing, of another type, in one of several forms."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"^\s*#{1,6}\s+(.*?)\s*#*$")
_BOLD_LABEL = re.compile(r"^\s*\*\*([^*]{1,80})\*\*:?\s*$")
_SENTENCE = re.compile(r"(?<=[.!?。])\s+")
#: A paragraph that is longer is cut between sentences.
_LONGEST = 600
_SHORTEST = 3
#: Unix seconds up to the year 2100; what is larger counts milliseconds.
_MOST_SECONDS = 4_102_444_800


def read_mapping(value: object) -> Mapping[str, object]:
    """Return an object, or an empty one."""
    return value if isinstance(value, dict) else {}


def listing(value: object) -> list[object]:
    """Return an array, or an empty one."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """Return a text, or ''."""
    return value if isinstance(value, str) else ""


def read_one_line(value: object) -> str:
    """Return a text on one line."""
    return " ".join(text(value).split())


def parse_field_time(value: object) -> datetime | None:
    """Return a time: Unix seconds or milliseconds, or ISO 8601, which is in UTC where it names no
    zone.
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
    """Yield what a Markdown text states, a line each with the number of its first line: list items,
    paragraphs.

    Code is left out, and a heading stands before what is below it, so that each is intelligible
    alone.
    """
    heading, is_code, held, first = "", False, list[str](), 1

    def flush() -> Iterator[tuple[int, str]]:
        said = " ".join(" ".join(held).split())
        held.clear()
        for part in _split_long_statement(said):
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
