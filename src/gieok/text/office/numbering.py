"""Labels of numbered paragraphs (`2.`, `제3조`, `나.`), which documents do not hold as text."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gieok.text.late_pattern import defer_pattern

BULLET = "-"
_PLACE = defer_pattern(r"[%^](\d)")
_SYLLABLES = "가나다라마바사아자차카타파하"
_CONSONANTS = "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_ROMAN = (
    ("m", 1000), ("cm", 900), ("d", 500), ("cd", 400), ("c", 100), ("xc", 90), ("l", 50),
    ("xl", 40), ("x", 10), ("ix", 9), ("v", 5), ("iv", 4), ("i", 1),
)  # fmt: skip
_LARGEST_ROMAN = 3999
#: Numerals of the formats of Word (`w:numFmt`) and Hangul (`numFormat`); others are digits.
_NUMERALS: Mapping[str, Sequence[str]] = {
    "ganada": _SYLLABLES,
    "HANGUL_SYLLABLE": _SYLLABLES,
    "chosung": _CONSONANTS,
    "HANGUL_JAMO": _CONSONANTS,
    "lowerLetter": _LETTERS,
    "LATIN_SMALL": _LETTERS,
    "upperLetter": _LETTERS.upper(),
    "LATIN_CAPITAL": _LETTERS.upper(),
    "decimalEnclosedCircle": _CIRCLED,
    "CIRCLED_DIGIT": _CIRCLED,
}
_LOWER_ROMAN, _UPPER_ROMAN = ("lowerRoman", "ROMAN_SMALL"), ("upperRoman", "ROMAN_CAPITAL")
_UNLABELLED = ("bullet", "none")


class NumberLevel(NamedTuple):
    """Level of a numbered list: its format, the pattern of its label (`%1.%2.`), its first number.

    A label of bullets has the format `bullet`.
    """

    number_format: str = "decimal"
    pattern: str = ""
    start: int = 1


class ListNumbering:
    """Counters of the numbered lists of a document."""

    def __init__(self, lists: Mapping[str, Mapping[int, NumberLevel]]) -> None:
        """Keep the levels of lists by the identifiers of the lists."""
        self._lists = lists
        self._counts = dict[str, dict[int, int]]()

    def restart(self, list_id: str, level: int, start: int) -> None:
        """Let a level of a list begin at a number."""
        self._counts.setdefault(list_id, {})[level] = start - 1

    def take_label(self, list_id: str, level: int) -> str:
        """Return the label of the next paragraph of a list, and count it."""
        levels = self._lists.get(list_id, {})
        shape = levels.get(level, NumberLevel())
        if shape.number_format in _UNLABELLED:
            return BULLET if shape.number_format == "bullet" else ""
        counts = self._counts.setdefault(list_id, {})
        counts[level] = counts.get(level, shape.start - 1) + 1
        for deeper in [other for other in counts if other > level]:
            del counts[deeper]

        def number_at(place: re.Match[str]) -> str:
            index = int(place[1]) - 1
            other = levels.get(index, NumberLevel())
            return format_number(counts.get(index, other.start), other.number_format)

        label = _PLACE.sub(number_at, shape.pattern)
        return label.strip() or f"{counts[level]}."


def format_number(number: int, number_format: str) -> str:
    """Return a number as a format writes it; digits where it has no numeral for it."""
    if number_format in _LOWER_ROMAN + _UPPER_ROMAN and 0 < number <= _LARGEST_ROMAN:
        roman = _format_roman(number)
        return roman if number_format in _LOWER_ROMAN else roman.upper()
    numerals = _NUMERALS.get(number_format, "")
    return numerals[number - 1] if 0 < number <= len(numerals) else str(number)


def _format_roman(number: int) -> str:
    text = ""
    for numeral, value in _ROMAN:
        text += numeral * (number // value)
        number %= value
    return text


def parse_count(text: str | None, default: int = 0) -> int:
    """Return the number in an attribute, or the default."""
    # Nothing that is counted here has more digits; Python refuses 4,300 and more by an error.
    if text is None or not text.isascii() or not text.isdigit() or len(text) > len("1000000"):
        return default
    return int(text)
