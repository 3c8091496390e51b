"""Outlines of symbols: the lines by which a model is told what a symbol is."""

from collections.abc import Sequence

from gieok.code.model.facts import FUNCTIONS
from gieok.model.code import Symbol


def select_symbol_code(
    lines: Sequence[str], symbol: Symbol, inner: Sequence[Symbol], most_characters: int
) -> str:
    """Return the code of a function, or the outline of a class or module, cut to a length.

    An outline is the text before the first member, and the members' heads. `lines` are those of the
    stored text, because secrets are already cut out of it.
    """
    if symbol.kind in FUNCTIONS or not inner:
        return "\n".join(lines[symbol.start_line - 1 : symbol.end_line])[:most_characters]
    head = "\n".join(lines[symbol.start_line - 1 : inner[0].start_line - 1])
    heads = (_find_naming_line(lines, member) for member in inner)
    return "\n".join([head[: most_characters // 2], *heads])[:most_characters]


def _find_naming_line(lines: Sequence[str], symbol: Symbol) -> str:
    """Return the line that names a symbol, as stored."""
    span = lines[symbol.start_line - 1 : symbol.end_line]
    return next(
        (line for line in span if symbol.name in line and not line.lstrip().startswith("@")),
        symbol.name,
    )
