"""The folder keeps the contract of archives; its files are private, and links lead nowhere."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gieok.errors import ArchiveConflict, ArchiveFailed, ArchiveMissing
from gieok.storage.archives.folder import FolderArchive
from gieok.testing.contracts import ArchiveContract


class TestFolderArchive(ArchiveContract):
    @pytest.fixture
    def make_archive(self, tmp_path: Path) -> Callable[[], FolderArchive]:
        return lambda: FolderArchive(tmp_path / "archive")


def test_files_are_private_and_empty_folders_go(tmp_path: Path) -> None:
    archive = FolderArchive(tmp_path / "vault")
    revision = archive.write("2026/08/a.md", b"1", None)
    file = tmp_path / "vault" / "2026" / "08" / "a.md"
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    archive.delete("2026/08/a.md", revision)
    assert list((tmp_path / "vault").iterdir()) == []


def test_links_and_hidden_files_are_nobodys(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    (tmp_path / "secret.md").write_text("secret")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    (folder / "out").symlink_to(tmp_path)
    (folder / ".obsidian").mkdir()
    (folder / ".obsidian" / "app.json").write_text("{}")
    archive = FolderArchive(folder)
    assert list(archive.files()) == []
    with pytest.raises(ArchiveMissing):
        archive.read("link.md")
    with pytest.raises(ArchiveConflict):
        archive.write("link.md", b"x", None)
    with pytest.raises(ArchiveFailed):
        archive.read("out/secret.md")
    assert (tmp_path / "secret.md").read_text() == "secret"


def test_a_file_system_without_hard_links_keeps_files_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    archive = FolderArchive(tmp_path)
    archive.write("a.md", b"1", None)
    with pytest.raises(ArchiveConflict):
        archive.write("a.md", b"2", None)
    assert archive.read("a.md")[0] == b"1"


def test_what_a_killed_writer_left_is_removed(tmp_path: Path) -> None:
    archive = FolderArchive(tmp_path)
    archive.write("2026/a.md", b"1", None)
    (tmp_path / "2026" / ".0123.gieok.tmp").write_text("half")
    assert [one.path for one in archive.files()] == ["2026/a.md"]
    archive.tidy()
    assert [file.name for file in (tmp_path / "2026").iterdir()] == ["a.md"]
