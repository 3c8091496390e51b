"""What is paused, private or excluded is passed over by the cursor, and stays out whatever is read
again.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gieok.memory.capture.capture import Capture
from gieok.model.memory import Scope
from gieok.private import Privacy
from gieok.storage.journal.sqlite.journal import SqliteJournal

_SCOPE = Scope("agent:main")
_START = datetime(2026, 11, 20, 9, tzinfo=UTC)


def _line(number: int, text: str, role: str = "user", **more: object) -> str:
    at = (_START + timedelta(minutes=number)).isoformat()
    row = {
        "type": role,
        "uuid": f"u{number}",
        "sessionId": "s",
        "timestamp": at,
        "cwd": "/work/shop",
    }
    return json.dumps({**row, "message": {"role": role, "content": text}, **more}) + "\n"


def _minute(number: float) -> float:
    return (_START + timedelta(minutes=number)).timestamp()


def _capture(journal: SqliteJournal, privacy: Privacy, *files: Path) -> list[str]:
    capture = Capture(journal, privacy=privacy)
    for file in files:
        capture.file(_SCOPE, file)
    found = journal.read(_SCOPE, 0, budget_tokens=1 << 40, limit=1 << 20)
    return [one.message.text for one in found]


@pytest.fixture
def privacy(tmp_path: Path) -> Privacy:
    return Privacy(str(tmp_path / "home"))


def test_lines_of_a_pause_stay_out_after_it_also_from_a_copy(
    journal: SqliteJournal, tmp_path: Path, privacy: Privacy
) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text(_line(1, "before") + _line(2, "walnut ember") + _line(3, "after"))
    privacy.begin_pause(_minute(2), _minute(2.5))
    assert _capture(journal, privacy, file) == ["before", "after"]
    copy = tmp_path / "other" / "s.jsonl"
    copy.parent.mkdir()
    copy.write_text(file.read_text().replace('"u', '"fork-'))
    assert "walnut ember" not in _capture(journal, privacy, copy)


def test_what_an_agent_answers_after_a_pause_to_what_was_said_in_it_is_withheld(
    journal: SqliteJournal, tmp_path: Path, privacy: Privacy
) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text(_line(1, "walnut ember"))
    privacy.begin_pause(_minute(0), _minute(1.5))
    assert _capture(journal, privacy, file) == []
    with file.open("a") as more:
        more.write(
            _line(2, "you said walnut ember", "assistant")
            + _line(3, "hello")
            + _line(4, "hi", "assistant")
        )
    # Another process goes on: it looks back at what was asked.
    assert _capture(journal, privacy, file) == ["hello", "hi"]


def test_lines_without_a_time_that_were_written_in_a_pause_stay_out(
    journal: SqliteJournal, tmp_path: Path, privacy: Privacy
) -> None:
    file = tmp_path / "plain.jsonl"

    def said(text: str) -> str:
        return json.dumps({"role": "user", "content": text}) + "\n"

    file.write_text(said("before"))
    assert _capture(journal, privacy, file) == ["before"]
    privacy.begin_pause(_minute(0), _minute(9))
    with file.open("a") as more:
        more.write(said("walnut ember"))
    assert _capture(journal, privacy, file) == ["before"]
    privacy.note_reading(_minute(10))
    with file.open("a") as more:
        more.write(said("after"))
    assert _capture(journal, privacy, file) == ["before", "after"]


def test_a_session_that_begins_with_the_word_is_kept_nowhere(
    journal: SqliteJournal, tmp_path: Path, privacy: Privacy
) -> None:
    file = tmp_path / "s.jsonl"
    noise = "".join(
        json.dumps({"type": "progress", "sessionId": "s", "n": n}) + "\n" for n in range(30)
    )
    file.write_text(noise + _line(1, "비공개\nwalnut ember"))
    assert _capture(journal, privacy, file) == []
    with file.open("a") as more:
        more.write(_line(2, "walnut ember", "assistant") + _line(3, "walnut ember again"))
    assert _capture(journal, privacy, file) == []


def test_the_word_later_in_a_session_is_talk(
    journal: SqliteJournal, tmp_path: Path, privacy: Privacy
) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text(_line(1, "공개로 할까, 비공개로 할까?"))
    _capture(journal, privacy, file)
    with file.open("a") as more:
        more.write(_line(2, "비공개") + _line(3, "done", "assistant"))
    assert _capture(journal, privacy, file) == ["공개로 할까, 비공개로 할까?", "비공개", "done"]


def test_sessions_and_lines_of_an_excluded_folder_are_passed_over(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    diary, own = tmp_path / "diary.jsonl", tmp_path / "s.jsonl"
    diary.write_text(_line(1, "walnut ember", cwd="/work/diary/2026"))
    own.write_text(
        _line(2, "shop") + _line(3, "walnut ember", cwd="/work/diary") + _line(4, "shop again")
    )
    excluding = Privacy(str(tmp_path / "home"), ["/work/diary"])
    assert _capture(journal, excluding, diary, own) == ["shop", "shop again"]


def test_what_tools_show_of_an_excluded_folder_is_left_out(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    def use(number: int, path: str) -> str:
        call = {
            "type": "tool_use",
            "id": f"t{number}",
            "name": "Read",
            "input": {"file_path": path},
        }
        result = {
            "type": "tool_result",
            "tool_use_id": f"t{number}",
            "content": f"walnut of {number}",
        }
        row = {"content": [call]}, {"content": [result]}
        return _line(number, "", "assistant", message=row[0]) + _line(
            number + 1, "", "user", message=row[1]
        )

    file = tmp_path / "s.jsonl"
    file.write_text(use(1, "/work/diary/today.md") + use(3, "/work/diary2/open.md"))
    found = " ".join(_capture(journal, Privacy(str(tmp_path / "home"), ["/work/diary"]), file))
    assert "walnut of 1" not in found
    assert "today.md" not in found
    assert "walnut of 3" in found


def test_an_excluded_agent_is_passed_over(journal: SqliteJournal, tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text(_line(1, "walnut ember"))
    assert _capture(journal, Privacy(str(tmp_path / "home"), agents=["claude-code"]), file) == []
    # Read while it was excluded: it stays out.
    with file.open("a") as more:
        more.write(_line(2, "after"))
    assert _capture(journal, Privacy(str(tmp_path / "home")), file) == ["after"]


def test_a_capture_that_dies_before_its_cursor_moves_keeps_nothing_of_a_pause(
    journal: SqliteJournal, tmp_path: Path, privacy: Privacy, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text(_line(1, "off the record\nwalnut ember") + _line(2, "walnut ember"))

    def die(*arguments: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(journal, "append", die)
        with pytest.raises(KeyboardInterrupt):
            _capture(journal, privacy, file)
    with file.open("a") as more:
        more.write(_line(3, "walnut ember"))
    assert _capture(journal, Privacy(str(tmp_path / "home")), file) == []
