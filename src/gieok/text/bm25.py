"""BM25 as every store computes it, so that results agree hit for hit.

A store's own ranking (FTS5's `rank`, PostgreSQL's `ts_rank`) is not used: it mixes the statistics
of scopes, which leaks what others store, and differs from one store to the next.

    score(passage) = Σ over query tokens:  weight · idf(token) · tf · (k1 + 1) / (tf + k1 · (1 - b +
    b · length / mean))

`tf` is the token's count in the passage's text, plus `context_weight` times its count in the
passage's context, plus `spread[i]` times its own count in the passages i + 1 before and after,
times min(1, `spread_tokens` / their length). `length` counts the text's tokens; document frequency
(text or context holds the token), passage count and mean length are those of the scope. The prompt
hook ranks with this too: standard library, nothing slow to import.
"""

import math
from collections.abc import Mapping

TYPE_CHECKING = False  # of `typing`, which the prompt hook has no time to import
if TYPE_CHECKING:
    from gieok.model.retrieval import KeywordQuery

#: In a scope of this many passages, a token in more than this share of them is left out if the
#: query has a rarer one: common tokens cost most of the time and hardly help (MRR -.003 at worst on
#: the sets measured).
_LARGE_SCOPE = 50_000
_COMMON_SHARE = 0.1


class Bm25:
    """The parameters of the formula.

    A plain class, because the import of `dataclasses` takes half of the hook's time.
    """

    __slots__ = ("b", "context_weight", "k1", "spread")

    def __init__(
        self,
        k1: float = 0.4,
        b: float = 0.4,
        context_weight: float = 0.5,
        spread: tuple[float, ...] = (),
    ) -> None:
        self.k1 = k1
        self.b = b
        self.context_weight = context_weight
        self.spread = spread


#: For notes, as the hook ranks them. No neighbours: they triple the time and matter for turns of
#: talk, which the hook leaves out.
NOTES = Bm25()
#: For any prose: notes, and turns of talk, which are often unintelligible without their neighbours.
PROSE = Bm25(spread=(0.5, 0.25))
#: Robertson's values: best for code, and those of OpenClaw.
CLASSIC = Bm25(1.2, 0.75)


def idf(passages: float, holding: float) -> float:
    """Return the inverse document frequency of a token; always positive.

    `holding` of `passages` passages hold the token.
    """
    return math.log(1 + (passages - holding + 0.5) / (holding + 0.5))


def token_weights(
    query: "KeywordQuery", passages: int, holding: Mapping[str, int]
) -> dict[str, float]:
    """Return weight · idf of each query token.

    Tokens that occur in no passage (are not in `holding`) are left out, and so are tokens that are
    too common to distinguish passages.
    """
    most = _COMMON_SHARE * passages if passages >= _LARGE_SCOPE else passages
    telling = {token for token in query.weights if 0 < holding.get(token, 0) <= most}
    return {
        t: w * idf(passages, holding[t])
        for t, w in query.weights.items()
        if t in (telling or holding)
    }


def ceiling(query: "KeywordQuery", passages: int, holding: Mapping[str, int]) -> float:
    """Return the least upper bound of a passage's score.

    A token that occurs in no passage counts as the rarest.
    """
    unseen = sum(w * idf(passages, 0) for t, w in query.weights.items() if t not in holding)
    return (unseen + sum(token_weights(query, passages, holding).values())) * (query.k1 + 1)
