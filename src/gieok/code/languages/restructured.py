"""Read reStructuredText into facts: its titles.

The rules are those of docutils, whose own parser reports on every directive that it does not know
and takes a hundred times as long.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gieok.code.languages.headings import Heading, build_concepts
from gieok.code.languages.language import Language
from gieok.code.model.facts import Facts
from gieok.text.redact import redact

if TYPE_CHECKING:
    from gieok.machine.parsers.treesitter import TreeSitterParser

#: A line of one punctuation sign, under a title or around it.
_ADORNMENT = re.compile(r"([!-/:-@[-`{-~])\1*[ \t]*")
#: A shorter line is one only where it is as long as its title.
_SURE_COLUMNS = 4


class RestructuredLanguage(Language):
    """reStructuredText, of which the titles are read."""

    def read(self, text: str, parser: "TreeSitterParser") -> Facts:
        """Return a file's facts: each title is a concept."""
        del parser
        text = redact(text)
        return build_concepts(self.name, _iter_titles(text), text.count("\n") + 1)


def _iter_titles(text: str) -> Iterator[Heading]:
    """Yield the titles; levels are those of their adornments, in the order of the file."""
    lines = ["", *text.split("\n"), ""]
    styles: list[tuple[str, bool]] = []
    number = 1
    while number < len(lines) - 1:
        above, line, below = lines[number - 1 : number + 2]
        after = lines[number + 2] if number + 2 < len(lines) else ""
        if _is_adornment(line, below) and line.rstrip() == after.rstrip() and not above.strip():
            name, style, length = below.strip(), (line[0], True), 3
        elif (
            line[:1].strip()
            and _is_adornment(below, line)
            and (not above.strip() or above.startswith(".. "))
        ):
            name, style, length = line.strip(), (below[0], False), 2
        else:
            number += 1
            continue
        if style not in styles:
            styles.append(style)
        yield Heading(number, styles.index(style) + 1, name)
        number += length
        # A title may stand right below another.
        lines[number - 1] = ""


def _is_adornment(line: str, title: str) -> bool:
    """Say whether a line of one sign is long enough to be that of a title."""
    if not title.strip() or _ADORNMENT.fullmatch(title) or not _ADORNMENT.fullmatch(line):
        return False
    columns = sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in title.rstrip())
    return len(line.rstrip()) >= min(columns, _SURE_COLUMNS)


LANGUAGES = (
    RestructuredLanguage(
        name="restructuredtext", extensions=(".rst",), is_source=False, is_document=True
    ),
)
