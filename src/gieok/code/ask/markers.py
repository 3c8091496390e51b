"""Markers above a definition: decorators, annotations and attributes, in every language's spelling.

Code outside of the project often finds a function by its marker alone.
"""

import re
from collections.abc import Sequence

from gieok.model.code import Symbol

_MARKER = re.compile(r"\s*(?:@(?!interface\b)[\w.]+|#!?\[|\[[A-Z])")
_MARKER_NAME = re.compile(r"\s*(?:@|#!?\[|\[)([A-Za-z_][\w.:]*)")
#: How many lines of markers stand above a definition, at most.
_MOST_LINES = 30


def find_marker_lines(lines: Sequence[str], symbol: Symbol) -> list[int]:
    """Return the numbers of the lines of a symbol's markers, with what they span."""
    head = _find_head(lines, symbol)
    first = head
    for number in range(head - 1, max(head - _MOST_LINES, 0), -1):
        if _MARKER.match(lines[number - 1]):
            first = number
        elif not _is_rest_of_marker(lines, number, symbol):
            break
    return [*range(first, head)]


def _find_head(lines: Sequence[str], symbol: Symbol) -> int:
    """Return the line of a symbol's own name: its range may begin with its markers."""
    name = re.compile(rf"(?<![\w@.\"'/]){re.escape(symbol.name.rpartition('.')[2])}(?!\w)")
    last = min(symbol.end_line, symbol.start_line + _MOST_LINES, len(lines))
    for number in range(symbol.start_line, last + 1):
        line = lines[number - 1]
        if name.search(line) and not _MARKER.match(line):
            return number
    return symbol.start_line


def _is_rest_of_marker(lines: Sequence[str], number: int, symbol: Symbol) -> bool:
    """Return whether a line may be the rest of a marker that began above."""
    line = lines[number - 1].strip()
    return (
        number >= symbol.start_line or line.endswith((",", "(", "})", ")]")) or line in (")", "]")
    )


def find_marker_names(lines: Sequence[str], symbol: Symbol) -> list[str]:
    """Return the names of a symbol's markers, as they are written: `app.get`, `PostMapping`."""
    found = [_MARKER_NAME.match(lines[n - 1]) for n in find_marker_lines(lines, symbol)]
    return [match[1] for match in found if match is not None]
