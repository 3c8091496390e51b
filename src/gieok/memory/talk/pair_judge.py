"""Judge of pairs of statements: the rules of `statements.relation`, and the reader beside them.

The rules see how a change is worded and on what subject; the reader sees what both statements say.
Each knows what the other misses: the rules mark 2 in 100 of the changes that other people told, and
the reader takes a parallel subject for the same one now and then. So the evidence of both is summed,
and a pair is a change where the sum is as high as it was for nineteen real changes in twenty
(`training/README.md`).
"""

import math

from gieok.errors import EmbedderFailed
from gieok.memory.talk.statements.relation import SURE, UNRELATED, UNSURE, Relation
from gieok.memory.talk.statements.statement import read_sentences
from gieok.ports.models import Reader

#: Log-odds that the rules add to the reader's.
_BY_RULE = {SURE: 5.0, UNSURE: 1.5, UNRELATED: 0.0}
#: And where the later statement names a subject that the earlier one lacks.
_DIFFERING = -1.5
#: Sum from which a pair is a change, fitted on authors whom neither has seen.
_SURE_FROM = 3.6
_MOST_LOG_ODDS = 12.0
#: Characters of a statement that are read.
_MOST_CHARS = 400


class PairJudge:
    """Judge by rules, and by a reader where there is one."""

    def __init__(self, reader: Reader | None) -> None:
        self._reader = reader
        self._known: dict[tuple[str, str], float] = {}

    def review(self, judgement: Relation, earlier: str, later: str) -> Relation:
        """Return a judgement of the rules with the reader's weighed in; without a reader, as it is."""
        chance = self._change(earlier, later)
        if chance is None:
            return judgement
        total = _log_odds(chance) + _BY_RULE[judgement.sureness]
        total += _DIFFERING if judgement.differing else 0.0
        if total >= _SURE_FROM:
            return judgement if judgement.is_sure else self._locate(judgement, earlier, later)
        return judgement._replace(sureness=UNSURE) if judgement.is_sure else judgement

    def _locate(self, judgement: Relation, earlier: str, later: str) -> Relation:
        """Return a sure relation of the two sentences that the change is about."""
        claims = [sentence.text for sentence in read_sentences(earlier)]
        claim = max(claims, key=lambda text: self._change(text, later) or 0.0)
        changes = [sentence.text for sentence in read_sentences(later)]
        by = max(changes, key=lambda text: self._change(claim, text) or 0.0)
        return judgement._replace(
            sureness=SURE, claim=claim, by=by, spoke_for=judgement.spoke_for or ("the reader",)
        )

    def _change(self, earlier: str, later: str) -> float | None:
        """Return the probability by the reader; None without one, or where it cannot run."""
        if self._reader is None:
            return None
        pair = earlier[:_MOST_CHARS], later[:_MOST_CHARS]
        if pair not in self._known:
            try:
                self._known[pair] = self._reader.change(*pair)
            except EmbedderFailed:
                self._reader = None
                return None
        return self._known[pair]


def _log_odds(chance: float) -> float:
    bounded = min(max(chance, 1e-6), 1 - 1e-6)
    return max(-_MOST_LOG_ODDS, min(_MOST_LOG_ODDS, math.log(bounded / (1 - bounded))))
