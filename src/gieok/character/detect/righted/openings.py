"""Words with which a message says that something was wrong."""

import re

from gieok.character.detect import gates, words

#: What opens a reply that puts something right, and what says so anywhere.
NO_KO = (
    r"아니(?:요|야|다|지|네|라니까요?)?|아뇨|ㄴㄴ+|노노|땡|틀렸[가-힣]*|정정[가-힣]*|잘못 ?[가-힣]+"
)

NO_EN = (
    r"no|nope|nah|wrong|sorry|correction|wait|actually|oops|god no|i tell a lie|scratch that"
    r"|make that|i meant?|what i meant(?: was| is)?|(?:lord|heavens|gosh|hell|oh|good lord) no"
)

OPENS_NO = re.compile(
    rf"^\W*(?:(?:아|어|앗|헐|ay|oh|ah|er|uh|lol)\W+)*(?:(?:{NO_KO})(?![가-힣])|(?:{NO_EN})\b)",
    re.IGNORECASE,
)

PUTS_RIGHT = re.compile(
    r"정정|잘못 ?(?:말|알|적|썼)|헷갈|착각|\bcorrection\b|\bi (?:misspoke|was wrong|tell a lie)\b"
    r"|\b(?:got|had|have|i['’]d|gave you|told you) (?:that|the|it|you"
    r"|my)(?: \w+){0,2} (?:wrong|mixed up)\b"
    r"|\b(?:told|gave) (?:you|ya|u) wrong\b"
    r"|\bmixed (?:it|that|them|those) up\b|틀리게 ?(?:말|알려)|잘못 ?알려"
    r"|\b(?:what )?i meant\b|\bmy mistake\b|\bscratch that\b|\bmake that\b",
    re.IGNORECASE,
)

_DENIES = re.compile(rf"{words.NOT_BUT}|\bnot\b", re.IGNORECASE)

#: Words that say that what follows is put right, and nothing else.
_IS_RIGHT = re.compile(
    r"^\W*(?:(?:아|어|근데|그리고|글고|oh|ah|ay|um|so|hey|btw)\W+)*"
    r"(?:정정(?:할게요?|합니다|하겠습니다|하자면|할 게 있[가-힣]*|드릴게요)|correction|i meant to say"
    r"|what i meant(?: was| is)?)"
    r"(?:\s+(?:btw|pala|kuya|there|though|please|na))*[\s:,.\-–]+(?P<right>[^?]{4,80})$",
    re.IGNORECASE,
)


def puts_right(text: str) -> bool:
    """Return whether a message says, or opens as one that says, that something was wrong."""
    return any(one.search(text) for one in (OPENS_NO, PUTS_RIGHT, _DENIES))


def find_righted_statement(text: str) -> str:
    """Return what a message states after saying that it puts something right; '' for nothing."""
    found = _IS_RIGHT.match(text.strip())
    return found["right"].strip(" ,.!~") if found and not gates.is_idea(text) else ""
