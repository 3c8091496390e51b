"""The heads judge by vector and features; features are read from the words alone."""

from array import array

import pytest

from gieok.models.local.releases import CURRENT
from gieok.ranking.learned.features import NAMES, features_of
from gieok.ranking.learned.heads import Head, about_user, judge_turn_worth
from gieok.ranking.learned.weights import learned

_NOWHERE = array("f", [0.0] * 384).tobytes()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "나는 항상 표로 보는 게 좋아",
            {"i", "always", "liking", "i and always", "i and liking", "korean"},
        ),
        ("우리 팀은 금요일 배포 금지야", {"we", "rule", "we and rule", "korean"}),
        ("I never take calls before ten", {"i", "always", "i and always", "digit"}),
        ("we decided on gRPC", {"we", "decided", "we and decided"}),
        ("If I were vegan", {"i", "supposed", "i and supposed"}),
        ("다시 돌려줘", {"request", "korean"}),
    ],
)
def test_features_are_what_a_reader_finds(text: str, found: set[str]) -> None:
    values = dict(zip(NAMES, features_of(text), strict=True))
    assert {name for name, value in values.items() if value and name != "length"} == found


@pytest.mark.parametrize("name", ["about_user", "worth"])
def test_the_fitted_weights_are_for_these_features(name: str) -> None:
    assert len(learned("heads").matrices[f"{name}.features"][0]) == len(NAMES)
    assert len(learned("heads").matrices[f"{name}.vector"][0]) == 384


def test_a_head_is_a_logistic_model() -> None:
    assert Head(vector=[1.0], features=[2.0], bias=-3.0).probability([1.0], [1.0]) == 0.5


@pytest.mark.parametrize("judge", [about_user, judge_turn_worth])
def test_a_statement_is_above_a_request_by_its_words_alone(judge) -> None:
    stated, asked = ("나는 항상 아침에만 회의를 잡아", "회의 잡아줘")
    assert judge(stated, _NOWHERE, CURRENT.model) > judge(asked, _NOWHERE, CURRENT.model)


@pytest.mark.parametrize("judge", [about_user, judge_turn_worth])
def test_vectors_of_another_model_are_not_judged(judge) -> None:
    assert judge("나는 항상 아침에만 회의를 잡아", _NOWHERE, "other@1") == 0
