"""Which lines of a diary are of which day."""

from datetime import date

import pytest

from gieok.text.diary import may_be_diary, split_days


def _days(text: str, name: str = "") -> list[tuple[str, int, int]]:
    assert may_be_diary(text)
    found = split_days(text, 0, len(text), name)
    lines = text.split("\n")
    for section in found:
        assert (
            text[section.start : section.end].split("\n")
            == lines[section.start_line - 1 : section.end_line]
        )
    return [(str(section.day), section.start_line, section.end_line) for section in found]


@pytest.mark.parametrize(
    ("heading", "other"),
    [
        ("## 2026-11-20", "## 2026-11-18"),
        ("## 2026.11.20 (금) 부두", "## 2026.11.18 (수) 선착장"),
        ("### November 20th, 2026", "### November 18th, 2026"),
        ("## Friday, 20 November 2026", "## Wednesday, 18 November 2026"),
        ("## [[2026-11-20]] quay", "## [[2026-11-18]] jetty"),
        ("## Meeting 2026-11-20", "## Meeting 2026-11-18"),
        ("2026년 11월 20일 금요일", "2026년 11월 18일 수요일"),
        ("**2026-11-20**", "**2026-11-18**"),
        ("## 20261120 10:30", "## 20261118 09:10"),
    ],
)
def test_each_dated_heading_begins_a_day(heading: str, other: str) -> None:
    assert _days(f"# Diary\n\n{heading}\nquay\n\n{other}\njetty") == [
        ("2026-11-20", 3, 5),
        ("2026-11-18", 6, 7),
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("# 2026년\n## 11월\n### 20일\nquay\n### 18일 (수)\njetty", ""),
        ("# November 2026\n\n## 20 Friday\nquay\n## Wed 18\njetty", ""),
        ("# 일기\n\n## 11월 20일\nquay\n## 11/18 선착장\njetty", "2026"),
        ("\n\n## Nov 20\nquay\n## 18 Nov\njetty", "journal 2026"),
        ("\n\n## 20일\nquay\n## 18일\njetty", "2026년 11월 일기"),
    ],
)
def test_year_and_month_may_stand_above_or_in_the_name(text: str, name: str) -> None:
    assert [day for day, _, _ in _days(text, name)] == ["2026-11-20", "2026-11-18"]


def test_a_day_ends_at_a_heading_of_its_level_and_goes_on_below_it() -> None:
    text = "# Diary\n## 2026-11-20\nquay\n### morning\nx\n## Ideas\ny\n## 2026-11-18\nz"
    assert _days(text) == [("2026-11-20", 2, 5), ("2026-11-18", 8, 9)]


def test_what_stands_around_another_day_keeps_its_own() -> None:
    text = "## 2026-11-20\na\n### 2026-11-21\nb\n### note\nc"
    assert _days(text) == [("2026-11-20", 1, 2), ("2026-11-21", 3, 4), ("2026-11-20", 5, 6)]


@pytest.mark.parametrize(
    "text",
    [
        "# Plan\n## Meeting 2026-11-20\nquay\n## Other\nx",
        "# Budget\n## Until 2026-12-24 is fixed\n## Until 2026-12-25 too",
        "```\n## 2026-11-20\n## 2026-11-21\n```",
        "# Steps\n## 1\n## 2\n## 3 more",
        "on 2026-11-20 we met\nand on 2026-11-21 again",
        "| 2026-11-20 |\n| 2026-11-21 |",
    ],
)
def test_what_is_no_diary_is_not_divided(text: str) -> None:
    assert split_days(text, 0, len(text)) == ()


def test_one_heading_that_is_nothing_but_a_day_is_enough() -> None:
    (section,) = split_days("intro\n## 2026-11-20\nquay", 0, 27)
    assert (section.day, section.start_line) == (date(2026, 11, 20), 2)
