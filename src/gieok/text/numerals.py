"""Numbers that are written in words, Korean and English: 유월 열이틀, 스물다섯 살, June twelfth."""

import re
from itertools import chain, pairwise

_SINO = {"일": 1, "이": 2, "삼": 3, "사": 4, "오": 5, "육": 6, "륙": 6, "칠": 7, "팔": 8, "구": 9}
_SCALES = {"십": 10, "백": 100}
#: A row of Sino-Korean digits is a number before a counter: alone, 이 and 사 are other words.
_SINO_RUN = re.compile(
    rf"([{''.join(_SINO)}{''.join(_SCALES)}]+)\s?(?:월|일|살|세|년|점|번|시|분|층|학년|명|개월|호|킬로|센티)"
)
_MONTHS = {"정월": 1, "유월": 6, "시월": 10, "동짓달": 11, "섣달": 12}
_TENS = {
    "열": 10, "스물": 20, "스무": 20, "서른": 30, "마흔": 40, "쉰": 50, "예순": 60, "일흔": 70,
    "여든": 80, "아흔": 90,
}  # fmt: skip
_ONES = {
    "하나": 1, "한": 1, "둘": 2, "두": 2, "셋": 3, "세": 3, "넷": 4, "네": 4, "다섯": 5, "여섯": 6,
    "일곱": 7, "여덟": 8, "아홉": 9,
}  # fmt: skip
_DAYS = {
    "하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "이레": 7, "여드레": 8,
    "아흐레": 9,
}  # fmt: skip
_LESSER = "|".join(sorted({**_ONES, **_DAYS}, key=len, reverse=True))
_NATIVE = re.compile(rf"(?<![가-힣])초?({'|'.join(_TENS)})?\s?({_LESSER})?")
_AGE_WORD = re.compile(rf"(?:{'|'.join(_TENS)})(?:{'|'.join(_ONES)})?")
_HALF_MONTH = re.compile(r"(?<![가-힣])(보름)|(열흘)")
#: Names of the numbers from one to nineteen, and of the tens from twenty.
ENGLISH_ONES = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12,
}  # fmt: skip
_ENGLISH = {
    **{word: number for number, word in enumerate(ENGLISH_ONES, 1)},
    **{f"{word}th": number for number, word in enumerate(ENGLISH_ONES, 1)},
    **{word: 10 * number for number, word in enumerate(ENGLISH_TENS, 2)},
    **{f"{word[:-1]}ieth": 10 * number for number, word in enumerate(ENGLISH_TENS, 2)},
    **_ORDINALS,
}
_ENGLISH_WORD = re.compile(r"[a-z]+")
#: A longer row of digits is no number that anyone states, and takes long to convert.
_DIGITS = re.compile(r"(?<!\d)\d{1,100}(?!\d)")


def find_numbers(text: str) -> frozenset[int]:
    """Return the numbers that a text states, in digits or in words."""
    digits = map(int, _DIGITS.findall(text))
    return frozenset(chain(digits, _find_korean_numbers(text), _find_english_numbers(text)))


def is_age_word(text: str) -> bool:
    """Return whether a text is a native Korean number from ten up, as ages are told: 서른넷."""
    return _AGE_WORD.fullmatch(text) is not None


def _find_korean_numbers(text: str) -> set[int]:
    numbers = {number for word, number in _MONTHS.items() if word in text}
    numbers |= {_read_sino_number(found[1]) for found in _SINO_RUN.finditer(text)}
    numbers |= {15 if found[1] else 10 for found in _HALF_MONTH.finditer(text)}
    for found in _NATIVE.finditer(text):
        tens = _TENS.get(found[1] or "", 0)
        ones = _ONES.get(found[2] or "", 0) or _DAYS.get(found[2] or "", 0)
        numbers.add(tens + ones)
    return numbers - {0}


def _read_sino_number(word: str) -> int:
    """Return the number of a row of digits: 십이 is 12, 이십삼 is 23."""
    total = digit = 0
    for sign in word:
        if sign in _SCALES:
            total += (digit or 1) * _SCALES[sign]
            digit = 0
        else:
            digit = _SINO[sign]
    return total + digit


def _find_english_numbers(text: str) -> set[int]:
    """Return the numbers of words, and of a ten with a one behind it: twenty-one."""
    words = [_ENGLISH.get(word, 0) for word in _ENGLISH_WORD.findall(text.lower())]
    pairs = pairwise(words)
    return {*words, *(ten + one for ten, one in pairs if ten >= 20 and 0 < one < 10)} - {0}
