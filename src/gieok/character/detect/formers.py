"""Finds held facts whose value a message tells as a former one, and the value that holds now.

"Pepper was the old one", 후추는 전에 키우던 애고 지금은 정향이야, 이제 주간조로 바뀌었어. The value is
named, so nothing else is given up. What one never leaves (a birthday, where one comes from) has no
former value.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gieok.character.detect import gates
from gieok.character.facts import USER, Fact, FactType, same_value
from gieok.character.predicates import PREDICATES

#: What one does with somebody or something as long as one has it.
_HAS_KO = r"(?:키우|기르|살|다니|사귀|만나|일하|지내|쓰|타|하|듣|먹|마시|좋아하)"
#: What a value is called that is not named again, and how a clause ends behind it.
_ONE_KO = (
    r"(?:애|아이|거|것|데|곳|집|동네|직장|회사|가게|고양이|강아지|남친|여친|사람|번호)"
    r"(?=야|고|이고|임|인데|지|이에요|예요|라서|이라서)"
)
#: (pattern, example, counter-example): `old` is a value that held once.
FORMER = (
    (
        (
            r"(?i)(?<![\w'’])(?P<old>[a-z][\w'’-]*)\s+(?:was|is|were)\s+(?:just\s+|only\s+)?"
            r"(?:the|my|our)\s+(?:old|previous|former)\s+\w+(?=\s*(?:$|[.,;!…]|\b(?:and|but|so)\b))"
        ),
        "Pepper was the old one",
        "Pepper is the old one's sister",
    ),
    (
        (
            r"(?<![가-힣])(?P<old>[가-힣A-Za-z0-9]+?)(?:이?는|이?가|은|이|도)?\s"
            r"(?:그\s?전에|전에|예전에|옛날에|저번에|이전에|한때)(?:는|만)?\s(?:[가-힣]+\s)?"
            rf"{_HAS_KO}던\s{_ONE_KO}"
        ),
        "후추는 전에 키우던 애고",
        "후추는 전에 다니던 병원 안 가려고 해",
    ),
    (
        (
            r"(?<![가-힣])(?P<old>[가-힣A-Za-z0-9]+?)(?:이?는|이?가|은|이)\s(?:예전|옛날|이전|전|지난번)\s?"
            rf"{_ONE_KO}"
        ),
        "후추는 예전 고양이고",
        "후추는 예전에 귀여웠고",
    ),
)
#: What holds now, behind a former value.
NOW = (
    (
        (
            r"(?:지금은|이제는?|현재는|요즘은|지금)\s(?P<new>[가-힣A-Za-z0-9]{1,12}?)"
            r"(?:이야|야|이에요|예요|입니다|이지|임|이고|이라고|라고)(?![가-힣])"
        ),
        "지금은 정향이야",
        "지금은 없어",
    ),
    (
        (
            r"(?i)\b(?:it|she|he|the new one|the (?:cat|dog) (?:now|i have now))"
            r"(?:['’]s| is|s)(?: now)? (?:called |named )(?P<new>[a-z][\w'’-]+)"
        ),
        "she's called Clove",
        "she's a tabby",
    ),
)
#: A value that became another one of the same head: 야간조 → 주간조.
BECAME = (
    r"(?<![가-힣])(?P<new>[가-힣0-9]{2,8}?)(?:으로|로)\s(?:바뀌었|바뀜|바꼈|바꿨|바뀐|옮겼|옮김|변경됐|변경했)",
    "이제 주간조로 바뀌었어",
    "주간조로 바꿔 달라고 했어",
)
#: Nobody leaves these: they were so, or never were.
_LASTING = frozenset("name birthday from age mbti allergy blood_type".split())


class Former(NamedTuple):
    """Held fact that held once, and the value that holds in its place, '' where none is told."""

    fact: Fact
    value: str
    sentence: str


def iter_formers(sentences: Sequence[str], held: Sequence[Fact]) -> Iterator[Former]:
    """Yield the held facts whose value the sentences of a message tell as a former one.

    `held` are the facts that are known. A question tells nothing, nor does what is of somebody
    else.
    """
    current = [fact for fact in held if _may_be_former(fact)]
    if not current:
        return
    for number, sentence in enumerate(sentences):
        if sentence.rstrip().endswith("?") or gates.is_idea(sentence):
            continue
        behind = " ".join(sentences[number : number + 2])
        yield from _iter_named_formers(sentence, behind, current)
        yield from _iter_replaced(sentence, current)


def _may_be_former(fact: Fact) -> bool:
    is_kept = fact.is_current and not fact.is_idea and fact.subject == USER
    return is_kept and fact.type is not FactType.PLAN and fact.predicate not in _LASTING


def _iter_named_formers(sentence: str, behind: str, current: Sequence[Fact]) -> Iterator[Former]:
    for pattern, _, _ in FORMER:
        for found in re.finditer(pattern, sentence):
            for fact in current:
                if word := _find_own_word(fact, found["old"]):
                    yield Former(fact, _name_next(fact, word, behind), sentence)


def _find_own_word(fact: Fact, old: str) -> str:
    """Return the word of a fact's value that is told as a former one; '' for none."""
    words = re.findall(r"[\w'’-]+", fact.object)
    return next((word for word in words if same_value(word) == same_value(old)), "")


def _name_next(fact: Fact, word: str, text: str) -> str:
    """Return a fact's value with what holds now in the place of a former word; '' for none."""
    for pattern, _, _ in NOW:
        if (found := re.search(pattern, text)) and same_value(found["new"]) != same_value(word):
            return fact.object.replace(word, found["new"], 1)
    return ""


def _iter_replaced(sentence: str, current: Sequence[Fact]) -> Iterator[Former]:
    """Yield the facts of one value whose last word became another one of the same head."""
    found = re.search(BECAME[0], sentence)
    if found is None or gates.topic(sentence, frozenset()).who:
        return
    new = found["new"]
    for fact in current:
        last = fact.object.split()[-1]
        is_like = len(last) == len(new) and last[-1] == new[-1] and last != new
        if is_like and PREDICATES[fact.predicate].is_single:
            yield Former(fact, fact.object.removesuffix(last) + new, sentence)
