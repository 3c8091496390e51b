"""Days in names, heads and headings, as people and programs write them."""

from datetime import UTC, date, datetime

import pytest

from gieok.text import written_days
from gieok.text.written_days import (
    FOLDER_ROWS,
    ROWS,
    day_of_path,
    find_day,
    name_without_day,
    parse_head_moment,
)

_DAY = date(2026, 11, 20)


@pytest.mark.parametrize("row", ROWS)
def test_each_row_reads_its_example_and_leaves_its_counter_example(
    row: written_days.DayPattern,
) -> None:
    assert find_day(row.example)
    assert find_day(row.counter_example) is None


@pytest.mark.parametrize("row", FOLDER_ROWS)
def test_each_row_of_folders_reads_its_example_and_leaves_its_counter_example(
    row: written_days.DayPattern,
) -> None:
    assert day_of_path(f"{row.example}.md")
    assert day_of_path(f"{row.counter_example}.md") is None


@pytest.mark.parametrize(
    "name",
    [
        "2026-11-20",
        "2026_11_20",
        "2026.11.20",
        "2026. 11. 20. (금)",
        "20261120",
        "202611201030",
        "20261120T103000Z",
        "2026년 11월 20일",
        "2026년11월20일 회의",
        "26년 11월 20일",
        "2026年11月20日",
        "November 20th, 2026",
        "Nov 20 2026",
        "20 November 2026",
        "20th of Nov, 2026",
        "Friday, November 20th 2026",
        "2026-Nov-20",
        "20-11-2026",
        "20.11.2026",
        "11-20-2026",
        "standup 2026-11-20 quay",
        "회의_20261120_부두",
        "2026–11–20",
        "2026 11 20",
        "2026-11-20-2",
    ],
)
def test_a_day_is_found_in_any_usual_form_with_words_around(name: str) -> None:
    assert day_of_path(f"vault/{name}.md") == _DAY


@pytest.mark.parametrize(
    "name",
    [
        "05-11-2026",
        "November 2026",
        "2026년 11월",
        "2026-11",
        "12026-11-20",
        "2026-13-20",
        "a1b220261120",
        "v1.2026.11.20",
        "20 lines of 2026",
        "2026-11-201",
        "120261120",
        "Friday",
        "오늘",
        "2026",
    ],
)
def test_what_may_be_two_days_or_is_none_is_none(name: str) -> None:
    assert day_of_path(f"{name}.md") is None


@pytest.mark.parametrize(
    "path",
    [
        "2026/11/20.md",
        "diary/2026/11-November/20 Friday.md",
        "2026년/11월/20일.md",
        "2026/11-20.md",
        "2026-11/20.md",
    ],
)
def test_folders_spell_a_day(path: str) -> None:
    assert day_of_path(path) == _DAY


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("2026-10-14-incident", "incident"),
        ("회의 2026-11-20 결제", "회의 결제"),
        ("2026-11-20 (금) 부두", "부두"),
        ("202611201030 Quay", "Quay"),
        ("2026-11-20", ""),
        ("plan-b", "plan-b"),
        ("2026-11-20 monkeys", "monkeys"),
    ],
)
def test_a_name_keeps_its_words_without_the_day(name: str, words: str) -> None:
    assert name_without_day(name) == words


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2026-11-20", datetime(2026, 11, 20, tzinfo=UTC)),
        ("2026-11-20 10:00:00 +0900", datetime(2026, 11, 20, 1, tzinfo=UTC)),
        ("2026-11-20T23:30:00.000Z", datetime(2026, 11, 20, 23, 30, tzinfo=UTC)),
        ("2026-11-20 23:30", datetime(2026, 11, 20, tzinfo=UTC)),
        ("[2026-11-20 Fri]", datetime(2026, 11, 20, tzinfo=UTC)),
        ("[[Nov 20th, 2026]]", datetime(2026, 11, 20, tzinfo=UTC)),
        ("November 20, 2026 10:12 AM", datetime(2026, 11, 20, tzinfo=UTC)),
        ("2026년 11월 20일 오전 10:12", datetime(2026, 11, 20, tzinfo=UTC)),
        ("1795147200000", datetime(2026, 11, 20, 4, tzinfo=UTC)),
        ("1795147200", datetime(2026, 11, 20, 4, tzinfo=UTC)),
        ("true", None),
        ("", None),
        ("2026-11-20 99:00 +0900", None),
    ],
)
def test_a_field_says_a_day_or_a_moment(value: str, moment: datetime | None) -> None:
    assert parse_head_moment(value) == moment
