"""Ranking as arithmetic: fusion and diversity of scores, without input or output.

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

    `full` is the length at which a ranking is cut off. The sum beats reciprocal rank and min-max
    fusion on every set measured, because it keeps the distances between scores.
    """
    union = {passage for ranking in rankings for passage, _ in ranking.ranked}
    fused = dict.fromkeys(union, 0.0)
    for weight, ranking in zip(weights, rankings, strict=True):
        for passage, score in standard_scores(ranking, union, full).items():
            fused[passage] += weight * score
    return fused


def standard_scores(ranking: Ranking, union: Collection[PassageId], full: int) -> Scores:
    """Return z-scores of a ranking over a union of candidates.

    A candidate that a ranking of `full` length (cut off there) lacks gets the ranking's lowest
    score; one that a shorter ranking lacks gets the score of no match.
    """
    if not ranking.ranked:
        return dict.fromkeys(union, 0.0)
    known = dict(ranking.ranked)
    lowest = min(known.values())
    return likelihood.standardised(known, union, lowest if len(known) >= full else min(0.0, lowest))


def with_lines(near: Ranking, lines: Mapping[PassageId, float], share: float) -> Ranking:
    """Return a vector ranking with each passage's best line mixed into the score.

    The line's score has the weight `share`, the passage's own score the rest; a passage without a
    line keeps its score. The cosines stay as they are.
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

    The result is a weighted sum of the cosine and of x / (1 + x), x being the BM25 score. `full` is
    not used: profiles call every fusion with the same arguments.
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

    Each next passage is the best by relevance minus its likeness to the passages chosen before.
    `relevance` is in order, best first; `words` are the words of each passage. `trade` is the
    weight of relevance: 1 for relevance alone. Likeness is the share of words that two passages
    have in common (Jaccard), counted above `floor`. Source: Carbonell & Goldstein 1998.
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
