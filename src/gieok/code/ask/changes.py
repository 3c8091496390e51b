"""Map a diff to the changed symbols: in the current files and, for deletions, in the old ones."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gieok.code.model.facts import SymbolKind
from gieok.model.code import Symbol

_ESCAPED = re.compile(r"\\([\"\\])")
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class FileDiff(NamedTuple):
    """One file of a diff, with its removed and its added line numbers.

    The old path is '' where the file was added, the new path where the file was deleted.
    """

    old_path: str
    new_path: str
    old_lines: frozenset[int]
    new_lines: frozenset[int]


def parse_unified_diff(diff: str) -> list[FileDiff]:
    """Return the files of a unified diff without context."""
    diffs: list[FileDiff] = []
    old_path = ""
    lines_left = 0  # lines of a hunk: they may look like a head
    for line in diff.split("\n"):
        if lines_left and line[:1] in ("-", "+"):
            lines_left -= 1
        elif line.startswith("--- "):
            old_path = _parse_diff_path(line)
        elif line.startswith("+++ "):
            diffs.append(FileDiff(old_path, _parse_diff_path(line), frozenset(), frozenset()))
        elif diffs and (hunk := _HUNK.match(line)):
            last, old, new = (
                diffs[-1],
                _parse_hunk_lines(hunk[1], hunk[2]),
                _parse_hunk_lines(hunk[3], hunk[4]),
            )
            diffs[-1] = last._replace(
                old_lines=last.old_lines | old, new_lines=last.new_lines | new
            )
            lines_left = len(old) + len(new)
    return diffs


def _parse_diff_path(line: str) -> str:
    """Return the path in a diff header, without prefix and quotes."""
    name = line[4:].removesuffix("\t")
    if name[:1] == '"':
        name = _ESCAPED.sub(r"\1", name[1:-1])
    return "" if name == "/dev/null" else name[2:] if name[:2] in ("a/", "b/") else name


def _parse_hunk_lines(start: str, count: str | None) -> frozenset[int]:
    first = int(start)
    return frozenset(range(first, first + int(count if count is not None else "1")))


def find_innermost_symbols(
    symbols: Sequence[Symbol], lines: Iterable[int]
) -> list[tuple[Symbol, list[int]]]:
    """Return the innermost symbols at these lines, each with its lines.

    The file itself stands for lines that lie in no symbol.
    """
    lines_by_symbol: dict[str, tuple[Symbol, list[int]]] = {}
    ranked = sorted(
        (s for s in symbols if s.kind not in _PASSIVE), key=lambda s: s.end_line - s.start_line
    )
    for line in sorted(lines):
        inner = next((s for s in ranked if s.start_line <= line <= s.end_line), None)
        if inner is not None:
            lines_by_symbol.setdefault(inner.key, (inner, []))[1].append(line)
    return list(lines_by_symbol.values())


_PASSIVE = frozenset((SymbolKind.MARKER, SymbolKind.CONCEPT, SymbolKind.LAMBDA))
