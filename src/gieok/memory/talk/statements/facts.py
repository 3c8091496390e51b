"""Cuts a sentence into the facts that it tells: its clauses with a subject of their own.

"Staging lives on Hetzner and Priya signs off every release" tells two facts, of which one may
change alone. "I eat no gluten, so keep recipes free of it" and "the shelf is oak, 28 mm thick" tell
one each: what has no subject of its own goes with the clause before it, as do reasons and
conditions. Read without a parser, so a cut that is not plain is not made.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from gieok.memory.talk.statements.words import (
    is_korean_topic,
    is_verb_form,
    is_whole_noun,
    stem_word,
)
from gieok.text.late_pattern import defer_pattern

#: Where an English clause may end, and a connective of Korean clauses.
_ENGLISH_BOUNDARY = defer_pattern(
    r"(?:\s*[,;:]|\s+[-–—])\s+(?:(?:and|but|while|plus|also)\s+)?|\s+(?:and|but|while|plus)\s+",
    re.IGNORECASE,
)
_KOREAN_BOUNDARY = defer_pattern(
    r"(?<=[가-힣])(?:(?<![다라자냐])고|(?<=[있없했었았겠])구|며|는데|은데|인데|지만)(?:요)?,?\s+"
    r"|\s*[,;·]\s+|\s+[-–—]\s+|(?<=[가-힣][음임함됨])\s+"
)
#: What opens a clause that hangs on the one beside it.
_DEPENDENT = defer_pattern(
    r"(?:if|when|whenever|unless|after|before|once|because|since|although|though|as|so|which|who"
    r"|that|where)\b",
    re.IGNORECASE,
)
#: Auxiliaries that stand behind a connective form, as in 받고 있다.
_KOREAN_AUXILIARY = defer_pattern(r"(?:있|없|싶|말|나서|나면|보니|계)")
_WORD = defer_pattern(r"[^\s,;:]+")
_KOREAN_LETTER = defer_pattern(r"[가-힣]")
#: Words that end like a connective form and join what stands before them.
_JOINS = frozenset("그리고 그러고 또한 하고".split())
#: What a verb before it belongs to: 나아지는 중, 타는 곳.
_KOREAN_HEAD = defer_pattern(r"(?:중|거|것|게|걸|데|때|곳|편|사람)")
#: Words of a clause among which its subject and verb are looked for.
_SUBJECT_WORDS, _TOPIC_WORDS = 6, 3
#: Words of a clause among which two subjects stand before their verb.
_JOINED_WORDS = 8
_BOTH = frozenset(("both", "all"))
_JOINED_KOREAN = defer_pattern(
    r"(?<!\S)(?P<one>[^\s,]+(?:이랑|랑|와|과|하고)) (?P<two>[^\s,]+)"
    r"(?P<both> 둘 ?다| 모두)?(?!\S)"
)
_FEWEST_WORDS = 3


def list_facts(sentence: str) -> list[tuple[int, int]]:
    """Return the places [start, end) of the facts of a sentence, in order, without what joins them.

    A sentence that tells one fact is one place.
    """
    is_korean = _KOREAN_LETTER.search(sentence) is not None
    find = _iter_korean_cuts if is_korean else _iter_english_cuts
    start, places = 0, list[tuple[int, int]]()
    for end, following in find(sentence):
        places.append((start, end))
        start = following
    return [*places, (start, len(sentence))]


def find_joined_subjects(fact: str) -> tuple[str, str] | None:
    """Return the stems of the two subjects of which a fact says one thing; None for one.

    "Staging and production run in Seoul" is told of two, of which one may change alone.
    """
    is_korean = _KOREAN_LETTER.search(fact) is not None
    return _find_joined_korean(fact) if is_korean else _find_joined_english(fact)


def _find_joined_english(fact: str) -> tuple[str, str] | None:
    words = _WORD.findall(fact)[:_JOINED_WORDS]
    verb = next((place for place in range(len(words)) if is_verb_form(words, place)), 0)
    subject = [word.lower() for word in words[:verb] if word.lower() not in _BOTH]
    if subject.count("and") != 1 or subject[0] == "and" or subject[-1] == "and":
        return None
    return stem_word(subject[subject.index("and") - 1]), stem_word(subject[-1])


def _find_joined_korean(fact: str) -> tuple[str, str] | None:
    for joined in _JOINED_KOREAN.finditer(fact):
        is_noun = is_whole_noun(joined["one"])  # 치과 joins nothing
        if not is_noun and (is_korean_topic(joined["two"]) or joined["both"]):
            return stem_word(joined["one"]), stem_word(joined["two"])
    return None


def _iter_english_cuts(sentence: str) -> Iterator[tuple[int, int]]:
    start = 0
    for boundary in _ENGLISH_BOUNDARY.finditer(sentence):
        before = sentence[start : boundary.start()].rpartition(": ")[2]
        rest = sentence[boundary.end() :].partition(",")[0].partition(";")[0]
        if _tells_in_english(before, None) and _tells_in_english(rest, _SUBJECT_WORDS):
            yield boundary.start(), boundary.end()
            start = boundary.end()


def _tells_in_english(clause: str, most: int | None) -> bool:
    """Say whether a clause has a subject and verb among its first words, and hangs on no other."""
    words = _WORD.findall(clause)[:most]
    if len(words) < _FEWEST_WORDS or _DEPENDENT.match(clause):
        return False
    # In the first place, a verb has its subject with it (I'm, Bank's) or gives an order.
    first = 0 if words[0][0].isupper() or "'" in words[0] else 1
    return any(is_verb_form(words, place) for place in range(first, len(words)))


def _iter_korean_cuts(sentence: str) -> Iterator[tuple[int, int]]:
    start = 0
    for boundary in _KOREAN_BOUNDARY.finditer(sentence):
        rest = sentence[boundary.end() :]
        before = sentence[start : boundary.start()]
        is_comma = not _KOREAN_LETTER.match(boundary[0])
        if is_comma and not _has_topic(before):
            continue
        last = f"{before}{boundary[0]}".split()[-1].strip(",;·")
        if last in _JOINS or is_whole_noun(last):
            continue
        if _KOREAN_AUXILIARY.match(rest) or not _has_topic(rest, _TOPIC_WORDS):
            continue
        end = boundary.start() + len(boundary[0].rstrip(" ,;·-–—\n\t"))
        yield end, boundary.end()
        start = boundary.end()


def _has_topic(clause: str, most: int | None = None) -> bool:
    """Say whether one of the first words of a Korean clause is its topic or subject."""
    words = [*_WORD.findall(clause.partition(",")[0]), ""]
    return any(
        is_korean_topic(word) and not _KOREAN_HEAD.match(behind)
        for word, behind in list(pairwise(words))[:most]
    )
