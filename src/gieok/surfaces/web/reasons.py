"""The reasons for the rank of a hit, for people.

Shown are the rank that each retriever gave, and what each feature adds to or takes from the
confidence of the hit.
"""

from collections.abc import Mapping
from typing import NamedTuple

from markupsafe import Markup

from gieok.commands.memory.hits import SearchHit
from gieok.commands.memory.score_words import FACTORS, PARTS, RETRIEVERS
from gieok.ranking.likelihood import apply_logistic
from gieok.text.messages import Words

_MOST_PARTS = 7
_LEAST_PART = 0.05
#: Log-odds that fill half of a bar; a larger contribution is cut.
_WIDEST = 1.5


class Retrieved(NamedTuple):
    """A retriever that found the hit: its name for people, the rank it gave, and a nearness,
    0–1.
    """

    name: str
    rank: int
    share: float


class ReasonPart(NamedTuple):
    """Contribution of a feature to the log-odds, and a picture of it."""

    name: str
    value: float
    picture: Markup


class Reasons(NamedTuple):
    """Why a hit has its rank; `total` are its log-odds, and `sure` is the same as a probability."""

    retrieved: tuple[Retrieved, ...]
    others: tuple[tuple[str, float], ...]
    parts: tuple[ReasonPart, ...]
    total: float
    sure: float


def reasons(hit: SearchHit, lang: str) -> Reasons:
    """Return the contributions to a hit's score, strongest first."""
    signals = dict(hit.signals or {})
    ranks = {
        name.removesuffix("_rank"): int(value)
        for name, value in signals.items()
        if name.endswith("_rank")
    }
    retrieved = [
        Retrieved(RETRIEVERS.get(name, Words(name)).say(lang), rank, signals.get(name, 0.0))
        for name, rank in sorted(ranks.items(), key=lambda one: one[1])
    ]
    others = [
        (words.say(lang), signals[name])
        for name, words in FACTORS.items()
        if signals.get(name, 1.0) != 1.0
    ]
    added = _sum_reason_parts(hit.parts or {}, lang)
    total = sum(added.values())
    largest = sorted(added.items(), key=lambda one: -abs(one[1]))
    shown = [one for one in largest[:_MOST_PARTS] if abs(one[1]) >= _LEAST_PART]
    left = total - sum(value for _, value in shown)
    if shown and abs(left) >= _LEAST_PART:
        shown.append((Words("everything else").say(lang), left))
    parts = tuple(ReasonPart(name, value, draw_reason_bar(value)) for name, value in shown)
    return Reasons(
        retrieved=tuple(retrieved),
        others=tuple(others),
        parts=parts,
        total=total,
        sure=apply_logistic(total) if added else hit.score,
    )


def _sum_reason_parts(parts: Mapping[str, float], lang: str) -> dict[str, float]:
    totals: dict[str, float] = {}
    for name, value in parts.items():
        label = PARTS.get(name, Words(name)).say(lang)
        totals[label] = totals.get(label, 0.0) + value
    return totals


def draw_reason_bar(value: float) -> Markup:
    """Return a bar from the middle.

    It points right for a contribution in favour of a hit, left for a contribution against it.
    """
    width = min(abs(value) / _WIDEST, 1.0) * 50
    return Markup(
        '<svg class="part" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="b0" width="100" height="8"/><rect class="{}" x="{:.1f}" width="{:.1f}" '
        'height="8"/>'
        '<rect class="mid" x="49.7" width=".6" height="8"/></svg>'
    ).format("pro" if value > 0 else "con", 50 if value > 0 else 50 - width, width)
