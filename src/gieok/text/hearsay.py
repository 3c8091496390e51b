"""Korean verbs in the forms that hand on what somebody else said: 간대, 먹었대요, 간호사래, 온다더라.

A form is told by its grammar: 대 stands behind a verb's present in ㄴ, behind a past, and behind an
adjective; 래 behind the copula. Nouns and the forms of a will that look like these are kept apart.
"""

import re

from gieok.text.josa import get_final

#: Signs of laughter or tears, and what may follow a form of hearsay.
_BEHIND = re.compile(r"[ㅋㅎㅠㅜ~.!…]+$")
_POLITE = re.compile(r"(?:요|고|구|구먼)$")
#: Forms that are made of a whole statement: 온다더라, 학생이라던데, 간다는군.
_WHOLE = re.compile(
    r"(?:[다라](?:더라|더군|던데|길래|더니|데|는군)|[가-힣](?:다네|단다)|카네|카[더드]라|칸다|냬)$"
)
_SHORT = re.compile(r"(?P<stem>\S*)(?P<end>대|래)$")
_BECAUSE = re.compile(r"(?<=[대래])서$")
#: Nouns and adverbs that end as such a form does.
_NO_FORM = frozenset(
    """
    군대 근대 현대 연대 안대 순대 반대 전대 만대 본대 편대 관대 분대 판대 언대 인대 환대 신대 존대 친대 시대
    그래 원래 아래 미래 모래 빨래 노래 고래 몰래 장래 거래 달래 나래 본래 오래 왜래 유래 재래 저래 요래 왕래
    """.split()
)
#: Units before 대, a range of numbers: 1980년대, 2만 원대.
_UNITS = ("년", "원")
#: Adjectives that stand before 대 without a mark of tense, by the end of their stem.
_ADJECTIVES = tuple(
    """
    좋 싫 많 없 있 같 작 높 낮 길 멀 힘들 크 바쁘 아프 예쁘 나쁘 싸 비싸 쉽 어렵 맵 춥 덥 괜찮 귀찮 재밌
    시 그러
    """.split()
)
_N, _RIEUL, _PAST = 4, 8, 20


def is_handed_on(word: str) -> bool:
    """Return whether the last word of a clause hands on what somebody else said."""
    word = _cut_form(word)
    return _WHOLE.search(word) is not None or _is_reported_verb(word) or _is_reported_copula(word)


def is_said_to_be(word: str) -> bool:
    """Return whether the last word of a clause hands on what somebody or something is: 의사래."""
    return _is_reported_copula(_cut_form(word))


def _cut_form(word: str) -> str:
    """Return a word without laughter, without what makes it polite, and without "because"."""
    return _BECAUSE.sub("", _POLITE.sub("", _BEHIND.sub("", word)))


def _is_reported_verb(word: str) -> bool:
    short = _SHORT.fullmatch(word)
    if short is None or short["end"] != "대" or word in _NO_FORM:
        return False
    stem = short["stem"]
    if not stem or stem.endswith(_UNITS):
        return False
    return get_final(stem[-1]) in (_N, _PAST) or stem.endswith(("는", *_ADJECTIVES))


def _is_reported_copula(word: str) -> bool:
    """Return whether a word ends in the copula's 래, or is that 래, cut off behind its noun.

    할래 and 먹을래 are what a speaker wants.
    """
    short = _SHORT.fullmatch(word)
    if short is None or short["end"] != "래" or word in _NO_FORM:
        return False
    return get_final(short["stem"][-1:] or "이") != _RIEUL
