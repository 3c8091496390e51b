"""Make concepts of the headings of a document."""

from collections.abc import Iterable
from typing import NamedTuple

from gieok.code.model.facts import Builder, Facts, SymbolFact, SymbolKind


class Heading(NamedTuple):
    """Heading with its line, 1-based, and its level: 1 is the outermost."""

    line: int
    level: int
    name: str


def build_concepts(language: str, headings: Iterable[Heading], lines: int) -> Facts:
    """Return the facts of a document of so many lines: each heading is a concept.

    A concept lasts until the next heading of the same level, or of one further out.
    """
    builder = Builder(language, lines)
    open_at: list[tuple[int, int]] = []
    for line, level, name in headings:
        while open_at and open_at[-1][0] >= level:
            _end_concept(builder, open_at.pop()[1], line - 1)
        parent = open_at[-1][1] if open_at else 0
        prefix = f"{builder.symbols[parent].qualified} > " if parent else ""
        builder.symbols.append(
            SymbolFact(
                name=name,
                qualified=prefix + name,
                kind=SymbolKind.CONCEPT,
                start=line,
                end=lines,
                parent=parent,
                signature=name,
            )
        )
        open_at.append((level, len(builder.symbols) - 1))
    return builder.finish()


def _end_concept(builder: Builder, symbol: int, line: int) -> None:
    fact = builder.symbols[symbol]
    builder.symbols[symbol] = fact._replace(end=max(line, fact.start))
