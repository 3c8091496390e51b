"""When a message begins a moment, and which days are kept."""

from datetime import UTC, date, datetime, timedelta

import pytest

from gieok.character.detect.detect import Finding
from gieok.character.facts import Moment
from gieok.character.memory.fact_merge import ToldMessage
from gieok.character.memory.moments import find_shared_day, moments

_NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)
_SECOND = timedelta(seconds=1)


def _tell(text: str = "x", at: datetime = _NOW) -> ToldMessage:
    return ToldMessage(at, "m1", text)


def _list_types(
    text: str,
    *held: Moment,
    is_user: bool = True,
    findings: tuple[Finding, ...] = (),
    is_korean: bool = False,
) -> list[str]:
    return [one.type for one in moments(_tell(text), is_user, findings, held, is_korean)]


def _hold(type_: str, ago: timedelta) -> Moment:
    return Moment(type_, "x", _NOW - ago)


@pytest.mark.parametrize(
    ("text", "is_user", "types"),
    [
        ("I got promoted", True, ["milestone"]),
        ("I got promoted", False, []),
        ("my dog died", True, ["comfort"]),
        ("my dog died", False, []),
        ("you're not alone", False, ["comfort"]),
        ("you're not alone", True, []),
        ("why didn't you answer", True, ["fight"]),
        ("why didn't you answer", False, []),
        ("I have to admit I cried", True, ["comfort", "confession"]),
        ("I promise", True, ["promise"]),
        ("I promise", False, ["promise"]),
        ("약속 있어", True, []),
        ("나 승진 취소 약속했다", True, ["milestone"]),
        ('he said "I got promoted"', True, []),
        ("what a day", True, []),
        ("I'm sorry", True, []),
        ("forgive me", True, ["reconcile"]),
        ("forgive me", False, ["reconcile"]),
    ],
)
def test_a_sign_counts_where_the_one_says_it_whose_sign_it_is(
    text: str, is_user: bool, types: list[str]
) -> None:
    assert _list_types(text, is_user=is_user) == types


@pytest.mark.parametrize(
    ("ago", "types"),
    [
        (timedelta(hours=12) - _SECOND, []),
        (timedelta(hours=12), ["milestone"]),
    ],
)
def test_within_half_a_day_a_sign_begins_no_second_moment(ago: timedelta, types: list[str]) -> None:
    assert _list_types("I got promoted", _hold("milestone", ago)) == types
    assert _list_types("I got promoted", _hold("comfort", ago)) == ["milestone"]


def test_a_reconciliation_needs_a_fight_of_the_last_ten_days_that_is_not_settled() -> None:
    ten = timedelta(days=10)
    assert _list_types("I'm sorry", _hold("fight", ten)) == ["reconcile"]
    assert _list_types("I'm sorry", _hold("fight", ten + _SECOND)) == []
    fight, peace = _hold("fight", timedelta(days=3)), _hold("reconcile", timedelta(days=2))
    assert _list_types("I'm sorry", fight, peace) == []
    assert _list_types("I'm sorry", peace, fight) == ["reconcile"]
    assert _list_types("I'm sorry", fight, _hold("comfort", _SECOND)) == ["reconcile"]
    near = _hold("reconcile", timedelta(hours=12) - _SECOND)
    assert _list_types("forgive me", near) == []


@pytest.mark.parametrize(
    ("predicate", "confidence", "types"),
    [
        ("speech_level", 0.8, ["address_change"]),
        ("address_form", 0.9, ["address_change"]),
        ("address_form", 0.79, []),
        ("job", 0.9, []),
    ],
)
def test_a_sure_change_of_address_is_a_moment(
    predicate: str, confidence: float, types: list[str]
) -> None:
    finding = Finding(predicate, "x", "x", confidence=confidence)
    assert _list_types("x", findings=(finding,)) == types
    assert _list_types("x", findings=(Finding("job", "x", "x"), finding)) == types
    assert _list_types("x", _hold("address_change", timedelta(hours=1)), findings=(finding,)) == []


@pytest.mark.parametrize(
    ("is_korean", "emotions"),
    [(True, ["기쁨", "어색함"]), (False, ["joy", "warmth"])],
)
def test_a_moment_has_its_words_its_weight_and_its_feeling(
    is_korean: bool, emotions: list[str]
) -> None:
    told = _tell("I got promoted " + "x" * 200)
    findings = [Finding("speech_level", "x", "x")]
    first, second = moments(told, True, findings, (), is_korean)
    assert [first.emotions, second.emotions] == [(emotions[0],), (emotions[1],)]
    assert (first.intensity, second.intensity) == (0.9, 0.6)
    assert (first.text, len(first.text)) == (told.text[:160], 160)
    assert (first.at, first.message_ids, first.is_told) == (_NOW, ("m1",), False)


@pytest.mark.parametrize(
    ("first", "day", "told"),
    [
        ((2026, 1, 1), (2025, 12, 31), ""),
        ((2026, 1, 1), (2026, 4, 9), ""),
        ((2026, 1, 1), (2026, 4, 10), "100 days since the first talk"),
        ((2026, 1, 1), (2026, 4, 16), "100 days since the first talk"),
        ((2026, 1, 1), (2026, 4, 17), ""),
        ((2026, 1, 1), (2026, 12, 31), ""),
        ((2026, 1, 1), (2027, 1, 1), "one year since the first talk"),
        ((2026, 1, 1), (2027, 1, 7), "one year since the first talk"),
        ((2026, 1, 1), (2027, 1, 8), ""),
        ((2026, 3, 5), (2028, 3, 4), ""),
        ((2026, 3, 5), (2028, 3, 5), "2 years since the first talk"),
        ((2026, 1, 1), (2026, 1, 1), ""),
        ((2024, 2, 29), (2025, 2, 28), ""),
        ((2024, 2, 29), (2025, 3, 1), "one year since the first talk"),
        ((2024, 2, 29), (2025, 3, 6), "one year since the first talk"),
        ((2024, 2, 29), (2025, 3, 7), ""),
        ((2024, 2, 29), (2028, 2, 29), "4 years since the first talk"),
    ],
)
def test_the_hundredth_day_and_anniversaries_are_kept_for_a_week(
    first: tuple[int, int, int], day: tuple[int, int, int], told: str
) -> None:
    found = find_shared_day(date(*first), date(*day), _tell(), (), False)
    assert [one.text for one in found] == ([told] if told else [])


def test_a_shared_day_is_told_once_in_a_month_and_in_its_language() -> None:
    days = date(2026, 1, 1), date(2026, 4, 10)
    (one,) = find_shared_day(*days, _tell(), (), True)
    assert (one.text, one.emotions, one.intensity) == ("처음 이야기한 지 100일", ("기쁨",), 0.7)
    assert (one.type, one.is_told, one.message_ids) == ("hundred_days", True, ("m1",))
    near = _hold("hundred_days", timedelta(days=30) - _SECOND)
    assert find_shared_day(*days, _tell(), (near,), False) == []
    far = _hold("hundred_days", timedelta(days=30))
    (told,) = find_shared_day(*days, _tell(), (far, _hold("anniversary", _SECOND)), False)
    assert told.emotions == ("joy",)
    (year,) = find_shared_day(date(2026, 1, 1), date(2028, 1, 1), _tell(), (), True)
    assert (year.type, year.text) == ("anniversary", "처음 이야기한 지 2년")
