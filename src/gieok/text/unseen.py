"""Characters that do not show: they come with copies from pages and programs, and split the words
that they stand in.
"""

import re

# Strings, which `re` compiles on first use: a cold search has no time for it.
#: Without a width or a meaning of their own in Korean and English: soft hyphens, spaces of no
#: width, joiners of words, marks of direction, fillers of Hangul. A space of no width stays where
#: scripts divide their words by it (Thai, Lao, Khmer, Burmese).
_UNSEEN = (
    "[\u00ad\u034f\u061c\u115f\u1160\u180e\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]"
    "|\u200b(?![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])"
)
#: Parts of what is seen: joiners and variants of emoji, joiners of Indic and Persian letters, tags
#: of flags. No part of a word.
_PARTS = "[\u200c\u200d\u180b-\u180d\ufe00-\ufe0f\U000e0001-\U000e0fff]"


def without_unseen(text: str) -> str:
    """Return a text without the characters that do not show; its lines and what is seen of it
    stay.
    """
    return text if text.isascii() else re.sub(_UNSEEN, "", text)


def without_parts(text: str) -> str:
    """Return a text without what joins or varies the characters beside it: for words, not for
    showing.
    """
    return text if text.isascii() else re.sub(_PARTS, "", text)
