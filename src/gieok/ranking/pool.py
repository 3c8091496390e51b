"""Pools the rankings of several scopes into one.

So whether a passage stands out is measured against everything that was searched. A user's own scope
holds a few turns beside a project's memory. Ranked alone, one of three turns always stands out, and
none is crowded: among the prompts of told_dev that memory cannot help, the same line of a user's
three turns came with every third prompt.
"""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from gieok.model.memory import PassageId
from gieok.model.retrieval import Ranking
from gieok.ports.store import SCORE_DIGITS


def pool_rankings(of_scopes: Sequence[Sequence[Ranking]]) -> list[Ranking]:
    """Return one ranking per retriever, pooled over all scopes.

    A single scope keeps its own rankings.
    """
    if len(of_scopes) == 1:
        return list(of_scopes[0])
    by_name: dict[str, list[Ranking]] = {}
    for rankings in of_scopes:
        for ranking in rankings:
            by_name.setdefault(ranking.name, []).append(ranking)
    return [_join_rankings(rankings) for rankings in by_name.values()]


def _join_rankings(rankings: Sequence[Ranking]) -> Ranking:
    """Return one ranking with the passages of all rankings.

    A score is its share of the highest score that its scope could give.
    """
    cosines: dict[PassageId, float] = {}
    scores: dict[PassageId, float] = {}
    for ranking in _even_crowding(rankings):
        cosines.update(
            zip((passage for passage, _ in ranking.ranked), ranking.cosines, strict=False)
        )
        scores.update((passage, score / ranking.ceiling) for passage, score in ranking.ranked)
    ranked = sorted(scores.items(), key=lambda one: (-round(one[1], SCORE_DIGITS), one[0]))
    holding = Counter[str]()
    for ranking in rankings:
        holding.update(ranking.holding)  # adds the counts
    return Ranking(
        rankings[0].name,
        tuple(ranked),
        cosines=tuple(cosines[passage] for passage, _ in ranked) if cosines else (),
        passages=sum(ranking.passages for ranking in rankings),
        holding=holding,
    )


def _even_crowding(rankings: Sequence[Ranking]) -> list[Ranking]:
    """Return rankings by vectors in which crowding lowers every scope's scores equally.

    A hub is known by the neighbours that lie around it, and a scope of three passages has no
    neighbours: its scores are lowered until crowding takes as much there, on average, as in the
    scope with most candidates.
    """
    taken = [_measure_crowding(ranking) for ranking in rankings]
    usual = taken[max(range(len(rankings)), key=lambda place: len(rankings[place].ranked))]
    return [
        _lower_scores(ranking, usual - own) if own < usual else ranking
        for ranking, own in zip(rankings, taken, strict=True)
    ]


def _measure_crowding(ranking: Ranking) -> float:
    """Return the average deduction for crowding from the cosines of a ranking; 0 without
    vectors.
    """
    pairs = zip(ranking.cosines, ranking.ranked, strict=False)
    return fmean([cosine - score for cosine, (_, score) in pairs] or [0.0])


def _lower_scores(ranking: Ranking, by: float) -> Ranking:
    return ranking._replace(
        ranked=tuple((passage, score - by) for passage, score in ranking.ranked)
    )
