"""Figures that belong to a model: cosines brought to one scale, probabilities corrected by
outcomes.
"""

import random

import pytest

from gieok.ranking.calibration import (
    FITTED_ON,
    Calibration,
    Judged,
    apply_logistic,
    background,
    bound_log_odds,
    cosines,
    fitted,
    held_out,
    log_loss,
    measure_calibration_error,
)


def _overconfident(count: int = 400) -> list[Judged]:
    """Return outcomes where a score of log-odds x came true as often as x / 2 - 1 says."""
    dice = random.Random(3)
    told = [dice.uniform(-4, 4) for _ in range(count)]
    return [Judged(apply_logistic(x), dice.random() < apply_logistic(x / 2 - 1)) for x in told]


def test_a_fit_finds_what_makes_scores_true() -> None:
    slope, shift = fitted(_overconfident())
    assert slope == pytest.approx(0.5, abs=0.15)
    assert shift == pytest.approx(-1, abs=0.25)


def test_on_questions_that_it_was_not_fitted_on_a_fit_is_better_where_something_was_wrong() -> None:
    judged = _overconfident()
    assert measure_calibration_error(held_out(judged)) < measure_calibration_error(judged) / 2
    assert log_loss(held_out(judged)) < log_loss(judged)


def test_few_outcomes_change_little_and_the_order_is_never_turned_round() -> None:
    slope, shift = fitted([Judged(0.9, is_right=False)] * 2)
    assert slope > 0.6
    assert abs(shift) < 1.5
    slope, _ = fitted([Judged(0.99, is_right=False), Judged(0.01, is_right=True)] * 200)
    assert slope > 0


def test_without_figures_nothing_changes() -> None:
    assert Calibration().score(0.3) == 0.3
    assert Calibration().cosine(0.3) == 0.3
    assert cosines((0.5, 0.4), FITTED_ON, {}) == (0.5, 0.4)
    assert cosines((0.5, 0.4), "", {}) == (0.5, 0.4)


def test_cosines_of_a_known_model_come_to_the_scale_of_the_bundled_one() -> None:
    known = {"m": Calibration(centre=0.2, spread=0.1)}
    unrelated, near = cosines((0.2, 0.7), "m", known)
    assert unrelated == pytest.approx(0.286)
    assert near == pytest.approx(0.286 + 5 * 0.088)


def test_cosines_of_a_model_that_nobody_calibrated_count_by_how_far_they_stand_out() -> None:
    values = tuple(0.2 + n / 1000 for n in range(60))
    shifted = tuple(0.5 + n / 100 for n in range(60))
    assert cosines(values, "m", {}) == pytest.approx(cosines(shifted, "m", {}))
    assert max(cosines(values, "m", {})) < 0.8
    assert len(set(cosines((0.9, 0.1), "m", {}))) == 1, "too few to say"


def test_the_background_is_what_questions_and_any_passages_have_in_common() -> None:
    assert background([[1.0, 0.0]] * 5, [[0.6, 0.8]] * 5) == pytest.approx((0.6, 0.0))
    assert background([[1.0]], [[1.0]]) == (0.0, 0.0)


def test_certainty_has_finite_odds() -> None:
    assert bound_log_odds(1.0) == -bound_log_odds(0.0) == 12
    assert apply_logistic(bound_log_odds(0.3)) == pytest.approx(0.3)
