"""BM25 as every store computes it, so that results agree hit for hit.

A store's own ranking (FTS5's `rank`, PostgreSQL's `ts_rank`) is not used: it would mix the statistics of scopes,
which leaks what others store, and would rank differently from one store to the next.

    score(passage) = Σ over query tokens:  weight · idf(token) · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / mean))

`tf` is the token's count in the passage's text, plus `context_weight` times its count in the passage's context, plus
`spread[i]` times its own count in the passages i + 1 before and after, times min(1, `spread_tokens` / their length).
`length` counts the text's tokens; document frequency (text or context holds the token), passage count and mean length
are those of the scope. Parameters: `KeywordQuery`.
"""

import math
from collections.abc import Mapping

from gieok.model import KeywordQuery


def idf(passages: int, holding: int) -> float:
    """Return the inverse document frequency of a token that `holding` of `passages` passages hold; always positive."""
    return math.log(1 + (passages - holding + 0.5) / (holding + 0.5))


def token_weights(query: KeywordQuery, passages: int, holding: Mapping[str, int]) -> dict[str, float]:
    """Return weight · idf of each query token that occurs (is in `holding`)."""
    return {t: w * idf(passages, holding[t]) for t, w in query.weights.items() if t in holding}


def ceiling(query: KeywordQuery, passages: int, holding: Mapping[str, int]) -> float:
    """Return what a passage would score that holds every query token endlessly often; unseen tokens count as rarest."""
    return sum(w * idf(passages, holding.get(t, 0)) for t, w in query.weights.items()) * (query.k1 + 1)
