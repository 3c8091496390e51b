"""The contract of `Archive`: whole files with revisions.

A file of an unexpected revision is not overwritten.
"""

import unicodedata
from collections.abc import Callable

import pytest

from gieok.errors import ArchiveConflict, ArchiveFailed, ArchiveMissing
from gieok.ports.archive import Archive

_NAME = "2026/08/결제 서버.md"


class ArchiveContract:
    """Tests of the sentences of `gieok.ports.Archive`.

    A subclass defines the fixture `make_archive`: a function that makes an empty archive.
    """

    @pytest.fixture
    def archive(self, make_archive: Callable[[], Archive]) -> Archive:
        """Return a new archive."""
        return make_archive()

    def test_what_is_written_is_read_again_with_its_revision(self, archive: Archive) -> None:
        revision = archive.write(_NAME, "기억\r\n".encode(), None)
        assert archive.read(_NAME) == ("기억\r\n".encode(), revision)
        other = archive.write("b.md", b"", None)
        files = {(file.path, file.revision, file.size) for file in archive.files()}
        assert files == {(_NAME, revision, 8), ("b.md", other, 0)}

    def test_what_is_not_there_is_missing(self, archive: Archive) -> None:
        assert list(archive.files()) == []
        with pytest.raises(ArchiveMissing):
            archive.read("none.md")
        archive.delete("none.md", "any")

    def test_nothing_is_overwritten_or_deleted_that_was_not_expected(
        self, archive: Archive
    ) -> None:
        first = archive.write("a.md", b"1", None)
        second = archive.write("a.md", b"2", first)
        for expected in (None, first):
            with pytest.raises(ArchiveConflict):
                archive.write("a.md", b"3", expected)
        with pytest.raises(ArchiveConflict):
            archive.delete("a.md", first)
        with pytest.raises(ArchiveConflict):
            archive.write("none.md", b"3", first)
        assert archive.read("a.md") == (b"2", second)
        archive.delete("a.md", second)
        assert list(archive.files()) == []

    def test_another_spelling_of_a_name_is_the_same_name(self, archive: Archive) -> None:
        revision = archive.write("Notes/결제.md", b"1", None)
        for path in (unicodedata.normalize("NFD", "Notes/결제.md"), "notes/결제.MD"):
            assert archive.read(path) == (b"1", revision)
            with pytest.raises(ArchiveConflict):
                archive.write(path, b"2", None)
        assert [file.path for file in archive.files()] == ["Notes/결제.md"]

    @pytest.mark.parametrize(
        "path", ["../a.md", "/a.md", "a/../../b.md", "", "a//b.md", ".hidden", "a\0b"]
    )
    def test_no_path_leads_out_of_it(self, archive: Archive, path: str) -> None:
        for act in (
            lambda: archive.read(path),
            lambda: archive.write(path, b"", None),
            lambda: archive.delete(path, ""),
        ):
            with pytest.raises(ArchiveFailed):
                act()

    def test_changes_are_told_once(self, archive: Archive) -> None:
        start = archive.changes("")
        assert (list(start.files), list(start.removed)) == ([], [])
        a, b = archive.write("a.md", b"1", None), archive.write("b.md", b"1", None)
        both = archive.changes(start.cursor)
        assert {(file.path, file.revision) for file in both.files} == {("a.md", a), ("b.md", b)}
        archive.delete("a.md", a)
        changed = archive.write("b.md", b"22", b)
        last = archive.changes(both.cursor)
        assert ([(file.path, file.revision) for file in last.files], list(last.removed)) == (
            [("b.md", changed)],
            ["a.md"],
        )
        none = archive.changes(last.cursor)
        assert (list(none.files), list(none.removed)) == ([], [])
        assert {file.path for file in archive.changes("nonsense").files} == {"b.md"}
