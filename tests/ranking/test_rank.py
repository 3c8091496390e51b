"""Ranking as arithmetic."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gieok.model.retrieval import Ranking
from gieok.ranking.likelihood import apply_logistic
from gieok.ranking.rank import (
    diversify,
    jaccard,
    openclaw_sum,
    standard_scores,
    standardised_sum,
    with_lines,
)

_RANKED = st.dictionaries(st.integers(1, 20), st.floats(0.01, 50), min_size=0, max_size=12).map(
    lambda found: tuple(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))
)
_PROPERTY = settings(derandomize=True, deadline=None, max_examples=200)


def _order(scores: dict[int, float]) -> list[int]:
    return sorted(scores, key=lambda passage: (-scores[passage], passage))


@_PROPERTY
@given(_RANKED)
def test_one_ranking_alone_keeps_its_order(ranked: tuple[tuple[int, float], ...]) -> None:
    scores = standardised_sum([Ranking("keyword", ranked)], [1.0], 200)
    assert set(scores) == {passage for passage, _ in ranked}
    values = [scores[passage] for passage, _ in ranked]
    assert values == sorted(values, reverse=True)


@_PROPERTY
@given(_RANKED, _RANKED, st.floats(0, 1), st.floats(0.1, 10))
def test_fusion_does_not_depend_on_the_scale_of_a_ranking(
    a: tuple[tuple[int, float], ...], b: tuple[tuple[int, float], ...], share: float, scale: float
) -> None:
    weights = [share, 1 - share]
    scores = standardised_sum([Ranking("a", a), Ranking("b", b)], weights, 200)
    scaled = standardised_sum(
        [Ranking("a", tuple((p, s * scale) for p, s in a)), Ranking("b", b)], weights, 200
    )
    assert set(scores) == {p for p, _ in a + b}
    assert scaled == pytest.approx(scores, abs=1e-3)


def test_a_passage_that_both_rankings_put_first_is_first() -> None:
    rankings = [
        Ranking("keyword", ((3, 9.0), (1, 5.0), (2, 1.0))),
        Ranking("vector", ((3, 0.9), (2, 0.5), (4, 0.1))),
    ]
    assert _order(standardised_sum(rankings, [0.5, 0.5], 200))[0] == 3


def test_a_full_ranking_may_hold_the_absent_just_below_its_last() -> None:
    rankings = [Ranking("vector", ((1, 0.9), (2, 0.8))), Ranking("keyword", ((3, 5.0), (1, 4.0)))]
    full, partial = (standardised_sum(rankings, [0.9, 0.1], size) for size in (2, 200))
    assert full[3] > partial[3]


def test_empty_rankings_give_nothing() -> None:
    assert standardised_sum([Ranking("keyword", ()), Ranking("vector", ())], [0.4, 0.6], 200) == {}


def test_openclaw_adds_the_cosine_and_a_squashed_keyword_score() -> None:
    rankings = [
        Ranking("keyword", ((1, 3.0),)),
        Ranking("vector", ((2, 0.1), (1, 0.0)), cosines=(0.5, 0.8)),
    ]
    assert openclaw_sum(rankings, (0.3, 0.7), 200) == pytest.approx(
        {1: 0.3 * 0.75 + 0.7 * 0.8, 2: 0.35}
    )


@_PROPERTY
@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_the_logistic_grows_from_nought_to_one(a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert 0 <= apply_logistic(low) <= apply_logistic(high) <= 1
    assert apply_logistic(-a) == pytest.approx(1 - apply_logistic(a))


_SETS = st.frozensets(st.sampled_from("abcdef"), max_size=5)


@_PROPERTY
@given(_SETS, _SETS)
def test_likeness_is_even_and_one_only_for_equals(a: frozenset[str], b: frozenset[str]) -> None:
    assert jaccard(a, b) == jaccard(b, a)
    assert 0 <= jaccard(a, b) <= 1
    assert (jaccard(a, b) == 1) == (a == b and bool(a))


@_PROPERTY
@given(
    st.dictionaries(st.integers(1, 9), st.tuples(st.floats(0, 1), _SETS), max_size=9),
    st.floats(0.01, 1),
    st.floats(0, 0.99),
)
def test_diversity_reorders_and_loses_nothing(
    passages: dict[int, tuple[float, frozenset[str]]], trade: float, floor: float
) -> None:
    scores = {passage: score for passage, (score, _) in passages.items()}
    relevance = {passage: scores[passage] for passage in _order(scores)}
    words = {passage: found for passage, (_, found) in passages.items()}
    chosen = diversify(relevance, words, trade, floor, 99)
    assert diversify(relevance, words, trade, floor, 2) == chosen[:2]
    assert sorted(chosen) == sorted(relevance)
    assert not chosen or relevance[chosen[0]] == pytest.approx(max(relevance.values()))
    assert diversify(relevance, words, 1.0, floor, 99) == list(relevance)


def test_a_repeat_makes_room_for_something_else() -> None:
    words = {1: frozenset("abc"), 2: frozenset("abc"), 3: frozenset("xyz"), 4: frozenset("q")}
    relevance = {1: 1.0, 2: 0.95, 3: 0.9, 4: 0.0}
    assert diversify(relevance, words, 0.7, 0.0, 2) == [1, 3]


@pytest.mark.parametrize(
    ("full", "lowest", "absent"), [(3, 1.0, 0.0), (2, 1.0, 1.0), (2, -1.0, -1.0), (3, -1.0, -1.0)]
)
def test_what_a_ranking_lacks_matches_nothing_unless_the_ranking_was_cut(
    full: int, lowest: float, absent: float
) -> None:
    ranking = Ranking("keyword", ((1, 3.0), (2, lowest)))
    values = [3.0, lowest, absent]
    mean = sum(values) / 3
    deviation = (sum((value - mean) ** 2 for value in values) / 3) ** 0.5
    scores = standard_scores(ranking, {1, 2, 3}, full)
    assert scores == pytest.approx(
        {n: (value - mean) / deviation for n, value in enumerate(values, 1)}
    )


def test_rankings_are_added_by_their_weights() -> None:
    rankings = [Ranking("keyword", ((1, 3.0), (2, 1.0))), Ranking("vector", ((2, 0.9), (1, 0.5)))]
    assert standardised_sum(rankings, [0.75, 0.25], 200) == pytest.approx({1: 0.5, 2: -0.5})


@pytest.mark.parametrize(("share", "order"), [(0.0, [1, 2, 3]), (0.5, [2, 1, 3]), (1.0, [2, 3, 1])])
def test_the_best_line_of_a_passage_has_its_share(share: float, order: list[int]) -> None:
    near = Ranking("vector", ((1, 0.8), (2, 0.7), (3, 0.5)), cosines=(0.81, 0.71, 0.51))
    made = with_lines(near, {1: 0.2, 2: 0.9}, share)
    assert [passage for passage, _ in made.ranked] == order
    assert dict(zip(order, made.cosines, strict=True)) == {1: 0.81, 2: 0.71, 3: 0.51}
    assert dict(made.ranked)[2] == pytest.approx(0.7 + 0.2 * share)
    assert dict(made.ranked)[3] == 0.5


def test_openclaw_has_a_cosine_for_each_place_and_halves_a_score_of_one() -> None:
    rankings = [
        Ranking("keyword", ((1, 1.0), (2, 3.0))),
        Ranking("vector", ((2, 9.0), (3, 8.0)), cosines=(0.4, 0.2)),
    ]
    assert openclaw_sum(rankings, [0.5, 1.0], 9) == pytest.approx({1: 0.25, 2: 0.775, 3: 0.2})


@pytest.mark.parametrize(
    ("trade", "floor", "count", "order"),
    [
        (1.0, 0.0, 9, [1, 2, 3]),
        (1.0, 0.0, 2, [1, 2]),
        (0.5, 0.0, 9, [1, 3, 2]),
        (0.5, 0.0, 1, [1]),
        (0.5, 0.6, 9, [1, 2, 3]),  # two thirds in common are a little above .6
        (0.9, 0.0, 9, [1, 2, 3]),
    ],
)
def test_how_much_a_repeat_loses(trade: float, floor: float, count: int, order: list[int]) -> None:
    words = {1: frozenset("abc"), 2: frozenset("ab"), 3: frozenset("xyz")}
    assert diversify({1: 1.0, 2: 0.8, 3: 0.5}, words, trade, floor, count) == order
    assert diversify({1: 1.0, 2: 1.0}, words, trade, floor, count) == [1, 2][:count]


def test_passages_that_share_less_than_the_floor_are_all_alike() -> None:
    words = {1: frozenset("abc"), 2: frozenset("ab"), 3: frozenset("xyz"), 4: frozenset("q")}
    relevance = {1: 1.0, 2: 0.5, 3: 0.49, 4: 0.0}
    assert diversify(relevance, words, 0.5, 0.7, 9) == [1, 2, 3, 4]


def test_passages_that_are_equally_near_stand_by_their_ids() -> None:
    near = Ranking("vector", ((7, 0.9), (2, 0.4), (5, 0.1)), cosines=(0.9, 0.8, 0.7))
    mixed = with_lines(near, {2: 0.9, 5: 1.4, 7: 0.6}, 0.5)
    assert mixed.ranked == ((5, 0.75), (7, 0.75), (2, 0.65))
    assert mixed.cosines == (0.7, 0.9, 0.8)
