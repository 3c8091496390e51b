"""Ranking as arithmetic: fusion, diversity, confidence. Pure; scores in, scores out.

The figures behind each choice are in docs/retrieval.md; `benchmarks/retrieval.py` shows them again.
"""

from collections.abc import Collection, Mapping, Sequence

from gieok.model.memory import PassageId
from gieok.model.retrieval import Ranking
from gieok.ports.store import SCORE_DIGITS
from gieok.ranking import likelihood

Scores = dict[PassageId, float]


def standardised_sum(rankings: Sequence[Ranking], weights: Sequence[float], full: int) -> Scores:
    """Fuse rankings by a weighted sum of z-scores over the union of all candidates.

    Beats reciprocal rank and min-max fusion on every set measured, because it keeps the distances
    between scores.
    """
    union = {passage for ranking in rankings for passage, _ in ranking.ranked}
    fused = dict.fromkeys(union, 0.0)
    for weight, ranking in zip(weights, rankings, strict=True):
        for passage, score in standard_scores(ranking, union, full).items():
            fused[passage] += weight * score
    return fused


def standard_scores(ranking: Ranking, union: Collection[PassageId], full: int) -> Scores:
    """Return z-scores over a union of candidates.

    A candidate missing from a ranking of `full` length gets that ranking's lowest score; missing
    from a shorter ranking, it gets the score of no match.
    """
    if not ranking.ranked:
        return dict.fromkeys(union, 0.0)
    known = dict(ranking.ranked)
    lowest = min(known.values())
    return likelihood.standardised(known, union, lowest if len(known) >= full else min(0.0, lowest))


def with_lines(near: Ranking, lines: Mapping[PassageId, float], share: float) -> Ranking:
    """Return a ranking by vectors in which each passage's best line has a share of the score.

    The cosines stay as they are.
    """
    scores = {
        passage: (1 - share) * score + share * lines.get(passage, score)
        for passage, score in near.ranked
    }
    cosines = dict(zip((passage for passage, _ in near.ranked), near.cosines, strict=True))
    ranked = tuple(sorted(scores.items(), key=lambda one: (-round(one[1], SCORE_DIGITS), one[0])))
    return near._replace(ranked=ranked, cosines=tuple(cosines[passage] for passage, _ in ranked))


def openclaw_sum(rankings: Sequence[Ranking], weights: Sequence[float], full: int) -> Scores:
    """Fuse rankings as OpenClaw's memory-core does.

    A weighted sum of the cosine and x / (1 + x) of the BM25 score x.
    """
    del full
    fused: Scores = {}
    for weight, ranking in zip(weights, rankings, strict=True):
        for place, (passage, score) in enumerate(ranking.ranked):
            value = ranking.cosines[place] if ranking.cosines else score / (1 + score)
            fused[passage] = fused.get(passage, 0.0) + weight * value
    return fused


def diversify(
    relevance: Scores,
    words: Mapping[PassageId, frozenset[str]],
    trade: float,
    floor: float,
    count: int,
) -> list[PassageId]:
    """Return `count` passages by maximal marginal relevance.

    The next passage is each time the best by relevance minus likeness to those chosen before.
    `relevance` is in order, best first; `trade` is 1 for relevance alone. Likeness is the share of
    words that two passages have in common (Jaccard), counted above `floor`. Source: Carbonell &
    Goldstein 1998.
    """
    rest, chosen = list(relevance), list[PassageId]()
    if trade >= 1 or len(rest) < 2:
        return rest[:count]
    best, worst = relevance[rest[0]], relevance[rest[-1]]
    scaled = {p: (score - worst) / max(best - worst, 1e-9) for p, score in relevance.items()}
    likeness = dict.fromkeys(rest, 0.0)
    while rest and len(chosen) < count:
        first = max(rest, key=lambda p: trade * scaled[p] - (1 - trade) * likeness[p])
        rest.remove(first)
        chosen.append(first)
        for p in rest:
            shared = (jaccard(words[p], words[first]) - floor) / (1 - floor)
            likeness[p] = max(likeness[p], shared)
    return chosen


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Return |a ∩ b| / |a ∪ b|; 0 for two empty sets."""
    return len(a & b) / len(a | b) if a or b else 0.0
