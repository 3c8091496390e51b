"""Where in a document a text stands that the service quotes: it may have changed spaces and line ends, and cut anywhere."""

import re
from collections.abc import Sequence

from gieok.model.memory import Passage
from gieok.text.keywords import normalise

_WORD = re.compile(r"\S+")
#: A line shorter than this may stand anywhere.
_TELLING_CHARS = 8


def locate(text: str, quoted: str) -> tuple[int, int] | None:
    """Return the range of `text` that `quoted` repeats, spaces aside; of its longest line, where it is not all there."""
    packed, places = _packed(text)
    lines = sorted(normalise(quoted).splitlines(), key=len, reverse=True)
    for wanted in ("".join(normalise(quoted).split()), *("".join(line.split()) for line in lines[:3])):
        start = packed.find(wanted) if len(wanted) >= min(_TELLING_CHARS, len(packed)) else -1
        if wanted and start >= 0:
            return places[start], places[start + len(wanted) - 1] + 1
    return None


def _packed(text: str) -> tuple[str, list[int]]:
    """Return `text` without spaces, and where each of the characters stood."""
    words = [(found.start(), found.group()) for found in _WORD.finditer(text)]
    return "".join(word for _, word in words), [start + i for start, word in words for i in range(len(word))]


def overlapped(passages: Sequence[Passage], span: tuple[int, int]) -> list[int]:
    """Return the places of the passages that `span` is (mostly) in or covers (mostly), the most overlapped first."""
    shared = [max(0, min(p.end, span[1]) - max(p.start, span[0])) for p in passages]
    order = sorted((place for place, chars in enumerate(shared) if chars), key=lambda place: (-shared[place], place))
    return [
        place
        for rank, place in enumerate(order)
        if not rank or 2 * shared[place] >= min(span[1] - span[0], passages[place].end - passages[place].start)
    ]
