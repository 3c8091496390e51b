"""The form of active memory: headings, also those of files that an earlier release wrote."""

import pytest

from gieok.text import active


@pytest.mark.parametrize("heading", ["Recent context", "최근 맥락", "Current context", "현재 맥락"])
def test_states_are_read_below_the_old_heading_too(heading: str) -> None:
    (line,) = active.iter_active_lines(
        f"# Active memory\n\n## {heading}\n\n- 🔴 2026-03-04 The freeze is on.\n"
    )
    assert (line.section, line.day) == ("states", "2026-03-04")


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_day_without_a_year_is_of_the_year_that_the_file_names(lang: str) -> None:
    body = "\n## Due\n- 🔴 03-04 The freeze is on.\n- 🔴 2025-12-30 1월 2일까지 제출\n"
    year = active.state_year(2026, lang)
    named, other = active.iter_active_lines(f"# Active memory\n{year}\n{body}")
    assert (named.text, named.day) == ("- 🔴 2026-03-04 The freeze is on.", "2026-03-04")
    assert other.day == "2025-12-30"
    (unnamed, _) = active.iter_active_lines(body)
    assert unnamed.day == "", "of which year is not known"


def test_no_heading_says_of_what_nobody_compared_that_it_is_so_now() -> None:
    headings = " ".join(heading for names in active.HEADINGS.values() for heading in names).lower()
    assert not any(word in headings for word in ("current", "now", "현재", "지금"))
