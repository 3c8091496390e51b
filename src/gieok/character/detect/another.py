"""Whether a sentence tells of another person what a row takes for the user's own.

Rows match a form: "땅콩 알레르기 있", "allergic to bees". Whose it is stands around it: another
subject before the value, a verb that hands on what somebody said, or one that honours its subject,
as nobody honours themselves.
"""

import re

from gieok.character.detect import gates, words
from gieok.text import persons
from gieok.text.hearsay import is_handed_on

#: States that others have as well. Plans, people and how to speak are told in other ways.
STATES = frozenset(
    """
        job lives_in dislikes likes allergy habit hobby exercise drink food age major from
        school_year study_language routine class birthday
    """.split()
)
_PERSON_KO = rf"(?:{gates.KIN}|{gates.PARTNERS})(?:님)?"
_SUBJECT_KO = re.compile(
    rf"{_PERSON_KO}(?: 하나| 한 ?명| 둘)?(?:은|는|이|가|도|께서| 있잖아)(?![가-힣])"
)
#: A clause that only describes the value behind it: 친구가 하는 출판사.
_DESCRIBES = re.compile(rf"{_SUBJECT_KO.pattern} \S+(?:는|던|은|한|된|준)\s*$")
#: How many words behind a value its verb stands, at most.
_TO_VERB = 3
#: The past and the present of a verb with 시, which is none in 마시다, 모시다 and 부시다.
_HONOURS = re.compile(
    r"(?<![마모부])(?:십니다|신다|세요|셔요?|셨[가-힣]*|시는[가-힣]*|시고|시거든요?|시더[가-힣]*|시네요?|신대요?)$"
)
_ASKED = re.compile(r"주(?:세요|셔|십시오)|마세요|마십시오")
#: What somebody says, in two words: 배우라 그래, 간호사라 그러더라.
_SAID_OF_KO = re.compile(r"[다라]고? 그(?:래|러|랬)")
_LAUGHTER = re.compile(r"[ㅋㅎㅠㅜ]+")
_CLAUSE_END = re.compile(r"[.,!?~…]")
_USER_KO = re.compile(words.USER)
#: Not "my": my friend is another. The first word of "I'm" counts alone.
_USER_EN = re.compile(r"\b(?:i|im|ive|id|me|myself)\b", re.IGNORECASE)
_SUBJECT_EN = re.compile(
    r"(?<!with )(?<!to )(?<!at )(?<!from )(?<!for )(?<!of )(?<!by )(?<!like )(?<!than )"
    rf"\b(?:he|she|they|(?:he|she)['’]?s|my (?:\w+ ){{0,2}}?(?:{persons.ANYBODY_EN})s?)\b",
    re.IGNORECASE,
)
#: Kin named without "my" as the subject of a clause: "mum's gone vegan", "and dad lives in Leeds".
#: Not in an address ("mum, I moved"), and not of oneself ("dad of two here").
_CALLED_EN = re.compile(
    r"(?:^|[.,;:!?…]|\b(?:and|but|so|because|cause|since|that|when|oh|well|now)\b)\W*"
    rf"(?:{persons.CALLED_EN})"
    r"(?:['’]?s(?![\w'’])|\s+(?:\w+s|\w+ed|had|got|went|came|grew|took|can|could|will"
    r"|(?:ca|wo|do|did|could)n['’]?t|just|always|never|also|still|only|really)(?![\w'’]))",
    re.IGNORECASE,
)
#: Somebody's words behind their name: "she said I'm allergic", "Dad: I live in Leith".
_QUOTED_EN = re.compile(
    r"\b(?!i\b)\w+ (?:said|says|told (?:\w+ ){1,3}?|goes|texted|wrote)[\s,:]*(?:that )?(?=i\b)"
    r"|^\W*[A-Z][a-z]+ ?: ?(?=i\b)",
    re.IGNORECASE,
)


def is_told_of_another(predicate: str, value: str, sentence: str) -> bool:
    """Return whether a sentence states a value of somebody who is not the user.

    So it does where that holds wherever the value stands in it. Of a predicate that is no state, or
    of a value in other words than the sentence's, that is not known: False.
    """
    head = value.partition(" ")[0]
    if predicate not in STATES or not head or _USER_EN.search(value):
        return False
    places = [found.span() for found in re.finditer(re.escape(head), sentence)]
    if re.search(r"[가-힣]", sentence):
        are_of_another = [
            _is_of_another_ko(sentence[:start], sentence[end:]) for start, end in places
        ]
    else:
        are_of_another = [_is_of_another_en(sentence[:start]) for start, _ in places]
    return bool(places) and all(are_of_another)


#: A name as the subject of a sentence: "Maureen's gone to live in", "And Theo works at".
_NAMED_EN = re.compile(
    r"^\W*(?:(?:(?i:and|but|so|oh|well|yeah|no))\b\W*)?"
    rf"(?:{words.NOBODY_EN})[A-Z][a-z]{{2,}}"
    r"(?:['’]s(?= )| (?:is|was|has|lives|works|loves|likes|hates|plays)\b)"
)


def _is_of_another_en(before: str) -> bool:
    quoted = _QUOTED_EN.search(before)
    ends = [
        named.end()
        for pattern in (_SUBJECT_EN, _CALLED_EN, _NAMED_EN)
        for named in pattern.finditer(before)
    ]
    is_last = bool(ends) and not _USER_EN.search(before[max(ends) :])
    return quoted is not None or is_last


def _is_of_another_ko(before: str, behind: str) -> bool:
    if _USER_KO.search(before):
        return False
    if _SUBJECT_KO.search(_DESCRIBES.sub("", before)):
        return True
    clause = _CLAUSE_END.split(_LAUGHTER.sub(" ", behind))[0]
    verbs = clause.split()[:_TO_VERB]
    if _ASKED.search(clause) or _USER_KO.search(clause):
        return False
    if _SAID_OF_KO.search(" ".join(verbs)):
        return True
    return any(is_handed_on(verb) or _HONOURS.search(verb) for verb in verbs)
