"""A value that is told as a former one holds no more."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from gieok.character.detect import formers
from gieok.character.detect.detect import Detection, Spoken, detect_statements
from gieok.character.facts import Fact
from gieok.character.predicates import PREDICATES

_ROWS = (*formers.FORMER, *formers.NOW, formers.BECAME)


@pytest.mark.parametrize(("pattern", "one", "none"), _ROWS, ids=[one for _, one, _ in _ROWS])
def test_a_row_has_an_example_and_a_counter_example(pattern: str, one: str, none: str) -> None:
    assert re.search(pattern, one)
    assert not re.search(pattern, none)


def _hold(predicate: str, value: str) -> Fact:
    return Fact(
        subject="user",
        predicate=predicate,
        object=value,
        type=PREDICATES[predicate].type,
        at=datetime(2026, 3, 1, tzinfo=UTC),
        confidence=0.9,
    )


def _hear(text: str, *held: Fact) -> Detection:
    return detect_statements(Spoken(text, is_user=True, day=date(2026, 3, 2)), held)


@pytest.mark.parametrize(
    ("predicate", "value", "text", "now"),
    [
        ("pet", "Mango (parrot)", "Mango was our previous bird. he's called Kiwi", "Kiwi (parrot)"),
        ("pet", "단추 (강아지)", "단추는 예전에 기르던 애고 지금은 보리야", "보리 (강아지)"),
        ("lives_in", "목포", "목포는 전에 살던 데고 이제는 나주예요", "나주"),
        ("job", "주간반", "나 이번 달부터 야간반으로 바뀌었어", "야간반"),
        ("partner", "하나", "하나는 전에 사귀던 애야", ""),
        ("job", "Halfords", "Halfords was my old job, thank god", ""),
    ],
)
def test_a_former_value_is_given_up_for_the_one_that_holds(
    predicate: str, value: str, text: str, now: str
) -> None:
    held = _hold(predicate, value)
    found = _hear(text, held)
    assert found.dropped == (held,)
    assert [one.object for one in found.findings if one.predicate == predicate] == [now] * bool(now)


@pytest.mark.parametrize(
    ("predicate", "value", "text"),
    [
        ("pet", "Mango (parrot)", "was Mango the old one?"),
        ("pet", "Mango (parrot)", "Mango is the old neighbour's favourite"),
        ("pet", "단추 (강아지)", "단추는 예전에 먹던 사료만 먹어"),
        ("pet", "단추 (강아지)", "보리는 예전에 기르던 애야"),
        ("from", "목포", "목포는 전에 살던 데고"),
        ("job", "주간반", "동생은 야간반으로 바뀌었어"),
        ("job", "주간반", "표는 저녁으로 바뀌었어"),
    ],
)
def test_what_tells_no_former_value_of_it_gives_up_nothing(
    predicate: str, value: str, text: str
) -> None:
    assert _hear(text, _hold(predicate, value)).dropped == ()


def test_what_is_over_already_is_not_given_up_again() -> None:
    over = replace(_hold("pet", "Mango (parrot)"), until=datetime(2026, 3, 1, 9, tzinfo=UTC))
    assert _hear("Mango was the old one", over).dropped == ()


def test_a_number_as_ages_are_told_is_nobodys_name() -> None:
    names = [one.object for one in _hear("나 스물아홉이야").findings if one.predicate == "name"]
    assert names == []
    assert [one.object for one in _hear("나 서연이야").findings if one.predicate == "name"]
