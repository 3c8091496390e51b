import time
from pathlib import Path

import pytest

from gieok.hook import choice
from gieok.hook.inject import InjectedMemory
from gieok.hook.window import ContextWindow
from gieok.settings.hook import HookSettings

#: As shipped: `hook.low_ratio`.
_LOW_RATIO = 0.25


def _likely(
    found: list[InjectedMemory], asks_memory: float = 0.0, first: float = choice.FIRST
) -> list[InjectedMemory]:
    return choice.likely(found, _LOW_RATIO, asks_memory, first)


def _found(*scores: float) -> list[InjectedMemory]:
    return [
        InjectedMemory(title=f"memory {n}", citation=f"{n}.md", score=score)
        for n, score in enumerate(scores)
    ]


def test_nothing_is_shown_where_the_best_is_unlikely() -> None:
    assert _likely([]) == _likely(_found(0.0)) == _likely(_found(0.1, 0.1)) == []
    assert len(_likely(_found(0.6, 0.3, 0.01))) == 2


def test_a_prompt_that_asks_for_what_was_told_needs_less() -> None:
    middling = _found(0.35)
    assert _likely(middling, asks_memory=1.0)
    assert not _likely(middling, asks_memory=-3.0)
    assert _likely(_found(0.8), asks_memory=-9.0), "what is sure is shown whatever is asked"


def test_a_turn_and_what_was_observed_of_it_are_one_memory_with_the_day(tmp_path: Path) -> None:
    window = ContextWindow(str(tmp_path), "claude-code", "")
    turn = InjectedMemory(title="", citation="t.1", text="We ship the parser by Friday.", score=0.6)
    observed = InjectedMemory(
        title="", citation="o1", text="We ship the parser by Friday. (2026-11-27)", score=0.5
    )
    other = InjectedMemory(
        title="", citation="o2", text="We ship the lexer by Friday. (2026-11-27)", score=0.4
    )
    assert [m.citation for m in choice.fresh([turn, observed, other], window, "")] == ["o1", "o2"]


def _memory(citation: str, text: str, day: str, who: str = "") -> InjectedMemory:
    return InjectedMemory(title="", citation=citation, text=text, day=day, who=who)


@pytest.mark.parametrize(
    ("observed", "shown"),
    [
        (_memory("o", "Prices are integers in öre.", "2026-05-07"), ["t"]),
        (_memory("o", "Prices are integers in öre.", "2026-05-08"), ["t", "o"]),
        (_memory("o", "Sweep it.", "2026-05-07"), ["t", "o"]),
        (_memory("o", "Prices are integers in öre.", "2026-05-07", who="assistant"), ["t", "o"]),
    ],
    ids=["observed of it", "of another day", "too short to tell", "said by the agent"],
)
def test_a_sentence_observed_of_a_turn_is_not_shown_beside_it(
    tmp_path: Path, observed: InjectedMemory, shown: list[str]
) -> None:
    window = ContextWindow(str(tmp_path), "claude-code", "")
    turn = _memory("t", "Sweep it. Prices are integers in öre!", "2026-05-07", who="user")
    assert [m.citation for m in choice.fresh([turn, observed], window, "")] == shown
    assert {m.citation for m in choice.fresh([observed, turn], window, "")} == set(shown)


@pytest.mark.parametrize(
    ("zone", "day"), [("Asia/Seoul", "2026-11-17"), ("America/Los_Angeles", "2026-11-16")]
)
def test_the_day_of_a_turn_is_that_of_the_user_and_a_notes_day_is_its_own(
    zone: str, day: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    assert choice.day(1_794_850_800.0) == day  # 16 November, 17:40 UTC
    assert choice.day(1_794_787_200.0) == "2026-11-16"  # midnight UTC
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("scores", "shown"),
    [
        ((0.8, 0.2, 0.199), 2),  # a further one has a quarter of the best
        ((0.34, 0.1, 0.099), 2),
        ((0.37, 0.095), 1),  # and .1, whatever the best is
        ((0.34,), 1),
        ((0.33,), 0),  # the best has odds of e to the -0.7
    ],
)
def test_the_least_of_the_best_and_of_each_further_one(
    scores: tuple[float, ...], shown: int
) -> None:
    assert len(_likely(_found(*scores))) == shown


def test_what_was_not_read_may_be_less_likely() -> None:
    assert _likely(_found(0.28), first=choice.FIRST_UNREAD)
    assert not _likely(_found(0.28))


