"""Days in words, seen from a Saturday: 21 November 2026."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gieok.text.dates import find_asked_span, find_span, name_past_year

_TODAY = date(2026, 11, 21)


def _days(question: str, today: date = _TODAY) -> str | None:
    span = find_span(question, today)
    if span is None:
        return None
    return str(span.first) if span.first == span.last else f"{span.first}..{span.last}"


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("what happened on 2026-10-14?", "2026-10-14"),
        ("2026-10-14에 뭐 했지", "2026-10-14"),
        ("2026.1.2 회의", "2026-01-02"),
        ("2026년 3월 2일에 뭐 했지", "2026-03-02"),
        ("on March 2, 2025", "2025-03-02"),
        ("March 2nd 2025", "2025-03-02"),
        ("the 2nd of March 2025", "2025-03-02"),
        ("2 Mar. 2025", "2025-03-02"),
        ("3월 5일 회의", "2026-03-05"),
        ("12월 25일에는", "2025-12-25"),
        ("11월 21일", "2026-11-21"),
        ("11월 22일", "2025-11-22"),
        ("on May 5", "2026-05-05"),
        ("on may 5", "2026-05-05"),
        ("the 5th of may", "2026-05-05"),
        ("Dec 25th", "2025-12-25"),
        ("2월 29일", "2024-02-29"),
        ("February 29", "2024-02-29"),
        ("10월 첫째 주", "2026-10-01..2026-10-07"),
        ("10월 두 번째 주에", "2026-10-05..2026-10-14"),
        ("2025년 10월 마지막 주", "2025-10-25..2025-10-31"),
        ("the first week of October", "2026-10-01..2026-10-07"),
        ("last week of February 2024", "2024-02-23..2024-02-29"),
        ("2025년 3월에", "2025-03-01..2025-03-31"),
        ("in March 2025", "2025-03-01..2025-03-31"),
        ("in may 2025", "2025-05-01..2025-05-31"),
        ("past 3 weeks", "2026-10-31..2026-11-21"),
        ("the last two days", "2026-11-19..2026-11-21"),
        ("최근 3일간", "2026-11-18..2026-11-21"),
        ("지난 2주 동안", "2026-11-07..2026-11-21"),
        ("3 days ago", "2026-11-18"),
        ("two weeks ago", "2026-11-02..2026-11-08"),
        ("a few months ago", "2026-08-01..2026-08-31"),
        ("a year ago", "2025-01-01..2025-12-31"),
        ("3일 전에", "2026-11-18"),
        ("일주일 전에", "2026-11-09..2026-11-15"),
        ("두 달 전부터", "2026-09-01..2026-11-21"),
        ("1년 전", "2025-01-01..2025-12-31"),
        ("the day before yesterday", "2026-11-19"),
        ("그저께", "2026-11-19"),
        ("그제 저녁", "2026-11-19"),
        ("yesterday's notes", "2026-11-20"),
        ("어제는 뭐 했지", "2026-11-20"),
        ("어제저녁에", "2026-11-20"),
        ("today", "2026-11-21"),
        ("오늘은", "2026-11-21"),
        ("last night", "2026-11-20..2026-11-21"),
        ("어젯밤", "2026-11-20..2026-11-21"),
        ("last Tuesday", "2026-11-17"),
        ("on Saturday", "2026-11-14"),
        ("지난주 화요일", "2026-11-10"),
        ("지난 화요일", "2026-11-17"),
        ("화요일에 정한 것", "2026-11-17"),
        ("the week before last", "2026-11-02..2026-11-08"),
        ("지지난 주", "2026-11-02..2026-11-08"),
        ("last week", "2026-11-09..2026-11-15"),
        ("지난주에는", "2026-11-09..2026-11-15"),
        ("지난 주말", "2026-11-14..2026-11-15"),
        ("저번 주", "2026-11-09..2026-11-15"),
        ("this week", "2026-11-16..2026-11-22"),
        ("이번 주", "2026-11-16..2026-11-22"),
        ("금주 매출", "2026-11-16..2026-11-22"),
        ("last month", "2026-10-01..2026-10-31"),
        ("지난달", "2026-10-01..2026-10-31"),
        ("이번 달", "2026-11-01..2026-11-30"),
        ("last year", "2025-01-01..2025-12-31"),
        ("작년에", "2025-01-01..2025-12-31"),
        ("지난해", "2025-01-01..2025-12-31"),
        ("this year", "2026-01-01..2026-12-31"),
        ("올해", "2026-01-01..2026-12-31"),
        ("in March", "2026-03-01..2026-03-31"),
        ("in December", "2025-12-01..2025-12-31"),
        ("early may", "2026-05-01..2026-05-10"),
        ("in early may", "2026-05-01..2026-05-10"),
        ("3월에 뭐 했지", "2026-03-01..2026-03-31"),
        ("3월달 매출", "2026-03-01..2026-03-31"),
        ("12월", "2025-12-01..2025-12-31"),
        ("in 2024", "2024-01-01..2024-12-31"),
        ("2024년", "2024-01-01..2024-12-31"),
    ],
)
def test_a_phrase_means_these_days(question: str, days: str) -> None:
    assert _days(question) == days


#: Phrasings of people who look for a time, seen from the same Saturday.
_ASKED = [
    ("what changed on the blog in mid September?", "2026-09-10..2026-09-20"),
    ("what did we ship in mid-October", "2026-10-10..2026-10-20"),
    ("anything from late august about the parser", "2026-08-20..2026-08-31"),
    ("who joined at the beginning of July?", "2026-07-01..2026-07-10"),
    ("the middle of March 2025", "2025-03-10..2025-03-20"),
    ("at the end of February", "2026-02-21..2026-02-28"),
    ("early last month", "2026-10-01..2026-10-10"),
    ("9월 중순에 뭐 했더라", "2026-09-10..2026-09-20"),
    ("10월 초에 정한 거", "2026-10-01..2026-10-10"),
    ("8월 말쯤 얘기한 배포", "2026-08-21..2026-08-31"),
    ("작년 12월 초순", "2025-12-01..2025-12-10"),
    ("2025년 4월 하순에", "2025-04-21..2025-04-30"),
    ("지난달 말에 뭐가 바뀌었지", "2026-10-21..2026-10-31"),
    ("이번 달 초", "2026-11-01..2026-11-10"),
    ("올해 초에 정한 목표", "2026-01-01..2026-03-31"),
    ("작년 말에", "2025-10-01..2025-12-31"),
    ("연초에 뭐라고 했지", "2026-01-01..2026-03-31"),
    ("October recap", "2026-10-01..2026-10-31"),
    ("show me September", "2026-09-01..2026-09-30"),
    ("what happened in Sept", "2026-09-01..2026-09-30"),
    ("Sept. 25 standup", "2026-09-25"),
    ("작년 9월에", "2025-09-01..2025-09-30"),
    ("지난 9월에 뭐 했지", "2026-09-01..2026-09-30"),
    ("재작년에", "2024-01-01..2024-12-31"),
    ("last year in May", "2025-05-01..2025-05-31"),
    ("June of last year", "2025-06-01..2025-06-30"),
    ("올해 3월 5일", "2026-03-05"),
    ("from September 3 to 10", "2026-09-03..2026-09-10"),
    ("between October 1st and October 9th", "2026-10-01..2026-10-09"),
    ("Sep 3 – Sep 12 changes", "2026-09-03..2026-09-12"),
    ("from last Monday to Wednesday", "2026-11-16..2026-11-18"),
    ("from Monday to Wednesday", "2026-11-16..2026-11-18"),
    ("from March to May", "2026-03-01..2026-05-31"),
    ("from October to December", "2025-10-01..2025-12-31"),
    ("from 25 December to 3 January", "2025-12-25..2026-01-03"),
    ("2026-09-01 ~ 2026-09-10", "2026-09-01..2026-09-10"),
    ("9월 3일부터 10일까지 뭐 했지", "2026-09-03..2026-09-10"),
    ("9월 3일에서 9월 10일 사이에", "2026-09-03..2026-09-10"),
    ("8월부터 10월까지", "2026-08-01..2026-10-31"),
    ("9/3~9/10", "2026-09-03..2026-09-10"),
    ("월요일부터 수요일까지", "2026-11-16..2026-11-18"),
    ("since Tuesday", "2026-11-17..2026-11-21"),
    ("what has changed since last week", "2026-11-09..2026-11-21"),
    ("since September", "2026-09-01..2026-11-21"),
    ("9월부터 바뀐 것", "2026-09-01..2026-11-21"),
    ("지난주부터", "2026-11-09..2026-11-21"),
    ("10월 3일 이후로 결정한 것", "2026-10-03..2026-11-21"),
    ("두 달 전에 뭐 했지", "2026-09-01..2026-09-30"),
    ("석 달 전", "2026-08-01..2026-08-31"),
    ("열흘 전에", "2026-11-11"),
    ("며칠 전에 말한 카페", "2026-11-14..2026-11-19"),
    ("a few days ago", "2026-11-14..2026-11-19"),
    ("the other day", "2026-11-14..2026-11-19"),
    ("seven months ago", "2026-04-01..2026-04-30"),
    ("three days back", "2026-11-18"),
    ("지난 일주일 동안", "2026-11-14..2026-11-21"),
    ("최근 한 달 동안 뭐 했어", "2026-10-21..2026-11-21"),
    ("over the past month", "2026-10-21..2026-11-21"),
    ("in the last week", "2026-11-14..2026-11-21"),
    ("Friday last week", "2026-11-13"),
    ("last week on Friday", "2026-11-13"),
    ("지난주 금욜에", "2026-11-13"),
    ("over the weekend", "2026-11-14..2026-11-15"),
    ("this morning", "2026-11-21"),
    ("아까 말한 거", "2026-11-21"),
    ("the week of September 21", "2026-09-21..2026-09-27"),
    ("지지난달에", "2026-09-01..2026-09-30"),
    ("last quarter", "2026-07-01..2026-09-30"),
    ("3분기에 뭐 했지", "2026-07-01..2026-09-30"),
    ("in Q1", "2026-01-01..2026-03-31"),
    ("Q4 2025", "2025-10-01..2025-12-31"),
    ("지난 여름에", "2026-06-01..2026-08-31"),
    ("last winter", "2025-12-01..2026-02-28"),
    ("9/25에 얘기한 거", "2026-09-25"),
    ("on 9/25", "2026-09-25"),
    ("25일에 샵에서 얘기한 거", "2026-10-25"),
    ("on the 15th we said", "2026-11-15"),
    ("9월 25일에 샵에서 얘기한 거 뭐 있었지", "2026-09-25"),
    ("2026-09 회고", "2026-09-01..2026-09-30"),
]


@pytest.mark.parametrize(("question", "days"), _ASKED)
def test_who_looks_for_a_time_is_understood(question: str, days: str) -> None:
    assert _days(question) == days


@pytest.mark.parametrize("question", [asked for asked, _ in _ASKED])
def test_the_words_of_the_days_stand_in_the_question(question: str) -> None:
    span = find_span(question, _TODAY)
    assert span
    assert span.words in question


@pytest.mark.parametrize(
    ("question", "today", "days"),
    [
        ("yesterday", date(2027, 1, 1), "2026-12-31"),
        ("지난달", date(2027, 1, 15), "2026-12-01..2026-12-31"),
        ("13 months ago", date(2027, 1, 15), "2025-12-01..2025-12-31"),
        ("last week", date(2027, 1, 1), "2026-12-21..2026-12-27"),
        ("this week", date(2027, 1, 1), "2026-12-28..2027-01-03"),
        ("12월 31일", date(2027, 1, 1), "2026-12-31"),
        ("1월", date(2027, 1, 1), "2027-01-01..2027-01-31"),
        ("yesterday", date(2024, 3, 1), "2024-02-29"),
        ("2월 29일", date(2024, 2, 29), "2024-02-29"),
        ("2월 29일", date(2103, 1, 1), "2096-02-29"),
        ("in February", date(2024, 3, 1), "2024-02-01..2024-02-29"),
        ("last Monday", date(2026, 11, 16), "2026-11-09"),
    ],
)
def test_years_months_and_leap_days_are_crossed(question: str, today: date, days: str) -> None:
    assert _days(question, today) == days


@pytest.mark.parametrize(
    "question",
    [
        "2월 31일",
        "13월",
        "0월",
        "February 30",
        "2026-02-30",
        "2026-13-01",
        "999999년 전",
        "3월 0일",
    ],
)
def test_impossible_days_are_no_days(question: str) -> None:
    assert _days(question) is None


@pytest.mark.parametrize(
    "question",
    [
        "I may go",
        "how may 2 users share a scope",
        "30 may be enough",
        "the sun",
        "march through the code",
        "second of all",
        "30분",
        "일정",
        "주문",
        "해변",
        "지난 주문",
        "이번 주제",
        "지난 해변",
        "지난 달력",
        "단어제한",
        "언어제어",
        "그제야 알았다",
        "그제서야",
        "오늘날의 서버",
        "요금주문",
        "최근 3주문",
        "매주 화요일 정산",
        "월요병",
        "3일 전달",
        "2주 전략",
        "12월드컵",
        "every Monday",
        "on Mondays",
        "deploy in order",
        "version 10.0.1",
        "결제일",
        "휴일 전환",
        "",
        "달",
        "May I ask what Redis is",
        "may be 3 or 4",
        "March forward with the plan",
        "April said the parser is slow",
        "ask June about it",
        "the ratio is 3/4",
        "16:9 video",
        "issue #1203",
        "version 2024.1.3",
        "v2024.1.3",
        "버전 2024.1.3",
        "python 3.11 or 3.12",
        "9/25 tests pass",
        "Q4 quantization",
        "Q4_K_M",
        "the second quarter turn",
        "between 3 and 4 workers",
        "from 3 to 10 retries",
        "bump from 1.2 to 1.3",
        "dec the counter",
        "mar the surface",
        "jan@example.com",
        "가을이네 카페",
        "여름이 좋아",
        "3일에 한 번 백업",
        "2일에 두 번",
        "12일 걸려",
        "매주 금요일마다 배포",
        "since then",
        "처음부터 다시",
        "in 2000 tokens",
        "on the 3rd floor",
        "fall back to words",
        "a month view of the calendar",
        "the day of week function",
    ],
)
def test_ordinary_words_are_no_days(question: str) -> None:
    assert _days(question) is None


@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    st.text(
        st.sampled_from("0123456789년월일주달 전지난이번첫두 째번최근어제오늘-.,maychdeks"),
        max_size=25,
    ),
    st.dates(),
)
def test_any_question_has_a_span_in_order_or_none(question: str, today: date) -> None:
    span = find_span(question, today)
    assert span is None or (span.first <= span.last and span.words in question)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("12월 4일에 뭐 있어", None),
        ("anything on December 4?", None),
        ("12월 4일에 뭐 했지", date(2025, 12, 4)),
        ("what did we do on December 4?", date(2025, 12, 4)),
        ("2025년 12월 4일에 뭐 있어", date(2025, 12, 4)),
        ("10월 17일이 무슨 날이지", date(2026, 10, 17)),
        ("다음 주 일정", None),
    ],
)
def test_a_day_without_its_year_is_the_nearest_one_unless_the_past_is_asked(
    question: str, first: date | None
) -> None:
    span = find_asked_span(question, _TODAY)
    assert (span.first if span else None) == first


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("작년에 김장 배추 몇 킬로 했어", "2025년에 김장 배추 몇 킬로 했어"),
        ("how much cabbage last year", "how much cabbage 2025"),
        ("재작년 김장", "2024년 김장"),
        ("올해 김장", "올해 김장"),
        ("지난달 김장", "지난달 김장"),
        ("2025년 김장", "2025년 김장"),
        ("김장", "김장"),
    ],
)
def test_a_past_year_in_words_is_named_by_its_number(question: str, read: str) -> None:
    assert name_past_year(question, find_asked_span(question, _TODAY), _TODAY) == read
