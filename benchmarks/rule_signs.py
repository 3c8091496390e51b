"""Fit what each sign of a tool's use counts beside the reader, and show what each cut asks about.

    python benchmarks/rule_signs.py [--models FOLDER] [--hands b1,b2,…] [--shown]

The reader was fitted to the uses of the hands b1 to b8, and is surer of them than of other
people's: its log-odds are fitted with as much noise as brings it down to its AUROC by authors kept
out (.85). Weights are of all hands; the curve is of each hand by weights of the other hands, and
with `--shown` by the weights that are shipped, without noise.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gieok.models.local.reader import LocalReader
from gieok.text.gates.signs import READER_WEIGHT, WEIGHTS, UseSigns, measure_log_odds
from said_rules import build_held_uses, iter_messages

_HANDS = "b1,b2,b3,b4,b5,b6,b7,b8"
_SEED = 0
#: Standard deviation that brings the AUROC on these hands from .91 to .85.
_NOISE = 1.6
_RIDGE = 2.0
_STEPS = 30
_SHARES = (0.01, 0.02, 0.03, 0.04, 0.06)
#: A score above all others.
_SURE = 1e6


class Sample(NamedTuple):
    """Uses of some hands: numbers of their hands, what each says, and whether it is forbidden.

    `sure`: the grammar decides, and asks; `lost`: no rule is held against the use.
    """

    hands: np.ndarray
    signs: np.ndarray
    odds: np.ndarray
    breaks: np.ndarray
    sure: np.ndarray
    lost: np.ndarray


def read_sample(hands: Sequence[str], reader: LocalReader) -> Sample:
    """Return the uses of some hands."""
    rows = []
    nothing = (0.0,) * len(UseSigns._fields)
    for number, hand in enumerate(hands):
        for message in iter_messages(hand):
            for held in build_held_uses(message, reader):
                signs = nothing if held.signs is None else held.signs
                odds = measure_log_odds(held.chance)
                lost = held.signs is None and not held.is_sure
                rows.append((number, signs, odds, held.breaks, held.is_sure, lost))
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    return Sample(*columns)


def fit_weights(signs: np.ndarray, odds: np.ndarray, breaks: np.ndarray) -> np.ndarray:
    """Return the weights of a logistic regression: of each sign, and of the reader's log-odds."""
    given = np.c_[signs, odds]
    weights = np.zeros(given.shape[1])
    for _ in range(_STEPS):
        chances = 1 / (1 + np.exp(-given @ weights))
        slope = given.T @ (chances - breaks) + _RIDGE * weights
        spread = (given * (chances * (1 - chances))[:, None]).T @ given
        weights -= np.linalg.solve(spread + _RIDGE * np.eye(len(weights)), slope)
    return weights


def show_curve(name: str, sample: Sample, scores: np.ndarray) -> None:
    """Print the share of forbidden uses that are asked about at shares of near ones, with cuts."""
    scores = np.where(sample.sure, _SURE, np.where(sample.lost, -_SURE, scores))
    near = np.sort(scores[~sample.breaks])[::-1]
    parts = []
    for share in _SHARES:
        cut = max(near[int(share * len(near))], -_SURE / 2)
        asked = (scores[sample.breaks] > cut).mean()
        parts.append(f"{asked:.3f} at {share} (cut {1 / (1 + np.exp(-cut)):.2f})")
    print(name, "; ".join(parts))


def main() -> None:
    """Print weights and curves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, default=Path.home() / ".gieok/models")
    parser.add_argument("--hands", default=_HANDS)
    parser.add_argument("--shown", action="store_true", help="only the weights that are shipped")
    options = parser.parse_args()
    hands = options.hands.split(",")
    sample = read_sample(hands, LocalReader(options.models))
    shipped = np.array([*WEIGHTS, READER_WEIGHT])
    by_words = sample.signs[:, UseSigns._fields.index("by_words")]
    noise = 0 if options.shown else _NOISE
    odds = sample.odds + noise * np.random.default_rng(_SEED).standard_normal(len(sample.odds))
    show_curve("words, then the reader:", sample, np.where(by_words > 0, _SURE, odds))
    if options.shown:
        show_curve("weighed:", sample, np.c_[sample.signs, odds] @ shipped)
        return
    held = ~sample.sure & ~sample.lost
    scores = np.zeros(len(odds))
    for number in range(len(hands)):
        others = held & (sample.hands != number)
        weights = fit_weights(sample.signs[others], odds[others], sample.breaks[others])
        own = sample.hands == number
        scores[own] = (np.c_[sample.signs, odds] @ weights)[own]
    show_curve("weighed:", sample, scores)
    weights = fit_weights(sample.signs[held], odds[held], sample.breaks[held])
    for name, weight in zip((*UseSigns._fields, "reader"), weights, strict=True):
        print(f"{name} {weight:.2f}")


if __name__ == "__main__":
    main()
