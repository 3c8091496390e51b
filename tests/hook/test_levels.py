"""How sure recall is: cuts of the probability."""

from itertools import pairwise

import pytest

from gieok.hook.levels import HIGH, LOW, MEDIUM, level, select_level_cuts
from gieok.ranking import likelihood

_RANKS = {LOW: 0, MEDIUM: 1, HIGH: 2}


def test_a_floor_of_the_users_own_moves_both_cuts_and_0_turns_them_off() -> None:
    assert select_level_cuts() == (likelihood.UNSURE, likelihood.SURE)
    assert select_level_cuts(0.0) == (0.0, 0.0)
    assert select_level_cuts(0.5)[0] < select_level_cuts(0.5)[1] == 0.5
    assert level(0.001, select_level_cuts(0.0)) == HIGH


@pytest.mark.parametrize(
    ("probability", "expected"),
    [(1.0, HIGH), (0.6, HIGH), (0.59, MEDIUM), (0.3, MEDIUM), (0.29, LOW), (0.0, LOW)],
)
def test_the_cuts_are_inclusive(probability: float, expected: str) -> None:
    assert level(probability, (0.3, 0.6)) == expected


def test_a_higher_probability_never_lowers_the_level() -> None:
    levels = [_RANKS[level(n / 100, select_level_cuts())] for n in range(101)]
    assert all(a <= b for a, b in pairwise(levels))
    assert [likelihood.level(n / 100) for n in range(101)] == [
        level(n / 100, select_level_cuts()) for n in range(101)
    ]
