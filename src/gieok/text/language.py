"""Detection of Korean and English text."""

import re

_HANGUL = re.compile("[가-힣]")
_LATIN = re.compile("[A-Za-z]")


def detect_text_language(text: str) -> str:
    """Return `ko` if Hangul syllables are at least half as many as Latin letters, else `en`."""
    syllables = len(_HANGUL.findall(text))
    return "ko" if syllables and 2 * syllables >= len(_LATIN.findall(text)) else "en"
