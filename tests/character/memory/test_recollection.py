"""Memories are ranked by likeness, age and importance."""

from datetime import UTC, datetime, timedelta

import pytest

from gieok.character.memory.recollection import (
    RecallWeights,
    _measure_similarities,
    _spread_cosines,
)
from gieok.model.retrieval import Ranking

_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("days", "recency"),
    [
        (-5, 1.0),
        (0, 1.0),
        (0.99999, 1.0),
        (1, 0.8),
        (6.99999, 0.8),
        (7, 0.5),
        (29.99999, 0.5),
        (30, 0.3),
        (89.99999, 0.3),
        (90, 0.1),
        (900, 0.1),
    ],
)
def test_recency_falls_by_steps_of_days(days: float, recency: float) -> None:
    assert RecallWeights().recency_of(_AT - timedelta(days=days), _AT) == recency


def test_a_score_weighs_similarity_recency_and_importance() -> None:
    weights = RecallWeights()
    parts = [weights.score(*parts) for parts in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    assert parts == [0.5, 0.3, 0.2]
    assert (weights.candidates, weights.limit) == (100, 5)


def test_cosines_are_spread_down_to_nothing() -> None:
    assert _spread_cosines({1: 0.9, 2: 0.6, 3: 0.75}) == {
        1: pytest.approx(0.9),
        2: 0.0,
        3: pytest.approx(0.45),
    }
    assert _spread_cosines({1: 0.9}) == {1: 0.0}
    assert _spread_cosines({}) == {}


def test_a_passage_is_as_similar_as_its_better_ranking_says() -> None:
    words = Ranking("keyword", ((1, 6.0), (2, 3.0), (4, 30.0)), ceiling=12.0)
    near = Ranking("vector", ((2, 0.0), (3, 0.0)), cosines=(0.8, 0.4))
    assert _measure_similarities(words, near) == pytest.approx({1: 0.5, 2: 0.8, 3: 0.0, 4: 1.0})
    bare = Ranking("keyword", ((1, 0.4), (2, 4.0)))
    assert _measure_similarities(bare, Ranking("vector", ())) == {1: 0.4, 2: 1.0}
