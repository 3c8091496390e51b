"""How likely an answer of `code query` is right: a probability, comparable between questions.

The order of answers is made by rules that are relative to the best one (`query`), so that it
says nothing of whether any is right. The weights were fitted on the first answers to 86
questions about four Python projects (25 in Korean), and to questions that these and four more
do not answer, with as much weight for right answers as for wrong ones. Left out one project at
a time, they tell right first answers from wrong ones at an AUROC of .93 by words and .94 with
vectors: from .4 on are .85 and .86 of the 66 right ones, and .13 and .12 of those to what
stands nowhere; of the 20 right ones in Korean .80 and .70. The cut was chosen on the same
answers, and no other language was measured. The questions and answers were not kept. On the 80
questions in a developer's own words (`benchmarks/data/code`), about six projects in as many
languages, the score hardly tells right first answers from wrong ones (AUROC .54 by words, .55
with vectors); what stands nowhere it still tells.
"""

from collections.abc import Iterable
from typing import NamedTuple

from gieok.ranking.likelihood import LOW, apply_logistic, level

#: Below the first an answer is as good as none; from the second on it is sure.
_LEVELS = (0.4, 0.6)
#: A symbol that the question names, and nothing else.
_NAMED_ALONE = 0.99
#: A comment of open work, where that is asked for: about the rest of the question, or any.
_MARKER_ABOUT, _ANY_MARKER = 0.9, 0.3
#: A passage that holds all of the question as it stands: other passages may hold it, too.
_MOST_BY_PHRASE = 0.95
#: From this share of its words on, an answer has the message that a question quotes.
_MOSTLY = 0.6
#: A passage that holds less than this share of the question's words is at most the nearest there
#: is: words in its path and name may all be one word, or other meanings of a Korean one. "백그라운드
#: 데몬이 파일 변경을 감지하는 곳" gave `change_settings` .92, for *change* and *file* in its name.
_LEAST_WORDS = 0.1

#: An answer below this only fills the list: of 40 questions in a developer's own words none
#: lost its only right answer by it; at .05 one did.
_LEAST_CHANCE = 0.04


class AnswerEvidence(NamedTuple):
    """What speaks for an answer, each part from 0 to 1.

    `words` is the share of the question's words, weighed by rarity, that the passage holds; `path`
    and `name` how many of them the file's path and the symbol's name have; `cosine` the nearness in
    meaning, None without vectors; `phrase` the share of the words that stand in one line together.
    """

    words: float
    path: float
    name: float
    is_named: bool
    cosine: float | None
    phrase: float = 0.0

    @property
    def has_message(self) -> bool:
        """Say whether most of the question stands in the passage as a message does."""
        return self.phrase > _MOSTLY


def rate_sureness(evidence: AnswerEvidence, holders: int = 1) -> float:
    """Return the probability that an answer is right.

    A message that stands in the code as it was asked for is found, whatever else speaks for it. But
    one that several symbols (`holders`) hold was written by one of them, and its words, which all
    of them have, do not tell by which: they share the probability.
    """
    likely = max(_rate_by_words(evidence), min(evidence.phrase, _MOST_BY_PHRASE))
    return likely / max(holders, 1) if evidence.has_message and not evidence.is_named else likely


def is_any_likely(shares: Iterable[float], others: Iterable[float]) -> bool:
    """Say whether a list of answers holds a likely one.

    `shares` are the probabilities of answers that hold the message: they add up, because one of
    them is right where the message is found at all. `others` are those of all other answers.
    """
    return not all(map(is_as_good_as_none, (sum(shares), *others)))


def _rate_by_words(evidence: AnswerEvidence) -> float:
    by_words = evidence.words, evidence.path, evidence.name, float(evidence.is_named)
    if evidence.cosine is None:
        base, weights = -3.97, (3.92, 5.66, 7.32, 0.56)
    else:
        base, weights = -7.29 + 6.16 * max(evidence.cosine, 0.0), (3.84, 5.54, 5.82, 0.64)
    likely = apply_logistic(base + sum(w * x for w, x in zip(weights, by_words, strict=True)))
    if evidence.words < _LEAST_WORDS and not evidence.is_named:
        return min(likely, _LEVELS[0] - 0.01)
    return likely


def rate_named(*, is_alone: bool) -> float:
    """Return the probability for a symbol that is named, but that no passage was found for."""
    return (
        _NAMED_ALONE
        if is_alone
        else rate_sureness(
            AnswerEvidence(words=0.0, path=0.0, name=1.0, is_named=True, cosine=None)
        )
    )


def rate_marker(*, is_about: bool) -> float:
    """Return the probability for a comment of open work, where a question asks for that."""
    return _MARKER_ABOUT if is_about else _ANY_MARKER


def name_level(sureness: float) -> str:
    """Return the level of a probability: high, medium or low."""
    return level(sureness, _LEVELS)


def is_as_good_as_none(sureness: float) -> bool:
    """Say whether an answer is so unsure that it is only the nearest there is."""
    return name_level(sureness) == LOW


def has_chance(sureness: float) -> bool:
    """Say whether an answer is likely enough to be shown beside others."""
    return sureness >= _LEAST_CHANCE
