"""Compares statements by words: does one repeat another, with the same content and value?

A changed value never counts as a repetition. Two wordings of one statement differ on one side at
most by a word; where both sides have words of their own, one of these words may be the value that
changed, and both statements stay.
"""

import re
from collections.abc import Iterable

from gieok.text.keywords import stem

_WORD = re.compile(r"[가-힣]+|[A-Za-z][A-Za-z'_-]*|\d+(?:[.,:]\d+)*|[^\W가-힣]+")
_DAY = re.compile(r" \((?:from )?\d{4}-\d\d-\d\d(?: to \d{4}-\d\d-\d\d)?\)| \((?:agreed|동의함)\)")
#: Longest first: the letters behind a Korean stem carry no value.
_ENDING = re.compile(
    r"(?:으로|에서|에게|한테|까지|부터|이랑|라고|이라고|입니다|습니다|합니다|이에요|예요|이야|야|로|은|는|이|"
    r"가|을|를|에|의|도|만|와|과|랑|요|해|해줘|하자|할게|했어|했고|함|됨|돼)$"
)
_EMPTY = frozenset(
    """
        a an the of in on at to for and or is are was be it its this that with as by from so
        we i you our my your us me will would should shall can could have has had do did
        does use using go going gone went let lets let's i'll we'll i'd it's that's we're
        i'm just also please now then ok yes agreed remember remind always keep make sure
        really very here there decide decided everything all every time thing things again
        one 우리 저희 나 난 저 제 내 좀 꼭 그냥 이제 앞으로 그럼 항상 써 쓰 줘 주세요 하 해 걸 것 거 수 그 이 저 가자 정 결정 기억 다시 매번
        무조건 써줘 해줘 하자 할게 으로 로 주 있
    """.split()  # noqa: E501
)
#: Negations: a statement with one says the opposite, which is another value.
NEGATIONS = frozenset(
    """instead not no never don't dont isn't without stop anymore longer avoid
    대신 안 못 말고 마 말 아니 아니라 없 않 금지""".split()
)
_MOST_EXTRA = 1
#: A part of an earlier statement says nothing new, unless it is a single word: the fewest words of
#: such a part, and how many times longer the earlier statement may be.
_FEWEST, _MOST_TIMES = 2, 3
_LONG, _SHORT = 8, 6


class Content(frozenset[str]):
    """The words of a statement that carry content."""


def content(text: str) -> Content:
    """Return the content words of a statement, without endings and inflection."""
    words = (word.lower() for word in _WORD.findall(_DAY.sub("", text)))
    content_words = (word for word in words if word not in _EMPTY)
    return Content(
        bare for word in content_words if (bare := _strip_word_ending(word)) and bare not in _EMPTY
    )


def repeats(new: Content, old: Content) -> bool:
    """Say whether a statement repeats another, up to one word that only one of them has."""
    if not new or not old:
        return False
    mine, theirs, both = new - old, old - new, len(new & old)
    # A negation is another statement, however alike the rest is; so is a number that was not said
    # before.
    if any(word in NEGATIONS for word in mine | theirs) or any(word[0].isdigit() for word in mine):
        return False
    if not mine:
        return len(new) >= _FEWEST and _MOST_TIMES * len(new) >= len(old)
    if not theirs:
        return len(mine) <= min(_MOST_EXTRA, both // 2)
    # A long statement in other words: a value that changed would be a number.
    return (
        both >= _LONG
        and _MOST_TIMES * len(mine | theirs) <= both
        and not any(word[0].isdigit() for word in theirs)
    )


def is_of_subject(one: Content, other: Content) -> bool:
    """Say whether two short statements differ in one word, which may be the other's new value."""
    return bool(one & other) and len(one - other) == len(other - one) == 1 and len(one) <= _SHORT


def list_denied_words(new: Content) -> list[frozenset[str]]:
    """Return the words that a statement says are not so, or no more: one item, none for others."""
    bare = frozenset(new - NEGATIONS)
    return [bare] if _is_negated(new) and len(bare) >= _FEWEST else []


def list_opposites(old: Content) -> list[frozenset[str]]:
    """Return the words by which a later statement takes another back (`list_denied_words`).

    They are its own words, but for one that may be missing. What a later one adds may be a place or
    a condition: that is an exception, and the other still holds. So does a statement of which a
    later one names but a part.
    """
    return [] if _is_negated(old) else [frozenset(old), *(frozenset(old - {word}) for word in old)]


class HeldStatements:
    """Statements in the order in which they were said, found by their words.

    A statement that repeats a held one shares its rarest words with it, or is the held one with one
    word more: only such are compared.
    """

    def __init__(self, held: Iterable[Content] = ()) -> None:
        self._held: list[Content] = []
        self._by_word: dict[str, list[int]] = {}
        self._by_content: dict[frozenset[str], list[int]] = {}
        for one in held:
            self.add(one)

    def add(self, one: Content) -> None:
        """Hold a statement behind those that are held."""
        place = len(self._held)
        self._held.append(one)
        self._by_content.setdefault(one, []).append(place)
        for word in one:
            self._by_word.setdefault(word, []).append(place)

    def is_repeated_by(self, new: Content) -> bool:
        """Say whether a statement repeats the latest held statement of its subject.

        A statement that returns to an earlier value is new: the statement in between said
        otherwise.
        """
        # Of a long statement a quarter may be missing, of a short one nothing, or else one word.
        missing = len(new) // (_MOST_TIMES + 1) if len(new) >= _LONG else 0
        near = self._list_places(new, 1 + missing)
        near |= {place for word in new for place in self._by_content.get(new - {word}, ())}
        last = max((place for place in near if repeats(new, self._held[place])), default=-1)
        return last >= 0 and not any(
            place > last and is_of_subject(new, self._held[place])
            for place in self._list_places(new, 2)
        )

    def _list_places(self, new: Content, most_words: int) -> set[int]:
        """Return the places of the held statements with one of the rarest words of a statement."""
        places = sorted((self._by_word.get(word, []) for word in new), key=len)
        return {place for some in places[:most_words] for place in some}


def _is_negated(content: Content) -> bool:
    return not NEGATIONS.isdisjoint(content)


def _strip_word_ending(word: str) -> str:
    if "가" <= word[0] <= "힣":
        cut = _ENDING.sub("", word)
        return cut or ("" if len(word) < 2 else word)
    return word if word in NEGATIONS else stem(word)
