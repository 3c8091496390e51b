"""An edit of a file is found by the next search, without `gieok index` and without a daemon."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from contexts import opened_home

from gieok.commands.memory import behind
from gieok.commands.memory.index import index_memory as index
from gieok.commands.memory.search import search_memory as search
from gieok.home.call import Call
from gieok.memory.files import freshness, roots
from gieok.model.memory import Scope
from gieok.testing import ManualClock


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.md").write_text("The umbrella stands behind the door.\n")
    (folder / "sub" / "b.md").write_text("우산은 현관에 있다.\n")
    return folder


@pytest.fixture
def call(tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    with opened_home(tmp_path / "h", monkeypatch, ManualClock()) as made:
        index(made, paths=[str(notes)])
        yield made


def _found(call: Call, query: str) -> list[str]:
    return [hit.snippet for hit in search(call, query=[query], min_score=0.0).results]


def _is_found(call: Call, query: str, words: str) -> bool:
    return any(words in snippet for snippet in _found(call, query))


def test_a_changed_line_is_found_and_the_old_one_is_not(call: Call, notes: Path) -> None:
    (notes / "a.md").write_text("The umbrella stands in the garage.\n")
    assert _is_found(call, "umbrella garage", "garage")
    assert not _is_found(call, "umbrella door", "behind the door")


def test_a_change_that_keeps_size_and_time_is_found(call: Call, notes: Path) -> None:
    file = notes / "sub" / "b.md"
    before = file.stat()
    file.write_text("우산은 차고에 있다.\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert _is_found(call, "우산", "차고")


def test_new_moved_and_deleted_files_are_followed(call: Call, notes: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.md"
    old.write_text("The anchor is rented.\n")
    os.utime(old, (1, 1))
    old.rename(notes / "sub" / "old.md")
    assert _is_found(call, "anchor", "rented")
    (notes / "sub" / "old.md").rename(notes / "new.md")
    assert [hit.path for hit in search(call, query=["anchor"], min_score=0.0).results][:1] == [
        "new.md"
    ]
    (notes / "new.md").unlink()
    assert not _is_found(call, "anchor", "rented")
    shutil.rmtree(notes / "sub")
    assert not _is_found(call, "우산", "현관")


@pytest.mark.parametrize(
    "name",
    ["password=hunter2trombone/tea.md", "tea password=hunter2trombone.md", "a\udcff/tea.md"],
)
def test_a_file_whose_name_is_stored_otherwise_stays_until_a_full_scan_misses_it(
    call: Call, notes: Path, name: str
) -> None:
    file = notes / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("The kettle whistles.\n")
    index(call, paths=[str(notes)])
    # the first of them may still be of the tick of the mark, at which the file is read again
    for other in ("b.md", "c.md", "d.md"):
        (file.parent / other).write_text(f"The lease of {other} ends.\n")
        assert _is_found(call, "lease", other)
        assert _is_found(call, "kettle", "whistles")
    assert all("trombone" not in key for key in call.home.store.hashes(call.scope))
    file.unlink()
    index(call, paths=[str(notes)])
    assert not _is_found(call, "kettle", "whistles")


def test_an_editors_save_by_another_file_is_found(call: Call, notes: Path) -> None:
    fresh = notes / ".a.md.tmp"
    fresh.write_text("The umbrella stands in the attic.\n")
    fresh.rename(notes / "a.md")
    assert _is_found(call, "umbrella attic", "attic")


def test_nothing_is_read_where_nothing_changed(
    call: Call, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.utime(notes / "a.md", (1, 1))
    search(call, query=["umbrella"])
    root = roots.load_roots(call.home.store, call.scope)[0]
    mark = freshness.read_marks(call.home.store.notes(call.scope)[freshness.NOTE])[root.name]
    seen = freshness.find_folder_changes(root, mark + 1, ())
    assert seen is not None
    assert seen.changed == frozenset()


def test_a_folder_that_is_away_loses_nothing(call: Call, notes: Path) -> None:
    notes.rename(notes.with_name("away"))
    assert _is_found(call, "umbrella", "behind the door")


def test_more_files_than_a_search_has_time_for_are_named(call: Call, notes: Path) -> None:
    for number in range(101):
        (notes / f"n{number}.md").write_text(f"note {number}\n")
    told = search(call, query=["umbrella"]).behind
    assert told is not None
    assert told.files >= 101
    assert "changed files" in told.words().en
    index(call)
    assert behind.caught_up(call, use_vectors=False) is None


def test_other_scopes_are_left_alone(call: Call, notes: Path) -> None:
    (notes / "a.md").write_text("The umbrella stands in the garage.\n")
    assert call.home.store.hashes(Scope("agent:other")) == {}
    search(call, query=["umbrella"])
    assert call.home.store.hashes(Scope("agent:other")) == {}
