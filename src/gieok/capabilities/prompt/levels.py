"""Confidence levels of keyword matches. Imported by the hook: see the package.

A ratio to the best score makes a lone weak match look certain. So a level also rests on `coverage`, 0–1: the share of the
prompt's tokens, by rarity, that a passage holds. It compares between prompts and corpora, because rarity is smoothed as if
every corpus had a few hundred unrelated passages more; chance coverage still grows with the logarithm of the corpus, and the
floors with it. `benchmarks/hook.py quality` measures both floors.
"""

import math

from gieok.text.bm25 import idf

HIGH = "high"
MEDIUM = "medium"
LOW = "low"

#: Smoothing: unrelated passages added to every corpus, and the share of them that holds a given token.
_PRIOR_PASSAGES = 500
_PRIOR_SHARE = 0.002
#: Least coverage to be shown, least for HIGH (both for a corpus of one passage), and what each factor of ten adds.
_LEAST, _CERTAIN, _PER_DECADE = 0.21, 0.34, 0.04
_LEAST_SHARE = 0.65
#: Tokens are searched rarest first until so many passages hold them: common ones tell little and take most of the time.
_MOST_HOLDING = 6_000


def rarities(tokens: dict[str, float], passages: int, holding: dict[str, int]) -> dict[str, float]:
    """Return weight · smoothed idf of the tokens to search for, including those that occur nowhere."""
    total = passages + _PRIOR_PASSAGES
    rare: dict[str, float] = {}
    looked_at = 0
    for token in sorted(tokens, key=lambda token: (holding.get(token, 0), token)):
        looked_at += holding.get(token, 0)
        if looked_at > _MOST_HOLDING and any(other in holding for other in rare):
            break
        count = holding.get(token, 0) + _PRIOR_PASSAGES * _PRIOR_SHARE
        rare[token] = tokens[token] * idf(total, count)
    return rare


def floors(passages: int, floor: float = -1.0) -> tuple[float, float]:
    """Return the least coverage to be shown, and the least for HIGH, for a corpus of that size.

    `floor` is the user's own for HIGH; 0 turns both off, a negative one means the calibrated floors.
    """
    if floor >= 0:
        return floor * _LEAST_SHARE, floor
    grown = _PER_DECADE * math.log10(max(passages, 1))
    return _LEAST + grown, _CERTAIN + grown


def level(
    coverage: float, ratio: float, least_and_certain: tuple[float, float], high_ratio: float, medium_ratio: float
) -> str:
    """Return HIGH, MEDIUM or LOW. `ratio` is the weighed score divided by the best one."""
    least, certain = least_and_certain
    if coverage < least or ratio < medium_ratio:
        return LOW
    return HIGH if ratio >= high_ratio and coverage >= certain else MEDIUM
