"""Strips the ending from a Korean name: 지호예요 is 지호, 지훈이에요 is 지훈, 은호야 is 은호."""

import re

from gieok.character.detect.patterns_ko import JOBS
from gieok.text.josa import is_closed
from gieok.text.numerals import is_age_word

_NOBODY = re.compile(
    rf"(?:{JOBS})|안녕하?세?|반갑|반가워|처음|여자|남자|사람|한국인|외국인|막내|첫째|둘째|장녀|장남|(?:[가-힣]*(?:사람|전공|준비|생활))"
)


def person_name(value: str, sentence: str) -> str:
    """Return the name in a value that was given as a name; '' where the value is no name.

    Names in other scripts stay unchanged.
    """
    if not re.fullmatch(r"[가-힣]+", value):
        return value
    if value.endswith("마") and f"{value}다" in sentence:
        return ""  # 주말마다
    if len(value) > 2 and _said_with(value, sentence):
        value = value[:-1]
    return "" if _NOBODY.fullmatch(value) or is_age_word(value) else value


def strip_name_ending(value: str, sentence: str) -> str:
    """Return a name without the 이 of the ending behind it: 서윤이라고 불러 is 서윤.

    A name of one syllable keeps it: 민이.
    """
    if len(value) > 2 and value.endswith("이") and is_closed(value[-2]):
        return value[:-1] if re.search(rf"{re.escape(value)}라", sentence) else value
    return value


def _said_with(value: str, sentence: str) -> bool:
    """Return whether the last syllable of a value belongs to the ending."""
    if value.endswith("이") and is_closed(value[-2]):
        return re.search(rf"{value}(?:에요|예요|야|구요|고|라)", sentence) is not None
    return value.endswith("야") or (value.endswith("예") and f"{value}요" in sentence)
