"""Whether two statements say the same: in other order, case, punctuation, politeness, but with no word that says more.

Strict, because one of the two is not kept: every word that says something stands in both, as often; nothing is denied, counted
or quantified in one alone; and where the order differs, nobody's part has changed ("from A to B" is not "from B to A").
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable
from typing import NamedTuple, TypeVar

from gieok.text.keywords import stem

_WORD = re.compile(r"[가-힣]+|[A-Za-z][A-Za-z'’_-]*|\d+(?:[.,:]\d+)*|[^\W가-힣]+")
#: Signs that say something: `C++`, `>`, `-5`, `5%`, `~/x`.
_SIGN = re.compile(r"[+<>=/\\@%&$€£₩^~|#]|(?<![\w-])-(?=\d)")
_EMPTY = frozenset(
    """a an the is are am be it this that and we i you our my your us me will do does please also just ok okay yes so
    let let's lets we'll i'll we're i'm it's that's really very note remember remind
    우리 저희 나 난 저 제 내 좀 그냥 그럼 걸 것 거 그 이 하 주 줘 주세요 기억 기억해 기억하""".split()
)
_NOT = dict.fromkeys(
    "not don't doesn't isn't aren't won't can't cannot shouldn't mustn't never no 안 못".split(), "not"
)
#: Say which part a word has; the word behind takes it.
_PREPOSITIONS = frozenset("of in on at for to by with from as into onto via through against under".split())
#: Longest first. The part that a Korean noun has; what marks subject and topic is one.
_PARTICLE = re.compile(r"(으로|에서|에게|한테|까지|부터|이랑|처럼|보다|로|은|는|이|가|을|를|에|의|도|만|와|과|랑)$")
_SAME_PART = {"은": "는", "이": "는", "가": "는", "을": "를", "으로": "로", "과": "와", "이랑": "랑"}
#: Endings of plain and polite present: 한다, 합니다, 먹는다, 먹습니다, 이다, 해요. In letters (NFD): a final consonant is one.
_ENDINGS = ("\u11b8니다", "습니다", "\u11ab다", "는다", "이다", "이에요", "예요", "아요", "어요", "요", "다")
_VERB = re.compile(f"(?:{'|'.join(unicodedata.normalize('NFD', one) for one in _ENDINGS)})$")
_FEWEST = 2
T = TypeVar("T", bound=Hashable)


class _Word(NamedTuple):
    stem: str
    part: str


class Restatement:
    """A statement, ready to be compared with others."""

    def __init__(self, text: str) -> None:
        self._letters = " ".join(_WORD.findall(text.casefold()))
        self._signs = Counter(_SIGN.findall(text))
        self._words = list(_words(text))
        #: The same for all statements that could say the same.
        self.key = (tuple(sorted(word.stem for word in self._words)), tuple(sorted(self._signs.items())))

    def says_same(self, other: "Restatement") -> bool:
        """Say whether another statement says the same."""
        if self._letters == other._letters:
            return self._signs == other._signs and bool(self._letters)
        if self.key != other.key or len(self._words) < _FEWEST:
            return False
        if _have_exchanged(self._words, other._words):
            return False
        free = {word.stem for word in self._words if not word.part} & {w.stem for w in other._words if not w.part}
        mine, theirs = ([word.stem for word in words if word.stem in free] for words in (self._words, other._words))
        return _is_rotated(mine, theirs)


def says_same(one: str, other: str) -> bool:
    """Say whether two statements say the same."""
    return Restatement(one).says_same(Restatement(other))


def _words(text: str) -> Iterable[_Word]:
    part = ""
    is_shouted = text.upper() == text
    for found in _WORD.findall(text):
        word = found.lower().replace("’", "'")
        if word in _PREPOSITIONS:
            part = word
            continue
        is_name = found.isupper() and len(found) > 1 and not is_shouted and found.isascii()
        if word in _EMPTY and not is_name:
            continue
        if word in _NOT:
            yield _Word("not", "")
            continue
        if "가" <= word[0] <= "힣":
            korean = _korean(word)
            if korean.stem and korean.stem not in _EMPTY:
                yield _NOT_WORD if korean.stem in _NOT else korean
            continue
        yield _Word(stem(word), part)
        part = ""


_NOT_WORD = _Word("not", "")


def _korean(word: str) -> _Word:
    """Return a Korean word without its particle, or without the ending of a verb."""
    letters = unicodedata.normalize("NFD", word)
    bare = unicodedata.normalize("NFC", _VERB.sub("", letters))
    if bare and bare != word:
        bare = f"{bare[:-1]}하" if bare.endswith(("해", "함")) else bare
        # 배포한다 is 배포를 한다.
        return _Word(bare[:-1] if len(bare) > 2 and bare.endswith(("하", "되")) else bare, "")
    if len(word) > 2 and word.endswith(("해", "함")):
        return _Word(word[:-1], "")
    found = _PARTICLE.search(word)
    if found and found.start():
        return _Word(word[: found.start()], _SAME_PART.get(found[1], found[1]))
    return _Word(word, "")


def _have_exchanged(one: list[_Word], other: list[_Word]) -> bool:
    """Say whether two words have each other's part in the other statement: who does it to whom."""
    before, after = dict(one), dict(other)
    changed = {(before[stem], after[stem]) for stem in before if stem in after and before[stem] != after[stem]}
    return any((new, old) in changed for old, new in changed)


def _is_rotated(one: list[T], other: list[T]) -> bool:
    """Say whether a list is another one that begins elsewhere: a clause that was moved to the front, or to the end."""
    if len(one) != len(other):
        return False
    return any(one[start:] + one[:start] == other for start in range(max(len(one), 1)))
