"""Strict comparison whether two statements say the same.

Order, case, punctuation and politeness may differ, but no word may say more. The comparison is
strict, because one of the two statements is not kept: every word with a meaning stands in both, as
often; nothing is denied, counted or quantified in one alone; and where the order differs, no word
has changed its role ("from A to B" is not "from B to A").
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from gieok.text.keywords import stem
from gieok.text.late_pattern import defer_pattern

_WORD = defer_pattern(r"[가-힣]+|[A-Za-z][A-Za-z'’_-]*|\d+(?:[.,:]\d+)*|[^\W가-힣]+")
#: Signs with a meaning: `C++`, `>`, `-5`, `5%`, `~/x`.
_SIGN = defer_pattern(r"[+<>=/\\@%&$€£₩^~|#]|(?<![\w-])-(?=\d)")
_EMPTY = frozenset(
    """
        a an the is are am be it this that and we i you our my your us me will do does
        please also just ok okay yes so let let's lets we'll i'll we're i'm it's that's
        really very note remember remind 우리 저희 나 난 저 제 내 좀 그냥 그럼 걸 것 거 그 이 하 주 줘 주세요 기억 기억해
        기억하
    """.split()
)
_NOT = dict.fromkeys(
    "not don't doesn't isn't aren't won't can't cannot shouldn't mustn't never no 안 못".split(),
    "not",
)
#: Prepositions, which give the following word its role.
_PREPOSITIONS = frozenset(
    "of in on at for to by with from as into onto via through against under".split()
)
_SUBORDINATORS = frozenset(
    map(stem, "before after when whenever if while until unless because since".split())
)
#: Separators of sentences, items and lines.
_BETWEEN = defer_pattern(r"(?<=[.!?。])\s+|\n+|;\s")
#: Particles, which give a Korean noun its role, longest first; those for subject and topic count as
#: one.
_PARTICLE = defer_pattern(
    r"(으로|에서|에게|한테|까지|부터|이랑|처럼|보다|로|은|는|이|가|을|를|에|의|도|만|와|과|랑)$"
)
_SAME_PART = {
    "은": "는",
    "이": "는",
    "가": "는",
    "을": "를",
    "으로": "로",
    "과": "와",
    "이랑": "랑",
}
#: Endings of plain and polite present: 한다, 합니다, 먹는다, 먹습니다, 이다, 해요. They are matched in decomposed
#: letters (NFD), where a final consonant is a letter of its own.
_ENDINGS = (
    "\u11b8니다",
    "습니다",
    "\u11ab다",
    "는다",
    "이다",
    "이에요",
    "예요",
    "아요",
    "어요",
    "요",
    "다",
)
_VERB = defer_pattern(f"(?:{'|'.join(unicodedata.normalize('NFD', one) for one in _ENDINGS)})$")
_FEWEST = 2
#: A longer text is no statement: parsing its words costs as much as a whole search.
_LONGEST_CHARS = 400
#: Size of the cache of parsed words: words repeat, and parsing costs ten times as much as a
#: look-up.
_MOST_WORDS = 1 << 15


class _Word(NamedTuple):
    stem: str
    part: str


class Restatement:
    """A statement of one or several sentences, prepared for comparisons with others.

    A long text is compared only in its own order of words.
    """

    def __init__(self, text: str) -> None:
        is_long = len(text) > _LONGEST_CHARS
        self.sentences = [
            _Sentence(part, is_long=is_long) for part in _BETWEEN.split(text) if _WORD.search(part)
        ]
        #: Equal for all statements that may say the same.
        self.key = tuple(sentence.key for sentence in self.sentences)

    def says_same(self, other: "Restatement") -> bool:
        """Return whether another statement says the same, sentence by sentence.

        The order of sentences counts, because steps have an order.
        """
        if not self.sentences or self.key != other.key:
            return False
        return all(
            mine.says_same(theirs)
            for mine, theirs in zip(self.sentences, other.sentences, strict=True)
        )


class _Sentence:
    def __init__(self, text: str, *, is_long: bool) -> None:
        self.letters = " ".join(_WORD.findall(text.casefold()))
        self.words = [] if is_long else list(_iter_compared_words(text))
        signs = tuple(sorted(Counter(_SIGN.findall(text)).items()))
        stems = tuple(sorted(word.stem for word in self.words))
        self.key = (stems if len(stems) >= _FEWEST else self.letters, signs)

    def says_same(self, other: "_Sentence") -> bool:
        if self.letters == other.letters:
            return True
        if _have_exchanged(self.words, other.words):
            return False
        free = {word.stem for word in self.words if not word.part} & {
            w.stem for w in other.words if not w.part
        }
        mine, theirs = (
            [word.stem for word in words if word.stem in free]
            for words in (self.words, other.words)
        )
        return (
            mine == theirs
            or _is_moved(self.words, other.words)
            or _is_moved(other.words, self.words)
        )


def says_same(one: str, other: str) -> bool:
    """Return whether two statements say the same."""
    return Restatement(one).says_same(Restatement(other))


def _iter_compared_words(text: str) -> Iterable[_Word]:
    part = ""
    is_shouted = text.upper() == text
    for spelling in _WORD.findall(text):
        word = spelling.lower().replace("’", "'")
        if word in _PREPOSITIONS:
            part = word
            continue
        is_name = spelling.isupper() and len(spelling) > 1 and not is_shouted and spelling.isascii()
        if word in _EMPTY and not is_name:
            continue
        if word in _NOT:
            yield _Word("not", "")
            continue
        if "가" <= word[0] <= "힣":
            korean = _parse_compared_korean(word)
            if korean.stem and korean.stem not in _EMPTY:
                yield _NOT_WORD if korean.stem in _NOT else korean
            continue
        yield _Word(_stem(word), part)
        part = ""


_stem = lru_cache(maxsize=_MOST_WORDS)(stem)
_NOT_WORD = _Word("not", "")


@lru_cache(maxsize=_MOST_WORDS)
def _parse_compared_korean(word: str) -> _Word:
    """Return a Korean word without its particle, or without its verb ending."""
    letters = unicodedata.normalize("NFD", word)
    bare = unicodedata.normalize("NFC", _VERB.sub("", letters))
    if bare and bare != word:
        bare = f"{bare[:-1]}하" if bare.endswith(("해", "함")) else bare
        # 배포한다 is the same as 배포를 한다.
        return _Word(bare[:-1] if len(bare) > 2 and bare.endswith(("하", "되")) else bare, "")
    if len(word) > 2 and word.endswith(("해", "함")):
        return _Word(word[:-1], "")
    particle = _PARTICLE.search(word)
    if particle and particle.start():
        return _Word(word[: particle.start()], _SAME_PART.get(particle[1], particle[1]))
    return _Word(word, "")


def _have_exchanged(one: list[_Word], other: list[_Word]) -> bool:
    """Return whether two words have swapped their roles in the other statement.

    Such words say who does something to whom.
    """
    before, after = dict(one), dict(other)
    changed = {
        (before[stem], after[stem])
        for stem in before
        if stem in after and before[stem] != after[stem]
    }
    return any((new, old) in changed for old, new in changed)


def _is_moved(one: Sequence[_Word], other: Sequence[_Word]) -> bool:
    """Return whether `other` is `one` with its last phrase moved to the beginning.

    The phrase is led by a word such as "for" or "before".
    """
    mine, theirs = ([word.stem for word in words] for words in (one, other))
    is_led = bool(other) and (bool(other[0].part) or other[0].stem in _SUBORDINATORS)
    return is_led and any(mine[start:] + mine[:start] == theirs for start in range(len(mine)))
