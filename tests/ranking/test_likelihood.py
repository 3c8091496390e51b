"""How sure an answer is, where little is known."""

import math

import pytest

from gieok.ranking.likelihood import (
    HIGH,
    LOW,
    MEDIUM,
    READ,
    VECTORS,
    Evidence,
    EvidenceJudgement,
    FamilyWeights,
    ScopedQuestion,
    apply_logistic,
    features,
    invert_logistic,
    judge_evidence,
    judge_read_evidence,
    level,
    question_features,
    rarities,
    standardised,
    weights,
)
from gieok.text.bm25 import idf
from gieok.text.keywords import query_tokens

BY = weights("notes", VECTORS)


def _lead(rivals: int) -> float:
    asked = ScopedQuestion("when do we deploy", {"deploy": 1.0}, rivals + 1, {})
    best = Evidence(0, "payments are retried", cosine=0.79, vector_z=1.0, fused=1.0)
    others = [
        Evidence(n + 1, "the office has a garden", cosine=0.74, vector_z=-1.0, fused=0.2)
        for n in range(rivals)
    ]
    return judge_evidence(asked, [best, *others], BY).about["lead"]


def test_being_better_than_one_other_passage_says_little() -> None:
    leads = [_lead(rivals) for rivals in (0, 1, 2, 4, 12)]
    assert leads[0] == 0
    assert leads[:4] == sorted(leads[:4])
    assert leads[1] < leads[3] / 3
    assert leads[3] == leads[4]


_SAID = "User: the regatta starts at the old weir"


def _judge_rivals(*others: Evidence) -> dict[str, float]:
    """Return the features of a question whose best passage is `_SAID`, among unrelated ones."""
    asked = ScopedQuestion("where do the boats set off", {"boats": 1.0}, 9, {})
    best = Evidence(0, _SAID, cosine=0.79, vector_z=1.0, fused=1.0)
    best.help = 2.0
    unrelated = [
        Evidence(n, f"the garden has {n} gates", cosine=0.74, vector_z=-1.0, fused=0.2)
        for n in range(10, 15)
    ]
    found = [best, *others, *unrelated]
    before = judge_evidence(asked, found, weights("turns", VECTORS))
    return judge_read_evidence(asked, found, weights("turns", READ), before).about


def _second(number: int, text: str, fused: float = 0.95, help: float = 1.8) -> Evidence:  # noqa: A002
    second = Evidence(number, text, cosine=0.785, vector_z=0.9, fused=fused)
    second.help = help
    return second


@pytest.mark.parametrize(
    "text",
    [
        "the regatta starts at the old weir",
        "Assistant: Noted.\nUser: The regatta starts at the old weir!",
        "the regatta starts at the old weir (2026-11-27)",
    ],
)
def test_what_says_the_same_again_takes_no_lead(text: str) -> None:
    alone, beside = _judge_rivals(), _judge_rivals(_second(1, text))
    assert beside["lead"] == pytest.approx(alone["lead"])
    assert beside["help_lead"] == pytest.approx(alone["help_lead"])


def test_what_says_something_else_takes_the_lead() -> None:
    alone, beside = (
        _judge_rivals(),
        _judge_rivals(_second(1, "User: the regatta starts at the new weir")),
    )
    assert beside["lead"] < alone["lead"]
    assert beside["help_lead"] < alone["help_lead"]


def test_a_later_version_takes_no_lead_and_neither_does_what_repeats_it() -> None:
    later = _second(1, "User: it sets off from the mill pond now")
    repeated = _second(2, "it sets off from the mill pond now")
    other = _second(3, "User: the mill pond is full of ducks", fused=0.4, help=-1.0)
    alone = _judge_rivals(other)
    assert _judge_rivals(later, repeated, other)["lead"] < alone["lead"]
    later.kin = frozenset([0])
    assert _judge_rivals(later, repeated, other) == pytest.approx(alone)


