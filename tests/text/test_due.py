"""Which day a statement is due."""

import pytest

from gieok.model.conversation import CORRECTED_MARK
from gieok.text.due import SOMEBODY_ELSES, due_day, format_due_day, ordinal

_TODAY, _SAID = "2026-11-22", "2026-11-20"


@pytest.mark.parametrize(
    ("text", "is_task", "day"),
    [
        ("Send the offer by Friday (2026-11-27)", True, "2026-11-27"),
        ("견적서 11월 24일까지 보내야 해", True, "2026-11-24"),
        ("demo on 23 November", False, "2026-11-23"),
        ("meeting on Nov 25th", False, "2026-11-25"),
        ("Renew it by 2026-11-10", True, "2026-11-10"),
        ("Renew it by 2026-11-10", False, ""),
        ("Renew it by 2026-10-10", True, ""),
        ("the launch is on 2027-01-05", True, ""),
        ("moved the tables today (2026-11-20)", False, ""),
        ("다음 주 금요일(2026-11-27)에 원장님들 앞에서 데모야", False, "2026-11-27"),
        ("the fair is on 2026-11-23", False, "2026-11-23"),
        ("the fair is on 2026-11-25", False, ""),
        ("13월 40일까지", True, ""),
        ("nothing", True, ""),
        ("moved from 2026-11-24 to 2026-11-26", True, "2026-11-26"),
    ],
)
def test_what_is_near_is_due(text: str, is_task: bool, day: str) -> None:
    assert due_day(text, _SAID, _TODAY, is_task=is_task) == day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("내일 오전 10시에 미팅 있어", "2026-11-26"),
        ("목요일 3시에 하나은행 방문", "2026-11-26"),
        ("We go there on Thursday", ""),
        ("No meeting with Hana on Thursday", ""),
        ("목요일 회의는 취소됐어", ""),
        ("내일 3시 미팅은 없던 걸로 해", ""),
        ("The interview on Thursday is called off", ""),
        ("내일까지 구독 취소 신청해야 해", "2026-11-26"),
        ("Send the offer by 2026-11-23, on Thursday at the latest", "2026-11-23"),
    ],
)
def test_the_day_that_words_mean_counts_where_there_is_no_date(text: str, day: str) -> None:
    assert due_day(text, _SAID, _TODAY, is_task=False, named="2026-11-26") == day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("내일 3시 치과 (2026-11-21)", ""),
        ("dentist appointment tomorrow at 9am (2026-11-21)", ""),
        ("내일까지 시험 접수 (2026-11-21)", "2026-11-21"),
        ("Send the tax form tomorrow (2026-11-21)", "2026-11-21"),
    ],
)
def test_what_took_place_on_its_day_is_not_late(text: str, day: str) -> None:
    assert due_day(text, _SAID, _TODAY, is_task=True) == day


def test_a_day_without_a_year_is_the_next_one() -> None:
    assert due_day("신고 1월 3일까지", "2026-12-20", "2026-12-30", is_task=True) == "2027-01-03"


def test_days_are_counted_over_months_and_leap_years() -> None:
    assert ordinal("2028-03-01") - ordinal("2028-02-28") == 2
    assert ordinal("2027-01-01") - ordinal("2026-12-31") == 1


def test_when_something_is_due_is_said_from_today() -> None:
    said = [
        format_due_day(day, _TODAY)
        for day in ("2026-11-20", "2026-11-22", "2026-11-23", "2026-11-27")
    ]
    assert said == ["overdue since 2026-11-20", "due today", "due tomorrow", "due 2026-11-27"]
    korean = [
        format_due_day(day, _TODAY, "ko")
        for day in ("2026-11-20", "2026-11-22", "2026-11-23", "2026-11-27")
    ]
    assert korean == ["2026-11-20, 지남", "오늘", "내일", "2026-11-27"]


def test_the_day_of_a_correction_is_no_day_on_which_something_is_due() -> None:
    marked = f"회의록은 위키에 저장한다.{CORRECTED_MARK}2026-11-23)"
    assert due_day(marked, "2026-11-01", "2026-11-23", is_task=True) == ""


@pytest.mark.parametrize(
    ("text", "is_due"),
    [
        ("I fly to Jeju on Thursday", True),
        ("내일 엄마한테 전화해야 해", True),
        ("It rains on Thursday", False),
        ("The tank is at 20 degrees on Thursday", False),
        ("내일 비 온다", False),
    ],
)
def test_a_day_in_words_is_due_where_users_do_something_on_it(text: str, is_due: bool) -> None:
    found = due_day(text, "2026-11-25", "2026-11-26", is_task=False, named="2026-11-26")
    assert bool(found) == is_due


_ELSES = [row[1] for row in SOMEBODY_ELSES]
_MINE = [row[2] for row in SOMEBODY_ELSES]


@pytest.mark.parametrize(
    "text",
    [
        *_ELSES,
        "He has a dentist appointment on Thursday",
        "Hana's team has a demo on Thursday at 3pm",
        "my wife has her exam on Thursday",
        "엄마 목요일 3시에 병원 가셔",
        "팀장님은 목요일 2시에 발표 있어",
        "동생이 목요일에 수술해",
        "처제가 목요일 3시에 면접 봐",
        "김민수 목요일에 시험 봐",
        "서연이는 목요일 9시에 수술이야",
        "민수는 목요일에 면접이 있대",
    ],
)
def test_what_somebody_else_has_or_does_is_not_due(text: str) -> None:
    assert due_day(text, _SAID, _TODAY, is_task=False, named="2026-11-26") == ""


@pytest.mark.parametrize(
    "text",
    [
        *_MINE,
        "Bob and I have a meeting on Thursday at 11am",
        "Bob visits us on Thursday at 11am",
        "Bob has an interview on Thursday, and I have a dentist appointment at 3pm",
        "Remind Bob that he has an interview on Thursday at 11am",
        "Bob has to have the report by Thursday",
        "my son has a dentist appointment on Thursday at 3pm",
        "my sister's wedding is on Thursday",
        "수영 목요일 7시에 있어",
        "수영은 목요일 9시에 예약했어",
        "현재 면접은 목요일 3시에 있어",
        "결정은 목요일 3시 회의에서 해",
        "안경 목요일 3시에 예약 있어",
        "은혜병원 목요일 3시 예약",
        "친구 약속 목요일 7시",
        "선생님 상담 목요일 3시에 예약",
        "팀장님이 목요일 3시에 회의 잡으셨어",
        "손님이 목요일 3시에 예약 있어",
        "주차장은 목요일 3시에 예약 있어",
        "Everyone has an exam on Thursday at 3pm",
        "Marketing has a meeting on Thursday at 3pm",
        "My manager has moved the meeting to Thursday at 3pm",
        "my boss has a meeting on Thursday at 3pm to review my work",
        "민수한테 목요일까지 보고서 줘야 해",
        "엄마 병원 모시고 목요일 3시에 가야 해",
        "우리 팀은 목요일 3시에 데모 있어",
        "call with the insurer on Thursday at 9",
        "목요일 9에 출발",
    ],
)
def test_what_concerns_users_is_due_whoever_takes_part(text: str) -> None:
    assert due_day(text, _SAID, _TODAY, is_task=False, named="2026-11-26") == "2026-11-26"
