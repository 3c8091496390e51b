"""How a character words what it knows."""

from datetime import UTC, datetime
from typing import Any

import pytest

from gieok.character.facts import Fact, FactType
from gieok.character.memory.voice import Voice, choose_voice, is_korean_statement, is_well_supported

_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)


def _fact(value: str, **more: Any) -> Fact:
    given: dict[str, Any] = {"message_ids": ("m0",), **more}
    kind = given.pop("type", FactType.PLAN)
    return _state("schedule", value, kind, **given)


def _state(predicate: str, value: str, kind: FactType, **more: Any) -> Fact:
    given: dict[str, Any] = {"confidence": 0.9, **more}
    return Fact(subject="user", predicate=predicate, object=value, type=kind, at=_AT, **given)


def test_a_wording_is_told_in_the_words_of_the_voice() -> None:
    polite, plain, english = Voice("ko", is_polite=True), Voice("ko"), Voice("en", is_polite=True)
    assert [one.say("반말", "존댓말", "en") for one in (polite, plain, english)] == [
        "존댓말",
        "반말",
        "en",
    ]
    assert english.report("lives in {o}", o="Seoul") == "Lives in Seoul."
    assert english.report("lives here", is_sure=False) == "Lives here, I think."
    assert plain.report("서울에 산다") == "서울에 산다고 했어."
    assert polite.report("서울에 산다") == "서울에 산다고 했어요."
    assert plain.report("직업은 {o}", o="교사") == "직업은 교사라고 했어."
    assert (
        polite.report("직업은 {o}", o="시인", is_sure=False) == "직업은 시인이라고 했던 것 같아요."
    )
    assert (
        plain.report("그건 {o}", o="혼자 산다", is_sure=False) == "그건 혼자 산다고 했던 것 같아."
    )


@pytest.mark.parametrize(
    ("value", "is_statement"),
    [
        ("혼자 산다", True),
        ("혼자 살았다", True),
        ("큰 바다", False),
        ("키가 크지 않다", True),
        ("바다", False),
        ("산다 혼자", False),
    ],
)
def test_a_value_of_several_words_may_be_a_statement(value: str, is_statement: bool) -> None:
    assert is_korean_statement(value) is is_statement


def test_a_fact_is_told_as_known_where_more_than_one_finding_bears_it() -> None:
    taste = FactType.PREFERENCE
    assert not is_well_supported(_fact("x", type=taste))
    assert is_well_supported(_fact("x", type=taste, mentions=2))
    assert is_well_supported(_fact("x", type=taste, by="a model"))
    assert is_well_supported(_fact("x", mentions=2))
    unsure = _fact("x", confidence=0.1, mentions=9)
    assert not is_well_supported(unsure)
    level = _state("speech_level", "존댓말", taste)
    assert choose_voice("ko", [level]).is_polite
    ended = _state("speech_level", "존댓말", taste, until=_AT)
    other = _state("job", "존댓말", taste)
    assert not choose_voice("ko", [ended, other]).is_polite
