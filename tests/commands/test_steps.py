"""Progress says how much is done, of how much, and how long the rest takes."""

from datetime import timedelta

import pytest

from gieok.home.steps import Steps
from gieok.testing import ManualClock


@pytest.mark.parametrize(
    ("total", "after_s", "done", "lang", "said"),
    [
        (0, 60, 1_200, "en", "files 1,200"),
        (2_000, 1, 500, "en", "files 500/2,000 (25%)"),
        (2_000, 10, 500, "en", "files 500/2,000 (25%), 30 s left"),
        (2_000, 60, 500, "en", "files 500/2,000 (25%), 3 min left"),
        (2_000, 60, 500, "ko", "files 500/2,000 (25%), 3분 남음"),
        (2_000, 7_200, 500, "en", "files 500/2,000 (25%), 6.0 h left"),
        (2_000, 60, 2_100, "en", "files 2,000/2,000 (100%)"),
        (2_000, 60, 0, "en", "files 0/2,000 (0%)"),
    ],
)
def test_a_line_of_progress(total: int, after_s: int, done: int, lang: str, said: str) -> None:
    clock, lines = ManualClock(), list[str]()
    steps = Steps(lines.append, clock.now, lang, "files", total)
    clock.advance(timedelta(seconds=after_s))
    steps(done)
    assert lines == [said]
