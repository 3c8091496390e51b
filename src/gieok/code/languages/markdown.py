"""Read Markdown into facts: its headings."""

import re
from typing import TYPE_CHECKING

from gieok.code.languages.language import Language
from gieok.code.model.facts import Builder, Facts, SymbolFact, SymbolKind
from gieok.text.redact import redact

if TYPE_CHECKING:
    from gieok.machine.parsers.treesitter import TreeSitterParser

_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$", re.MULTILINE)


class MarkdownLanguage(Language):
    """Markdown, of which the headings are read."""

    def read(self, text: str, parser: "TreeSitterParser") -> Facts:
        """Return a Markdown file's facts: each heading is a concept.

        A concept lasts until the next heading of the same level.
        """
        del parser
        text = redact(text)
        builder = Builder(self.name, text.count("\n") + 1)
        outside = _without_fences(text)
        total = text.count("\n") + 1
        line, position = 1, 0
        open_at: list[tuple[int, int]] = []
        for match in _HEADING.finditer(outside):
            line, position = line + outside.count("\n", position, match.start()), match.start()
            level, name = len(match[1]), match[2]
            while open_at and open_at[-1][0] >= level:
                _end_heading(builder, open_at.pop()[1], line - 1)
            parent = open_at[-1][1] if open_at else 0
            prefix = f"{builder.symbols[parent].qualified} > " if parent else ""
            builder.symbols.append(
                SymbolFact(
                    name=name,
                    qualified=prefix + name,
                    kind=SymbolKind.CONCEPT,
                    start=line,
                    end=total,
                    parent=parent,
                    signature=name,
                )
            )
            open_at.append((level, len(builder.symbols) - 1))
        return builder.finish()


def _end_heading(builder: Builder, symbol: int, line: int) -> None:
    fact = builder.symbols[symbol]
    builder.symbols[symbol] = fact._replace(end=max(line, fact.start))


def _without_fences(text: str) -> str:
    """Blank out code blocks: a `#` in them is no heading."""
    out, fenced = [], False
    for line in text.split("\n"):
        is_fence = line.lstrip().startswith(("```", "~~~"))
        fenced ^= is_fence
        out.append("" if fenced or is_fence else line)
    return "\n".join(out)


LANGUAGES = (MarkdownLanguage(name="markdown", extensions=(".md", ".markdown"), is_source=False),)
