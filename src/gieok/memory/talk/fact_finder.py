"""Finds which fact of a sentence a later sentence is about.

People tell several facts in one sentence (`statements.facts`), and a later one changes one of them.
The reader knows well that something changed, and badly what: of such sentences it holds each fact
for changed. So the fact is found by nearness: of 33 such changes by a hand that had not seen this,
the changed fact is the nearest in 27, and in 21 of the 23 where it is nearest by far.
"""

from array import array
from collections.abc import Sequence
from functools import partial
from operator import mul

from gieok.memory.talk.kept_answers import KeptAnswers
from gieok.memory.talk.statements.facts import find_joined_subjects, list_facts
from gieok.memory.talk.statements.relation import has_word, list_shared
from gieok.memory.talk.statements.statement import read_sentence, read_sentences
from gieok.ports.models import Embedder

#: How far the nearest fact is ahead of the next one by cosine, and by the number of shared words
#: where there are no vectors.
_LEAD, _WORDS_AHEAD = 0.03, 1


class FactFinder:
    """Finder of facts by vectors of an embedder; without one, by shared words."""

    def __init__(self, embedder: Embedder | None) -> None:
        #: Unit vectors of texts.
        self.vectors = KeptAnswers(partial(_embed_text, embedder) if embedder else None)

    def find(self, text: str, later: str) -> str | None:
        """Return the fact of a text that a later text is about; None where that is unsure.

        A text that tells one fact is that fact. Unsure is what a fact says of two subjects if the
        later text names one of them.
        """
        fact = self._find_whole(text, later)
        return None if fact is None or _names_one_subject(fact, later) else fact

    def _find_whole(self, text: str, later: str) -> str | None:
        facts = [
            sentence.text[start:end]
            for sentence in read_sentences(text)
            for start, end in list_facts(sentence.text)
        ]
        if len(facts) == 1:
            return text
        scores, lead = self._measure_cosines(facts, later), _LEAD
        if scores is None:
            scores, lead = _count_shared_words(facts, later), _WORDS_AHEAD
        first, second = sorted(scores, reverse=True)[:2]
        return facts[scores.index(first)] if first - second >= lead else None

    def _measure_cosines(self, facts: Sequence[str], later: str) -> list[float] | None:
        vectors = [self.vectors.find(text) for text in (*facts, later)]
        whole = [vector for vector in vectors if vector is not None]
        if len(whole) < len(vectors):
            return None
        return [sum(map(mul, vector, whole[-1])) for vector in whole[:-1]]


def _names_one_subject(fact: str, later: str) -> bool:
    joined = find_joined_subjects(fact)
    if joined is None:
        return False
    said = read_sentence(later)
    one, two = joined
    return bool(one and two) and has_word(said, one) != has_word(said, two)


def _embed_text(embedder: Embedder, text: str) -> "array[float]":
    return array("f", embedder.embed_passages([text])[0])


def _count_shared_words(facts: Sequence[str], later: str) -> list[float]:
    other = read_sentence(later)
    return [float(len(list_shared(read_sentence(fact), other))) for fact in facts]
