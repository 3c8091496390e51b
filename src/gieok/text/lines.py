"""The lines of a passage that each hold a fact.

A line is an item of a list, a row of a table, or a sentence of prose. A passage holds many facts,
and its single vector is near to none of them, so each line has a vector of its own. Headings name
what follows and state nothing, code in fences has no sentences: neither is a line.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gieok.text.late_pattern import defer_pattern

#: Stored with the data: raise it whenever the lines of any text would change.
VERSION = 1

#: Kinds of documents whose passages are split into lines. A turn is one line by itself, and code
#: has none.
KINDS = frozenset(("memory",))

#: Shorter sentences belong to the next one: "Mr.", "No.", "v. 2".
_LEAST_CHARS = 16
#: A longer line is cut by the embedder anyway.
_MOST_CHARS = 1_000
_FENCE = defer_pattern(r" {0,3}(```|~~~)")
_HEADING = defer_pattern(r" {0,3}#{1,6}(?:[ \t]|$)")
_ITEM = defer_pattern(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_QUOTE = defer_pattern(r"[ \t]*>[ \t]?")
_ROW = defer_pattern(r"[ \t]*\|")
_NO_WORD = defer_pattern(r"[\W_]*")
_SENTENCE_END = defer_pattern(r"[.!?。？！]+[\"'”’)\]]*(?:\s+|$)")


class LineSpan(NamedTuple):
    """A range of characters."""

    start: int
    end: int


def measure_indent(line: str) -> int:
    """Return how many blanks a line begins with; of a blank line, its length."""
    return len(line) - len(line.lstrip())


def line_spans(text: str) -> tuple[LineSpan, ...]:
    """Return the lines of a passage in order.

    The result is empty where the passage has a single line, which is the passage itself.
    """
    spans = tuple(_iter_fact_spans(text))
    return spans if len(spans) > 1 else ()


def line_number(text: str, start: int) -> int:
    """Return the 0-based number of the physical line at an offset."""
    return text.count("\n", 0, start)


def _iter_fact_spans(text: str) -> Iterator[LineSpan]:
    for block in _iter_text_blocks(text):
        yield from _iter_sentence_spans(text, block)


def _iter_text_blocks(text: str) -> Iterator[LineSpan]:
    """Yield list items with their continuation lines, table rows, and paragraphs.

    Each may run over several physical lines.
    """
    start, last, place, fence = -1, 0, 0, ""
    for line in text.splitlines(keepends=True):
        end = place + len(line.rstrip())
        fence_match = _FENCE.match(line)
        begins, is_blank = _measure_item_mark(line), not line.strip()
        if fence or fence_match or is_blank or begins or _HEADING.match(line):
            if start >= 0:
                yield LineSpan(start, last)
            start = -1
        if fence_match and fence in ("", fence_match[1]):
            fence = "" if fence else fence_match[1]
        elif not fence and not is_blank and not _HEADING.match(line) and start < 0:
            start = place + (begins or measure_indent(line))
        last = end
        place += len(line)
    if start >= 0:
        yield LineSpan(start, last)


def _measure_item_mark(line: str) -> int:
    """Return the length of the mark that begins an item, a quotation or a row; 0 for none."""
    match = _ITEM.match(line) or _QUOTE.match(line)
    return match.end() if match else int(bool(_ROW.match(line)))


def _iter_sentence_spans(text: str, block: LineSpan) -> Iterator[LineSpan]:
    start = block.start
    for match in _SENTENCE_END.finditer(text, block.start, block.end):
        end = match.start() + len(match[0].rstrip())
        if end - start >= _LEAST_CHARS and block.end - match.end() >= _LEAST_CHARS:
            yield from _iter_worded_span(text, start, end)
            start = match.end()
    yield from _iter_worded_span(text, start, block.end)


def _iter_worded_span(text: str, start: int, end: int) -> Iterator[LineSpan]:
    if not _NO_WORD.fullmatch(text, start, end):
        yield LineSpan(start, min(end, start + _MOST_CHARS))
