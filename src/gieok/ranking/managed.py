"""The leg of a service that searches by itself: asked once for a question, and believed as far as
what is here bears it out.

A service gives an order and no scores: it ranks something for every question, thanks and greetings
too. So its order brings passages forward, and says nothing of how sure they are; that is what the
words here say. What they do not bear out is unsure.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from gieok.errors import StoreUnreachable
from gieok.model.memory import Scope
from gieok.model.retrieval import Filter, Ranking
from gieok.ports.store import Documents, ManagedSearch
from gieok.ranking import rank
from gieok.ranking.evidence import AnswerCandidate
from gieok.ranking.likelihood import SURE, UNSURE

#: How far above `UNSURE` the first of a service's order stands, where nothing here bears it out:
#: shown, and shown as unsure.
_ORDER_SHARE = 0.25


class ManagedLeg(NamedTuple):
    """What a service answered, by scope, and why it is not all that it should be. `is_asked`: it
    is, whatever came of it.
    """

    by_scope: Mapping[Scope, Ranking] = MappingProxyType({})
    note: str = ""
    is_asked: bool = False
    is_silent: bool = False


def ask_managed_service(
    store: Documents, scopes: tuple[Scope, ...], text: str, where: Filter, limit: int
) -> ManagedLeg:
    """Ask the service of a store, once for all scopes; a store without one is not asked."""
    if not isinstance(store, ManagedSearch):
        return ManagedLeg()
    try:
        found = store.managed(scopes, text, where, limit)
    except StoreUnreachable as error:
        return ManagedLeg(note=f"{error} ({error.hint})", is_asked=True, is_silent=True)
    return ManagedLeg(found.by_scope, found.note, is_asked=True)


def weigh(made: Iterable[AnswerCandidate], fused: rank.Scores) -> list[AnswerCandidate]:
    """Return candidates in the fused order, which the service's is part of, each as sure as the
    words here are.

    A passage that the service brings, and the words do not bear out, is unsure, however high the
    service ranks it. No score is above that of a passage before it: the order is the better judge
    of which answers, the words of whether any does.
    """
    lowest, kept = 1.0, list[AnswerCandidate]()
    for one in sorted(made, key=lambda c: (-fused[c.passage.id], c.passage.id)):
        score = one.score
        if "managed" in one.signals:
            by_order = UNSURE + _ORDER_SHARE * (SURE - UNSURE) * one.signals["managed"]
            score = lowest = min(lowest, max(score, by_order))
        kept.append(AnswerCandidate(one.passage, score, one.signals))
    return kept
