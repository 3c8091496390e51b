"""Which names are those of copies, and which folders keep them."""

import pytest

from gieok.memory.files.copies import Copy, copy_of, is_kept_folder, keeper_of


@pytest.mark.parametrize(
    ("name", "beside", "copy"),
    [
        ("a (conflicted copy).md", ["a.md"], Copy("a.md", must_equal=False)),
        ("a.sync-conflict-20260101-120000.md", ["a.md"], Copy("a.md", must_equal=False)),
        ("a (1).md", ["a.md"], Copy("a.md", must_equal=True)),
        ("a copy.md", ["a.md"], Copy("a.md", must_equal=True)),
        ("a 복사본.md", ["a.md"], Copy("a.md", must_equal=True)),
        ("a (1).md", ["b.md"], None),
        ("a (1).md", ["a.txt"], None),
        ("a.md", ["a.md"], None),
        (" (1).md", [".md"], None),
        ("a copy", ["a"], None),
        ("a (100).md", ["a.md"], None),
    ],
)
def test_a_copy_has_its_original_beside_it(name: str, beside: list[str], copy: Copy | None) -> None:
    assert copy_of(name, beside) == copy
    assert copy_of(name, lambda original: original in beside) == copy


def test_a_folder_of_copies_is_known_by_its_name_or_the_one_above() -> None:
    assert keeper_of(".trash", "") == "Obsidian"
    assert keeper_of("bak", "Logseq") == "Logseq"
    assert keeper_of("bak", "notes") == ""
    assert keeper_of(".Trash-1000", "") == "the file manager"
    assert keeper_of("x.Trash-1000", "") == ""
    assert is_kept_folder(("logseq", "bak"))
    assert is_kept_folder((".zk",))
    assert not is_kept_folder(("bak", "logseq"))
    assert not is_kept_folder(())
