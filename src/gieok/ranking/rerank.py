"""Final order of hits by a reranker, a model that reads question and hit together.

Only where the user has set one.
"""

from collections.abc import Sequence
from typing import NamedTuple

from gieok.errors import RerankerFailed
from gieok.ports.models import Reranker
from gieok.ranking.calibration import Calibrations


class Reranking(NamedTuple):
    """Reranker, how many hits it reads, and how far its scores are known to be right."""

    reranker: Reranker
    candidates: int
    calibrations: Calibrations


class RerankedPlace(NamedTuple):
    """Former place of a candidate, its probability now, and the reranker's score.

    The score is None where the reranker did not read the candidate.
    """

    at: int
    score: float
    said: float | None = None


def rerank_texts(
    question: str, texts: Sequence[str], scores: Sequence[float], by: Reranking | None
) -> tuple[list[RerankedPlace], str | None]:
    """Return candidates in the order of the reranker, and why the reranker took no part.

    Candidates are given best first. A calibrated score is the probability. A score without
    calibration decides the order alone: the new best candidate takes the probability of the old
    best.
    """
    as_they_are = [RerankedPlace(i, score) for i, score in enumerate(scores)]
    if by is None or not texts:
        return as_they_are, None
    count = min(by.candidates, len(texts))
    try:
        new_scores = by.reranker.scores(question, texts[:count])
    except RerankerFailed as failure:
        return as_they_are, f"not reranked: {failure} ({failure.hint})"
    known = by.calibrations.get(by.reranker.model)
    order = sorted(range(count), key=lambda i: (-new_scores[i], i))
    probabilities = (
        [known.score(new_scores[i]) for i in order]
        if known
        else sorted(scores[:count], reverse=True)
    )
    read = [
        RerankedPlace(i, score, new_scores[i])
        for i, score in zip(order, probabilities, strict=True)
    ]
    # Candidates that the reranker did not read stay below those that it read.
    return read + [
        RerankedPlace(place.at, min(place.score, probabilities[-1]))
        for place in as_they_are[count:]
    ], None
