"""What is withheld, by time, by session, by folder and by agent; and which first words make a
session private.
"""

from pathlib import Path

import pytest

from gieok import private
from gieok.private import Privacy

_NOON = 1_795_694_400.0


@pytest.mark.parametrize(
    "text",
    [
        "private session",
        "Private session.\nMy boss told me that",
        "private session: what does this clause mean?",
        "Off the record — who signs this?",
        "this session is private. look at my payslip",
        "This is a private session!",
        "[private session]",
        "/private",
        "private",
        "private session, please",
        "비공개",
        "비공개.\n상사 이야기야",
        "비공개 세션",
        "비공개 대화야. 연봉 얘기를 하자",
        "이 대화는 비공개로 해줘",
        "기억하지 마",
    ],
)
def test_a_first_line_makes_a_session_private(text: str) -> None:
    assert private.opens_private(text)


@pytest.mark.parametrize(
    "text",
    [
        "private sessions leak in our login, why?",
        "private session tokens must rotate",
        "make the method private",
        "private: true is set in package.json",
        "private repositories are not cloned",
        "비공개 저장소를 만들어줘",
        "비공개: true로 바꿔줘",
        "비공개 대화방 기능을 설계하자",
        "Fix the bug.\nprivate session",
        "기억하지 마는 무슨 뜻이야?",
        "",
    ],
)
def test_talk_about_private_things_makes_no_session_private(text: str) -> None:
    assert not private.opens_private(text)


def test_what_was_said_in_a_pause_is_withheld_for_good(tmp_path: Path) -> None:
    here = Privacy(str(tmp_path))
    here.begin_pause(_NOON)
    assert here.end_pause(_NOON + 60).since == _NOON
    later = Privacy(str(tmp_path))
    said = [later.is_withheld("codex", "s", _NOON + second) for second in (-1, 0, 59.9, 60)]
    assert said == [False, True, True, False]
    assert later.pause(_NOON + 61) is None


def test_a_pause_for_a_while_ends_by_itself_and_a_new_one_takes_its_place(tmp_path: Path) -> None:
    privacy = Privacy(str(tmp_path))
    privacy.begin_pause(_NOON, _NOON + 100)
    privacy.begin_pause(_NOON + 10, _NOON + 20)
    assert [privacy.pause(_NOON + second) is not None for second in (5, 15, 25)] == [
        True,
        True,
        False,
    ]


def test_another_process_sees_a_pause_at_once(tmp_path: Path) -> None:
    one, other = Privacy(str(tmp_path)), Privacy(str(tmp_path))
    assert other.pause(_NOON) is None
    one.begin_pause(_NOON)
    assert other.pause(_NOON) is not None
    assert (tmp_path / "private.json").stat().st_mode & 0o077 == 0


def test_what_has_no_time_is_withheld_until_all_was_read_after_the_pause(tmp_path: Path) -> None:
    privacy = Privacy(str(tmp_path))
    assert not privacy.is_withheld("plain", "s", 0.0)
    privacy.begin_pause(_NOON, _NOON + 60)
    privacy.note_reading(_NOON + 30)
    assert privacy.is_withheld("plain", "s", 0.0)
    privacy.note_reading(_NOON + 61)
    assert not privacy.is_withheld("plain", "s", 0.0)


def test_a_private_session_is_withheld_while_it_is_private_and_no_other_is(tmp_path: Path) -> None:
    privacy = Privacy(str(tmp_path))
    privacy.begin_session("codex", "a", _NOON)
    privacy.begin_session("codex", "a", _NOON + 5)
    privacy.end_session("codex", "a", _NOON + 10)
    said = [privacy.is_withheld("codex", "a", _NOON + second) for second in (-1, 5, 11)]
    assert said == [False, True, False]
    assert not privacy.is_withheld("codex", "b", _NOON + 5)
    assert privacy.sessions == 1


def test_a_session_that_its_first_words_made_private_stays_private(tmp_path: Path) -> None:
    privacy = Privacy(str(tmp_path))
    privacy.begin_session("codex", "a", 0.0)
    privacy.end_session("codex", "a", _NOON)
    assert privacy.is_withheld("codex", "a", _NOON + 5)


def test_a_restored_home_withholds_what_the_home_before_it_withheld(tmp_path: Path) -> None:
    restored, home = Privacy(str(tmp_path / "restored")), Privacy(str(tmp_path / "home"))
    for privacy in (restored, home):
        privacy.begin_pause(_NOON)
    home.end_pause(_NOON + 10)
    home.begin_session("codex", "a", _NOON + 20)
    restored.take_over(home)
    assert restored.pause(_NOON + 11) is None
    assert restored.is_withheld("codex", "b", _NOON + 5)
    assert restored.is_withheld("codex", "a", _NOON + 21)


def test_a_file_that_nobody_can_read_counts_as_a_pause(tmp_path: Path) -> None:
    (tmp_path / "private.json").write_text("{")
    assert Privacy(str(tmp_path)).pause(_NOON) is not None


def test_folders_are_excluded_with_all_below_them_also_by_a_link(tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    diary.mkdir()
    (tmp_path / "link").symlink_to(diary)
    privacy = private.open_privacy(
        str(tmp_path / "home"), f"{diary}, {tmp_path}/clients/*/secret", "", ""
    )
    inside = (
        diary,
        diary / "a" / "b.md",
        tmp_path / "link" / "c.md",
        tmp_path / "clients" / "x" / "secret" / "d",
    )
    outside = (tmp_path, tmp_path / "diary2", tmp_path / "clients" / "x")
    assert all(privacy.excludes_folder(str(path)) for path in inside)
    assert not any(privacy.excludes_folder(str(path)) for path in outside)
    assert privacy.excludes_project("diary")


def test_a_folder_of_the_users_own_may_be_written_with_a_tilde(tmp_path: Path) -> None:
    privacy = private.open_privacy("", "~/diary", "codex, cursor", str(tmp_path))
    assert privacy.excludes_folder(str(tmp_path / "diary"))
    assert privacy.agents == {"codex", "cursor"}


@pytest.mark.parametrize(
    ("value", "is_private"), [("1", True), ("yes", True), ("0", False), ("", False), ("off", False)]
)
def test_a_variable_makes_a_session_private(value: str, *, is_private: bool) -> None:
    assert private.is_asked_for({private.VARIABLE: value}) is is_private


def test_a_worktree_of_an_excluded_repository_is_excluded(tmp_path: Path) -> None:
    main, linked = tmp_path / "acme", tmp_path / "elsewhere"
    (main / ".git" / "worktrees" / "w").mkdir(parents=True)
    (main / ".git" / "worktrees" / "w" / "commondir").write_text("../..\n")
    (linked / "src").mkdir(parents=True)
    (linked / ".git").write_text(f"gitdir: {main}/.git/worktrees/w\n")
    privacy = private.open_privacy("", str(main), "", "")
    assert privacy.excludes_folder(str(linked / "src"))
    assert not privacy.excludes_folder(str(tmp_path))
