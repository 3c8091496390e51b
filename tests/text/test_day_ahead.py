"""The day that a plan names."""

from datetime import date

import pytest

from gieok.text.day_ahead import day_ahead

_MONDAY = date(2026, 3, 2)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("4월 10일 금요일에 면접", date(2026, 4, 10)),
        ("다음 주 금요일", date(2026, 3, 13)),
        ("이번 주 토요일", date(2026, 3, 7)),
        ("모레 시험", date(2026, 3, 4)),
        ("25일 수요일로", date(2026, 3, 25)),
        ("6월 셋째주 토요일", date(2026, 6, 20)),
        ("사흘 뒤", date(2026, 3, 5)),
        ("1월 5일", date(2027, 1, 5)),
        ("2027-01-02", date(2027, 1, 2)),
        ("friday april 3", date(2026, 4, 3)),
        ("next friday", date(2026, 3, 13)),
        ("on the 9th of may", date(2026, 5, 9)),
        ("in 2 weeks", date(2026, 3, 16)),
        ("2월 31일", None),
        ("아무 날도 아니다", None),
    ],
)
def test_a_plan_names_its_day(text: str, day: date | None) -> None:
    found = day_ahead(text, _MONDAY)
    assert (found.day if found else None) == day
