"""Which day ahead a user's words name, from the day on which they were said."""

import re
from datetime import date

import pytest

from gieok.text.appointments import HABITS, PAST, find_day_ahead

_TUESDAY = date(2026, 11, 24)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("내일 오전 10시에 미팅 있어", "2026-11-25"),
        ("The tax form must be sent by tomorrow.", "2026-11-25"),
        ("Tickets have to be bought by Friday", "2026-11-27"),
        ("I meet Bob from Acme today at 10am", "2026-11-24"),
        ("The demo for Hana Bank is on Thursday at 3pm", "2026-11-26"),
        ("다음 주 화요일 면접", "2026-12-01"),
        ("오늘 저녁 7시 약속 있어", "2026-11-24"),
        ("12월 1일에 지수 생일이야", "2026-12-01"),
        ("Thanks. The review moved from Tuesday to Wednesday.", "2026-11-25"),
        ("call with the insurer tomorrow at 9", "2026-11-25"),
        ("The bus goes at 9 on Thursday", "2026-11-26"),
        ("내일 9에 출발", "2026-11-25"),
        ("매주 목요일 3시에 회의", None),
        ("deploys go out on Thursdays", None),
        ("deploy window is Tuesday mornings before the tide comes in", None),
        ("내일 회의 있어?", None),
        ("지난 목요일에 회의했어", None),
        ("월요일에 회의했어", None),
        ("on Monday we had a meeting", None),
        ("If it rains tomorrow we stay", None),
        ("We launch next week", None),
    ],
)
def test_the_day_that_a_statement_names_counts_from_the_day_it_was_said(
    text: str, day: str | None
) -> None:
    found = find_day_ahead(text, _TUESDAY)
    assert (str(found) if found else None) == day


@pytest.mark.parametrize(
    ("pattern", "one", "none"), [*HABITS, *PAST], ids=[one for _, one, _ in (*HABITS, *PAST)]
)
def test_what_comes_every_week_and_what_was_names_no_day_ahead(
    pattern: str, one: str, none: str
) -> None:
    assert re.search(pattern, one)
    assert not re.search(pattern, none)
    assert find_day_ahead(one, _TUESDAY) is None
    assert find_day_ahead(none, _TUESDAY) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Don't deploy on Friday after 3pm",
        "금요일 3시 이후에는 배포하지 마",
        "Translate: see you tomorrow at 3pm",
        "내일 회의 일정 정리해줘",
        "지수가 내일 병원 간대",
        'Rename the button "see you tomorrow at noon" to "bye"',
        "In the story, the hero meets the king tomorrow at noon",
    ],
)
def test_what_is_ordered_forbidden_quoted_or_reported_names_no_day_ahead(text: str) -> None:
    assert find_day_ahead(text, _TUESDAY) is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("The review is on Wednesday, not Thursday", "2026-11-25"),
        ("목요일 말고 수요일 3시에 만나", "2026-11-25"),
        ("내일 3시에 미팅 있으니까 자료 정리해줘", "2026-11-25"),
        ("내일 병원 예약 있으니 기억해 줘", "2026-11-25"),
        ("Fix the login page by Friday", "2026-11-27"),
    ],
)
def test_the_clause_of_a_day_decides(text: str, day: str) -> None:
    assert str(find_day_ahead(text, _TUESDAY)) == day
