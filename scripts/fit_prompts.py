"""Fits the head that judges a prompt (`gieok.ranking.learned.prompts`): may what was told before
bear on it.

    python scripts/fit_prompts.py [--models FOLDER]

`scripts/learned/prompts.tsv`: prompts written for this, labelled `memory` (what we decided, who,
when; tasks that rules govern) or `none` (general knowledge, work on the code at hand); the
questions of `pairs.tsv` ask for what was told, too. Both kinds count the same in sum. A logistic
regression on the vector of the prompt as a question; shows the area under the curve over five
folds.
"""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gieok.models.local.runtime import E5Embedder
from gieok.ranking.learned.weights import LearnedWeights, encoded

_LEARNED = Path(__file__).parent / "learned"
_OUT = Path(__file__).parents[1] / "src/gieok/ranking/learned/prompts.weights"
_PENALTY, _STEPS, _RATE, _FOLDS = 1e-3, 3_000, 10.0, 5

Matrix = NDArray[np.float64]


def fitted(vectors: Matrix, labels: Matrix) -> tuple[Matrix, float]:
    """Return weights and bias, by gradient descent on centred vectors."""
    centre = vectors.mean(0)
    centred, weights, bias = vectors - centre, np.zeros(vectors.shape[1]), 0.0
    shares = np.where(labels == 1, 0.5 / labels.sum(), 0.5 / (1 - labels).sum())
    for _ in range(_STEPS):
        wrong = shares * (1 / (1 + np.exp(-(centred @ weights + bias))) - labels)
        weights -= _RATE * (centred.T @ wrong + _PENALTY * weights)
        bias -= _RATE / 20 * float(wrong.sum())
    return weights, bias - float(centre @ weights)


def area(scores: Matrix, labels: Matrix) -> float:
    """Return the probability that a prompt of memory scores above another one."""
    return float((scores[labels == 1][:, None] > scores[labels == 0][None]).mean())


def prompts() -> list[tuple[str, str]]:
    """Return label and text of each."""
    rows = (
        line.split("\t", 1)
        for line in (_LEARNED / "prompts.tsv").read_text(encoding="utf-8").splitlines()
    )
    pairs = (
        line.split("\t")[1:]
        for line in (_LEARNED / "pairs.tsv").read_text(encoding="utf-8").splitlines()
    )
    return [(kind, text) for kind, text in rows] + [
        ("memory", text) for asked in pairs for text in asked if text
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=Path, default=Path(__file__).parents[1] / ".cache/models")
    embedder = E5Embedder(parser.parse_args().models, threads=1)
    rows = prompts()
    vectors = np.stack(
        [np.frombuffer(bytes(embedder.embed_query(text)), "<f4") for _, text in rows]
    ).astype(np.float64)
    labels = np.array([float(kind == "memory") for kind, _ in rows])
    order = np.random.default_rng(0).permutation(len(rows))
    held_out = np.zeros(len(rows))
    for fold in range(_FOLDS):
        test = order[fold::_FOLDS]
        train = np.setdiff1d(order, test)
        weights, bias = fitted(vectors[train], labels[train])
        held_out[test] = vectors[test] @ weights + bias
    print(
        f"{len(rows)} prompts, area under the curve over {_FOLDS} folds: "
        f"{area(held_out, labels):.3f}"
    )
    weights, bias = fitted(vectors, labels)
    found = LearnedWeights(embedder.model, {"vector": [tuple(weights)]}, {"bias": bias})
    _OUT.write_bytes(encoded(found))


if __name__ == "__main__":
    main()
