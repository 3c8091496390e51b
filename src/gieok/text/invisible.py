"""Invisible characters, which copies from web pages and programs bring along.

They split the words in which they stand.
"""

import re

# Strings, which `re` compiles on first use: a cold search has no time for it.
#: Without a width or a meaning of their own in Korean and English: soft hyphens, zero-width spaces,
#: word joiners, direction marks, Hangul fillers. A zero-width space stays where a script divides
#: its words by it (Thai, Lao, Khmer, Burmese).
_UNSEEN = (
    "[\u00ad\u034f\u061c\u115f\u1160\u180e\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]"
    "|\u200b(?![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])"
)
#: Parts of visible characters: joiners and variants of emoji, joiners of Indic and Persian letters,
#: tags of flags. They belong to no word.
_PARTS = "[\u200c\u200d\u180b-\u180d\ufe00-\ufe0f\U000e0001-\U000e0fff]"


def without_unseen(text: str) -> str:
    """Return a text without invisible characters; its lines and its appearance stay."""
    return text if text.isascii() else re.sub(_UNSEEN, "", text)


def without_parts(text: str) -> str:
    """Return a text without characters that join or vary their neighbours.

    For comparing words, not for showing.
    """
    return text if text.isascii() else re.sub(_PARTS, "", text)
