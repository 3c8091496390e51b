"""How sure recall is: never surer with less, and the floors follow the corpus."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gieok.capabilities.prompt.levels import HIGH, LOW, MEDIUM, floors, level

_SHARE = st.floats(0, 1)
_RANKS = {LOW: 0, MEDIUM: 1, HIGH: 2}


def test_the_floors_grow_with_the_corpus_and_stay_in_order() -> None:
    seen = [floors(passages) for passages in (0, 1, 2, 10, 100, 10_000, 1_000_000)]
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(seen))
    assert seen[-1] > seen[0]
    assert all(0 < least < certain < 1 for least, certain in seen)
    assert floors(0) == floors(1)


def test_a_floor_of_the_users_own_is_the_same_for_every_corpus_and_0_turns_it_off() -> None:
    assert floors(10, 0.0) == floors(1_000_000, 0.0) == (0.0, 0.0)
    assert floors(10, 0.5) == floors(1_000_000, 0.5)
    assert floors(10, 0.5)[1] == 0.5
    assert level(0.001, 0.75, floors(10, 0.0), 0.75, 0.4) == HIGH


@pytest.mark.parametrize(
    ("coverage", "ratio", "expected"),
    [
        (0.5, 1.0, HIGH), (0.5, 0.75, HIGH), (0.4, 0.75, HIGH),
        (0.5, 0.74, MEDIUM), (0.5, 0.4, MEDIUM), (0.39, 1.0, MEDIUM), (0.3, 0.4, MEDIUM),
        (0.5, 0.39, LOW), (0.29, 1.0, LOW), (0.0, 0.0, LOW),
    ],
)  # fmt: skip
def test_the_thresholds_are_inclusive(coverage: float, ratio: float, expected: str) -> None:
    assert level(coverage, ratio, (0.3, 0.4), 0.75, 0.4) == expected


@given(_SHARE, _SHARE, _SHARE, _SHARE, st.tuples(_SHARE, _SHARE).map(sorted), _SHARE, _SHARE)
@settings(derandomize=True, deadline=None, max_examples=300)
def test_more_coverage_or_a_better_ratio_never_lowers_the_level(
    coverage: float, more: float, ratio: float, better: float, both: list[float], high: float, medium: float
) -> None:
    low = level(min(coverage, more), min(ratio, better), (both[0], both[1]), high, medium)
    top = level(max(coverage, more), max(ratio, better), (both[0], both[1]), high, medium)
    assert _RANKS[low] <= _RANKS[top]
