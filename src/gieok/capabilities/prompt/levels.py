"""How sure recall is, from the keyword leg alone. Imported by the hook: see the package.

A ratio to the best score makes a lone weak match look certain. So a level rests on `coverage` too: the share of what
the prompt asks (its tokens by their rarity) that a passage holds, 0–1. It compares between prompts and corpora, because
the rarity of a token is smoothed as if every corpus had a few hundred unrelated passages more; what is left grows with
the logarithm of the corpus, as the best of many chance matches does. `benchmarks/hook.py quality` measures both floors.
"""

import math

from gieok.text.bm25 import idf

HIGH = "high"
MEDIUM = "medium"
LOW = "low"

#: The unrelated passages that every corpus is taken to have, and the share of them that holds any token.
_PRIOR_PASSAGES = 500
_PRIOR_SHARE = 0.002
#: Coverage below which nothing is shown, and below which it is not certain: at one passage, and what ten times more add.
_LEAST, _CERTAIN, _PER_DECADE = 0.21, 0.34, 0.04
_LEAST_SHARE = 0.65
#: Rarest first, tokens are looked for until so many passages hold them: the common ones tell little, and cost all the time.
_MOST_HOLDING = 6_000


def rarities(tokens: dict[str, float], passages: int, holding: dict[str, int]) -> dict[str, float]:
    """Return weight · smoothed idf of the tokens to look for, those that occur nowhere included."""
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
    """Return the coverage below which nothing is shown, and below which it is not HIGH, for a corpus of that size.

    `floor` is the user's own for HIGH; 0 turns both off, below 0 means the calibrated ones.
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