@pytest.mark.parametrize(("help_log_odds", "expected"), [(7.9, 7.9), (-7.9, -7.9), (8.1, 8.0)])
def test_what_the_reader_says_counts_up_to_eight(help_log_odds: float, expected: float) -> None:
    asked = ScopedQuestion("which hens", {"hens": 1.0}, 9, {})
    one = Evidence(1, "hens")
    one.help = help_log_odds
    assert features(asked, one)["help"] == expected


def test_a_probability_of_one_is_nearly_one() -> None:
    assert invert_logistic(1.0) == pytest.approx(math.log(1e9))


def _features(question: str, text: str, **more: float) -> dict[str, float]:
    asked = ScopedQuestion(question, query_tokens(question), 100, {})
    one = Evidence(1, text, **more)
    one.held = asked.held(one.text)
    return features(asked, one)


@pytest.mark.parametrize(
    ("question", "text", "name", "value"),
    [
        ("when do we deploy", "User: on Tuesdays", "user", 1.0),
        ("when do we deploy", "Assistant: on Tuesdays", "user", 0.0),
        ("when do we deploy", "on Tuesdays", "user", 0.5),
        ("when do we deploy", "User: on Tuesdays", "own_user", 1.0),
        ("when is the deploy", "User: on Tuesdays", "own_user", 0.0),
        ("when do we deploy", "Assistant: on Tuesdays", "own_user", 0.0),
        ("what did you say of it", "Assistant: on Tuesdays", "of_assistant", 1.0),
        ("what did you say of it", "User: on Tuesdays", "of_assistant", 0.0),
        ("what was said of it", "Assistant: on Tuesdays", "of_assistant", 0.0),
        ("what did Kim say", "Kim: on Tuesdays", "speaker", 1.0),
        ("what did Lee say", "Kim: on Tuesdays", "speaker", 0.0),
        ("what did Kim say", "Kim Ro: on Tuesdays", "speaker", 1.0),
        ("what did Ro say", "Kim Ro: on Tuesdays", "speaker", 0.0),
        ("what did Kim say", "on Tuesdays", "speaker", 0.0),
        ("when do we deploy", "on Tuesdays last week", "dated", 1.0),
        ("when do we deploy", "by hand", "dated", 0.0),
        ("who deploys", "on Tuesdays last week", "dated", 0.0),
        ("how many hens", "we have 6 hens", "number", 1.0),
        ("how many hens", "we have hens", "number", 0.0),
        ("which hens", "we have 6 hens", "number", 0.0),
        ("which hens", "do we have hens?", "asks", 1.0),
        ("which hens", "we have hens", "asks", 0.0),
        ("which hens", "hens? " + "x" * 79, "asks", 0.0),
        ("which hens", "닭이 있나요", "asks", 1.0),
        ("which hens", "우리는 암탉이 있다", "other_language", 1.0),
        ("which hens", "we have hens", "other_language", 0.0),
        ("where do Anna and Berta live", "berta lives in Ulm", "names", 0.5),
        ("where do Anna and Berta live", "anna and berta live in Ulm", "names", 1.0),
        ("where do they live", "anna lives in Ulm", "names", 0.0),
        ("which hens", "h" * 9, "length", math.log(10) - 4.5),
        ("which hens", "h" * 89, "length", math.log(90) - 4.5),
        ("which hens", "h" * 200, "length", 0.0),
        ("which hens roost", "hens", "coverage", 0.5),
        ("which hens roost", "hens roost", "coverage", 1.0),
        ("which hens roost", "cows", "coverage", 0.0),
        ("which hens", "hens", "cosine", 0.0),
    ],
)
def test_what_a_passage_says_becomes_its_features(
    question: str, text: str, name: str, value: float
) -> None:
    assert _features(question, text)[name] == pytest.approx(value)


def test_what_retrievers_say_becomes_features_as_it_is() -> None:
    given = {
        "keyword": 0.3,
        "fused": 1.5,
        "vector_z": -0.5,
        "near_keyword": 0.7,
        "near_vector": 0.2,
    }
    found = _features("which hens", "hens", cosine=0.79, keyword_z=9.0, **given)
    assert {name: found[name] for name in given} == given
    assert found["cosine"] == pytest.approx(-0.6)
    assert found["answers"] == 0.0


