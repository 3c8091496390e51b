"""The last word of a model that reads question and hit together, where the user has one."""

from collections.abc import Sequence
from typing import NamedTuple

from gieok.errors import RerankerFailed
from gieok.ports.models import Reranker
from gieok.ranking.calibration import Calibrations


class Reranking(NamedTuple):
    """A reranker, how many hits it reads, and how far its scores are known to be right."""

    reranker: Reranker
    candidates: int
    calibrations: Calibrations


class RerankedPlace(NamedTuple):
    """Where a candidate stood, its probability now, and the score of the reranker; None where it
    was not read.
    """

    at: int
    score: float
    said: float | None = None


def rerank_texts(
    question: str, texts: Sequence[str], scores: Sequence[float], by: Reranking | None
) -> tuple[list[RerankedPlace], str | None]:
    """Return candidates, best first as they are given, in the order of the reranker, and why it did
    not take part.

    Calibrated, its score is the probability. Else it decides the order alone: the best keeps the
    probability that the best had.
    """
    as_they_are = [RerankedPlace(i, score) for i, score in enumerate(scores)]
    if by is None or not texts:
        return as_they_are, None
    count = min(by.candidates, len(texts))
    try:
        said = by.reranker.scores(question, texts[:count])
    except RerankerFailed as failure:
        return as_they_are, f"not reranked: {failure} ({failure.hint})"
    known = by.calibrations.get(by.reranker.model)
    order = sorted(range(count), key=lambda i: (-said[i], i))
    given = [known.score(said[i]) for i in order] if known else sorted(scores[:count], reverse=True)
    read = [RerankedPlace(i, score, said[i]) for i, score in zip(order, given, strict=True)]
    # What it did not read stays below what it read.
    return read + [
        RerankedPlace(one.at, min(one.score, given[-1])) for one in as_they_are[count:]
    ], None
