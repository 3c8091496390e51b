"""What is derived from a record is made anew when it is edited, and its history keeps every
wording.
"""

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gieok.surfaces.cli import main


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project's folder, the one that commands are called in."""
    project = tmp_path / "shop"
    (project / ".git").mkdir(parents=True)
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.chdir(project)
    return project


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    capsys.readouterr()
    assert main([*arguments, "--json"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def _files(project: Path) -> list[str]:
    return sorted(file.name for file in (project / ".gieok" / "memory").rglob("*.md"))


def _remember(capsys: pytest.CaptureFixture[str], text: str, *more: str) -> str:
    _json(capsys, "remember", text, "--category", "decision", *more)
    (row,) = _json(capsys, "list", "--kind", "record")["memories"]
    return str(row["handle"])


@pytest.mark.parametrize("title", [(), ("--title", "Office wifi nabi-5G")])
def test_a_corrected_value_stands_nowhere_any_more(
    project: Path, capsys: pytest.CaptureFixture[str], title: tuple[str, ...]
) -> None:
    old = _remember(capsys, "The office wifi is nabi-5G", *title)
    edited = _json(capsys, "edit", old, "The office wifi is nabi-6")
    (name,) = _files(project)
    assert name == "the-office-wifi-is-nabi-6.md"
    assert "5G" not in (project / ".gieok/memory/decision" / name).read_text(encoding="utf-8")
    assert edited["path"].endswith(name)
    (hit,) = _json(capsys, "search", "office wifi", "--min-score", "0")["results"]
    assert "5G" not in json.dumps(hit)
    assert "5g" not in json.dumps(hit)
    assert main(["search", "nabi-5G"]) == 0 or "5G" not in capsys.readouterr().out


def test_a_title_of_ones_own_stays_where_it_is_still_true(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = _remember(capsys, "The office wifi is nabi-5G", "--title", "Network")
    _json(capsys, "edit", old, "The office wifi is nabi-6")
    assert _files(project) == ["network.md"]


def test_links_of_other_records_follow_a_new_name(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = _remember(capsys, "The office wifi is nabi-5G")
    other = project / ".gieok/memory/decision/printer.md"
    other.write_text("The printer is in [[the-office-wifi-is-nabi-5g]].\n", encoding="utf-8")
    _json(capsys, "edit", old, "The office wifi is nabi-6")
    assert other.read_text(encoding="utf-8") == "The printer is in [[the-office-wifi-is-nabi-6]].\n"


def test_history_keeps_every_wording_of_a_record(capsys: pytest.CaptureFixture[str]) -> None:
    first = _remember(capsys, "The office wifi is nabi-5G")
    second = _json(capsys, "edit", first, "The office wifi is nabi-6")["handle"]
    third = _json(capsys, "edit", second, "The office wifi is nabi-7, upstairs nabi-8")["handle"]
    said = [row["text"] for row in _json(capsys, "history", third)["versions"]]
    assert said == [
        "The office wifi is nabi-5G",
        "The office wifi is nabi-6",
        "The office wifi is nabi-7, upstairs nabi-8",
    ]


def _use_editor(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> None:
    program = folder / "editor.py"
    program.write_text(f"import sys; open(sys.argv[-1], 'w').write({text!r})\n")
    monkeypatch.setenv("EDITOR", f"{sys.executable} {program}")


def test_an_editor_that_is_named_needs_no_terminal(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "notes").mkdir()
    note = project / "notes" / "wifi.md"
    note.write_text("The office wifi is nabi-5G\n")
    _json(capsys, "index", "notes")
    (row,) = _json(capsys, "list", "--kind", "note")["memories"]
    _use_editor(monkeypatch, project.parent, "The office wifi is nabi-6\n")
    _json(capsys, "edit", row["handle"])
    assert note.read_text() == "The office wifi is nabi-6\n"


def test_no_hint_for_a_note_of_ones_own_leads_to_the_other(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    (project / "notes").mkdir()
    (project / "notes" / "wifi.md").write_text("The office wifi is nabi-5G\n")
    _json(capsys, "index", "notes")
    (row,) = _json(capsys, "list", "--kind", "note")["memories"]
    for text in ([], ["The office wifi is nabi-6"]):
        assert main(["edit", row["handle"], *text]) == 2
        told = capsys.readouterr().err
        assert "write in the file itself" in told
        assert "gieok edit" not in told


def test_an_edit_whose_old_wording_cannot_be_kept_leaves_the_record_as_it_was(
    project: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    old = _remember(capsys, "The office wifi is nabi-5G")
    with closing(sqlite3.connect(tmp_path / "home" / "journal.sqlite")) as journal:
        journal.execute("ALTER TABLE history RENAME TO history_away")
        assert main(["edit", old, "The office wifi is nabi-6"]) != 0
        journal.execute("ALTER TABLE history_away RENAME TO history")
    assert _files(project) == ["the-office-wifi-is-nabi-5g.md"]
    (row,) = _json(capsys, "list", "--kind", "record")["memories"]
    assert row["text"] == "The office wifi is nabi-5G"
    edited = _json(capsys, "edit", old, "The office wifi is nabi-6")
    assert edited["path"].endswith("the-office-wifi-is-nabi-6.md")
