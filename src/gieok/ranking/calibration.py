"""Calibration by model name, so that scores of different models are comparable.

The ranking's own figures (`ranking/learned`) are fitted on the bundled embedder. Cosines of another
model are mapped to the bundled embedder's scale, by the cosines of unrelated texts in both; then
the probability is corrected on questions of the user's own memory. The figures are plain numbers.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gieok.ranking.likelihood import apply_logistic

#: The embedder that `ranking/learned` was fitted on, and the cosines of its questions with passages
#: at random: 950 passages and 300 questions of the development sets.
FITTED_ON = "e5-small-koen-int8@2"
_CENTRE, _SPREAD = 0.286, 0.088
#: Cosines of the two hundred nearest in a scope of thousands: the scale for a model that nobody has
#: calibrated.
_NEAR_CENTRE, _NEAR_SPREAD = 0.391, 0.037
_NEUTRAL = 0.5
_LEAST_NEAR = 20
_LEAST_SPREAD = 1e-3
_MOST_ODDS = 12.0
#: Penalty that pulls a fit towards no correction, the slope more than the shift: few questions say
#: little of the slope.
_PRIOR_SLOPE, _PRIOR_SHIFT = 20.0, 1.0
_STEPS = 30
_SHORTEST_STEP = 1e-6
_LEAST_SLOPE = 0.05


class Calibration(NamedTuple):
    """The figures of one model. Defaults change nothing."""

    #: Cosine of unrelated texts: mean and deviation; 0: cosines stay as they are.
    centre: float = 0.0
    spread: float = 0.0
    #: The log-odds of a score become `slope` times themselves plus `shift`.
    slope: float = 1.0
    shift: float = 0.0
    #: Number of questions that the figures were fitted on.
    questions: int = 0

    def cosine(self, value: float) -> float:
        """Return a cosine on the scale of the bundled embedder."""
        if not self.spread:
            return value
        return _CENTRE + (value - self.centre) / max(self.spread, _LEAST_SPREAD) * _SPREAD

    def score(self, probability: float) -> float:
        """Return the corrected probability."""
        if (self.slope, self.shift) == (1.0, 0.0):
            return probability
        return apply_logistic(self.slope * bound_log_odds(probability) + self.shift)


#: Calibrations by model name.
Calibrations = Mapping[str, Calibration]
#: The release before, whose vectors answer while a store is made anew.
SHIPPED: Calibrations = {"e5-small-koen-int8@1": Calibration(centre=0.673, spread=0.035)}


def cosines(values: Sequence[float], model: str, known: Calibrations) -> tuple[float, ...]:
    """Return the cosines of a ranking on the scale of the bundled embedder.

    For a model without calibration, each cosine counts by how far it stands out from the others,
    which is safe: no score is high only because a model's cosines are.
    """
    figures = known.get(model) or SHIPPED.get(model)
    if figures is not None:
        return tuple(map(figures.cosine, values))
    if model in ("", FITTED_ON):
        return tuple(values)
    if len(values) < _LEAST_NEAR:
        return (_NEUTRAL,) * len(values)
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / len(values))
    return tuple(
        _NEAR_CENTRE + (v - mean) / max(deviation, _LEAST_SPREAD) * _NEAR_SPREAD for v in values
    )


def background(
    vectors: Sequence[Sequence[float]], questions: Sequence[Sequence[float]]
) -> tuple[float, float]:
    """Return mean and deviation of the cosines of questions with random passages.

    (0, 0) for too few.
    """
    samples = [
        math.fsum(a * b for a, b in zip(q, v, strict=True)) for q in questions for v in vectors
    ]
    if len(samples) < _LEAST_NEAR:
        return 0.0, 0.0
    mean = math.fsum(samples) / len(samples)
    return mean, math.sqrt(math.fsum((v - mean) ** 2 for v in samples) / len(samples))


class Judged(NamedTuple):
    """Probability that was given to a hit, and whether the hit answered."""

    score: float
    is_right: bool


def fitted(judged: Sequence[Judged]) -> tuple[float, float]:
    """Return slope and shift of the log-odds by maximum likelihood, pulled towards (1, 0)."""
    points = [(bound_log_odds(judgement.score), float(judgement.is_right)) for judgement in judged]
    slope, shift = _fit_slope_and_shift(points, 1.0, 0.0, free=True)
    # a score never falls where the evidence rises: the ranking's order stays
    if slope < _LEAST_SLOPE:
        slope, shift = _fit_slope_and_shift(points, _LEAST_SLOPE, 0.0, free=False)
    return slope, shift


def _fit_slope_and_shift(
    points: Sequence[tuple[float, float]], slope: float, shift: float, *, free: bool
) -> tuple[float, float]:
    """Return slope and shift by Newton's method, each step shortened until it improves the fit.

    The slope stays unless `free`.
    """
    for _ in range(_STEPS):
        by_slope, by_shift = _find_newton_step(points, slope, shift, free=free)
        now, share = _measure_surprise(points, slope, shift), 1.0
        while (
            share > _SHORTEST_STEP
            and _measure_surprise(points, slope - share * by_slope, shift - share * by_shift) > now
        ):
            share /= 2
        slope, shift = slope - share * by_slope, shift - share * by_shift
    return slope, shift


def _find_newton_step(
    points: Sequence[tuple[float, float]], slope: float, shift: float, *, free: bool
) -> tuple[float, float]:
    """Return the Newton step: the gradient divided by the curvature."""
    g0, g1 = _PRIOR_SLOPE * (slope - 1.0), _PRIOR_SHIFT * shift
    h00, h01, h11 = _PRIOR_SLOPE, 0.0, _PRIOR_SHIFT
    for x, right in points:
        p = apply_logistic(slope * x + shift)
        weight = p * (1 - p)
        g0, g1 = g0 + (p - right) * x, g1 + p - right
        h00, h01, h11 = h00 + weight * x * x, h01 + weight * x, h11 + weight
    if not free:
        return 0.0, g1 / h11
    determinant = h00 * h11 - h01 * h01
    return (h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant


def _measure_surprise(points: Sequence[tuple[float, float]], slope: float, shift: float) -> float:
    """Return the loss of the fit: surprise at the outcomes, plus the penalty for a correction."""
    pulled = _PRIOR_SLOPE / 2 * (slope - 1.0) ** 2 + _PRIOR_SHIFT / 2 * shift**2
    # log(1 + e^z), where z is the log-odds against what came true
    against = (-(slope * x + shift) if right else slope * x + shift for x, right in points)
    return pulled + math.fsum(max(z, 0.0) + math.log1p(math.exp(-abs(z))) for z in against)


def held_out(judged: Sequence[Judged], folds: int = 5) -> list[Judged]:
    """Return each judgement corrected by a fit on the other folds (cross-validation)."""
    corrected = []
    for fold in range(folds):
        slope, shift = fitted(
            [judgement for i, judgement in enumerate(judged) if i % folds != fold]
        )
        own = Calibration(slope=slope, shift=shift)
        corrected += [
            judgement._replace(score=own.score(judgement.score))
            for i, judgement in enumerate(judged)
            if i % folds == fold
        ]
    return corrected


def log_loss(judged: Sequence[Judged]) -> float:
    """Return the mean surprise, in nats: lower is better."""
    losses = [
        -log_sure(judgement.score if judgement.is_right else 1 - judgement.score)
        for judgement in judged
    ]
    return math.fsum(losses) / max(len(losses), 1)


def measure_calibration_error(judged: Sequence[Judged], bins: int = 10) -> float:
    """Return the expected calibration error over equal bins.

    The error is the distance between probabilities and the shares of right answers.
    """
    total = 0.0
    for b in range(bins):
        in_bin = [
            judgement
            for judgement in judged
            if b / bins <= judgement.score < (b + 1) / bins
            or (b == bins - 1 and judgement.score >= 1)
        ]
        if in_bin:
            mean_score = math.fsum(judgement.score for judgement in in_bin) / len(in_bin)
            total += len(in_bin) * abs(
                mean_score - sum(judgement.is_right for judgement in in_bin) / len(in_bin)
            )
    return total / max(len(judged), 1)


def log_sure(probability: float) -> float:
    """Return the logarithm of a probability; zero is replaced by a tiny value."""
    return math.log(max(probability, math.exp(-_MOST_ODDS)))


def bound_log_odds(probability: float) -> float:
    """Return log(p / (1 - p)), within ±12."""
    return max(-_MOST_ODDS, min(_MOST_ODDS, log_sure(probability) - log_sure(1 - probability)))
