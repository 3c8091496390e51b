"""The lines of a text that each hold a fact: an item of a list, a row of a table, a sentence of
prose.

A passage holds many facts, and its one vector is near to none of them. So each line has a vector of
its own beside it. Headings name what follows and state nothing; code in fences has no sentences:
neither is a line.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

#: Stored with the data: to be raised whenever the lines of any text would change.
VERSION = 1

#: Kinds of documents whose passages have lines. A turn is a line by itself, and code has none.
KINDS = frozenset(("memory",))

#: Shorter sentences belong to the next one: "Mr.", "No.", "v. 2".
_LEAST_CHARS = 16
#: A longer one is cut by the embedder anyway.
_MOST_CHARS = 1_000
_FENCE = re.compile(r" {0,3}(```|~~~)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_QUOTE = re.compile(r"[ \t]*>[ \t]?")
_ROW = re.compile(r"[ \t]*\|")
_NO_WORD = re.compile(r"[\W_]*")
_SENTENCE_END = re.compile(r"[.!?。？！]+[\"'”’)\]]*(?:\s+|$)")


class Span(NamedTuple):
    """A range of characters."""

    start: int
    end: int


def line_spans(text: str) -> tuple[Span, ...]:
    """Return the lines of a passage in order; none where it has but one, which is the passage
    itself.
    """
    spans = tuple(_spans(text))
    return spans if len(spans) > 1 else ()


def line_number(text: str, start: int) -> int:
    """Return the 0-based number of the physical line in which a place stands."""
    return text.count("\n", 0, start)


def _spans(text: str) -> Iterator[Span]:
    for block in _blocks(text):
        yield from _sentences(text, block)


def _blocks(text: str) -> Iterator[Span]:
    """Yield items with the lines that go on with them, rows, and paragraphs: each may run over
    several physical lines.
    """
    start, last, place, fence = -1, 0, 0, ""
    for line in text.splitlines(keepends=True):
        end = place + len(line.rstrip())
        found = _FENCE.match(line)
        begins, is_blank = _begins(line), not line.strip()
        if fence or found or is_blank or begins or _HEADING.match(line):
            if start >= 0:
                yield Span(start, last)
            start = -1
        if found and fence in ("", found[1]):
            fence = "" if fence else found[1]
        elif not fence and not is_blank and not _HEADING.match(line) and start < 0:
            start = place + (begins or len(line) - len(line.lstrip()))
        last = end
        place += len(line)
    if start >= 0:
        yield Span(start, last)


def _begins(line: str) -> int:
    """Return how many characters mark the beginning of an item, a quotation or a row; 0 for
    none.
    """
    found = _ITEM.match(line) or _QUOTE.match(line)
    return found.end() if found else int(bool(_ROW.match(line)))


def _sentences(text: str, block: Span) -> Iterator[Span]:
    start = block.start
    for found in _SENTENCE_END.finditer(text, block.start, block.end):
        end = found.start() + len(found[0].rstrip())
        if end - start >= _LEAST_CHARS and block.end - found.end() >= _LEAST_CHARS:
            yield from _kept(text, start, end)
            start = found.end()
    yield from _kept(text, start, block.end)


def _kept(text: str, start: int, end: int) -> Iterator[Span]:
    if not _NO_WORD.fullmatch(text, start, end):
        yield Span(start, min(end, start + _MOST_CHARS))
