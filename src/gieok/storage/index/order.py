"""Scores and order of results, shared by every store that ranks in numpy."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gieok.model.memory import PassageId
from gieok.model.retrieval import NearLine, Ranking, VectorQuery
from gieok.ports.store import SCORE_DIGITS
from gieok.storage.index import hubs
from gieok.storage.index.quantise import unpack

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

#: Number of vectors that fit the processor's cache together.
BLOCK = 4096


def best(scores: Doubles | Floats, slots: Ints, limit: int) -> Ints:
    """Return the slots of the highest scores, best first.

    Scores equal to six digits are ordered by slot.
    """
    rounded = np.round(scores, SCORE_DIGITS)
    if 0 < 4 * limit < len(rounded):
        bound = np.partition(rounded, len(rounded) - limit)[len(rounded) - limit]
        candidates = np.flatnonzero(rounded >= bound)
    else:
        candidates = np.arange(len(rounded))
    return candidates[np.lexsort((slots[candidates], -rounded[candidates]))][:limit]


def dots(values: NDArray[np.int8], scales: Floats, query: Floats) -> Floats:
    """Return the cosine of every row with a unit query."""
    out = np.empty(len(values), np.float32)
    for start in range(0, len(values), BLOCK):
        block = slice(start, start + BLOCK)
        out[block] = values[block].astype(np.float32) @ query
    return out * scales


def rank_near(
    ids: Ints,
    values: NDArray[np.int8],
    scales: Floats,
    vector: bytes,
    hub_weight: float,
    limit: int,
) -> Ranking:
    """Rank candidates by cosine, cut, then rank again by cosine minus crowding.

    `ids` are in any order.
    """
    cosines = dots(values, scales, np.frombuffer(vector, "<f4"))
    top = best(cosines, ids, limit)
    ids, scores, cosines = ids[top], cosines[top], cosines[top]
    if hub_weight:
        scores = cosines - hub_weight * hubs.crowding(values[top] * scales[top, None])
    order = best(scores, ids, limit)
    return Ranking(
        "vector", pairs(ids[order], scores[order]), cosines=tuple(cosines[order].tolist())
    )


def near_lines(
    rows: Sequence[tuple[PassageId, int, int, bytes]],
    query: VectorQuery,
    passages: Sequence[PassageId],
    dimension: int,
) -> list[NearLine]:
    """Return the nearest line of each passage, in the order of `passages`.

    `rows` are (passage, start, end, packed vector).
    """
    if not rows:
        return []
    values, scales = unpack([row[3] for row in rows], dimension)
    cosines = dots(values, scales, np.frombuffer(query.vector, "<f4"))
    nearest: dict[PassageId, int] = {}
    starts = np.array([row[1] for row in rows], np.int64)
    for place in best(cosines, starts, len(rows)).tolist():
        nearest.setdefault(rows[place][0], place)
    shown = [nearest[passage] for passage in passages if passage in nearest]
    scores = cosines[shown]
    if query.hub_weight:
        scores = scores - query.hub_weight * hubs.crowding(values[shown] * scales[shown, None])
    return [
        NearLine(*rows[place][:3], cosine=float(cosines[place]), score=float(score))
        for place, score in zip(shown, scores, strict=True)
    ]


def pairs(ids: Ints, scores: Doubles | Floats) -> tuple[tuple[PassageId, float], ...]:
    """Return (id, score) of each id."""
    return tuple(zip(ids.tolist(), scores.tolist(), strict=True))
