"""Selects the part of a passage that is shown: around the question's words, cut between words."""

import re
from collections.abc import Collection

from gieok.text.keywords import keyword_tokens

_HEAD = "… "
_NEAR = 40


def snippet(text: str, wanted: Collection[str], limit: int) -> str:
    """Return at most `limit` characters of `text`, around its best line.

    The best line holds most of the `wanted` tokens. Cuts fall between words and are marked by an
    ellipsis, which counts towards the limit.
    """
    text = text.strip()
    if len(text) <= limit:
        return text
    start = _best_place(text, wanted, limit // 2)
    start = min(start, len(text) - limit + len(_HEAD))
    start = _after_space(text, start) if start else 0
    head = _HEAD if start else ""
    room = limit - len(head)
    if len(text) - start <= room:
        return head + text[start:]
    cut = text.rfind(" ", start, start + room - 1)
    newline = text.rfind("\n", start, start + room - 1)
    end = max(cut, newline) if max(cut, newline) > start else start + room - 2
    return f"{head}{text[start:end].rstrip()} …"


def _best_place(text: str, wanted: Collection[str], longest: int) -> int:
    """Return the offset of the line, or piece of a longer line, with most wanted tokens."""
    pieces = re.finditer(rf"\S[^\n]{{0,{longest}}}(?!\S)|\S+", text)
    return max(pieces, key=lambda piece: len(set(keyword_tokens(piece[0])) & set(wanted))).start()


def _after_space(text: str, start: int) -> int:
    """Return the offset of the first word at or after `start`.

    Inside a long word, the offset is `start` itself.
    """
    if text[start - 1] in " \n":
        return start
    space = text.find(" ", start, start + _NEAR)
    if space >= 0:
        return space + 1
    own = max(text.rfind(" ", 0, start), text.rfind("\n", 0, start)) + 1
    return own if start - own <= 2 * _NEAR else start
