"""Tell whether two versions of a file differ for the linker only in line numbers.

Then the file's edges have moved, and nothing else has changed. Most saves are of this kind: a
comment, a docstring, a function moved inside its block, a value that nobody calls.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from gieok.code.model.facts import Facts, Op, SymbolKind

#: Position of the line number in each kind of instruction.
LINES: dict[int, int] = {
    Op.LOAD: 5,
    Op.STORE: 5,
    Op.CALL: 5,
    Op.CALL_METHOD: 6,
    Op.ELEMENT: 4,
    Op.INDEX: 5,
    Op.STORE_INDEX: 5,
    Op.IMPORT: 5,
    Op.SPECIAL: 6,
    Op.ENTER: 4,
    Op.DECORATE: 5,
    Op.RAISE: 3,
    Op.PROVIDED: 4,
    Op.MIX: 4,
}


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
    place = LINES.get(row[0])
    return [*row[:place], *row[place + 1 :]] if place else [*row]


def _iter_linked_lines(facts: Facts) -> Iterator[int]:
    # "defined inside"
    yield from (s.start for s in facts.symbols if s.kind == SymbolKind.FUNCTION and s.parent > 0)
    for part in (facts.top, facts.inner):
        for row in part:
            if place := LINES.get(int(row[0])):  # type: ignore[call-overload]
                yield int(row[place])  # type: ignore[call-overload]
