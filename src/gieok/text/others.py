"""Whether a turn tells of somebody else, and so nothing about the user.

Examples: "Oda is allergic to shellfish", "관장님은 아이폰만 쓰셔서 사파리에서 확인해야 해". What a user tells of a
client or a colleague is of the work in which it is told, whatever it is about; relatives belong to
the user ("my sister is a nurse", "아버지는 전주에 계셔").
"""

import re

from gieok.text.due import NAME_EN, NAME_KO, PERSON_KO, RELATIVE_KO
from gieok.text.ends import split_end_sentences

_AT_BEGIN_EN = r"^\W*(?:(?:btw|by the way|also|and|but|oh|note that|fyi|ps)[\s,:]+)*"
_AT_BEGIN_KO = r"^\W*(?:(?:참|아|그리고|근데)[\s,]+)?"
_ROLE = (
    r"(?:the|our) (?:boss|client|customer|director|manager|owner|lead|designer|accountant"
    r"|teacher|landlord|landlady|intern|cto|ceo)"
)
_STATES = (
    r"(?:is|was|has|had|wants?|needs?|likes?|prefers?|hates?|loves?|can['’]?t|cannot|can"
    r"|won['’]?t|only|always|never|does|doesn['’]?t|lives?|works?|uses?|drinks?|eats?|reads?"
    r"|speaks?|owns?|keeps?)\b"
)
#: (pattern, example, counter-example): the clause has somebody else for its subject.
OF_OTHERS = (
    (
        rf"{_AT_BEGIN_EN}(?:{NAME_EN}|(?i:{_ROLE}))\b ?{_STATES}",
        "btw Oda is allergic to shellfish",
        "My left eye is weak",
    ),
    (
        rf"{_AT_BEGIN_KO}(?!{RELATIVE_KO}|시부모님){PERSON_KO}(?:께서는?|은|는|이|가|도)\s",
        "관장님은 아이폰만 쓰셔",
        "아버지는 전주에 계셔",
    ),
    (
        rf"{_AT_BEGIN_KO}{NAME_KO}(?:은|는|이|가)\s",
        "민수는 땅콩을 못 먹어",
        "나는 땅콩을 못 먹어",
    ),
)
#: Words by which users speak of themselves, as the subject or the owner.
_OWN = (
    r"(?i)(?<![\w-])(?:i|my|mine|myself)\b"
    r"|(?<![가-힣])(?:나|난|내|저|전|제|우리|저희)(?:는|가|도|랑|를|에게|와|하고|의)?(?![가-힣])"
)


def speaks_of_user(text: str) -> bool:
    """Return whether users speak of themselves in a text, as the subject or the owner."""
    return re.search(_OWN, text) is not None


def tells_of_others(text: str) -> bool:
    """Return whether a clause of a text tells of somebody else, and none speaks of the user."""
    if speaks_of_user(text):
        return False
    return any(
        re.search(pattern, clause)
        for sentence in split_end_sentences(text)
        for clause in re.split(r"[,;]\s+", sentence)
        for pattern, _, _ in OF_OTHERS
    )
