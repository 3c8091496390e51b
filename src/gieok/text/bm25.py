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

TYPE_CHECKING = False  # of `typing`, which the prompt hook has no time to import
if TYPE_CHECKING:
    from gieok.model.retrieval import KeywordQuery


def idf(passages: int, holding: int) -> float:
    """Return the inverse document frequency of a token that `holding` of `passages` passages hold; always positive."""
    return math.log(1 + (passages - holding + 0.5) / (holding + 0.5))


#: In a scope this large, a token that more than this share of passages hold is left out while a rarer one is there:
#: it costs most of the time and tells hardly anything (MRR -.003 at worst on the sets measured).
_LARGE_SCOPE = 50_000
_COMMON_SHARE = 0.1


def token_weights(query: "KeywordQuery", passages: int, holding: Mapping[str, int]) -> dict[str, float]:
    """Return weight · idf of each query token that counts: that occurs (is in `holding`) and tells something."""
    most = _COMMON_SHARE * passages if passages >= _LARGE_SCOPE else passages
    telling = {token for token in query.weights if 0 < holding.get(token, 0) <= most}
    return {t: w * idf(passages, holding[t]) for t, w in query.weights.items() if t in (telling or holding)}


def ceiling(query: "KeywordQuery", passages: int, holding: Mapping[str, int]) -> float:
    """Return what a passage would score that holds every token that counts endlessly often; unseen ones are the rarest."""
    unseen = sum(w * idf(passages, 0) for t, w in query.weights.items() if t not in holding)
    return (unseen + sum(token_weights(query, passages, holding).values())) * (query.k1 + 1)
