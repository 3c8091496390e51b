"""Detection of Korean and English text."""

from gieok.text.late_pattern import defer_pattern

_HANGUL = defer_pattern("[가-힣]")
_LATIN = defer_pattern("[A-Za-z]")


def detect_text_language(text: str) -> str:
    """Return `ko` if Hangul syllables are at least half as many as Latin letters, else `en`."""
    syllables = len(_HANGUL.findall(text))
    return "ko" if syllables and 2 * syllables >= len(_LATIN.findall(text)) else "en"
