"""Tell whether two versions of a file differ for the linker only in line numbers.

Then the file's edges have moved, and nothing else has changed. Most saves are of this kind: a
comment, a docstring, a function moved inside its block, a value that nobody calls.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from gieok.code.model.facts import Facts, SymbolKind
from gieok.code.resolve.instructions import OPERANDS, read_operand


def map_moved_lines(before: Facts, after: Facts) -> dict[int, int] | None:
    """Return old line → new line; None where linking could give any other result.

    Two lines that became one, or one that became two, give None: the linker counts what happens on
    a line, and tells things apart by their lines.
    """
    if _linked_of(before) != _linked_of(after):
        return None
    forth, back = {0: 0}, {0: 0}
    for old, new in zip(_iter_linked_lines(before), _iter_linked_lines(after), strict=True):
        if forth.setdefault(old, new) != new or back.setdefault(new, old) != old:
            return None
    return forth


def _linked_of(facts: Facts) -> str:
    """Return as text everything that linking reads except line numbers; the order of names
    counts.
    """
    rows = [
        (s.name, s.qualified, s.kind, s.parent, s.traits)
        for s in facts.symbols
        if s.kind != SymbolKind.MARKER
    ]
    parts = [[_without_line(row) for row in part] for part in (facts.top, facts.inner)]
    return json.dumps([rows, *parts, facts._replace(symbols=(), top=(), inner=(), error="")])


def _without_line(row: Sequence[Any]) -> list[Any]:
    op, *operands = row
    return [
        op,
        *(operand for kind, operand in zip(OPERANDS[op], operands, strict=True) if kind != "l"),
    ]


def _iter_linked_lines(facts: Facts) -> Iterator[int]:
    # "defined inside"
    yield from (s.start for s in facts.symbols if s.kind == SymbolKind.FUNCTION and s.parent > 0)
    for part in (facts.top, facts.inner):
        for row in part:
            line = read_operand(row, "l")
            if line is not None:
                yield line