@pytest.mark.parametrize(
    ("asks", "least"),
    [
        (0.0, 0.3318),
        (0.25, 0.3047),
        (0.5, 0.2789),
        (9.0, 0.2789),
        (-1.0, 0.4502),
        (-2.0, 0.5744),
        (-9.0, 0.5744),
    ],
)
def test_what_a_prompt_asks_moves_the_least_of_the_best_within_bounds(
    asks: float, least: float
) -> None:
    assert _likely(_found(least + 0.001), asks)
    assert not _likely(_found(least - 0.001), asks)


def test_a_memory_that_stands_in_the_context_is_not_shown_again(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("We ship the parser by Friday.", encoding="utf-8")
    window = ContextWindow(str(tmp_path), "claude-code", "")
    window.read([str(tmp_path / "AGENTS.md")])
    known = InjectedMemory(title="", citation="a", text="We ship the parser by Friday.", score=0.6)
    new = InjectedMemory(title="", citation="b", text="We ship the lexer by Monday.", score=0.5)
    assert [m.citation for m in choice.fresh([known, new], window, "")] == ["b"]


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("see src/old.py", "src/old.py is not there any more"),
        ("see src/new.py", ""),
        ("see lib/old.py", ""),
        ("see old.py", ""),
        ("see v1.2 of it", ""),
        (
            "src/a.py, src/b.py, src/c.py, src/d.py and src/e.py",
            "src/a.py and src/b.py and src/c.py and src/d.py is not there any more",
        ),
    ],
)
def test_a_file_that_a_memory_cites_and_that_is_gone_is_said(
    text: str, gone: str, tmp_path: Path
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/new.py").touch()
    assert (
        choice.mark_missing_paths(
            InjectedMemory(title="", citation="", text=text), str(tmp_path)
        ).status
        == gone
    )
    assert (
        choice.mark_missing_paths(InjectedMemory(title="", citation="", text=text), "").status == ""
    )


def test_a_file_is_compared_with_what_was_made_of_it_unless_it_is_too_large(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    for size, text, has_changed in (
        (0, "The port is 8080.", False),
        (0, "The port is 9090.", True),
        (0, "[redacted: key] 9090", False),
        (200_000 - 17, "The port is 9090.", True),
        (200_001 - 17, "The port is 9090.", False),
    ):
        file.write_bytes(b"The  port\nis 8080" + b"." * size)
        assert choice.has_changed(str(file), text) is has_changed
    assert not choice.has_changed("a.md", "The port is 9090.")
    assert not choice.has_changed(str(tmp_path / "none.md"), "The port is 9090.")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("a  short\none", "a short one"),
        ("x" * 70, "x" * 70),
        ("word " * 14 + "end", "word " * 12 + "word…"),
        ("y" * 71, "y" * 69 + "…"),
    ],
)
def test_a_title_is_cut_at_a_word(text: str, title: str) -> None:
    assert choice.build_fallback_title(text) == title


@pytest.mark.parametrize(("score", "status"), [(0.5, ""), (0.499, "unsure")])
def test_what_is_not_sure_is_said(score: float, status: str) -> None:
    assert choice.format_unsure_status(score, 0.5) == status


def test_limits_of_the_user_hold_and_full_text_is_shown_where_it_is_set() -> None:
    found = [
        InjectedMemory(title=f"T{n}", citation=f"{n}.md", text="Body.", score=0.4, is_sure=False)
        for n in range(3)
    ]
    short = choice.render_chosen_memories(found, HookSettings({"hook.limit": 2}), "", "")
    assert [memory.title for memory in short.memories] == ["T0", "T1"]
    assert not any(memory.is_sure for memory in short.memories)
    full = choice.render_chosen_memories(found, HookSettings({"hook.output_mode": "full"}), "", "")
    assert [memory.is_sure for memory in full.memories] == [True] * 3


def test_shares_of_the_best_leave_out_and_shorten() -> None:
    assert len(choice.likely(_found(0.9, 0.4, 0.3), 0.4)) == 2
    assert len(choice.near_best(_found(0.9, 0.4, 0.3), 0.0)) == 3
    shown = _found(0.8, 0.7, 0.5)
    settings = HookSettings({"hook.high_ratio": 0.75})
    choice.render_chosen_memories(shown, settings, "/nowhere", "")
    assert [memory.is_sure for memory in shown] == [True, True, False]
