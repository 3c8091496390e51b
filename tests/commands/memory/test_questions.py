"""Questions to begin with."""

from pathlib import Path

import pytest

from gieok.commands import load_command
from gieok.commands.memory.questions import suggest_questions
from gieok.home.calls import open_call


def test_a_note_is_asked_about_once_by_its_name_without_the_day_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "notes"
    folder.mkdir()
    for day in ("2026-11-20", "2026-11-27"):
        text = f"# Garden plan\n\nThe garden plan of {day}: the beds are dug.\n"
        (folder / f"{day}-garden-plan.md").write_text(text, encoding="utf-8")
    (folder / "2026-11-21.md").write_text("The quay was repaired.\n", encoding="utf-8")
    call = open_call({})
    load_command("index")(call, paths=[str(folder)])
    asked = suggest_questions(call)
    call.home.store.close()
    assert [question for question in asked if question.startswith("What about")] == [
        "What about garden plan?"
    ]


def test_a_home_without_notes_is_asked_about_what_its_records_are_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    call = open_call({})
    load_command("remember")(call, text=["The gym card is in the blue coat."])
    load_command("remember")(call, text=["We ship on Tuesdays."])
    asked = suggest_questions(call)
    call.home.store.close()
    assert "What about gym card?" in asked
    assert not any("ship" in question for question in asked)
