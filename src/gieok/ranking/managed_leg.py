"""Retriever that asks a managed search service and checks its answer against local words.

A service is asked once for a question. It gives an order and no scores: it ranks something for
every question, thanks and greetings too. So the service's order brings passages forward, and says
nothing of how sure they are; the words in the local index say that. Passages that the words do not
bear out are unsure.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from gieok.errors import StoreUnreachable
from gieok.model.memory import Scope
from gieok.model.retrieval import Filter, Ranking
from gieok.ports.store import Documents, ManagedStore
from gieok.ranking import rank
from gieok.ranking.evidence import AnswerCandidate
from gieok.ranking.likelihood import SURE, UNSURE

#: How far above `UNSURE` the first passage of a service's order stands where no local word bears it
#: out: it is shown, and shown as unsure.
_ORDER_SHARE = 0.25


class ManagedLeg(NamedTuple):
    """Answer of a service by scope, and why the answer may be incomplete.

    `is_asked`: the service was asked, whatever came of it.
    """

    by_scope: Mapping[Scope, Ranking] = MappingProxyType({})
    note: str = ""
    is_asked: bool = False
    is_silent: bool = False


def ask_managed_service(
    store: Documents, scopes: tuple[Scope, ...], text: str, where: Filter, limit: int
) -> ManagedLeg:
    """Ask the service of a store, once for all scopes; a store without a service is not asked."""
    if not isinstance(store, ManagedStore):
        return ManagedLeg()
    try:
        rankings = store.managed(scopes, text, where, limit)
    except StoreUnreachable as error:
        return ManagedLeg(note=error.in_full, is_asked=True, is_silent=True)
    return ManagedLeg(rankings.by_scope, rankings.note, is_asked=True)


def weigh(made: Iterable[AnswerCandidate], fused: rank.Scores) -> list[AnswerCandidate]:
    """Return candidates in the fused order, each as sure as the local words make it.

    The service's order is part of the fused order. A passage that the service brings, and the words
    do not bear out, is unsure, however high the service ranks it. No score is above that of a
    passage before it: the order is the better judge of which passage answers, the words are the
    better judge of whether any passage does.
    """
    lowest, weighed = 1.0, list[AnswerCandidate]()
    for candidate in sorted(made, key=lambda c: (-fused[c.passage.id], c.passage.id)):
        score = candidate.score
        if "managed" in candidate.signals:
            by_order = UNSURE + _ORDER_SHARE * (SURE - UNSURE) * candidate.signals["managed"]
            score = lowest = min(lowest, max(score, by_order))
        weighed.append(AnswerCandidate(candidate.passage, score, candidate.signals))
    return weighed
