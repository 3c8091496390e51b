"""A diff → the symbols that it changes: in the current files, and deleted ones in the old files."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gieok.code.model.facts import Kind
from gieok.model.code import Symbol

_ESCAPED = re.compile(r"\\([\"\\])")
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class FileDiff(NamedTuple):
    """One file of a diff with the removed and the added line numbers. A path is '' where there is
    no file.
    """

    old_path: str
    new_path: str
    old_lines: frozenset[int]
    new_lines: frozenset[int]


def parse(diff: str) -> list[FileDiff]:
    """Return the files of a unified diff without context."""
    found: list[FileDiff] = []
    old_path = ""
    left = 0  # lines of a hunk: they may look like a head
    for line in diff.split("\n"):
        if left and line[:1] in ("-", "+"):
            left -= 1
        elif line.startswith("--- "):
            old_path = _path(line)
        elif line.startswith("+++ "):
            found.append(FileDiff(old_path, _path(line), frozenset(), frozenset()))
        elif found and (hunk := _HUNK.match(line)):
            last, old, new = found[-1], _span(hunk[1], hunk[2]), _span(hunk[3], hunk[4])
            found[-1] = last._replace(
                old_lines=last.old_lines | old, new_lines=last.new_lines | new
            )
            left = len(old) + len(new)
    return found


def _path(line: str) -> str:
    """Return the path in a diff header, without prefix and quotes."""
    name = line[4:].removesuffix("\t")
    if name[:1] == '"':
        name = _ESCAPED.sub(r"\1", name[1:-1])
    return "" if name == "/dev/null" else name[2:] if name[:2] in ("a/", "b/") else name


def _span(start: str, count: str | None) -> frozenset[int]:
    first = int(start)
    return frozenset(range(first, first + int(count if count is not None else "1")))


def placed(symbols: Sequence[Symbol], lines: Iterable[int]) -> list[tuple[Symbol, list[int]]]:
    """Return the innermost symbols at these lines, each with its lines; the file itself where there
    is none.
    """
    found: dict[str, tuple[Symbol, list[int]]] = {}
    ranked = sorted(
        (s for s in symbols if s.kind not in _PASSIVE), key=lambda s: s.end_line - s.start_line
    )
    for line in sorted(lines):
        inner = next((s for s in ranked if s.start_line <= line <= s.end_line), None)
        if inner is not None:
            found.setdefault(inner.key, (inner, []))[1].append(line)
    return list(found.values())


_PASSIVE = frozenset((Kind.MARKER, Kind.CONCEPT, Kind.LAMBDA))
