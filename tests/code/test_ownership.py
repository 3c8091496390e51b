"""An index is believed where this user made it, in this place."""

from pathlib import Path
from typing import Any, cast

import pytest

from gieok.code.index.ownership import (
    check_index_owner,
    claim_index,
    discard,
    find_index_lock,
    find_index_record,
    list_indexed_roots,
)
from gieok.code.model import layout
from gieok.errors import NotIndexed


class _Notes:
    """The notes and files of an index, as far as a claim reads and writes them."""

    def __init__(self, *, is_filled: bool = False) -> None:
        self.kept: dict[str, str] = {}
        self.is_filled = is_filled

    def notes(self, scope: object) -> dict[str, str]:
        return dict(self.kept)

    def files(self) -> dict[str, str]:
        return {"a.py": "h"} if self.is_filled else {}

    def write_note(self, scope: object, name: str, value: str) -> None:
        self.kept[name] = value


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    layout.index_file(root).parent.mkdir(parents=True)
    layout.index_file(root).write_bytes(b"x")
    return root


def _claim(home: Path, root: Path, notes: _Notes) -> None:
    claim_index(home, root, cast("Any", notes))


def test_an_empty_index_is_claimed_once_and_then_known(home: Path, root: Path) -> None:
    with pytest.raises(NotIndexed):
        check_index_owner(home, root)
    assert list_indexed_roots(home) == []
    notes = _Notes()
    _claim(home, root, notes)
    (word,) = notes.kept.values()
    assert len(word) == 32
    check_index_owner(home, root)
    assert list_indexed_roots(home) == [root]
    _claim(home, root, notes)
    notes.is_filled = True
    _claim(home, root, notes)
    assert [*notes.kept.values()] == [word]
    fresh = _Notes()
    _claim(home, root, fresh)
    assert fresh.kept == notes.kept, "an index that was emptied gets the same token"


def test_an_index_of_somebody_else_is_refused(home: Path, root: Path) -> None:
    foreign = _Notes()
    foreign.kept["code.owner"] = "theirs"
    for notes in (foreign, _Notes(is_filled=True)):
        with pytest.raises(NotIndexed):
            _claim(home, root, notes)
    _claim(home, root, _Notes())
    for notes in (foreign, _Notes(is_filled=True)):
        with pytest.raises(NotIndexed):
            _claim(home, root, notes)


def test_a_claim_of_an_older_release_is_written_with_its_path(home: Path, root: Path) -> None:
    notes = _Notes()
    _claim(home, root, notes)
    (file,) = (home / "code").iterdir()
    file.write_text(f"{notes.kept['code.owner']}\n")
    assert list_indexed_roots(home) == []
    check_index_owner(home, root)
    _claim(home, root, notes)
    assert list_indexed_roots(home) == [root]
    file.write_bytes(b"\xff\xfe")
    assert list_indexed_roots(home) == []
    with pytest.raises(NotIndexed):
        check_index_owner(home, root)


def test_a_project_without_an_index_needs_no_owner_and_is_not_listed(
    home: Path, root: Path
) -> None:
    _claim(home, root, _Notes())
    layout.index_file(root).unlink()
    check_index_owner(home, root)
    assert list_indexed_roots(home) == []


def test_what_is_discarded_is_gone_with_its_side_files_and_its_token(
    home: Path, root: Path
) -> None:
    _claim(home, root, _Notes())
    index = layout.index_file(root)
    sides = [index.with_name(index.name + end) for end in ("-wal", "-shm", "-journal", "-other")]
    for side in sides:
        side.write_bytes(b"")
    discard(home, root)
    discard(home, root)
    assert [side.exists() for side in sides] == [False, False, False, True]
    assert not index.exists()
    assert [*(home / "code").iterdir()] == []


def test_locks_and_records_of_a_project_are_its_own(home: Path, root: Path) -> None:
    lock, record = find_index_lock(home, root, "write"), find_index_record(home, root, "runs")
    assert (lock.parent, lock.name[32:]) == (home / "code", ".write.lock")
    assert (record.name[:32], record.name[32:]) == (lock.name[:32], ".runs.json")
    assert find_index_lock(home, root.parent, "write") != lock
    (home / "code").mkdir(parents=True)
    (home / "code" / "stray").write_text(f"word\n{root}\n")
    assert list_indexed_roots(home) == [], "a token lies at the name of its path"
