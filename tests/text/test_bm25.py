"""What counts in BM25, whichever store computes it."""

import math

from gieok.model.retrieval import KeywordQuery
from gieok.text import bm25

_QUERY = KeywordQuery(
    weights={"결제": 1.0, "the": 1.0, "unseen": 0.5}, k1=1.2, b=0.75, context_weight=0.5
)


def test_a_rarer_token_weighs_more_and_none_weighs_nothing() -> None:
    weights = [bm25.idf(1000, holding) for holding in (1, 10, 500, 1000)]
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] > 0


def test_tokens_that_do_not_occur_weigh_nothing() -> None:
    assert set(bm25.token_weights(_QUERY, 100, {"결제": 3, "the": 90})) == {"결제", "the"}


def test_in_a_large_scope_a_very_common_token_is_left_out_while_a_rarer_one_is_there() -> None:
    assert set(bm25.token_weights(_QUERY, 100_000, {"결제": 3, "the": 90_000})) == {"결제"}
    assert set(bm25.token_weights(_QUERY, 100_000, {"the": 90_000})) == {"the"}


def test_no_passage_can_score_above_the_ceiling() -> None:
    holding = {"결제": 3, "the": 90}
    best = sum(
        weight * (_QUERY.k1 + 1) for weight in bm25.token_weights(_QUERY, 100, holding).values()
    )
    unseen = 0.5 * bm25.idf(100, 0) * (_QUERY.k1 + 1)
    assert math.isclose(bm25.ceiling(_QUERY, 100, holding), best + unseen)
