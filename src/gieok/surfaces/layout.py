"""Layout of text on a terminal: width, colour, and columns, of which Korean letters take two."""

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TextIO

from gieok.text.columns import count_text_columns

#: Columns where the width of the terminal is not known.
_WIDTH = 80


def width(stream: TextIO) -> int:
    """Return how many columns a line of a stream has."""
    try:
        return (
            os.get_terminal_size(stream.fileno()).columns or _WIDTH if stream.isatty() else _WIDTH
        )
    except (OSError, ValueError):
        return _WIDTH


def has_colour(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Return whether a stream is shown in colour.

    True on a terminal that can show colour, or where FORCE_COLOR is set; never with NO_COLOR.
    """
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") != "0":
        return True
    return stream.isatty() and environment.get("TERM") != "dumb"


def table(rows: Iterable[tuple[str, str]], room: int, name_columns: int) -> Iterator[str]:
    """Yield lines of names and descriptions, the descriptions wrapped in a column of their own."""
    indent = " " * (name_columns + 4)
    for name, text in rows:
        lines = list(wrapped(text, max(room - len(indent), 20)))
        yield f"  {name:<{name_columns}}  {lines[0] if lines else ''}".rstrip()
        yield from (f"{indent}{line}" for line in lines[1:])


def wrapped(text: str, room: int) -> Iterator[str]:
    """Yield a text in lines of at most `room` columns, broken between words."""
    line = ""
    for word in text.split():
        joined = f"{line} {word}" if line else word
        if line and count_text_columns(joined) > room:
            yield line
            joined = word
        line = joined
    yield line
