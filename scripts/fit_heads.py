"""Fits the heads that judge a turn (`gieok.ranking.learned.heads`): is it about the user, is it
worth keeping.

    python scripts/fit_heads.py [--check] [--models FOLDER]

`training/data/turns.tsv`: turns written for this, and what each states: something about the
`user` that holds everywhere, something about a `project`, or `none` (requests, questions,
suppositions, irony, quotations, code, chat). People say a fact in
passing: turns put together of a fact and what else is said join them, at half of the weight. One
more head judges the worth of one sentence by the features alone, `words`, for where the reader
cannot run; it sees each as it is typed and as it is written, `I prefer tabs.`. What the observer
makes of two turns is there in its form: `question? – answer`, `proposal (agreed)`. `--check` shows
precision and recall over five folds.
"""

import argparse
import random
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gieok.models.local.runtime import E5Embedder
from gieok.ranking.learned.features import features_of
from gieok.ranking.learned.weights import LearnedWeights, encoded
from gieok.text.embedform import text_to_embed

_TURNS = Path(__file__).parents[1] / "training/data/turns.tsv"
_OUT = Path(__file__).parents[1] / "src/gieok/ranking/learned/heads.weights"
_KINDS = ("user", "project", "none")
#: What each head says yes to.
_HEADS = {"about_user": ("user",), "worth": ("user", "project")}
_PUT_TOGETHER, _SHARE_OF_TOGETHER = 1200, 0.5
_PENALTY_VECTOR, _PENALTY_FEATURES = 1e-4, 3e-4
_FOLDS, _NEWTON_STEPS = 5, 25

Matrix = NDArray[np.float64]


class Turn(NamedTuple):
    """What is said, what it states, the turn of the file that states it, and how much it counts."""

    text: str
    kind: str
    origin: str
    weight: float


def turns() -> list[Turn]:
    rows = [line.split("\t", 1) for line in _TURNS.read_text(encoding="utf-8").splitlines()]
    alone = [Turn(text, kind, text, 1.0) for kind, text in rows]
    return (
        alone
        + together(alone, random.Random(0))
        + [t for turn in alone if (t := written(turn)).text != turn.text]
    )


def written(turn: Turn) -> Turn:
    """Return a sentence with a capital and a full stop; it counts for heads of sentences alone."""
    text = turn.text[0].upper() + turn.text[1:]
    return Turn(text if text[-1] in "?.!)" else f"{text}.", turn.kind, turn.text, 0.0)


def together(alone: Sequence[Turn], chance: random.Random) -> list[Turn]:
    """Return turns of two to four sentences, of which one decides what they state."""
    made = []
    for i in range(_PUT_TOGETHER):
        kind = _KINDS[i % len(_KINDS)]
        stated = chance.choice([turn for turn in alone if turn.kind == kind])
        beside = {"none", "project"} if kind == "user" and chance.random() < 0.3 else {"none"}
        rest = [
            t.text
            for t in alone
            if t.kind in beside and is_korean(t.text) == is_korean(stated.text)
        ]
        parts = [stated.text, *chance.sample(rest, chance.choice((1, 1, 2, 3)))]
        chance.shuffle(parts)
        text = chance.choice((" ", ". ", ", ")).join(parts)
        made.append(Turn(text, kind, stated.text, _SHARE_OF_TOGETHER))
    return made


def is_korean(text: str) -> bool:
    return re.search("[가-힣]", text) is not None


def logistic(z: Matrix) -> Matrix:
    return 1 / (1 + np.exp(-np.clip(z, -30, 30)))


def fitted(
    inputs: Matrix,
    wanted: Matrix,
    weights: Matrix,
    vector_size: int,
    vector_penalty: float = _PENALTY_VECTOR,
) -> Matrix:
    """Return the weights of a logistic model, its bias last, by Newton's method."""
    with_bias = np.hstack([inputs, np.ones((len(inputs), 1))])
    features = inputs.shape[1] - vector_size
    penalty = np.r_[
        np.full(vector_size, vector_penalty), np.full(features, _PENALTY_FEATURES), 1e-9
    ]
    shares, found = weights / weights.sum(), np.zeros(with_bias.shape[1])
    for _ in range(_NEWTON_STEPS):
        likely = logistic(with_bias @ found)
        curve = (
            with_bias * (shares * likely * (1 - likely) + 1e-9)[:, None]
        ).T @ with_bias + np.diag(penalty)
        found -= np.linalg.solve(
            curve, with_bias.T @ (shares * (likely - wanted)) + penalty * found
        )
    return found


def checked(
    name: str, said: Sequence[Turn], inputs: Matrix, wanted: Matrix, weights: Matrix, size: int
) -> None:
    """Print precision and recall of turns that the fit did not see, alone and put together with
    others.
    """
    fold = np.array([zlib.crc32(turn.origin.encode()) % _FOLDS for turn in said])
    likely = np.zeros(len(said))
    for k in range(_FOLDS):
        found = fitted(inputs[fold != k], wanted[fold != k], weights[fold != k], size)
        likely[fold == k] = logistic(inputs[fold == k] @ found[:-1] + found[-1])
    for what, mine in (("alone", weights == 1), ("in passing", (weights > 0) & (weights < 1))):
        for cut in (0.5, 0.8):
            yes, right = likely[mine] >= cut, wanted[mine] == 1
            hit = (yes & right).sum()
            print(
                f"{name}, {what}, ≥ {cut}: precision {hit / yes.sum():.3f} recall "
                f"{hit / right.sum():.3f}"
            )


def sentence_weights(weights: Matrix) -> Matrix:
    """Return what turns count for heads of sentences: those put together nothing, those with a full
    stop half.
    """
    return np.where(weights == 1, 1.0, np.where(weights == 0, 0.5, 0.0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=Path, default=Path.home() / ".gieok/models")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    embedder, said = E5Embedder(given.models), turns()
    vectors = embedder.embed_passages([text_to_embed(f"User: {turn.text}") for turn in said])
    inputs = np.array(
        [
            [*np.frombuffer(v, "<f4"), *features_of(t.text)]
            for v, t in zip(vectors, said, strict=True)
        ]
    )
    weights, size = np.array([turn.weight for turn in said]), embedder.dimension
    matrices, numbers = dict[str, list[tuple[float, ...]]](), dict[str, float]()
    for name, kinds in _HEADS.items():
        wanted = np.array([float(turn.kind in kinds) for turn in said])
        if given.check:
            checked(name, said, inputs, wanted, weights, size)
        found = tuple(fitted(inputs, wanted, weights, size).tolist())
        matrices |= {f"{name}.vector": [found[:size]], f"{name}.features": [found[size:-1]]}
        numbers[name] = found[-1]
    sentences, wanted = (
        sentence_weights(weights),
        np.array([float(turn.kind != "none") for turn in said]),
    )
    words = tuple(fitted(inputs[:, size:], wanted, sentences, 0).tolist())
    matrices["words.features"] = [words[:-1]]
    numbers["words"] = words[-1]
    if not given.check:
        _OUT.write_bytes(encoded(LearnedWeights(embedder.model, matrices, numbers)))
        print(f"{_OUT}: {_OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
