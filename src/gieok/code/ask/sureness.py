"""How likely an answer of `code query` is right: a probability, comparable between questions.

The order of answers is made by rules that are relative to the best one (`query`), so that it
says nothing of whether any is right. `training/sureness.py` fits the weights on the first three
answers to 52 questions about four projects (Python, JavaScript, Go, Rust; 20 questions in Korean)
and to 24 that none of them answers, with as much weight for right answers as for wrong ones. Left
out one project at a time, they tell 70 right answers from 299 wrong ones at an AUROC of .88 by
words, 69 from 375 at .92 with vectors; from .4 on are 58 and 61 of the right ones (in Korean 14 of
21, 16 of 22), and all answers are below for 73 of 78 and 94 of 96 questions that nothing answers.
Of the wrong answers above, most stand beside the right one. The cut was kept from an earlier fit.
"""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

from gieok.ranking.likelihood import LOW, apply_logistic, level

#: Below the first an answer is as good as none; from the second on it is sure.
_LEVELS = (0.4, 0.6)
#: Bias and weights, by words alone and with vectors; `training/sureness.py` makes them.
_WEIGHTS = Path(__file__).with_name("sureness.json")
#: A symbol that the question names, and nothing else.
_NAMED_ALONE = 0.99


class AnswerEvidence(NamedTuple):
    """What speaks for an answer, each part from 0 to 1.

    `words` is the share of the question's words, weighed by rarity, that the passage holds; `path`
    and `name` how many of them the file's path and the symbol's name have; `cosine` the nearness in
    meaning, None without vectors.
    """

    words: float
    path: float
    name: float
    is_named: bool
    cosine: float | None


def rate_sureness(evidence: AnswerEvidence) -> float:
    """Return the probability that an answer is right."""
    parts = [evidence.words, evidence.path, evidence.name, float(evidence.is_named)]
    if evidence.cosine is not None:
        parts.append(max(evidence.cosine, 0.0))
    base, *weights = _read_weights()["words" if evidence.cosine is None else "vectors"]
    return apply_logistic(base + sum(w * x for w, x in zip(weights, parts, strict=True)))


@cache
def _read_weights() -> dict[str, list[float]]:
    weights: dict[str, list[float]] = json.loads(_WEIGHTS.read_text(encoding="utf-8"))
    return weights


def rate_named(*, is_alone: bool) -> float:
    """Return the probability for a symbol that is named, but that no passage was found for."""
    return (
        _NAMED_ALONE
        if is_alone
        else rate_sureness(
            AnswerEvidence(words=0.0, path=0.0, name=1.0, is_named=True, cosine=None)
        )
    )


def name_level(sureness: float) -> str:
    """Return the level of a probability: high, medium or low."""
    return level(sureness, _LEVELS)


def is_as_good_as_none(sureness: float) -> bool:
    """Say whether an answer is so unsure that it is only the nearest there is."""
    return name_level(sureness) == LOW
