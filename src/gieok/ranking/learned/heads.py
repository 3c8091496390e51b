"""Linear heads that judge a turn or a sentence: is it about the user, is it worth keeping.

A head reads the vector of a text and its readable features. `scripts/fit_heads.py` fits the heads
on sentences written and labelled for this (`training/data/turns.tsv`).
"""

from array import array
from collections.abc import Sequence
from functools import lru_cache
from math import exp
from operator import mul
from typing import NamedTuple

from gieok.ranking.learned.features import features_of
from gieok.ranking.learned.weights import learned


class Head(NamedTuple):
    """Logistic model: weights of the vector, weights of the features, and a bias."""

    vector: Sequence[float]
    features: Sequence[float]
    bias: float

    def probability(self, vector: Sequence[float], features: Sequence[float]) -> float:
        """Return the probability, 0–1."""
        sum_ = (
            self.bias + sum(map(mul, self.vector, vector)) + sum(map(mul, self.features, features))
        )
        return 1 / (1 + exp(-max(-30.0, min(30.0, sum_))))


def about_user(text: str, vector: bytes, model: str) -> float:
    """Return the probability that a user's turn states a lasting fact about the person.

    Such facts hold in every project: name, preferences, habits, health, devices, working hours, and
    how the person wants to be answered. `text` is the turn without a label; `vector` is that of the
    passage that holds the turn, by the embedding model `model`. The probability is 0 for a model
    that the heads were not fitted on.
    """
    return _judge_by_head("about_user", text, vector, model)


def judge_turn_worth(text: str, vector: bytes, model: str) -> float:
    """Return the probability that a turn states a fact, decision, preference, rule or plan.

    Arguments as in `about_user`.
    """
    return _judge_by_head("worth", text, vector, model)


def worth_by_words(text: str) -> float:
    """Return the probability that a sentence states something worth keeping, by readable features.

    For where the reader cannot run.
    """
    return _load_heads()[1]["words"].probability((), features_of(text))


def _judge_by_head(name: str, text: str, vector: bytes, model: str) -> float:
    fitted_on, heads = _load_heads()
    return (
        heads[name].probability(array("f", vector), features_of(text))
        if model == fitted_on
        else 0.0
    )


@lru_cache(1)
def _load_heads() -> tuple[str, dict[str, Head]]:
    weights = learned("heads")
    heads = {
        name: Head(
            weights.matrices[f"{name}.vector"][0],
            weights.matrices[f"{name}.features"][0],
            weights.numbers[name],
        )
        for name in ("about_user", "worth")
    }
    heads["words"] = Head((), weights.matrices["words.features"][0], weights.numbers["words"])
    return weights.model, heads
