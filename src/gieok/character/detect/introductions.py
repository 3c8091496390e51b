"""Finds who near the user is told by name: in an answer to "what's she called?", in 지호라고.

A name alone is nobody. Whose it is says a word for a person or an animal: in the question, in what
the user had said before it, or in the clause before the name.
"""

import re
from collections.abc import Iterator, Sequence

from gieok.character.detect import words
from gieok.character.detect.patterns import regex
from gieok.character.detect.patterns_ko import JOBS
from gieok.text import persons
from gieok.text.persons import alternatives

_PARTNER = alternatives(
    persons.SPOUSES_KO,
    persons.PARTNERS_KO,
    persons.SPOUSES_EN,
    persons.PARTNERS_EN,
    "missus|fiance|fiancee|fiancée|other half|better half|old man|gf|bf",
)
_FRIEND = r"친구|단짝|절친|베프|friend|mate|bestie|buddy|pal"
_ANIMAL = rf"{words.ANIMAL}|{persons.ANIMALS_EN}"
#: 형 begins other words, too: 형편, 형광등.
_KIN_KO = rf"(?!형(?![이의은 ]))(?:{alternatives(persons.NEAREST_KO, persons.CHILDREN_KO, '조카')})"
_KIN_EN = alternatives(persons.RELATIVES_EN, persons.CHILDREN_EN)
_NEAR = (
    rf"(?:(?<![가-힣])(?:우리 ?|내 |제 )?(?P<ko>{_KIN_KO}|{words.ANIMAL}|{persons.SPOUSES_KO}"
    rf"|{persons.PARTNERS_KO}|친구|단짝|절친|베프)"
    rf"|\b(?P<en>{alternatives(_PARTNER, _FRIEND, persons.ANIMALS_EN, _KIN_EN)})s?\b)"
)
_NEAR_ONE = re.compile(_NEAR, re.IGNORECASE)
#: Somebody in a question who is not the user, by a pronoun or by a word.
_OF_OTHER = re.compile(
    r"\b(?:his|her|their|its|he|she|him|them)\b|\bit called\b|\bcall it\b|\blucky \w+|녀석|그 아이"
    r"|그 ?사람|그분|걔",
    re.IGNORECASE,
)
_YOUR = re.compile(
    rf"\byour (?:\w+ )?(?:{alternatives(_PARTNER, _FRIEND, persons.ANIMALS_EN, _KIN_EN)})\b",
    re.IGNORECASE,
)
_OF_YOU = re.compile(r"\byou(?:r|rs|'re)?\b", re.IGNORECASE)
_HE = regex(r"\b(?:he|his|him)\b")
_SHE = regex(r"\b(?:she|her)\b")
_MEN = regex(persons.MEN_EN)
_WOMEN = regex(alternatives(persons.WOMEN_EN, "missus"))
#: A name that opens a clause and is told with 이라고, and what follows is nobody's words.
_NAMED_KO = re.compile(
    r"(?:^|[.!?,~ㅋㅎ\n]\s*|(?:는데|은데|거든|둘이|하나)\s)(?P<v>[가-힣]{2,3}?)이?라고(?=[ ,])"
    r"(?! ?(?:하|해|했|한|합|불|부르|말(?:하|했|해|씀)|생각|얘기|이야기|소리|적|쓰|써|들|느|믿|우기|놀리|그러|그랬|치|카))"
)
_NO_NAME_KO = (
    rf"(?:{JOBS})|.*(?:하|다|아니|뭐|그거|이거|저거|게|건|것)|{_KIN_KO}|친구|{words.ANIMAL}"
    rf"|{words.NO_VALUE}"
)
_NAMED_EN = re.compile(
    r"(?:^|[.!?,]\s*)(?-i:That'?s|that'?s|This is|this is|Meet"
    r"|meet) (?P<v>(?-i:[A-Z][a-z]+))(?=[.,!]|$| the\b)"
)
_NAMED = 0.8


def introduce(near: str, name: str) -> tuple[str, str]:
    """Return the predicate and the value of a person or an animal who was told by name."""
    if regex(_PARTNER).fullmatch(near):
        return "partner", name
    if regex(_ANIMAL).fullmatch(near):
        return "pet", f"{name} ({near})"
    if regex(_FRIEND).fullmatch(near):
        return "friend", name
    return "family", f"{near} {name}"


def find_asked_person(question: str, asked: "re.Match[str]", earlier: Sequence[str]) -> str | None:
    """Return the word for the person of whom a question asks.

    None where it asks of the user, '' where nobody says whom "she" means. `asked` is the match of
    the words that ask.
    """
    if in_words := _list_near(asked[0]):
        return in_words[-1]
    is_other = _OF_OTHER.search(asked[0]) or _YOUR.search(question[asked.start() :])
    if not is_other and _OF_YOU.search(asked[0]):
        return None
    named = _list_near(question)
    if named:
        return named[-1]
    if not is_other and not _OF_OTHER.search(question):
        return None
    told = [word for word in _list_near(" ".join(earlier[-1:])) if _may_mean(asked[0], word)]
    return told[0] if len(set(told)) == 1 else ""


def names_somebody(question: str) -> bool:
    """Return whether a question is about somebody beside the user."""
    return bool(_OF_OTHER.search(question) or _list_near(question))


def _list_near(text: str) -> list[str]:
    return [(one["ko"] or one["en"]).lower() for one in _NEAR_ONE.finditer(text)]


def _may_mean(pronoun: str, word: str) -> bool:
    """Return whether "he" or "she" may stand for somebody."""
    if _HE.search(pronoun):
        return _WOMEN.fullmatch(word) is None
    return _SHE.search(pronoun) is None or _MEN.fullmatch(word) is None


def iter_introduced(text: str, question: str) -> Iterator[tuple[str, str, str, float]]:
    """Yield who is introduced: 동생 있어. 한별이라고 세 살 아래야. "That's Rex", of a dog.

    The same as of an answered fact: predicate, value, sentence and confidence.
    """
    for one in _NAMED_KO.finditer(text):
        before = text[: one.start("v")]
        near = _list_near(before) or _list_near(question[-80:])
        if near and "없" not in before and not regex(_NO_NAME_KO).fullmatch(one["v"]):
            yield (*introduce(near[-1], one["v"]), text[one.start("v") :].strip(), _NAMED)
    for one in _NAMED_EN.finditer(text):
        near = _list_near(text[: one.start("v")]) or _list_near(question[-80:])
        if near and regex(words.NOBODY_EN).match(one["v"]):
            yield (*introduce(near[-1], one["v"]), text.strip(), _NAMED)
