"""How text is laid out on a terminal: its width, colour, and columns in which Korean takes two."""

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TextIO

from gieok.text.columns import count_text_columns

#: Where nobody says how wide a line may be.
_WIDTH = 80


def width(stream: TextIO) -> int:
    """Return how many columns a line has."""
    try:
        return (
            os.get_terminal_size(stream.fileno()).columns or _WIDTH if stream.isatty() else _WIDTH
        )
    except (OSError, ValueError):
        return _WIDTH


def has_colour(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Say whether a stream is shown in colour: on a terminal that can, or where FORCE_COLOR says
    so; never with NO_COLOR.
    """
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") != "0":
        return True
    return stream.isatty() and environment.get("TERM") != "dumb"


def table(rows: Iterable[tuple[str, str]], room: int, name_columns: int) -> Iterator[str]:
    """Yield lines of names and what they are, the latter wrapped in a column of its own."""
    indent = " " * (name_columns + 4)
    for name, text in rows:
        lines = list(wrapped(text, max(room - len(indent), 20)))
        yield f"  {name:<{name_columns}}  {lines[0] if lines else ''}".rstrip()
        yield from (f"{indent}{line}" for line in lines[1:])


def wrapped(text: str, room: int) -> Iterator[str]:
    """Yield a text in lines of so many columns, broken between words."""
    line = ""
    for word in text.split():
        joined = f"{line} {word}" if line else word
        if line and count_text_columns(joined) > room:
            yield line
            joined = word
        line = joined
    yield line
