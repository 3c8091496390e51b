"""An edit of a file is found by the next search, without `gieok index` and without a daemon."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from contexts import opened_home

from gieok.memory.files import freshness, roots
from gieok.model.memory import Scope
from gieok.ops.context import Context
from gieok.ops.memory import behind
from gieok.ops.memory.index import IndexRequest
from gieok.ops.memory.index import index_memory as index
from gieok.ops.memory.search import SearchRequest
from gieok.ops.memory.search import search_memory as search
from gieok.testing import ManualClock


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.md").write_text("The umbrella stands behind the door.\n")
    (folder / "sub" / "b.md").write_text("우산은 현관에 있다.\n")
    return folder


@pytest.fixture
def context(tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    with opened_home(tmp_path / "h", monkeypatch, ManualClock()) as made:
        index(made, IndexRequest(paths=[str(notes)]))
        yield made


def _found(context: Context, query: str) -> list[str]:
    return [
        hit.snippet for hit in search(context, SearchRequest(query=[query], min_score=0.0)).results
    ]


def _is_found(context: Context, query: str, words: str) -> bool:
    return any(words in snippet for snippet in _found(context, query))


def test_a_changed_line_is_found_and_the_old_one_is_not(context: Context, notes: Path) -> None:
    (notes / "a.md").write_text("The umbrella stands in the garage.\n")
    assert _is_found(context, "umbrella garage", "garage")
    assert not _is_found(context, "umbrella door", "behind the door")


def test_a_change_that_keeps_size_and_time_is_found(context: Context, notes: Path) -> None:
    file = notes / "sub" / "b.md"
    before = file.stat()
    file.write_text("우산은 차고에 있다.\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert _is_found(context, "우산", "차고")


def test_new_moved_and_deleted_files_are_followed(
    context: Context, notes: Path, tmp_path: Path
) -> None:
    old = tmp_path / "old.md"
    old.write_text("The anchor is rented.\n")
    os.utime(old, (1, 1))
    old.rename(notes / "sub" / "old.md")
    assert _is_found(context, "anchor", "rented")
    (notes / "sub" / "old.md").rename(notes / "new.md")
    assert [
        hit.path for hit in search(context, SearchRequest(query=["anchor"], min_score=0.0)).results
    ][:1] == ["new.md"]
    (notes / "new.md").unlink()
    assert not _is_found(context, "anchor", "rented")
    shutil.rmtree(notes / "sub")
    assert not _is_found(context, "우산", "현관")


def test_an_editors_save_by_another_file_is_found(context: Context, notes: Path) -> None:
    fresh = notes / ".a.md.tmp"
    fresh.write_text("The umbrella stands in the attic.\n")
    fresh.rename(notes / "a.md")
    assert _is_found(context, "umbrella attic", "attic")


def test_nothing_is_read_where_nothing_changed(
    context: Context, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.utime(notes / "a.md", (1, 1))
    search(context, SearchRequest(query=["umbrella"]))
    root = roots.load_roots(context.memory.store(), context.scope)[0]
    mark = freshness.read_marks(context.memory.store().notes(context.scope)[freshness.NOTE])[
        root.name
    ]
    seen = freshness.find_folder_changes(root, mark + 1, ())
    assert seen is not None
    assert seen.changed == frozenset()


def test_a_folder_that_is_away_loses_nothing(context: Context, notes: Path) -> None:
    notes.rename(notes.with_name("away"))
    assert _is_found(context, "umbrella", "behind the door")


def test_more_files_than_a_search_has_time_for_are_named(context: Context, notes: Path) -> None:
    for number in range(101):
        (notes / f"n{number}.md").write_text(f"note {number}\n")
    told = search(context, SearchRequest(query=["umbrella"])).behind
    assert told is not None
    assert told.files >= 101
    assert "changed files" in told.words().en
    index(context, IndexRequest())
    assert behind.caught_up(context, use_vectors=False) is None


def test_other_scopes_are_left_alone(context: Context, notes: Path) -> None:
    (notes / "a.md").write_text("The umbrella stands in the garage.\n")
    assert context.memory.store().hashes(Scope("agent:other")) == {}
    search(context, SearchRequest(query=["umbrella"]))
    assert context.memory.store().hashes(Scope("agent:other")) == {}
