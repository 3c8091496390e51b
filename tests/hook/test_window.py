"""What stands in an agent's context already is known, whatever it looks like there."""

import json
import os
from pathlib import Path

import pytest

from gieok.agents.table import SESSION_START
from gieok.hook.inject import InjectedMemory, Injection, render_injection
from gieok.hook.window import (
    ContextWindow,
    _select_newest_injections,
    session_file,
    sessions,
)

_TEXT = "배포는 금요일 점심 이후에 하지 마, prod <은> 절대"


def _memory(text: str = _TEXT, **more: object) -> InjectedMemory:
    return InjectedMemory(title="", citation="a.md", text=text, **more)


@pytest.mark.parametrize(
    "written",
    [
        _TEXT,
        f"# 규칙\n\n- **{_TEXT}**\n",
        _TEXT.replace(" ", "\n  "),
        _TEXT.replace("prod", "`PROD`"),
        f"| {_TEXT} |",
    ],
)
def test_a_memory_in_a_file_of_instructions_is_there_in_whatever_form(
    tmp_path: Path, written: str
) -> None:
    (tmp_path / "CLAUDE.md").write_text(written, encoding="utf-8")
    window = ContextWindow(str(tmp_path), "claude-code", "s")
    assert not window.holds(_memory())
    window.read([str(tmp_path / "none.md"), str(tmp_path / "CLAUDE.md")])
    assert window.holds(_memory())
    assert not window.holds(_memory("배포는 화요일에 해"))


def test_a_title_does_not_stand_for_the_whole(tmp_path: Path) -> None:
    text = "A long text of many words about the deploys. " * 20
    title, whole = (_memory(text, handle="1a2b3c4d", is_sure=sure) for sure in (False, True))
    ContextWindow(str(tmp_path), "codex", "s").keep("prompt", render_injection([title], 900), 1.0)
    again = ContextWindow(str(tmp_path), "codex", "s")
    assert again.holds(title)
    assert not again.holds(whole)
    assert not ContextWindow(str(tmp_path), "codex", "t").holds(title)
    assert not ContextWindow(str(tmp_path), "codex", "").holds(title)


def test_a_turn_of_this_session_is_in_its_context_until_that_is_compacted(tmp_path: Path) -> None:
    window = ContextWindow(str(tmp_path), "codex", "abc")
    assert window.was_said_here("sessions/codex/abc#0", 50.0)
    assert not window.was_said_here("sessions/codex/abcd#0", 50.0)
    assert window.is_here("abc", 50.0)
    assert not window.is_here("abcd", 50.0)
    window.empty(60.0)
    after = ContextWindow(str(tmp_path), "codex", "abc")
    assert not after.was_said_here("sessions/codex/abc#0", 50.0)
    assert not after.is_here("abc", 50.0)
    assert after.was_said_here("sessions/codex/abc#1", 70.0)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff\xfe", b'{"injected": 7}', b'{"since": "x"}']
)
def test_a_file_that_is_damaged_is_no_hindrance(tmp_path: Path, content: bytes) -> None:
    ContextWindow(str(tmp_path), "codex", "s").keep(
        "prompt", render_injection([_memory()], 900), 1.0
    )
    (file,) = (tmp_path / "hook" / "sessions").iterdir()
    file.write_bytes(content)
    window = ContextWindow(str(tmp_path), "codex", "s")
    assert not window.holds(_memory())
    window.keep("prompt", render_injection([_memory()], 900), 2.0)
    assert ContextWindow(str(tmp_path), "codex", "s").holds(_memory())


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("fix it!", False),
        ("fix it no", False),
        ("fix it now", True),
        ("배포는 금요일", False),
        ("배포는 금요일 말", False),
        ("배포는 금요일 말고", True),
    ],
)
def test_less_than_eight_letters_stand_in_every_text(
    tmp_path: Path, text: str, holds: bool
) -> None:
    (tmp_path / "CLAUDE.md").write_text("Fix it now. 배포는 금요일 말고.", encoding="utf-8")
    window = ContextWindow(str(tmp_path), "claude-code", "s")
    window.read([str(tmp_path / "CLAUDE.md")])
    assert window.holds(_memory(text)) is holds


