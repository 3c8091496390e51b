"""What changed since a mark is found without reading a file."""

import os
from pathlib import Path

import pytest

from gieok.memory.files import freshness
from gieok.memory.files.freshness import find_folder_changes, read_marks, write_marks
from gieok.memory.files.roots import Root


@pytest.mark.parametrize(
    ("note", "marks"),
    [
        ("", {}),
        ("{", {}),
        ("[1]", {}),
        ('{"a": 1, "b": "2", "c": null}', {"a": 1}),
        (write_marks({"b": 2, "a": 1}), {"a": 1, "b": 2}),
    ],
)
def test_marks_are_whole_numbers_by_root(note: str, marks: dict[str, int]) -> None:
    assert read_marks(note) == marks


@pytest.fixture
def root(tmp_path: Path) -> Root:
    (tmp_path / "n" / "sub").mkdir(parents=True)
    (tmp_path / "n" / "a.md").write_text("a")
    (tmp_path / "n" / "sub" / "b.md").write_text("b")
    (tmp_path / "n" / "c.png").write_text("c")
    (tmp_path / "n" / ".git").mkdir()
    (tmp_path / "n" / ".git" / "d.md").write_text("d")
    return Root("n", tmp_path / "n")


def _find(root: Root, since_ns: int, *known: str) -> tuple[list[str], int]:
    look = find_folder_changes(root, since_ns, known)
    assert look is not None
    base = root.path.parent if root.is_file else root.path
    return sorted(str(path.relative_to(base)) for path in look.changed), look.newest_ns


def test_what_has_the_time_of_the_mark_counts_and_what_is_older_does_not(root: Root) -> None:
    everything, newest = _find(root, 0)
    assert everything == ["a.md", "sub/b.md"]
    assert _find(root, newest + 1) == ([], newest + 1)
    file = root.path / "sub" / "b.md"
    at = newest + 10**12
    os.utime(file, ns=(at, at))
    assert _find(root, at) == (["sub/b.md"], at)
    assert _find(root, at + 1) == ([], at + 1)


def test_what_is_gone_is_a_change_of_its_folder(root: Root) -> None:
    _, newest = _find(root, 0)
    known = ("n/a.md", "n/sub/b.md//part", "n/sub/gone.md", "n/far/x.md", "other/y.md")
    assert _find(root, newest + 10**12, *known)[0] == []
    (root.path / "sub" / "gone.md").write_text("g")
    (root.path / "sub" / "gone.md").unlink()
    at = newest + 10**12
    os.utime(root.path / "sub", ns=(at, at))
    assert _find(root, at, *known)[0] == ["far/x.md", "sub/gone.md"]


def test_a_root_that_is_one_file_has_no_folder_to_lose_one(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("a")
    file = Root("a.png", tmp_path / "a.png")
    assert _find(file, 0, "a.png/b.md")[0] == ["a.png"]


def test_a_folder_that_is_away_or_too_large_is_not_told_of(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_folder_changes(root._replace(path=root.path / "none"), 0, ()) is None
    # The root, the folder in it and three files are five.
    for most, is_told in ((5, True), (4, False)):
        monkeypatch.setattr(freshness, "MOST_ENTRIES", most)
        assert (find_folder_changes(root, 0, ()) is not None) is is_told


def test_a_loop_of_links_is_walked_once(root: Root) -> None:
    (root.path / "sub" / "again").symlink_to(root.path, target_is_directory=True)
    assert _find(root, 0)[0] == ["a.md", "sub/b.md"]
