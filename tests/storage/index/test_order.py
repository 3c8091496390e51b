"""Ranked lists from scores, and the crowding of their vectors."""

import numpy as np
import pytest

from gieok.storage.index.hubs import crowding
from gieok.storage.index.order import best


def _unit_rows(*degrees: float) -> np.ndarray:
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_rows_are_crowded_by_their_nearest_others() -> None:
    assert crowding(_unit_rows()).tolist() == []
    assert crowding(_unit_rows(30)).tolist() == [0]
    assert crowding(_unit_rows(0, 60)).tolist() == pytest.approx([0.5, 0.5])
    # Of eleven others the ten nearest count: the one that points the other way does not.
    assert crowding(_unit_rows(*[0] * 11, 180))[0] == pytest.approx(1)
    assert crowding(_unit_rows(*[0] * 10, 180))[0] == pytest.approx(0.8)


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 9, 100])
def test_the_highest_scores_come_first_and_equal_ones_by_slot(limit: int) -> None:
    scores = np.array([0.5, 0.9, 0.5, 0.1, 0.9000001, 0.5, 0.3, 0.2, 0.2])
    slots = np.arange(len(scores))[::-1].copy()
    assert best(scores, slots, limit).tolist() == [4, 1, 5, 2, 0, 6, 8, 7, 3][:limit]
