"""Words with which a message says that something was wrong."""

import re

from gieok.character.detect import gates, words

#: What opens a reply that puts something right, and what says so anywhere.
NO_KO = r"아니(?:요|야|다|지|네|라니까요?)?|아뇨|아녀|아니여|ㄴㄴ+|노노|땡|틀렸[가-힣]*|정정[가-힣]*|잘못 ?[가-힣]+"

NO_EN = (
    r"no+|nope|nah+|naw|wrong|sorry|close(?=,)|almost|not quite"
    r"|correction|wait|actually|oops|god no|i tell a lie|scratch that"
    r"|make that|i meant?|what i meant(?: was| is)?|(?:lord|heavens|gosh|hell|oh|good lord) no"
)

OPENS_NO = re.compile(
    rf"^\W*(?:(?:아|어|앗|헐|ay|oh|ah|er|uh|lol|ha(?:ha)*|heh|well|ugh)\W+)*"
    rf"(?:(?:{NO_KO})(?![가-힣])|(?:{NO_EN})\b)",
    re.IGNORECASE,
)

#: What opens a message in which a user puts themselves right, whatever was asked.
PUTS_SELF_RIGHT = re.compile(
    r"^\W*(?:(?:아|어|앗|헐|oh|ah|ay|hmm|um|hang on|hold on)\W+)*(?:아니다|아니네|아니구나|정정"
    r"|(?:no,? )?wait|no,? hang on|i tell a lie|scratch that|correction|make that|what am i saying)"
    r"(?![가-힣\w])",
    re.IGNORECASE,
)

PUTS_RIGHT = re.compile(
    r"정정|잘못 ?(?:말|알|적|썼)|헷갈|착각|\bcorrection\b|\bi (?:misspoke|was wrong|tell a lie)\b"
    r"|\b(?:got|had|have|i['’]d|gave you|told you) (?:that|the|it|you"
    r"|my)(?: \w+){0,2} (?:wrong|mixed up)\b"
    r"|\b(?:told|gave) (?:you|ya|u) wrong\b"
    r"|\bmix(?:ed)? (?:\w+ ){1,3}?up\b|\bmixed up\b|틀리게 ?(?:말|알려)|잘못 ?(?:알려|봤|보고|기억)"
    r"|(?:바꿔|반대로|거꾸로) ?(?:말|알려|적)|실수로|오타|\bwrong (?:day|date|name|number|one|way)\b"
    r"|\b(?:misremembered|misread|mistyped|miscounted|typo)\b"
    r"|\b(?:what )?i meant\b|\bcorrect(?:ing|ed|s) me\b"
    r"|\bmy mistake\b|\bscratch (?:that|the|my)\b|헛나(?:와|왔)|말이 ?꼬|\bmake that\b",
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
