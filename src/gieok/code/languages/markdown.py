"""Read Markdown into facts: its headings."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gieok.code.languages.headings import Heading, build_concepts
from gieok.code.languages.language import Language
from gieok.code.model.facts import Facts
from gieok.text.redact import redact

if TYPE_CHECKING:
    from gieok.machine.parsers.treesitter import TreeSitterParser

_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$", re.MULTILINE)


class MarkdownLanguage(Language):
    """Markdown, of which the headings are read."""

    def read(self, text: str, parser: "TreeSitterParser") -> Facts:
        """Return a Markdown file's facts: each heading is a concept."""
        del parser
        text = redact(text)
        return build_concepts(self.name, _iter_headings(text), text.count("\n") + 1)


def _iter_headings(text: str) -> Iterator[Heading]:
    outside = _without_fences(text)
    line, position = 1, 0
    for match in _HEADING.finditer(outside):
        line, position = line + outside.count("\n", position, match.start()), match.start()
        yield Heading(line, len(match[1]), match[2])


def _without_fences(text: str) -> str:
    """Blank out code blocks: a `#` in them is no heading."""
    out, fenced = [], False
    for line in text.split("\n"):
        is_fence = line.lstrip().startswith(("```", "~~~"))
        fenced ^= is_fence
        out.append("" if fenced or is_fence else line)
    return "\n".join(out)


LANGUAGES = (
    MarkdownLanguage(
        name="markdown", extensions=(".md", ".markdown"), is_source=False, is_document=True
    ),
)
