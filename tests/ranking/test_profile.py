"""The parameters that ship are those that were measured best (docs/retrieval.md)."""

from gieok.memory.files.profile import FILES, TURNS
from gieok.ranking import likelihood
from gieok.ranking.profile import Profile
from gieok.text import bm25

_SHIPPED = Profile(name="shipped")


def test_rankings_are_added_with_the_shares_that_were_measured_best() -> None:
    assert (_SHIPPED.keyword_share, _SHIPPED.statement_keyword_share) == (0.4, 0.3)
    assert (_SHIPPED.full_coverage, _SHIPPED.hub_weight, _SHIPPED.line_share) == (0.3, 0.4, 0.5)
    assert (bm25.PROSE.k1, bm25.PROSE.b, bm25.PROSE.spread) == (0.4, 0.4, (0.5, 0.25))
    assert (_SHIPPED.other_days_share, _SHIPPED.undated_share) == (0.5, 0.8)
    assert (_SHIPPED.half_life_days, _SHIPPED.has_importance_marks) == (0.0, False)


def test_repeats_are_what_shares_seven_tenths_of_its_words() -> None:
    assert (_SHIPPED.relevance_trade, _SHIPPED.likeness_floor) == (0.7, 0.7)


def test_so_many_are_fused_judged_read_compared_and_shown() -> None:
    assert (_SHIPPED.candidates, likelihood.JUDGED, _SHIPPED.considered) == (200, 60, 20)
    assert (_SHIPPED.limit, _SHIPPED.snippet_chars) == (6, 700)
    assert (_SHIPPED.most_read, FILES.most_read, TURNS.most_read) == (0, 5, 10)


def test_what_is_unlikely_is_held_back_and_what_is_unsure_is_marked() -> None:
    assert (_SHIPPED.min_score, FILES.least_best, TURNS.least_best) == (0.02, 0.3, 0.12)
    assert (likelihood.SURE, likelihood.UNSURE) == (0.5, 0.3)


def test_more_hits_are_chosen_from_twice_as_many_and_never_from_fewer() -> None:
    many, few = FILES.with_limit(150), FILES.with_limit(3)
    assert (many.limit, many.considered, many.candidates) == (150, 300, 300)
    assert [family.limit for family in many.beside] == [150]
    assert (few.considered, few.candidates) == (_SHIPPED.considered, _SHIPPED.candidates)


def test_an_askers_own_least_score_is_the_only_threshold() -> None:
    own = FILES.with_least_score(0.4)
    assert (own.min_score, own.least_best) == (0.4, 0.0)
    assert [family.least_best for family in own.beside] == [0.0]
