"""Makes one ranking of those of several scopes, so that what stands out is measured against all
that was asked.

Beside a project's memory a user's own holds a few turns. Alone, one of three always stands out, and
none is crowded: among the prompts of told_dev that memory cannot help, the same line of a user's
three turns came with every third.
"""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from gieok.model.memory import PassageId
from gieok.model.retrieval import Ranking
from gieok.ports.store import SCORE_DIGITS


def pool_rankings(of_scopes: Sequence[Sequence[Ranking]]) -> list[Ranking]:
    """Return one ranking for each retriever of those of all scopes; of a single scope, its own."""
    if len(of_scopes) == 1:
        return list(of_scopes[0])
    by_name: dict[str, list[Ranking]] = {}
    for rankings in of_scopes:
        for ranking in rankings:
            by_name.setdefault(ranking.name, []).append(ranking)
    return [_join_rankings(rankings) for rankings in by_name.values()]


def _join_rankings(rankings: Sequence[Ranking]) -> Ranking:
    """Return a ranking with the passages of all; a score is its share of what its scope could
    give.
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
    """Return rankings by vectors with what crowding takes made even.

    A hub is known by the fellows that lie around it, and a scope of three has none: its scores are
    lowered until crowding takes as much there, on average, as in the scope with most candidates.
    """
    taken = [_measure_crowding(ranking) for ranking in rankings]
    usual = taken[max(range(len(rankings)), key=lambda place: len(rankings[place].ranked))]
    return [
        _lower_scores(ranking, usual - own) if own < usual else ranking
        for ranking, own in zip(rankings, taken, strict=True)
    ]


def _measure_crowding(ranking: Ranking) -> float:
    """Return what crowding took of the cosines of a ranking, on average; 0 without vectors."""
    pairs = zip(ranking.cosines, ranking.ranked, strict=False)
    return fmean([cosine - score for cosine, (_, score) in pairs] or [0.0])


def _lower_scores(ranking: Ranking, by: float) -> Ranking:
    return ranking._replace(
        ranked=tuple((passage, score - by) for passage, score in ranking.ranked)
    )
