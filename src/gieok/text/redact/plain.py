"""Normalises text for the rules: invisible characters removed, full-width forms narrowed, Hangul
syllables composed.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from gieok.text.inert import INVISIBLE
from gieok.text.late_pattern import defer_pattern

_CONTROL = bytes({*range(32), 127} - set(b"\t\n\r"))
_ASCII = bytes(range(128))
_JAMO = "\u1100-\u115e\u1161-\u11ff"
_WIDE = "\uff01-\uff5e\u3000\xa0"
_UNSEEN = INVISIBLE.pattern[1:-1].replace(
    "\x0b-\x1f", "\x0b\x0c\x0e-\x1f"
)  # a carriage return shows
# One character class each: alternatives cost eight times as much.
_UNUSUAL = defer_pattern(f"[{_UNSEEN}{_JAMO}{_WIDE}]")
_WIDE_SIGN = defer_pattern(f"[{_WIDE}]")
_BROKEN = defer_pattern(f"[{_UNSEEN}{_JAMO}][{_UNSEEN}{_JAMO}]*")
_OF_SYLLABLE = defer_pattern(f"[{_JAMO}]")


class Plain(NamedTuple):
    """`text` is normalised; `origins` maps each of its offsets to the original; None: the offsets
    are equal.
    """

    text: str
    origins: list[int] | None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return a span in the original, without invisible characters behind it."""
        if self.origins is None:
            return start, end
        is_syllable = "가" <= self.text[end - 1] <= "힣"  # it may be several characters there
        return self.origins[start], self.origins[end] if is_syllable else self.origins[end - 1] + 1


def normalise_plain_text(text: str) -> Plain:
    """Return the normalised text."""
    data = text.encode("utf-8", "surrogatepass")
    # Deleting bytes is forty times as fast as a pattern; what is left of most texts is short.
    if len(data.translate(None, _CONTROL)) == len(data):
        if len(data) == len(text):
            return Plain(text, None)
        rest = data.translate(None, _ASCII).decode("utf-8", "surrogatepass")
        if not _UNUSUAL.search(rest):
            return Plain(text, None)
    text = _WIDE_SIGN.sub(_narrow_full_width, text)
    if not _BROKEN.search(text):
        return Plain(text, None)
    parts: list[str] = []
    origins: list[int] = []
    at = 0
    for match in _BROKEN.finditer(text):
        parts.append(text[at : match.start()])
        origins.extend(range(at, match.start()))
        for char, origin in _iter_composed_syllables(match):
            parts.append(char)
            origins.append(origin)
        at = match.end()
    parts.append(text[at:])
    origins.extend(range(at, len(text) + 1))
    return Plain("".join(parts), origins)


def _narrow_full_width(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(code - 0xFEE0) if code > 0xFF00 else " "


def _iter_composed_syllables(found: re.Match[str]) -> Iterator[tuple[str, int]]:
    """Yield the composed syllables and the offset of each; invisible characters are dropped."""
    pieces = list(_OF_SYLLABLE.finditer(found.string, *found.span()))
    at = 0
    for char in unicodedata.normalize("NFC", "".join(piece[0] for piece in pieces)):
        yield char, pieces[at].start()
        at += len(unicodedata.normalize("NFD", char))
