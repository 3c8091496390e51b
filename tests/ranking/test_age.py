"""What age leaves of a score: the same in a search and in the prompt hook."""

from datetime import UTC, datetime

import pytest

from gieok.ranking.age import FLOOR, age_factor

_DAY_S = 86_400.0


def test_what_fades_halves_with_each_half_life() -> None:
    left = [age_factor(days * _DAY_S, 30, floor=0.0) for days in (0, 30, 60)]
    assert left == pytest.approx([1.0, 0.5, 0.25])
    assert age_factor(30 * _DAY_S, 30) == pytest.approx(FLOOR + (1 - FLOOR) / 2)


def test_an_older_memory_never_keeps_more_and_never_less_than_the_floor() -> None:
    left = [age_factor(days * _DAY_S, 30) for days in range(0, 400, 7)]
    assert left == sorted(left, reverse=True)
    assert FLOOR <= age_factor(1e9 * _DAY_S, 30) < FLOOR + 0.0001


@pytest.mark.parametrize(
    ("age_s", "half_life_days"), [(None, 30), (-9 * _DAY_S, 30), (9 * _DAY_S, 0)]
)
def test_what_has_no_date_or_lies_ahead_or_has_no_half_life_keeps_all(
    age_s: float | None, half_life_days: float
) -> None:
    assert age_factor(age_s, half_life_days) == 1.0


def test_the_oldest_date_is_no_error() -> None:
    age_s = (datetime(2026, 11, 21, tzinfo=UTC) - datetime(1, 1, 1, tzinfo=UTC)).total_seconds()
    assert age_factor(age_s, 0.01, floor=0.0) == 0.0
