"""The form of active memory: headings, also those of files that an earlier release wrote."""

import pytest

from gieok.text import active


@pytest.mark.parametrize("heading", ["Recent context", "최근 맥락", "Current context", "현재 맥락"])
def test_states_are_read_below_the_old_heading_too(heading: str) -> None:
    (line,) = active.iter_active_lines(
        f"# Active memory\n\n## {heading}\n\n- 🔴 2026-03-04 The freeze is on.\n"
    )
    assert (line.section, line.day) == ("states", "2026-03-04")


def test_no_heading_says_of_what_nobody_compared_that_it_is_so_now() -> None:
    headings = " ".join(heading for names in active.HEADINGS.values() for heading in names).lower()
    assert not any(word in headings for word in ("current", "now", "현재", "지금"))
