"""Seeds of a new memory: instruction files, agents' own notes, and a project's log."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from gieok.flow.ingest import Failed, SourceItem
from gieok.memory.files.cut import Cut
from gieok.memory.files.seeds import (
    SeedFile,
    agents_notes,
    commit_items,
    file_items,
    projects_files,
    users_files,
)
from gieok.model.memory import Document, Scope
from gieok.ports.code import Commit

_SCOPE = Scope("project:shop")
_AT = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)


def _write(file: Path, text: str = "# Rules\nBe kind.\n") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def _read(file: Path) -> SourceItem | Failed:
    (item,) = file_items(_SCOPE, [SeedFile("seeds/a.md", file)], Cut())
    return item


def _build(item: SourceItem | Failed) -> Document:
    assert isinstance(item, SourceItem)
    return item.build()


def test_only_instructions_that_exist_are_listed(tmp_path: Path) -> None:
    _write(tmp_path / ".claude" / "CLAUDE.md")
    _write(tmp_path / ".qwen" / "QWEN.md")
    keys = [seed.key for seed in users_files(tmp_path)]
    assert keys == ["seeds/claude-code/CLAUDE.md", "seeds/qwen-code/QWEN.md"]


def test_a_repositorys_instructions_are_no_links(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    _write(root / "AGENTS.md")
    (root / "CLAUDE.md").symlink_to(_write(tmp_path / "other.md"))
    assert [seed.key for seed in projects_files(root)] == ["seeds/AGENTS.md"]


def test_an_agents_notes_of_a_folder_are_its_first_two_hundred(tmp_path: Path) -> None:
    notes = tmp_path / "-work-shop" / "memory"
    for number in range(201):
        _write(notes / f"{number:03}.md")
    found = agents_notes(tmp_path, "/work/shop")
    assert [seed.path.name for seed in found] == [f"{number:03}.md" for number in range(200)]
    assert found[0].key == "seeds/claude-code/memory/000.md"
    assert agents_notes(tmp_path, "/work/web") == []


def test_a_file_of_instructions_is_a_document_with_its_heading_and_its_lines(
    tmp_path: Path,
) -> None:
    file = _write(tmp_path / "CLAUDE.md")
    document = _build(_read(file))
    assert (document.key, document.title, document.kind) == ("seeds/a.md", "Rules", "memory")
    assert document.metadata == {"category": "instructions"}
    (place,) = document.provenance
    assert (place.source, place.start_line, place.end_line) == (str(file), 1, 3)
    assert _build(_read(_write(tmp_path / "b.md", "Be kind."))).title == "b"


def test_a_file_that_changed_has_another_hash_and_one_that_did_not_has_the_same(
    tmp_path: Path,
) -> None:
    same = [_read(_write(tmp_path / name, "Be kind.")) for name in ("a.md", "b.md")]
    other = _read(_write(tmp_path / "c.md", "Be kinder."))
    hashes = [item.content_hash for item in (*same, other) if isinstance(item, SourceItem)]
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize(("size", "is_read"), [(200_000, True), (200_001, False)])
def test_instructions_have_two_hundred_thousand_bytes_at_most(
    tmp_path: Path, size: int, *, is_read: bool
) -> None:
    item = _read(_write(tmp_path / "a.md", "x" * size))
    assert isinstance(item, SourceItem) is is_read
    if isinstance(item, Failed):
        assert (item.reason, item.keeps) == ("no text, or too long for instructions", False)


def test_a_file_that_cannot_be_read_keeps_what_is_known_of_it(tmp_path: Path) -> None:
    item = _read(tmp_path / "gone.md")
    assert isinstance(item, Failed)
    assert item.keeps
    assert "No such file" in item.reason


def _commit(number: int, files: int, message: str = "Retry payments") -> Commit:
    names = tuple(f"f{name}.py" for name in range(files))
    return Commit(f"{number:040x}", "Ines", _AT, message, names)


def _list_commits(*commits: Commit) -> list[Document]:
    root = Path("/work/shop")
    return [item.build() for item in commit_items(_SCOPE, root, commits, Cut())]


def test_commits_come_oldest_first_under_twelve_letters_of_their_hash() -> None:
    documents = _list_commits(_commit(2, 1), _commit(1, 1))
    assert [one.metadata["commit"][-1] for one in documents] == ["1", "2"]
    assert documents[0].key == "seeds/commits/" + "0" * 12
    assert documents[0].provenance[0].source == "/work/shop@" + "0" * 12


def test_a_commit_says_why_what_and_who_on_which_day() -> None:
    (document,) = _list_commits(_commit(1, 2, "Retry payments\n\nThey time out."))
    day = document.created_at.date()
    assert document.title == "Retry payments"
    assert document.text == f"Retry payments\n\nThey time out.\n\nf0.py, f1.py\n\nInes, {day}"


@pytest.mark.parametrize(("files", "end"), [(12, "f11.py"), (13, "f11.py and 1 more")])
def test_a_commit_names_twelve_files(files: int, end: str) -> None:
    (document,) = _list_commits(_commit(1, files))
    assert document.text.split("\n\n")[1].endswith(end)


def test_a_long_message_is_cut_and_its_first_line_sooner() -> None:
    (document,) = _list_commits(_commit(1, 0, "x" * 2_001))
    assert document.text.split("\n\n")[0] == "x" * 2_000
    assert document.title == "x" * 200