def test_a_file_that_instructions_include_stands_in_the_context_too(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text(
        "# Rules\n  @docs/rules.md  \nsee @docs/other.md\n", encoding="utf-8"
    )
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/rules.md").write_text("Always run the linter.", encoding="utf-8")
    (tmp_path / "docs/other.md").write_text("Never rebase the main branch.", encoding="utf-8")
    window = ContextWindow(str(tmp_path), "claude-code", "s")
    window.read([str(tmp_path / "CLAUDE.md")])
    assert window.holds(_memory("Always run the linter."))
    assert not window.holds(_memory("Never rebase the main branch."))


def test_a_session_is_told_its_beginning_once_until_its_context_is_emptied(tmp_path: Path) -> None:
    empty = render_injection([], 900)
    ContextWindow(str(tmp_path), "codex", "s").keep(SESSION_START, empty, 1.0, stays=False)
    assert not ContextWindow(str(tmp_path), "codex", "s").is_begun
    ContextWindow(str(tmp_path), "codex", "s").keep(
        "prompt", render_injection([_memory()], 900), 1.0
    )
    assert not ContextWindow(str(tmp_path), "codex", "s").is_begun
    ContextWindow(str(tmp_path), "codex", "s").keep(SESSION_START, empty, 2.0)
    again = ContextWindow(str(tmp_path), "codex", "s")
    assert again.is_begun
    again.keep("prompt", render_injection([_memory("배포는 화요일에 해")], 900), 3.0)
    assert ContextWindow(str(tmp_path), "codex", "s").is_begun
    again.empty(4.0)
    assert not again.is_begun
    assert not ContextWindow(str(tmp_path), "codex", "s").is_begun


def test_what_does_not_stay_is_kept_for_a_person_and_may_be_shown_again(tmp_path: Path) -> None:
    memory = _memory(handle="1a2b3c4d", is_sure=True)
    ContextWindow(str(tmp_path), "codex", "s").keep(
        "prompt", render_injection([memory], 900), 1.0, stays=False
    )
    assert not ContextWindow(str(tmp_path), "codex", "s").holds(memory)
    (row,) = sessions(str(tmp_path))
    assert row["last"]["memories"]


def test_of_many_injections_the_newest_are_kept_and_of_many_sessions_those_used_last(
    tmp_path: Path,
) -> None:
    window = ContextWindow(str(tmp_path), "codex", "s")
    for number in range(15):
        window.keep(
            "prompt",
            render_injection([_memory(f"배포는 {number}번째 화요일에 해")], 900),
            float(number),
        )
    (row,) = sessions(str(tmp_path))
    assert row["last"]["at"] == 14.0
    assert [one["at"] for one in row["earlier"]] == [float(at) for at in range(13, 1, -1)]
    for number in range(41):
        ContextWindow(str(tmp_path), "codex", f"t{number}").keep(
            "prompt", render_injection([_memory()], 900), 100.0 - number
        )
    kept = sessions(str(tmp_path))
    assert len(kept) == 40
    assert [one["last"]["at"] for one in kept] == sorted(
        (one["last"]["at"] for one in kept), reverse=True
    )


def test_what_is_said_in_the_second_of_a_compaction_is_in_the_context(tmp_path: Path) -> None:
    ContextWindow(str(tmp_path), "codex", "abc").empty(60.0)
    after = ContextWindow(str(tmp_path), "codex", "abc")
    assert after.was_said_here("sessions/codex/abc#1", 60.0)
    assert after.is_here("abc", 60.0)
    assert not after.is_here("abc", 59.9)
    assert not ContextWindow(str(tmp_path), "codex", "").is_here("", 60.0)


@pytest.mark.parametrize(
    ("is_sure", "who", "holds"),
    [(True, "", True), (False, "user", True), (False, "", False), (True, "user", True)],
)
def test_what_was_shown_in_full_is_held_in_full(
    tmp_path: Path, is_sure: bool, who: str, holds: bool
) -> None:
    """A turn is always shown in full; of a note that is unsure only the title is."""
    shown = _memory(handle="1a2b3c4d", is_sure=is_sure, who=who)
    injection = Injection(text="something", tokens=3, memories=[shown])
    ContextWindow(str(tmp_path), "codex", "s").keep("prompt", injection, 1.0)
    again = ContextWindow(str(tmp_path), "codex", "s")
    assert again.holds(_memory(handle="1a2b3c4d", is_sure=True)) is holds
    assert again.holds(_memory(handle="1a2b3c4d", is_sure=False))


def test_of_what_was_injected_as_much_is_kept_as_a_context_holds(tmp_path: Path) -> None:
    for length, is_kept in ((120_000 - 9, True), (120_000 - 8, False)):
        session = f"s{length}"
        for text in ("가나다라마바사아자", "x" * length):
            injection = Injection(text=text, tokens=3, memories=[])
            ContextWindow(str(tmp_path), "codex", session).keep("prompt", injection, 1.0)
        assert (
            ContextWindow(str(tmp_path), "codex", session).holds(_memory("가나다라마바사아자"))
            is is_kept
        )


def test_of_earlier_injections_forty_thousand_letters_are_kept() -> None:
    earlier = [{"text": "a" * 39_999}, {"text": "b"}, {"text": "c"}]
    assert _select_newest_injections(earlier) == earlier[:2]


def test_forty_sessions_are_kept_and_the_one_used_longest_ago_goes(tmp_path: Path) -> None:
    folder = tmp_path / "hook" / "sessions"
    for number in range(40):
        ContextWindow(str(tmp_path), "codex", f"s{number}").keep(
            "prompt", render_injection([_memory()], 900), float(number)
        )
    assert len(list(folder.iterdir())) == 40
    first = Path(session_file(str(tmp_path), "codex", "s7"))
    os.utime(first, (1, 1))
    ContextWindow(str(tmp_path), "codex", "more").keep(
        "prompt", render_injection([_memory()], 900), 99.0
    )
    assert len(list(folder.glob("*.json"))) == 40
    assert not first.exists()


def test_a_context_holds_a_reminder_until_it_is_emptied(tmp_path: Path) -> None:
    said = render_injection([_memory()], 900)
    ContextWindow(str(tmp_path), "codex", "s").keep(
        "pre-tool", said, 1.0, reminded=("3fa9c01e", 0.4)
    )
    ContextWindow(str(tmp_path), "codex", "s").keep(
        "pre-tool", said, 2.0, reminded=("7d02be41", 0.5)
    )
    ContextWindow(str(tmp_path), "codex", "s").keep("prompt", said, 3.0)
    again = ContextWindow(str(tmp_path), "codex", "s")
    assert again.reminded == {"3fa9c01e": 0.4, "7d02be41": 0.5}
    again.empty(4.0)
    assert again.reminded == ContextWindow(str(tmp_path), "codex", "s").reminded == {}


def test_an_agent_is_reminded_again_where_a_rule_is_clearly_more_likely_broken(
    tmp_path: Path,
) -> None:
    window = ContextWindow(str(tmp_path), "codex", "s")
    assert window.may_remind("3fa9c01e", 0.35)
    said = render_injection([_memory()], 900)
    window.keep("pre-tool", said, 1.0, reminded=("3fa9c01e", 0.4))  # odds of 2 to 3
    again = ContextWindow(str(tmp_path), "codex", "s")
    assert not again.may_remind("3fa9c01e", 0.4)
    assert not again.may_remind("3fa9c01e", 0.66)  # odds of less than 2 to 1
    assert again.may_remind("3fa9c01e", 0.67)
    assert again.may_remind("7d02be41", 0.35)


def test_a_reminder_of_an_earlier_release_counts_as_surely_said(tmp_path: Path) -> None:
    file = Path(session_file(str(tmp_path), "codex", "s"))
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"reminded": ["3fa9c01e"]}))
    window = ContextWindow(str(tmp_path), "codex", "s")
    assert not window.may_remind("3fa9c01e", 1.0)
