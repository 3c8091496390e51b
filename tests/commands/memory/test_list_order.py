"""What was learned stands before notes, however many there are and however new they are."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gieok.commands import load_command
from gieok.commands.memory import restatements
from gieok.home.calls import open_call
from gieok.model.memory import Document, Entry, Passage, Scope


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / ".gieok"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.setenv("GIEOK_OBSERVE_AGENTS", "none")
    monkeypatch.chdir(tmp_path)
    return tmp_path / ".gieok"


def _run(name: str, **request: object):
    return load_command(name)(open_call({}), **request)


def _observe(text: str) -> None:
    moment = datetime(2020, 1, 5, tzinfo=UTC)
    document = Document(
        scope=Scope("agent:main"),
        key=f"observe:{text}",
        kind="observation",
        text=text,
        content_hash=text,
        created_at=moment,
        updated_at=moment,
        valid_from=moment,
    )
    open_call({}).home.store.put([Entry(document, (Passage(0, len(text), 1, 1),))])


def test_what_was_learned_stands_before_hundreds_of_newer_notes(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    for number in range(500):
        (tmp_path / "notes" / f"{number}.md").write_text(
            f"Note {number} is on heron {number}.\n", encoding="utf-8"
        )
    _run("index", paths=[str(tmp_path / "notes")])
    _observe("Releases leave on Thursdays.")
    _run("remember", text=["Use ruff."])
    rows = _run("list", limit=3).memories
    assert [row.kind for row in rows] == ["record", "observation", "note"]
    assert _run("list", limit=3).more
    assert [row.kind for row in _run("list", limit=2, kind="note").memories] == ["note", "note"]


def test_of_a_word_in_hundreds_of_notes_the_first_rows_are_those_of_the_whole_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes").mkdir()
    for number in range(200):
        (tmp_path / "notes" / f"{number}.md").write_text(
            f"Note {number} is on heron {number}.\n", encoding="utf-8"
        )
    _run("remember", text=["The heron is the logo."])
    _run("index", paths=[str(tmp_path / "notes")])
    _run("remember", text=["The heron stands on one leg."])
    compared: list[int] = []
    fold_restatements = restatements.fold_restatements

    def count(shown: list[Any], statement: Any) -> Any:
        compared.append(len(shown))
        return fold_restatements(shown, statement)

    monkeypatch.setattr(restatements, "fold_restatements", count)
    every = _run("list", words=["heron"], limit=0).memories
    assert len(every) == 202
    assert max(compared) >= 200
    compared.clear()
    for limit in (1, 2, 3):
        assert _run("list", words=["heron"], limit=limit).memories == every[:limit]
    assert max(compared) < 100