def test_a_passage_of_which_no_retriever_knows_anything_has_only_what_it_says() -> None:
    found = _features("which hens", "hens")
    names = ("fused", "keyword", "vector_z", "cosine", "help", "near_keyword", "near_vector")
    assert {found[name] for name in (*names, "answers")} == {0.0}
    one = Evidence(1, "hens")
    assert (one.keyword_z, one.order, one.log_odds, one.heading) == (0.0, 0.0, 0.0, "")
    assert one.probability == 0.5


def test_a_long_page_and_a_long_question_are_read_up_to_three_thousand_characters() -> None:
    assert len(Evidence(1, "x" * 3_001).text) == 3_000
    assert len(ScopedQuestion("x" * 3_001, {}, 0, {}).text) == 3_000


@pytest.mark.parametrize(
    ("before", "z", "keyword_z", "value"),
    [
        ("how many hens?", 0.4, 9.0, 0.4),
        ("how many hens?", 0.0, 0.3, 0.3),
        ("how many hens?", -0.4, 0.3, 0.0),
        ("so many hens.", 0.4, 0.3, 0.0),
        ("hens? " + "x" * 79, 0.4, 0.3, 0.0),
    ],
)
def test_what_stands_behind_a_near_question_answers_it(
    before: str, z: float, keyword_z: float, value: float
) -> None:
    asked = ScopedQuestion("how many hens", query_tokens("how many hens"), 100, {})
    one = Evidence(2, "six of them")
    one.before = Evidence(1, before, vector_z=z, keyword_z=keyword_z)
    one.before.held = asked.held(before)
    found = features(asked, one)
    assert found["answers"] == value
    assert found["coverage_near"] > found["coverage"] == 0.0


@pytest.mark.parametrize(
    ("cosines", "best", "stands_out", "mean_cosine"),
    [
        ((), None, 0.0, 0.0),
        ((0.8, 0.6), 0.8, 1.0, -1.5),
        ((0.8, 0.8), 0.85, 50.0, -0.5),
        ((0.8, 0.6), None, 0.0, -1.5),
    ],
)
def test_how_far_the_best_stands_out_is_by_the_spread_of_all(
    cosines: tuple[float, ...], best: float | None, stands_out: float, mean_cosine: float
) -> None:
    asked = ScopedQuestion("어느 서버", {"서버": 1.0, "서비": 1.0}, 1000, {"서버": 5})
    one = Evidence(1, "서버", keyword=0.4, cosine=best)
    one.values = features(asked, one)
    found = question_features(asked, one, 4.5, cosines)
    assert found["stands_out"] == pytest.approx(stands_out)
    assert found["mean_cosine"] == pytest.approx(mean_cosine)
    assert (found["lead"], found["best_keyword"], found["korean"], found["statement"]) == (
        3.0,
        0.4,
        1.0,
        0.0,
    )
    assert found["scope_size"] == pytest.approx(0.5)
    assert found["tokens"] == pytest.approx(math.log(3) - 2)
    assert 0.5 < found["unseen"] < 1.0, "what stands nowhere is the rarest"
    assert question_features(ScopedQuestion("x", {}, 0, {}), one, 0.0, ())["scope_size"] == -2.5


def test_a_rarity_is_as_of_five_hundred_passages_more_of_which_one_holds_the_word() -> None:
    expected = {
        token: weight * idf(600, holds + 1.0)
        for token, weight, holds in (("a", 1.0, 0), ("b", 0.5, 9))
    }
    assert rarities({"a": 1.0, "b": 0.5}, 100, {"b": 9}) == pytest.approx(expected)


def test_scores_are_standardised_over_all_candidates() -> None:
    assert standardised({1: 3.0, 2: 1.0}, [1, 2, 3, 4], 0.0) == pytest.approx(
        {1: 2 / 1.5**0.5, 2: 0.0, 3: -1 / 1.5**0.5, 4: -1 / 1.5**0.5}
    )
    assert standardised({1: 3.0}, [1], 0.0) == {1: 0.0}
    assert standardised({1: 3.0}, [], 0.0) == {}


