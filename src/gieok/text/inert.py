"""Memory text made inert for models: nothing is hidden in it, ends a tag or imitates a tag.

The hook imports this module, so nothing here is slow to import.
"""

import re

from gieok.text.late_pattern import defer_pattern

#: Characters that a model sees and a reader does not, or that reorder text: control characters,
#: soft hyphen, bidirectional marks, zero-width and invisible characters, variation selectors, tags,
#: surrogates.
INVISIBLE = defer_pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"
    "\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0"
    "-\ufffb\ud800-\udfff"
    "\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "`": "'"})


def visible(text: str) -> str:
    """Return text without invisible characters; line breaks and tabs stay."""
    return INVISIBLE.sub("", text)


def revealed(text: str) -> str:
    """Return text with invisible characters spelled out, so that a person can judge it.

    A bell is `<U+0007>`.
    """
    return INVISIBLE.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)


def safe(text: str) -> str:
    """Return text without invisible characters and with markup escaped."""
    return visible(text).translate(_ESCAPES)


def one_line(text: str, limit: int = 120) -> str:
    """Return safe text on one line, at most `limit` characters before escaping."""
    return cut_line(visible(text), limit).translate(_ESCAPES)


def cut_line(text: str, limit: int) -> str:
    """Return text on one line, at most `limit` characters; an ellipsis stands for what is cut."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def fence_text(text: str) -> str:
    """Return text unescaped between two fences of backticks, longer than any run inside it."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
