"""Two judgements of a turn or a sentence, by linear heads on its vector and readable features:
about the user, worth keeping.

`scripts/fit_heads.py` fits them on sentences written and labelled for this
(`scripts/learned/turns.tsv`).
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
    """A logistic model: weights of the vector and of the features, and its bias."""

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
    """Return the probability that a user's turn states something about the person which holds in
    every project.

    Such are name, preferences, habits, health, devices, working hours, and how they want to be
    answered. `text` is what was said, without a label; `vector` is of the passage that holds it, by
    the embedding model `model` (0 for one that the heads were not fitted on).
    """
    return _judge_by_head("about_user", text, vector, model)


def judge_turn_worth(text: str, vector: bytes, model: str) -> float:
    """Return the probability that a turn states a fact, decision, preference, rule or plan;
    arguments as `about_user`.
    """
    return _judge_by_head("worth", text, vector, model)


def stated(text: str, vector: bytes, model: str) -> float:
    """Return the probability that one sentence states such a thing; arguments as `about_user`."""
    return _judge_by_head("stated", text, vector, model)


def worth_by_words(text: str) -> float:
    """Return the probability of `stated` by readable features alone: weaker, for where no such
    vector is.
    """
    return _load_heads()[1]["words"].probability((), features_of(text))


def find_heads_model() -> str:
    """Return the model whose vectors are judged."""
    return _load_heads()[0]


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
        for name in ("about_user", "worth", "stated")
    }
    heads["words"] = Head((), weights.matrices["words.features"][0], weights.numbers["words"])
    return weights.model, heads