_MADE = FamilyWeights(
    {
        "rank": {"keyword": 2.0, "user": 1.0},
        "scale": 0.5,
        "answer": {
            "bias": -1.0,
            "lead": 0.5,
            "unseen": -2.0,
            "unseen_names": -3.0,
            "best_keyword": 4.0,
        },
    }
)


def _judged(
    rivals: int, *, cosine: float | None = None, holding: dict[str, int] | None = None
) -> EvidenceJudgement:
    held = {"deploy": 3} if holding is None else holding
    asked = ScopedQuestion("when does Anna deploy", {"deploy": 1.0}, 50, held)
    found = [Evidence(9, "User: Anna deploys", keyword=0.5, cosine=cosine)]
    found += [Evidence(n + 1, "the garden", keyword=0.25, cosine=cosine) for n in range(rivals)]
    return judge_evidence(asked, found, _MADE)


@pytest.mark.parametrize(("rivals", "share"), [(0, 0.0), (1, 0.25), (3, 0.75), (4, 1.0), (7, 1.0)])
def test_the_odds_are_the_sum_of_their_parts(rivals: int, share: float) -> None:
    judged = _judged(rivals)
    lead = (2.0 - 1.0) * share  # 2 · .5 + 1 of the user, 2 · .25 + .5 of nobody
    assert [one.id for one in judged.ranked] == [9, *range(1, rivals + 1)]
    best = -1.0 + 0.5 * lead + 4.0 * 0.5
    assert judged.ranked[0].log_odds == pytest.approx(best)
    for one in judged.ranked:
        assert sum(judged.parts(one).values()) == pytest.approx(one.log_odds)
    if rivals:
        assert judged.ranked[1].log_odds == pytest.approx(best - 0.5)
        assert judged.parts(judged.ranked[1])["keyword"] == pytest.approx(-0.25)


def test_beside_vectors_nothing_is_sure_where_much_of_the_question_stands_nowhere() -> None:
    assert _judged(4, holding={}).doubt == 0.0
    strong = FamilyWeights({"rank": {"keyword": 1.0}, "scale": 1.0, "answer": {"bias": 3.0}})
    for tokens, is_doubted in (
        ({"deploy": 1.0, "anna": 0.3}, False),
        ({"deploy": 1.0, "anna": 0.9}, True),
    ):
        asked = ScopedQuestion("when does anna deploy", tokens, 50, {"deploy": 0})
        judged = judge_evidence(asked, [Evidence(1, "deploys", cosine=0.8)], strong)
        assert judged.ranked[0].probability == pytest.approx(
            0.48 if is_doubted else apply_logistic(3.0)
        )
        assert judged.parts(judged.ranked[0]).get("words_nowhere", 0.0) == judged.doubt
    weak = FamilyWeights({"rank": {}, "scale": 1.0, "answer": {"bias": -3.0}})
    assert (
        judge_evidence(
            ScopedQuestion("anna", {"anna": 1.0}, 50, {}),
            [Evidence(1, "deploys", cosine=0.8)],
            weak,
        ).doubt
        == 0.0
    )


def test_a_name_that_no_candidate_holds_is_somebody_elses() -> None:
    asked = ScopedQuestion("where do Anna and Berta live", {"live": 1.0}, 50, {"live": 1})
    held = [Evidence(1, "anna lives in Ulm"), Evidence(2, "carla lives in Bonn")]
    assert judge_evidence(asked, held, _MADE).about["unseen_names"] == 0.5
    named = [*held, Evidence(9, "the hot box", fused=0.1, heading="Kiln rebuild = Berta")]
    assert judge_evidence(asked, named, _MADE).about["unseen_names"] == 0.0
    assert (
        judge_evidence(
            ScopedQuestion("where do they live", {"live": 1.0}, 50, {}), held, _MADE
        ).about["unseen_names"]
        == 0.0
    )


@pytest.mark.parametrize(
    ("p", "expected"), [(0.5, HIGH), (0.4999, MEDIUM), (0.3, MEDIUM), (0.2999, LOW)]
)
def test_a_cut_belongs_to_the_level_above(p: float, expected: str) -> None:
    assert level(p) == expected
