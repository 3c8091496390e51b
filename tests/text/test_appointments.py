"""Which day ahead a user's words name, from the day on which they were said."""

from datetime import date

import pytest

from gieok.text.appointments import find_day_ahead

_TUESDAY = date(2026, 11, 24)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("내일 오전 10시에 미팅 있어", "2026-11-25"),
        ("The demo for Hana Bank is on Thursday at 3pm", "2026-11-26"),
        ("다음 주 화요일 면접", "2026-12-01"),
        ("오늘 저녁 7시 약속 있어", "2026-11-24"),
        ("12월 1일에 지수 생일이야", "2026-12-01"),
        ("Thanks. The review moved from Tuesday to Wednesday.", "2026-11-25"),
        ("매주 목요일 3시에 회의", None),
        ("deploys go out on Thursdays", None),
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
