"""Judges two statements: does the later one take the place of the earlier one?

A mark that something "was replaced" is worse than none where it is false, and in a real memory one pair of neighbours in a
thousand is a change. So a change is sure only where three things were seen, none of which is a likeness of vectors:

1. the later sentence asserts something (no question, plan, hearsay, joke, exception);
2. it *names the old value as given up* (`given_up`), or it gives another value of the same measure with words of change;
3. both are on one subject: besides that value they share a word, and neither has a word of its own in what it is about.

What is less is `UNSURE`: both stand, dated; nothing is marked, ranked or brought in for it. `benchmarks/claims.py` measures how
many of the marks are right among the neighbours of a real memory. A model that reads pairs takes the place of `relation` alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from gieok.engine.claims.given_up import is_given_up
from gieok.engine.claims.statement import Sentence, read_sentences
from gieok.engine.claims.words import TOPIC, Word

#: How sure it is that a later statement replaces an earlier one.
SURE, UNSURE, UNRELATED = "sure", "unsure", "unrelated"
#: Words of change, of which the later sentence has one where it names no old value.
_CHANGING = ("change", "now", "correction")
#: What a sentence with one of these says is not asserted, or not for good.
_NOT_ASSERTED = ("unsure", "joke", "theirs", "once", "also", "past")
_NOT_ASSERTED_MOODS = ("question", "supposed", "quoted")
#: What has numbers that name a thing in one sentence has amounts in another: of these alone another value is a change.
_MEASURES = frozenset(
    "weekday oclock minute hour second day week month date % won dollar euro person port kg mg km gb".split()
)
_SHORTEST_HANGUL = 2
#: Shared words besides the value that another value of the same measure needs.
_FEWEST_ANCHORS = 2
#: Two sentences that share so much of the shorter one may be on one subject.
_SUBJECT_SHARE = 0.5


class Relation(NamedTuple):
    """What a later statement is to an earlier one.

    `claim` and `by` are the sentences that were compared; `spoke_for` names what speaks for a change, `differing` the words by
    which their subjects differ.
    """

    sureness: str
    claim: str = ""
    by: str = ""
    takes_back: bool = False
    spoke_for: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()

    @property
    def is_sure(self) -> bool:
        """Say whether the earlier statement may be marked as replaced."""
        return self.sureness == SURE


def relation(earlier: str, later: str) -> Relation:
    """Judge a pair of texts: the one place where it is decided whether the later takes the place of the earlier one.

    People say a fact in passing: of all pairs of their sentences the surest counts.
    """
    return _surest(_judge(one, other) for one in read_sentences(earlier) for other in read_sentences(later))


def _surest(found: Iterable[Relation]) -> Relation:
    best = Relation(UNRELATED)
    for one in found:
        if one.is_sure:
            return one
        if best.sureness == UNRELATED:
            best = one
    return best


def _judge(earlier: Sentence, later: Sentence) -> Relation:
    shared = list_shared(earlier, later)
    if not shared or earlier.text == later.text:
        return Relation(UNRELATED)
    lost = list(_list_lost(earlier, later, shared))
    conflicts = list_conflicts(earlier, later) if not lost else []
    anchors = [stem for stem in shared if stem not in lost and not stem[0].isdigit()]
    spoke_for = (*lost, *(f"another {unit}" for unit in conflicts))
    differing = tuple(list_differing(earlier, later, lost))
    related = Relation(
        UNSURE if _is_on_one_subject(earlier, later, shared, differing) else UNRELATED,
        earlier.text, later.text, later.cues["cancel"], spoke_for, differing,
    )  # fmt: skip
    if not spoke_for or differing or not _is_asserted(later) or not _is_asserted(earlier):
        return related
    if _is_of_a_part(later, lost):
        return related
    if len(anchors) < (1 if lost else _FEWEST_ANCHORS):
        return related
    if not lost and not (_is_changed_value(earlier, later) and related.sureness == UNSURE):
        return related
    return related._replace(sureness=SURE)


def _is_changed_value(earlier: Sentence, later: Sentence) -> bool:
    """Say whether the later sentence has words of change that the earlier one has not: else both may be told of one change."""
    return any(later.cues[name] for name in _CHANGING) and not any(earlier.cues[name] for name in _CHANGING)


def _is_of_a_part(later: Sentence, lost: Sequence[str]) -> bool:
    """Say whether the later sentence changes a part of what the earlier one says: "힐만 민수에서 가영이로"."""
    first_lost = min((later.place_of(stem) for stem in lost), default=len(later.words))
    return any(word.is_part and place < first_lost for place, word in enumerate(later.words))


def _is_asserted(sentence: Sentence) -> bool:
    if sentence.text.rstrip().endswith(("?", "？")):
        return False
    if any(sentence.cues[name] for name in _NOT_ASSERTED):
        return False
    return not any(sentence.has_mood(name) for name in _NOT_ASSERTED_MOODS)


def _is_on_one_subject(earlier: Sentence, later: Sentence, shared: Sequence[str], differing: Sequence[str]) -> bool:
    shorter = max(2, min(len(earlier.stems), len(later.stems)))
    return not differing and len(shared) / shorter >= _SUBJECT_SHARE


def is_same_word(one: str, other: str) -> bool:
    """Say whether two stems are of one word; Korean endings are taken off only roughly."""
    if one == other:
        return True
    if one[0] < "가" or other[0] < "가" or min(len(one), len(other)) < 2:
        return False
    return one.startswith(other) or other.startswith(one)


def list_shared(earlier: Sentence, later: Sentence) -> list[str]:
    """Return the stems of the later sentence that the earlier one has too."""
    return [stem for stem in later.stems if has_word(earlier, stem)]


def has_word(sentence: Sentence, stem: str) -> bool:
    """Say whether a sentence has a word of this stem."""
    return any(is_same_word(stem, one) for one in sentence.stems)


def list_conflicts(earlier: Sentence, later: Sentence) -> list[str]:
    """Return the measures of which the two sentences have different values."""
    units = sorted(earlier.values.keys() & later.values.keys() - {""})
    return [unit for unit in units if unit in _MEASURES and not earlier.values[unit] & later.values[unit]]


def _list_lost(earlier: Sentence, later: Sentence, shared: Sequence[str]) -> Iterator[str]:
    """Yield what the later sentence gives up and the earlier one holds, with all words of the phrase ("큰형 집 말고")."""
    for stem in shared:
        if stem[0] >= "가" and len(stem) < _SHORTEST_HANGUL:
            continue
        if is_given_up(stem, later.text) and not is_given_up(stem, earlier.text):
            before = later.word_before(stem)
            is_whole = before is None or not before.is_bare or has_word(earlier, before.stem)
            after = later.word_after(stem)
            if after is not None and after.stem[0].isdigit() and not has_word(earlier, after.stem):
                continue  # "from port 2222" gives up a port, but not that of the earlier sentence
            if is_whole and (not stem.isdigit() or _is_of_one_measure(stem, earlier, later)):
                yield stem


def _is_of_one_measure(number: str, earlier: Sentence, later: Sentence) -> bool:
    """Say whether two sentences count the same with a number: 8천 걸음 is not 8천 원."""
    return any(number in values and number in later.values.get(unit, ()) for unit, values in earlier.values.items())


def list_differing(earlier: Sentence, later: Sentence, lost: Sequence[str]) -> Iterator[str]:
    """Yield the words by which two sentences are about different things.

    A word of the later one's own in what it is about is one: the subject of "CPU 경보 80 말고 95로" is not that of "메모리 경보는 80".
    So is a name or possessor of each that the other lacks.
    """
    first_lost = min((later.place_of(stem) for stem in lost), default=None)
    for word in later.words:
        if has_word(earlier, word.stem):
            continue
        if word.stem[0].isdigit():
            # A number in what the later one is about names another thing: 1층, 2층; Heat 3, 4.
            if _names_a_thing(word, later, lost):
                yield word.stem
            continue
        is_before = first_lost is not None and word.is_bare and later.place_of(word.stem) < first_lost
        if word.place == TOPIC or word.is_possessor or is_before:
            yield word.stem
    for word in earlier.words:
        if word.is_possessor and not has_word(later, word.stem) and word.stem not in lost:
            yield word.stem


def _names_a_thing(word: Word, sentence: Sentence, lost: Sequence[str]) -> bool:
    first_lost = min((sentence.place_of(stem) for stem in lost), default=0)
    return word.place == TOPIC or sentence.place_of(word.stem) < first_lost


def list_topics(sentence: Sentence) -> list[Word]:
    """Return the words of what a sentence is about."""
    return [word for word in sentence.words if word.place == TOPIC]
