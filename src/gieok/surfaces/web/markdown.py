"""Lines of Markdown as the pages show them: marks of Markdown become HTML, the rest stays text.

A memory is data: every text is escaped, a link is shown as its words, and nothing is loaded.
"""

import re
from typing import NamedTuple

from markupsafe import Markup, escape

from gieok.text import marks

#: Mark at the beginning of a line: a heading, a quotation, an item with or without a box.
_MARK = re.compile(
    r"(?P<indent>\s*)(?:(?P<heading>#{1,6}) |(?P<quote>>) ?|(?P<item>[-*+]|\d+[.)]) )"
)
_BOX = re.compile(r"\[[ xX]\] ")
_RULE = re.compile(r"\s*(?:\|?(?:\s*:?-{2,}:?\s*\|)+\s*:?-*:?\s*|([-*_])(?:\s*\1){2,}\s*)")
_INLINE = re.compile(
    r"`(?P<code>[^`\n]+)`|\*\*(?P<strong>[^*\n]+)\*\*|!?\[(?P<link>[^\]\n]+)\]\([^)\s]+\)"
    r"|\[\[(?P<wiki>[^\]\n]+)\]\]"
)


class MarkdownLine(NamedTuple):
    """Line of Markdown: its kind (`heading`, `quote`, `item`, `text`, `rule`), and its words."""

    kind: str
    words: str


def parse_markdown_line(line: str) -> MarkdownLine:
    """Return a line without the marks of Markdown at its beginning; a table's row without bars."""
    if _RULE.fullmatch(line):
        return MarkdownLine("rule", "")
    found = _MARK.match(line)
    kind = found.lastgroup if found else None
    words = line[found.end() :] if found else line
    words = _BOX.sub("", words, count=1) if kind == "item" else words
    if words.startswith("|") and words.rstrip().endswith("|"):
        words = " · ".join(cell.strip() for cell in words.strip().strip("|").split("|"))
    return MarkdownLine(kind or "text", words.strip())


def render_markdown_words(words: str, question: str = "") -> Markup:
    """Return the words of a line, with the words of a question marked."""
    pieces, at = [], 0
    for found in _INLINE.finditer(words):
        pieces.append(mark_question_words(words[at : found.start()], question))
        kind = found.lastgroup or ""
        inner = mark_question_words(found[kind], question)
        tag = {"code": "code", "strong": "strong"}.get(kind)
        pieces.append(Markup("<{0}>{1}</{0}>").format(tag, inner) if tag else inner)
        at = found.end()
    pieces.append(mark_question_words(words[at:], question))
    return Markup("").join(pieces)


def render_markdown(text: str, question: str = "") -> Markup:
    """Return a text, a paragraph a line, with the words of a question marked."""
    lines = [parse_markdown_line(line) for line in text.split("\n")]
    return Markup("").join(
        Markup('<p class="md-{}">{}</p>').format(
            line.kind, render_markdown_words(line.words, question)
        )
        for line in lines
        if line.words
    )


def mark_question_words(text: str, question: str) -> Markup:
    """Return a text, escaped, in which the words of a question are marked.

    Latin words match by their stem, Korean words by their beginning.
    """
    pieces = marks.split_at_question_words(text, question)
    return Markup("").join(
        Markup("<mark>{}</mark>").format(p) if i % 2 else escape(p) for i, p in enumerate(pieces)
    )
