"""Notes in a person's folder: theirs are left alone, ours are found wherever they are."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gieok.errors import ArchiveConflict, ArchiveFailed
from gieok.storage.archives.vault import VaultArchive
from gieok.testing.contracts import ArchiveContract


class TestVault(ArchiveContract):
    """The contract of every archive."""

    @pytest.fixture
    def make_archive(self, tmp_path: Path) -> Callable[[], VaultArchive]:
        (tmp_path / "picture.png").write_bytes(b"a folder of a person's is not empty")
        return lambda: VaultArchive(tmp_path, "")


def _vault(folder: Path) -> VaultArchive:
    (folder / ".obsidian").mkdir(exist_ok=True)
    return VaultArchive(folder, "Gieok", ".obsidian")


def test_own_notes_and_others_files_are_not_told_of(tmp_path: Path) -> None:
    archive = _vault(tmp_path)
    (tmp_path / "Mine.md").write_text("mine")
    (tmp_path / "Gieok").mkdir()
    (tmp_path / "Gieok" / "picture.png").write_bytes(b"x")
    (tmp_path / ".trash").mkdir()
    (tmp_path / ".trash" / "old.md").write_text('---\ngieok: "x"\n---\n')
    assert list(archive.changes("").files) == []


def test_a_note_of_ours_is_found_wherever_it_is_moved_to(tmp_path: Path) -> None:
    archive = _vault(tmp_path)
    archive.write("Gieok/a.md", b'---\ngieok: "3fa9c01e"\n---\n', None)
    first = archive.changes("")
    (tmp_path / "Gieok/a.md").rename(tmp_path / "b.md")
    found = archive.changes(first.cursor)
    assert ([one.path for one in found.files], found.removed) == (["b.md"], ["Gieok/a.md"])


def test_only_what_differs_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = _vault(tmp_path)
    (tmp_path / "Mine.md").write_text("mine")
    archive.write("Gieok/a.md", b"x", None)
    cursor = archive.changes("").cursor
    monkeypatch.setattr(archive, "_row", None)
    assert list(archive.changes(cursor).files) == []


def test_folders_of_a_person_stay_where_a_note_goes(tmp_path: Path) -> None:
    archive = _vault(tmp_path)
    for path in ("Projects/a.md", "Gieok/2026/03/a.md"):
        revision = archive.write(path, b"x", None)
        with pytest.raises(ArchiveConflict):
            archive.delete(path, "another")
        archive.delete(path, revision)
        archive.delete(path, revision)
    assert sorted(tmp_path.iterdir()) == [
        tmp_path / ".obsidian",
        tmp_path / "Gieok",
        tmp_path / "Projects",
    ]
    assert not list((tmp_path / "Gieok").iterdir())


@pytest.mark.parametrize("there", [False, True])
def test_a_folder_that_is_away_is_no_empty_archive(tmp_path: Path, *, there: bool) -> None:
    folder = tmp_path / "disk"
    if there:
        folder.mkdir()
    archive = VaultArchive(folder, "Gieok")
    for act in (
        lambda: archive.changes(""),
        lambda: archive.read("a.md"),
        lambda: archive.write("a.md", b"", None),
    ):
        with pytest.raises(ArchiveFailed, match="not there, or empty"):
            act()
    assert folder.exists() == there


def test_a_new_folder_may_be_empty_until_memories_live_there(tmp_path: Path) -> None:
    archive = VaultArchive(tmp_path, "Gieok", has_memories=lambda: False)
    assert archive.changes("").files == []
    assert archive.write("Gieok/a.md", b"text", None)
