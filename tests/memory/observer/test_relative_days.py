from datetime import date

import pytest

from gieok.memory.observer.relative_days import dated

_SAID = date(2026, 11, 21)  # a Saturday


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("어제 서버를 2.0으로 올렸어.", " (2026-11-20)"),
        ("내일까지 인증서를 갱신해야 해.", " (2026-11-22)"),
        ("출시는 다음 주 금요일로 정했어.", " (2026-11-27)"),
        ("We decided to launch next week on Tuesday.", " (2026-11-24)"),
        ("We decided last week to drop Python 3.10.", " (2026-11-09 to 2026-11-15)"),
        ("모레 이사해", " (2026-11-23)"),
        ("we move the day after tomorrow", " (2026-11-23)"),
        ("다음 달에 이사해", " (2026-12-01 to 2026-12-31)"),
        ("we renew it next week", " (2026-11-23 to 2026-11-29)"),
        ("계약서는 금요일까지 보내야 해", " (2026-11-27)"),
        ("send it by Friday", " (2026-11-27)"),
        ("지난 금요일에 배포를 멈췄어", " (2026-11-20)"),
        ("저번 금요일 회의에서 정했어", " (2026-11-20)"),
        ("사흘 전에 이사했어", " (2026-11-18)"),
        ("3일 전에 열쇠를 바꿨어", " (2026-11-18)"),
        ("작년에 이사했어", " (2025-01-01 to 2025-12-31)"),
        ("We moved in three weeks ago.", " (2026-10-26 to 2026-11-01)"),
        ("우리는 3월 5일에 만났어", ""),
        ("We met on March 5.", ""),
        ("We met on March 5, 2024.", ""),
        ("출시는 금요일로 정했어.", ""),
        ("출시는 2026-11-27로 정했어.", ""),
        ("I never work on Fridays.", ""),
        ("월세 60으로 올랐다 다음달부터", " (from 2026-12-01)"),
        ("다음 달 15일부터 출근해", " (from 2026-12-15)"),
        ("교정 단가 내년부터 1,300원으로 올리기로 했어", " (from 2027-01-01)"),
        ("내일부터 휴가야", " (from 2026-11-22)"),
        ("The rent is 60 from next month.", " (from 2026-12-01)"),
        ("As of next week we meet at nine.", " (from 2026-11-23)"),
        ("지난달부터 재택이야", " (from 2026-10-01)"),
        ("We have used uv since last month.", " (from 2026-10-01)"),
        ("From next month the rent is 60.", " (from 2026-12-01)"),
        ("We moved last month.", " (2026-10-01 to 2026-10-31)"),
        ("We moved in March.", ""),
        ("We moved in 2024.", ""),
        ("send it by Tuesday", " (2026-11-24)"),
        ("send it by Saturday", " (2026-11-21)"),
        ("We meet next week on Monday.", " (2026-11-23)"),
        ("we met yesterday, on 2026-11-20", ""),
    ],
)
def test_relative_days_carry_the_date_where_it_is_certain(text: str, days: str) -> None:
    assert dated(text, _SAID) == text + days


@pytest.mark.parametrize(
    ("said", "days"),
    [
        (date(2026, 1, 31), " (2026-02-01 to 2026-02-28)"),
        (date(2026, 12, 1), " (2027-01-01 to 2027-01-31)"),
    ],
)
def test_the_next_month_is_a_whole_one(said: date, days: str) -> None:
    assert dated("the rent is due next month", said) == "the rent is due next month" + days
