"""Figures: how well scores part two classes, and how early a right passage comes."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike


def auc(right: ArrayLike, wrong: ArrayLike) -> float:
    """Return the chance that a right one scores above a wrong one; ties count half."""
    above, ordered = np.asarray(right, float), np.sort(np.asarray(wrong, float))
    if not len(above) or not len(ordered):
        return float("nan")
    below = np.searchsorted(ordered, above, "left") + np.searchsorted(ordered, above, "right")
    return round(float(below.mean() / 2 / len(ordered)), 4)


def recall_at_precision(
    scores: ArrayLike, right: ArrayLike, precision: float
) -> tuple[float, float]:
    """Return the greatest recall whose precision is as high, and the score to cut at.

    At least ten are said, or the recall is 0: the first few prove nothing.
    """
    numbers, is_right = np.asarray(scores, float), np.asarray(right, bool)
    order = np.argsort(-numbers, kind="stable")
    hits = np.cumsum(is_right[order])
    said = np.arange(1, len(order) + 1)
    # a cut cannot part equal scores
    ends = np.append(np.diff(numbers[order]) != 0, True) if len(order) else np.zeros(0, bool)
    good = np.flatnonzero(ends & (hits >= precision * said) & (said >= 10))
    if not len(good):
        return 0.0, float("inf")
    best = good[-1]
    return round(float(hits[best] / max(1, is_right.sum())), 4), float(numbers[order[best]])


def find_ranks(similarity: np.ndarray, gold: Sequence[Sequence[int]]) -> np.ndarray:
    """Return the rank, from 0, of the first right column of each row; ties count against it."""
    best = np.array([row[list(right)].max() for row, right in zip(similarity, gold, strict=True)])
    return np.asarray((similarity >= best[:, None]).sum(1) - 1)


def share_within(ranks: np.ndarray, *depths: int) -> dict[str, float]:
    """Return `R@k` for each depth, and how many ranks there are."""
    found = {f"R@{depth}": round(float((ranks < depth).mean()), 4) for depth in depths}
    return {**found, "n": len(ranks)}


def leads(similarity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the best similarity of each row, and its lead over the mean of the next five."""
    top = -np.sort(-similarity, axis=1)[:, :6]
    return top[:, 0], top[:, 0] - top[:, 1:].mean(1)


def precision_recall(hits: int, said: int, wanted: int) -> dict[str, float]:
    """Return precision and recall with their counts."""
    return {
        "precision": round(hits / max(1, said), 4),
        "recall": round(hits / max(1, wanted), 4),
        "said": said,
        "wanted": wanted,
    }
