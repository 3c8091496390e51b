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
    # a taste that was, before what is so now
    (
        (
            r"(?<![가-힣])(?P<old>[가-힣A-Za-z0-9]+?)(?:이?는|을|를|은|이|가|도)?\s(?:진짜 |완전 |엄청 |제일 |절대 )?"
            r"(?:극혐|싫어|좋아|즐겨|질색|최애|안 ?먹|못 ?먹|안 ?마[시셔셨]|환장)[가-힣 ]{0,4}?"
            r"[랬했었았였셨][가-힣]{0,3}?(?:는데|지만|더니)요?[\s,]+[^.]{0,6}?(?:요즘|요새|이제|이젠|지금|어느새)"
        ),
        "후추 진짜 싫어했는데 요즘은 좋아",
        "후추 진짜 좋아하는데 요즘은 비싸",
    ),
    (
        (
            r"(?i)\b(?:i (?:really )?(?:don['’]?t|do not) (?:drink|eat|like|love|take|do"
            r"|play) (?:the |my )?"
            r"(?P<old>[a-z][\w'’ -]*?) any ?more\b)"
        ),
        "I don't drink pepper anymore",
        "I don't drink pepper",
    ),
    (
        (
            r"(?i)\bi (?:used to|always) (?:really )?(?:love|like|hate|drink|eat"
            r"|take)d?\s(?:the |my )?"
            r"(?P<old>[a-z][\w'’ -]*?),?\s(?:but|till|until|and now|now)\b"
        ),
        "I used to love pepper but",
        "I love pepper but",
    ),
    (
        (
            r"(?i)\bi(?:['’]?ve| have|['’]?m)? (?:gone|went|going|right) off (?:the |my )?"
            r"(?P<old>(?!it\b)[a-z][\w'’ -]*?)(?=\s*(?:$|[.,;!…]|\b(?:and|but|so|now"
            r"|lately|altogether)\b))"
        ),
        "I've gone off pepper altogether",
        "The alarm went off at pepper time",
    ),
)
#: Words of a taste that turned: the old one is the other of the two.
_TURNED = re.compile(
    r"(?:요즘|요새|이제|이젠|지금|어느새)[은는]?[^.]{0,10}?(?P<likes>없어서 ?못|좋아|최애|맛있|잘 ?먹|환장)"
    r"|(?:요즘|요새|이제|이젠|지금)[은는]?[^.]{0,10}?(?P<dislikes>싫|질렸|질려|별로|못 ?먹|안 ?먹|안 ?마)"
    r"|\bnow\b[^.]{0,12}\b(?P<likes_en>love|like|adore|can't get enough)"
    r"|\bnow\b[^.]{0,12}\b(?P<dislikes_en>hate|can't stand|sick of)",
    re.IGNORECASE,
)
_TASTES = ("likes", "dislikes")
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
    """Held fact that held once, and the value that holds in its place, '' where none is told.

    `predicate`: that of the value, where a taste turned into its opposite.
    """

    fact: Fact
    value: str
    sentence: str
    predicate: str = ""


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
                    turned = _name_turned_taste(fact, sentence)
                    value = fact.object if turned else _name_next(fact, word, behind)
                    yield Former(fact, value, sentence, turned)


def _name_turned_taste(fact: Fact, sentence: str) -> str:
    """Return the taste that a held one turned into, '' for none."""
    turned = _TURNED.search(sentence) if fact.predicate in _TASTES else None
    taste = (
        next((name for name, words in turned.groupdict().items() if words), "") if turned else ""
    )
    taste = taste.removesuffix("_en")
    return taste if taste != fact.predicate else ""


def _find_own_word(fact: Fact, old: str) -> str:
    """Return the word of a fact's value that is told as a former one; '' for none."""
    if same_value(fact.object) == same_value(old):
        return fact.object
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
