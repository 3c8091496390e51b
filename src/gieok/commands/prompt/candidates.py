"""Explanation of why each memory found for a prompt is shown or not.

For `gieok recall --explain` and the pages.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from gieok.commands.encode import Score
from gieok.hook import choice
from gieok.hook.inject import InjectedMemory
from gieok.hook.window import ContextWindow
from gieok.ranking.likelihood import apply_logistic
from gieok.text.messages import Words

_TEXT_CHARS = 300


class RecallCandidate(NamedTuple):
    """Memory that was found; `fate` is `shown`, or the reason against it: a key of `FATES`."""

    handle: str
    score: Score
    title: str
    text: str
    status: str
    scope: str
    is_sure: bool
    fate: str


class Cuts(NamedTuple):
    """Least probability of the best memory for anything to be shown, and of each further memory."""

    first: Score
    further: Score


FATES = {
    "shown": Words("shown"),
    "nothing_sure": Words("nothing is shown: the best is not likely enough"),
    "refused": Words("you said: not for a prompt like this"),
    "unlikely": Words("far less likely than the best"),
    "known": Words("the agent has it before it already"),
    "repeated": Words("says the same as another"),
    "limit": Words("more than `hook.limit`"),
    "budget": Words("no room left in `hook.budget_tokens`"),
}


def compute_score_cuts(
    found: Sequence[InjectedMemory], asks_memory: float, low_ratio: float, first: float
) -> Cuts:
    """Return the probability thresholds for memories found in the order of their score.

    `low_ratio` and `first` are those of `choice.likely`.
    """
    best = found[0].score if found else 0.0
    return Cuts(
        apply_logistic(first - choice.bound_asking(asks_memory)),
        max(choice.OTHERS, low_ratio * best),
    )


def build_recall_candidates(
    found: Sequence[InjectedMemory],
    likely: Sequence[InjectedMemory],
    fresh: Sequence[InjectedMemory],
    shown: Sequence[InjectedMemory],
    window: ContextWindow,
    limit: int,
    refused: Collection[int] = (),
) -> tuple[RecallCandidate, ...]:
    """Return the fate of each memory in `found`.

    `likely`, `fresh` and `shown` are the members of `found` that passed each step; `refused` are
    the ids of those that the person does not want before such a prompt.
    """
    likely_ids, fresh_ids, shown_ids = (
        {id(one) for one in step} for step in (likely, fresh, shown)
    )
    first = {id(one) for one in fresh[:limit]}

    def fate(one: InjectedMemory) -> str:
        if id(one) in shown_ids:
            return "shown"
        if id(one) in refused:
            return "refused"
        if id(one) not in likely_ids:
            return "unlikely" if likely else "nothing_sure"
        if id(one) not in fresh_ids:
            return "known" if window.holds(one) else "repeated"
        return "budget" if id(one) in first else "limit"

    return tuple(
        RecallCandidate(
            handle=one.handle,
            score=one.score,
            title=one.title,
            text=one.text[:_TEXT_CHARS],
            status=one.status,
            scope=one.scope,
            is_sure=one.is_sure,
            fate=fate(one),
        )
        for one in found
    )
