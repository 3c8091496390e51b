"""A scope in line with its folders: after any edits, the same as a fresh index."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from gieok.errors import BadRequest
from gieok.flow.ingest import Report
from gieok.flow.lifecycle import fill_vectors
from gieok.memory.files import roots
from gieok.memory.files.cut import Cut
from gieok.memory.files.roots import Root
from gieok.memory.files.sync import count_stale, recut, sync_changed, sync_scope_roots
from gieok.model.memory import Document, Passage, Scope
from gieok.testing import HashEmbedder, MemoryStore

_SCOPE = Scope("agent:main")
_CUT = Cut(64, 10)
_WORDS = ["결제는", "정산했다", "서버", "boiler", "deploy", "#", "```", "retry", "회의"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("one\n")
    (folder / "sub").mkdir()
    (folder / "sub" / "b.md").write_text("two\n")
    return folder


def _sync(store: MemoryStore, folder: Path, cut: Cut = _CUT, *, force: bool = False) -> Report:
    return sync_scope_roots(
        store, _SCOPE, roots.add_roots(store, _SCOPE, [folder]), cut, force=force
    )


def _watch(store: MemoryStore, folder: Path, *changed: Path) -> Report:
    return sync_changed(store, _SCOPE, roots.load_roots(store, _SCOPE), _CUT, set(changed))


class _Recording(MemoryStore):
    """Hands out passages as they were put."""

    def contents(self) -> dict[str, tuple[str, tuple[Passage, ...]]]:
        found: dict[str, tuple[str, tuple[Passage, ...]]] = {}
        for key in self.hashes(_SCOPE):
            (document,) = self.get(_SCOPE, [key])
            found[key] = (document.text, self._cut(document))
        return found

    def _cut(self, document: Document) -> tuple[Passage, ...]:
        _, ids = self._documents[document.scope, document.key]
        return tuple(self._rows[i].passage for i in ids)


def _fresh(folder: Path) -> dict[str, tuple[str, tuple[Passage, ...]]]:
    store = _Recording()
    _sync(store, folder)
    return store.contents()


def test_a_second_run_changes_nothing(folder: Path) -> None:
    store = MemoryStore()
    assert sorted(_sync(store, folder).added) == ["notes/a.md", "notes/sub/b.md"]
    report = _sync(store, folder)
    assert (report.added, report.changed, report.removed, report.unchanged) == ([], [], [], 2)


def test_the_time_of_a_file_alone_is_no_change(folder: Path) -> None:
    store = MemoryStore()
    _sync(store, folder)
    os.utime(folder / "a.md", (1, 1))
    assert _sync(store, folder).unchanged == 2


def test_one_edited_line_embeds_only_the_passages_that_changed(folder: Path) -> None:
    store, lines = MemoryStore(), [f"line {n} of a long note with words enough" for n in range(200)]
    (folder / "long.md").write_text("\n".join(lines))
    _sync(store, folder)
    fill_vectors(store, HashEmbedder())
    lines[100] = "this line is another"
    (folder / "long.md").write_text("\n".join(lines))
    assert _sync(store, folder).changed == ["notes/long.md"]
    embedder = HashEmbedder()
    fill_vectors(store, embedder)
    assert 1 <= len(embedder.embedded) <= 3
    assert all("this line is another" in text for text in embedder.embedded)


def test_a_folder_that_vanished_is_an_error_and_nothing_is_removed(folder: Path) -> None:
    store = MemoryStore()
    _sync(store, folder)
    folder.rename(folder.parent / "unmounted")
    with pytest.raises(BadRequest, match="does not exist"):
        _sync(store, folder)
    assert _watch(store, folder, folder, folder / "a.md") == Report()
    assert len(store.hashes(_SCOPE)) == 2


def test_what_turns_unreadable_keeps_what_is_stored_and_is_not_stale(folder: Path) -> None:
    store = MemoryStore()
    _sync(store, folder)
    (folder / "a.md").unlink()
    (folder / "a.md").symlink_to(folder / "not there yet")
    report = _sync(store, folder)
    assert [failed.key for failed in report.failed] == ["notes/a.md"]
    assert store.get(_SCOPE, ["notes/a.md"])[0].text == "one\n"
    assert sorted(store.hashes(_SCOPE)) == ["notes/a.md", "notes/sub/b.md"]
    assert count_stale(store, _SCOPE, roots.load_roots(store, _SCOPE), _CUT) == 0


def test_what_is_no_note_any_more_goes_as_in_a_fresh_index(folder: Path) -> None:
    store = MemoryStore()
    _sync(store, folder)
    (folder / "a.md").write_bytes(b"\0")
    shutil.rmtree(folder / "sub")
    (folder / "sub").symlink_to(folder)
    assert count_stale(store, _SCOPE, roots.load_roots(store, _SCOPE), _CUT) == 2
    report = _sync(store, folder)
    assert [failed.key for failed in report.failed] == ["notes/a.md", "notes/sub"]
    assert store.hashes(_SCOPE) == {}


def test_stale_counts_what_is_new_changed_and_gone(folder: Path) -> None:
    store = MemoryStore()
    _sync(store, folder)
    (folder / "a.md").write_text("changed")
    (folder / "c.md").write_text("new")
    (folder / "sub" / "b.md").unlink()
    assert count_stale(store, _SCOPE, roots.load_roots(store, _SCOPE), _CUT) == 3
    _sync(store, folder)
    assert count_stale(store, _SCOPE, roots.load_roots(store, _SCOPE), _CUT) == 0


def test_what_was_cut_in_another_way_is_cut_again_by_itself(folder: Path, tmp_path: Path) -> None:
    store, fresh, cut = MemoryStore(), MemoryStore(), Cut(32, 8)
    more = tmp_path / "more"
    more.mkdir()
    (more / "long.md").write_text("# Long\n\n" + "결제는 매주 화요일에 정산했다.\n" * 40)
    for one in (folder, more):
        _sync(store, one)
        _sync(fresh, one, cut)
    before = store.stats().passages
    assert _sync(store, folder, cut).changed == []
    assert store.stats().passages == fresh.stats().passages > before
    keys = sorted(store.hashes(_SCOPE))
    assert store.entries(_SCOPE, keys) == fresh.entries(_SCOPE, keys)


def test_what_is_in_a_folder_that_is_not_there_is_cut_again_too(
    folder: Path, tmp_path: Path
) -> None:
    store, cut = MemoryStore(), Cut(32, 8)
    more = tmp_path / "more"
    more.mkdir()
    (more / "long.md").write_text("# Long\n\n" + "결제는 매주 화요일에 정산했다.\n" * 40)
    for one in (folder, more):
        _sync(store, one)
    (more / "long.md").unlink()
    more.rmdir()
    _sync(store, folder, cut)
    (entry,) = store.entries(_SCOPE, ["more/long.md"])
    assert len(entry.passages) > 5


def test_a_save_by_renaming_is_one_change(folder: Path) -> None:
    store = MemoryStore()
    _sync(store, folder)
    (folder / "a.md.tmp").write_text("saved\n")
    (folder / "a.md.tmp").rename(folder / "a.md")
    report = _watch(store, folder, folder / "a.md.tmp", folder / "a.md")
    assert (report.changed, report.added, report.removed, report.failed) == (
        ["notes/a.md"],
        [],
        [],
        [],
    )
    assert store.get(_SCOPE, ["notes/a.md"])[0].text == "saved\n"


def test_what_a_watcher_saw_is_all_that_is_looked_at(folder: Path) -> None:
    store = MemoryStore()
    _sync(store, folder)
    (folder / "a.md").write_text("changed")
    (folder / "c.md").write_text("new")
    assert _watch(
        store, folder, folder / "c.md", folder / ".git" / "x.md", folder.parent / "else.md"
    ).added == ["notes/c.md"]
    assert _watch(store, folder).changed == ["notes/a.md"]


@pytest.mark.parametrize("name", ["moved", "moved.v2"])
def test_a_folder_that_is_moved_in_and_away_is_one_event(folder: Path, name: str) -> None:
    store = MemoryStore()
    _sync(store, folder)
    (folder / "sub").rename(folder / name)
    assert _watch(store, folder, folder / name).added == [f"notes/{name}/b.md"]
    (folder / name).rename(folder.parent / name)
    assert _watch(store, folder, folder / name).removed == [f"notes/{name}/b.md"]


def test_a_file_root_follows_its_file(tmp_path: Path) -> None:
    store, file = MemoryStore(), tmp_path / ".venv" / "only.md"
    file.parent.mkdir()
    file.write_text("one")
    assert _sync(store, file).added == ["only.md/only.md"]
    file.write_text("two")
    assert _watch(store, file, file, file.parent / "other.md").changed == ["only.md/only.md"]


def _edits(folder: Path, seed: int) -> Iterator[set[Path]]:
    """Do random things to a folder, and yield what a watcher would have seen of each."""
    random = Random(seed)
    for number in range(40):
        files = sorted(path for path in folder.rglob("*.md") if path.is_file())
        folders = [folder, *sorted(path for path in folder.rglob("*") if path.is_dir())]
        target = random.choice(folders) / f"n{random.randrange(12)}.md"
        source = random.choice(files) if files else target
        match random.choice(
            ["write", "write", "append", "delete", "rename", "move", "rmtree", "mkdir"]
        ):
            case "write":
                target.write_text(
                    "\n".join(random.choices(_WORDS, k=random.randrange(200))), encoding="utf-8"
                )
                yield {target}
            case "append" if files:
                with source.open("a", encoding="utf-8") as file:
                    file.write("\n더 있다")
                yield {source}
            case "delete" if files:
                source.unlink()
                yield {source}
            case "rename" if files:
                source.rename(target)
                yield {source, target}
            case "move" if len(folders) > 1:
                moved = random.choice(folders[1:])
                new = folder / f"m{number}.d"
                moved.rename(new)
                yield {moved, new}
            case "rmtree" if len(folders) > 3:
                gone = random.choice(folders[1:])
                shutil.rmtree(gone)
                yield {gone}
            case "mkdir":
                new = random.choice(folders) / f"d{number}"
                new.mkdir()
                yield {new}


@pytest.mark.parametrize("seed", range(6))
def test_after_any_edits_watching_gives_the_same_as_a_fresh_index(folder: Path, seed: int) -> None:
    store = _Recording()
    _sync(store, folder)
    for changed in _edits(folder, seed):
        _watch(store, folder, *changed)
        assert store.contents() == _fresh(folder)


@pytest.mark.parametrize("seed", range(10, 14))
def test_after_any_edits_a_sync_gives_the_same_as_a_fresh_index(folder: Path, seed: int) -> None:
    store = _Recording()
    _sync(store, folder)
    for number, _ in enumerate(_edits(folder, seed)):
        if number % 7 == 0:
            _sync(store, folder)
            assert store.contents() == _fresh(folder)


def test_two_roots_are_each_their_own(folder: Path, tmp_path: Path) -> None:
    store = MemoryStore()
    other = tmp_path / "other" / "notes"
    other.mkdir(parents=True)
    (other / "a.md").write_text("other")
    _sync(store, folder)
    _sync(store, other)
    (folder / "a.md").unlink()
    known: list[Root] = roots.load_roots(store, _SCOPE)
    assert sync_scope_roots(store, _SCOPE, known, _CUT).removed == ["notes/a.md"]
    assert sorted(store.hashes(_SCOPE)) == ["notes-2/a.md", "notes/sub/b.md"]


class _CountedKeys(dict[str, str]):
    """Hashes by key that count how often all keys are gone through."""

    walks = 0

    def __iter__(self) -> Iterator[str]:
        _CountedKeys.walks += 1
        return super().__iter__()


class _CountingStore(MemoryStore):
    def hashes(self, scope: Scope) -> dict[str, str]:
        return _CountedKeys(super().hashes(scope))


def test_many_deleted_files_are_looked_up_in_one_walk_of_the_keys(folder: Path) -> None:
    store, walks = _CountingStore(), list[int]()
    files = [folder / f"n{number}.md" for number in range(40)]
    for file in files:
        file.write_text("one\n")
    (folder / "diary.md").write_text("## 2026-11-20\nquay\n\n## 2026-11-18\njetty\n")
    _sync(store, folder)
    for some in (files[:2], files[2:]):
        for file in some:
            file.unlink()
        _CountedKeys.walks = 0
        assert len(_watch(store, folder, *some).removed) == len(some)
        walks.append(_CountedKeys.walks)
    assert walks[0] == walks[1]
    (folder / "diary.md").unlink()
    assert len(_watch(store, folder, folder / "diary.md").removed) >= 2
    assert sorted(store.hashes(_SCOPE)) == ["notes/a.md", "notes/sub/b.md"]


def test_many_events_compare_everything_and_few_only_their_files(folder: Path) -> None:
    for count, found in ((200, 0), (201, 1)):
        store = MemoryStore()
        _sync(store, folder)
        other = folder / f"other{count}.md"
        other.write_text(str(count))
        events = [folder / f"{n}.log" for n in range(count)]
        assert len(_watch(store, folder, *events).added) == found


def test_what_is_outside_of_a_root_is_no_event_of_it(folder: Path) -> None:
    store = MemoryStore()
    _sync(store, folder)
    (folder / "c.md").write_text("new")
    assert _watch(store, folder, folder.parent / "c.md") == Report()
    folder.rename(folder.parent / "away")
    assert _watch(store, folder, folder / "a.md") == Report()
    assert _watch(store, folder) == Report()
    assert len(store.hashes(_SCOPE)) == 2


def test_progress_counts_over_all_roots(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.md").write_text("x")
    store, done = MemoryStore(), list[int]()
    wanted = roots.add_roots(store, _SCOPE, [folder, other])
    sync_scope_roots(store, _SCOPE, wanted, _CUT, progress=done.append)
    assert done[-1] == 3
    assert sorted(done) == done


def test_cutting_again_counts_its_documents_in_steps(folder: Path) -> None:
    for number in range(250):
        (folder / f"{number}.md").write_text(f"note {number}")
    store, done = MemoryStore(), list[int]()
    _sync(store, folder)
    assert recut(store, _SCOPE, _CUT, done.append) == 0
    assert recut(store, _SCOPE, Cut(32, 5), done.append) == 252
    assert done == [200, 252]
    assert recut(store, _SCOPE, Cut(32, 5), done.append) == 0
    assert recut(MemoryStore(), _SCOPE, _CUT) == 0


def test_stale_leaves_out_what_was_forgotten_and_counts_a_file_once(folder: Path) -> None:
    store = MemoryStore()
    _sync(store, folder)
    wanted = roots.load_roots(store, _SCOPE)
    assert count_stale(store, _SCOPE, wanted, _CUT) == 0
    (folder / "a.md").write_text("changed")
    (folder / "sub" / "b.md").unlink()
    (folder / "new.md").write_text("new")
    assert count_stale(store, _SCOPE, wanted, _CUT) == 3
    folder.rename(folder.parent / "away")
    assert count_stale(store, _SCOPE, wanted, _CUT) == 0
