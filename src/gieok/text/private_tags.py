"""Removal of private text: `<private>…</private>`, in Korean also `<비공개>…</비공개>`.

Where it is unclear how far a tag reaches, more is cut rather than less: an unclosed tag reaches to
the end of the text, an unopened closing tag back to the beginning. Tags count inside of Markdown
code too. A tag that is a code span of its own (`` `<private>` ``) and has no partner is talk about
the tag, and cuts nothing.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from gieok.text.late_pattern import defer_pattern

#: Replaces a private part; `gieok.text.redact` leaves it as it is.
CUT = "[redacted:private]"

#: A tag as people type it, and as JSON and HTML escape it. Bounded, so that matching takes linear
#: time.
_TAG = defer_pattern(
    (
        r"(?:<|&lt;|\\u003c)\s{0,3}(/?)\s{0,3}(?:private|비공개)(?![\w-])[^<>&\\\n]{0,200}(?:>|&gt;"
        r"|\\u003e)"
    ),
    re.IGNORECASE,
)


class _Tag(NamedTuple):
    start: int
    end: int
    closes: bool
    #: Whether the tag is the only content of a code span.
    is_alone: bool


def cut_private(text: str) -> str:
    """Return a text without its private parts.

    Line breaks inside of those are kept, so that line numbers stay valid.
    """
    return _cut_private_regions(text, _find_regions) if _may_hold_tags(text) else text


def cut_private_source(text: str) -> str:
    """Return source code without its private parts.

    In source code, an unclosed tag reaches only to the end of its line.
    """
    return _cut_private_regions(text, _find_regions_of_source) if _may_hold_tags(text) else text


def is_all_private(text: str) -> bool:
    """Return whether a text had private parts and nothing else is left of it."""
    return CUT in text and not any(map(str.isalnum, text.replace(CUT, "")))


def _may_hold_tags(text: str) -> bool:
    return "비공개" in text or "private" in text.lower()


def _cut_private_regions(
    text: str, find: Callable[[str, list[_Tag]], Iterator[tuple[int, int]]]
) -> str:
    pieces: list[str] = []
    position = 0
    for start, end in find(text, _find_private_tags(text)):
        pieces += (text[position:start], CUT, "\n" * text.count("\n", start, end))
        position = end
    return "".join((*pieces, text[position:]))


def _find_private_tags(text: str) -> list[_Tag]:
    return [
        _Tag(
            start=match.start(),
            end=match.end(),
            closes=bool(match[1]),
            is_alone=text[max(0, match.start() - 1) : match.start()]
            == "`"
            == text[match.end() : match.end() + 1],
        )
        for match in _TAG.finditer(text)
    ]


def _find_regions(text: str, tags: list[_Tag]) -> Iterator[tuple[int, int]]:
    """Yield the private ranges of prose; tags may be nested."""
    last_close = max((tag.start for tag in tags if tag.closes), default=-1)
    begin, depth, behind = 0, 0, 0
    for tag in tags:
        if not tag.closes:
            if not depth and tag.is_alone and tag.start > last_close:
                continue  # talk about the tag
            begin = begin if depth else tag.start
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                yield begin, tag.end
                behind = tag.end
        elif not tag.is_alone:
            yield behind, tag.end
            behind = tag.end
    if depth:
        yield begin, len(text)


def _find_regions_of_source(text: str, tags: list[_Tag]) -> Iterator[tuple[int, int]]:
    """Yield the private ranges of source code.

    A tag without a partner there may be the program's own.
    """
    waiting: list[_Tag] = []
    for tag in tags:
        if not tag.closes:
            waiting.append(tag)
        elif waiting:
            first = waiting.pop()
            if not waiting:
                yield first.start, tag.end
    if waiting:
        end = text.find("\n", waiting[0].end)
        yield waiting[0].start, len(text) if end < 0 else end
