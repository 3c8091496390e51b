import time
from pathlib import Path

import pytest

from gieok.capabilities.prompt import choice
from gieok.capabilities.prompt.inject import InjectedMemory
from gieok.capabilities.prompt.window import Window


def _found(*scores: float) -> list[InjectedMemory]:
    return [InjectedMemory(title=f"memory {n}", citation=f"{n}.md", score=score) for n, score in enumerate(scores)]


def test_nothing_is_shown_where_the_best_is_unlikely() -> None:
    assert choice.likely([]) == choice.likely(_found(0.0)) == choice.likely(_found(0.1, 0.1)) == []
    assert len(choice.likely(_found(0.6, 0.3, 0.01))) == 2


def test_a_prompt_that_asks_for_what_was_told_needs_less() -> None:
    middling = _found(0.35)
    assert choice.likely(middling, asks_memory=1.0)
    assert not choice.likely(middling, asks_memory=-3.0)
    assert choice.likely(_found(0.8), asks_memory=-9.0), "what is sure is shown whatever is asked"


def test_a_turn_and_what_was_observed_of_it_are_one_memory_with_the_day(tmp_path: Path) -> None:
    window = Window(str(tmp_path), "claude-code", "")
    turn = InjectedMemory(title="", citation="t.1", text="We ship the parser by Friday.", score=0.6)
    observed = InjectedMemory(title="", citation="o1", text="We ship the parser by Friday. (2026-11-27)", score=0.5)
    other = InjectedMemory(title="", citation="o2", text="We ship the lexer by Friday. (2026-11-27)", score=0.4)
    assert [m.citation for m in choice.fresh([turn, observed, other], window, "")] == ["o1", "o2"]


@pytest.mark.parametrize(("zone", "day"), [("Asia/Seoul", "2026-11-17"), ("America/Los_Angeles", "2026-11-16")])
def test_the_day_of_a_turn_is_that_of_the_user_and_a_notes_day_is_its_own(
    zone: str, day: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    assert choice.day(1_794_850_800.0) == day  # 16 November, 17:40 UTC
    assert choice.day(1_794_787_200.0) == "2026-11-16"  # midnight UTC
    monkeypatch.undo()
    time.tzset()
