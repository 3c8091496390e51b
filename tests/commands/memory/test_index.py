"""`gieok index` with vectors, watched, and interrupted by errors; on the real store with the hash
embedder.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from contexts import called_in, using, watching

from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.encode import encode
from gieok.commands.home.status import StatusResult
from gieok.commands.memory.index import IndexResult, render_index_report
from gieok.commands.memory.ownership import describe_ownership, describe_way_out
from gieok.commands.memory.search import SearchResult
from gieok.errors import BadRequest, EmbedderFailed, NotIndexed, ShapeMismatch
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.model.memory import Scope
from gieok.testing import HashEmbedder


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    made = _with(open_call({}), HashEmbedder())
    yield made
    made.home.store.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "pay.md").write_text("# 결제\n\n결제했다, 어제 밤에\n", encoding="utf-8")
    (folder / "long.md").write_text(
        "\n".join(f"line {n} of a long note with words enough" for n in range(100))
    )
    return folder


def _with(call: Call, embedder: HashEmbedder) -> Call:
    return using(call, open_embedder=lambda: embedder, embedder_name="hash")


def _index(call: Call, *paths: Path, **switches: bool) -> IndexResult:
    return load_command("index")(call, paths=[str(path) for path in paths], **switches)


def _search(call: Call, text: str, min_score: float = 0.0) -> SearchResult:
    # The threshold is fitted to the bundled embedder's cosines, and says nothing of the hash
    # embedder's.
    return load_command("search")(call, query=[text], min_score=min_score)


def _status(call: Call) -> StatusResult:
    return load_command("status")(call)


def test_vectors_are_made_in_the_same_command(call: Call, folder: Path) -> None:
    result = _index(call, folder)
    assert (len(result.report.added), result.waiting) == (2, 0)
    assert result.embedded == _status(call).stats.passages
    assert _search(call, "결제").degraded is None


def test_after_one_edited_line_only_its_passages_are_embedded_again(
    call: Call, folder: Path
) -> None:
    _index(call, folder)
    assert encode(_index(call)) == {
        "added": 0,
        "changed": 0,
        "removed": 0,
        "unchanged": 2,
        "forgotten": [],
        "failed": [],
        "warnings": [],
        "left_out": [],
        "embedded": 0,
        "waiting": 0,
        "moved": 0,
        "note": None,
        "messages": 0,
        "turns": 0,
    }
    text = (folder / "long.md").read_text()
    (folder / "long.md").write_text(text.replace("line 50 ", "another line "))
    embedder = HashEmbedder()
    result = _index(_with(call, embedder))
    assert result.report.changed == ["notes/long.md"]
    assert 1 <= result.embedded == len(embedder.embedded) <= 2
    assert all("another line" in text for text in embedder.embedded)


def test_without_waiting_words_are_found_at_once_and_vectors_follow(
    call: Call, folder: Path
) -> None:
    result = _index(call, folder, no_wait=True)
    assert result.waiting > 0
    assert "gieok index" in load_command("index").present(result, Style("en", colour=False))
    assert _status(call).state == "embedding"
    found = _search(call, "결제", min_score=-1.0)
    assert found.results[0].path == "pay.md"
    assert found.degraded == f"{result.waiting} passages have no vector yet"
    assert _index(call).waiting == 0
    assert _status(call).state == "synced"


def test_a_folder_that_is_named_gets_its_vectors_and_the_rest_waits(
    call: Call, folder: Path
) -> None:
    waiting = _index(call, folder, no_wait=True).waiting
    other = folder.parent / "other"
    other.mkdir()
    (other / "rain.md").write_text("It rained on Sunday.\n")
    result = _index(call, other)
    assert (result.embedded, result.waiting) == (1, waiting)
    assert "gieok up" in load_command("index").present(result, Style("en", colour=False))
    assert _search(call, "rained on a Sunday").results[0].path == "other/rain.md"
    assert _index(call).waiting == 0


def test_a_folder_without_notes_is_said_to_hold_none(call: Call, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = _index(call, tmp_path / "empty")
    assert not result.found
    assert "gieok code init" in load_command("index").present(result, Style("en", colour=False))
    with pytest.raises(BadRequest, match="a path is empty"):
        _index(call, "")


def test_whose_memory_the_named_folders_are_in_is_said(call: Call, folder: Path) -> None:
    said = render_index_report(_index(call, folder), Style("en", colour=False))
    assert "\n  yours, in all projects" in said
    assert "yours" not in render_index_report(_index(call), Style("en", colour=False))
    project = describe_ownership("project:shop-1a2b3c4d").say("en")
    assert project == "in the project shop, and in no other"
    assert describe_ownership("agent:coach").say("en") == "in agent coach"
    way = describe_way_out("project:shop-1a2b3c4d", "3fa9c01e")
    assert way
    assert "gieok transfer 3fa9c01e --to agent:main" in way.say("en")
    assert describe_way_out("agent:main", "3fa9c01e") is None


def test_documents_of_kinds_that_are_not_read_are_counted(call: Call, folder: Path) -> None:
    for name in ("prices.csv", "plan.XLSX", "old.xls", "talk.pptx", "page.html", "a.hwp", "b.rtf"):
        (folder / name).write_bytes(b"x")
    assert dict(_index(call, folder).unread) == {
        ".csv": 1,
        ".xlsx": 1,
        ".xls": 1,
        ".pptx": 1,
        ".html": 1,
        ".hwp": 1,
        ".rtf": 1,
    }


def test_another_model_needs_a_rebuild_which_swaps(call: Call, folder: Path) -> None:
    _index(call, folder)
    other = _with(call, HashEmbedder(32))
    with pytest.raises(ShapeMismatch) as caught:
        _index(other)
    assert "gieok index --rebuild" in caught.value.hint
    with pytest.raises(ShapeMismatch):
        _search(other, "결제")
    assert _index(other, rebuild=True).embedded > 0
    assert _search(other, "결제").degraded is None


class _Failing(HashEmbedder):
    def embed_passages(self, texts: Sequence[str]) -> list[bytes]:
        raise EmbedderFailed("out of memory")


def test_when_the_embedder_fails_the_files_are_indexed_all_the_same(
    call: Call, folder: Path
) -> None:
    with pytest.raises(EmbedderFailed):
        _index(_with(call, _Failing()), folder)
    assert _search(call, "결제").found
    assert _index(call).report.unchanged == 2


def test_a_path_that_is_not_there_or_a_scope_without_folders_is_an_error(
    call: Call, tmp_path: Path
) -> None:
    with pytest.raises(BadRequest, match="no such file or folder"):
        _index(call, tmp_path / "nothing")
    with pytest.raises(NotIndexed, match="yours, in all projects"):
        _index(call)
    assert _status(call).state == "empty"


def test_a_path_with_dots_is_the_folder_it_means(call: Call, folder: Path) -> None:
    _index(call, folder)
    (folder / "sub").mkdir()
    assert _index(called_in(call, folder / "sub"), Path("..")).report.unchanged == 2
    assert [root.name for root in _status(call).roots] == ["notes"]


@dataclass
class _Script:
    """A `Watcher` that does something and tells what it did, step by step."""

    steps: Sequence[Callable[[], set[Path]]]
    watched: tuple[Path, ...] = ()

    def changes(
        self, folders: Sequence[Path], debounce_ms: int, rescan_s: int
    ) -> Iterator[set[Path]]:
        """Play the script."""
        self.watched = tuple(folders)
        for step in self.steps:
            yield step()


def test_watching_indexes_what_changes_and_embeds_it(call: Call, folder: Path) -> None:
    said: list[str] = []
    seen: list[list[str]] = []

    def look() -> None:
        seen.append(sorted(call.home.store.hashes(Scope("agent:main"))))

    def write() -> set[Path]:
        (folder / "new.md").write_text("새로운 메모")
        return {folder / "new.md"}

    def nothing() -> set[Path]:
        look()
        return {folder / ".git" / "index"}

    def save_by_rename() -> set[Path]:
        (folder / "pay.md.tmp").write_text("환불했다")
        (folder / "pay.md.tmp").rename(folder / "pay.md")
        (folder / "long.md").unlink()
        return {folder / "pay.md.tmp", folder / "pay.md", folder / "long.md"}

    def unseen() -> set[Path]:
        look()
        (folder / "unseen.md").write_text("missed by the events")
        return set()

    script = _Script([write, nothing, save_by_rename, unseen])
    watched = replace(watching(call, lambda: script), tell=said.append)
    result = _index(watched, folder, watch=True)
    look()
    assert script.watched == (folder,)
    assert seen == [
        ["notes/long.md", "notes/new.md", "notes/pay.md"],
        ["notes/new.md", "notes/pay.md"],
        ["notes/new.md", "notes/pay.md", "notes/unseen.md"],
    ]
    assert (result.report.added, result.waiting) == (["notes/unseen.md"], 0)
    assert len([line for line in said if "added" in line]) == 4
    assert _search(call, "환불").results[0].path == "pay.md"


def test_a_single_file_is_watched_through_its_folder(call: Call, folder: Path) -> None:
    def save_by_rename() -> set[Path]:
        (folder / "swap").write_text("환불했다")
        (folder / "swap").rename(folder / "pay.md")
        return {folder / "swap", folder / "pay.md"}

    script = _Script([save_by_rename])
    result = _index(watching(call, lambda: script), folder / "pay.md", watch=True)
    assert script.watched == (folder,)
    assert result.report.changed == ["pay.md/pay.md"]


def test_the_doctor_proves_every_part_and_leaves_nothing(call: Call, folder: Path) -> None:
    _index(call, folder)
    before = call.home.store.stats()
    result = load_command("doctor")(call)
    assert result.found, result
    assert call.home.store.scopes() == [Scope("agent:main")]
    after = call.home.store.stats()
    assert (after.documents, after.passages) == (before.documents, before.passages)


def test_the_doctor_names_what_is_broken_and_what_to_do(call: Call, folder: Path) -> None:
    _index(call, folder)
    folder.rename(folder.parent / "gone")
    result = load_command("doctor")(_with(call, HashEmbedder(32)))
    broken = {check.name: check.hint for check in result.checks if not check.ok}
    assert not result.found
    assert "gieok index --rebuild" in broken["write, read back, search"]
    assert broken["folders"]
    assert _status(call).state == "stale"


def test_a_folder_is_removed_with_what_came_from_it(call: Call, folder: Path) -> None:
    _index(call, folder)
    (folder.parent / "more").mkdir()
    (folder.parent / "more" / "x.md").write_text("더 있다")
    _index(call, folder.parent / "more")
    result = _index(call, folder, remove=True)
    assert result.report.removed == ["notes/long.md", "notes/pay.md"]
    assert sorted(call.home.store.hashes(Scope("agent:main"))) == ["more/x.md"]
    with pytest.raises(BadRequest, match="no indexed folder"):
        _index(call, folder, remove=True)


def test_a_folder_that_is_gone_does_not_keep_the_others_from_being_indexed(
    call: Call, folder: Path
) -> None:
    (folder.parent / "more").mkdir()
    (folder.parent / "more" / "x.md").write_text("더 있다")
    _index(call, folder, folder.parent / "more")
    folder.rename(folder.parent / "away")
    (folder.parent / "more" / "y.md").write_text("새 것")
    report = _index(call).report
    assert (report.added, [failed.key for failed in report.failed]) == (["more/y.md"], ["notes"])
    assert "notes/pay.md" in call.home.store.hashes(Scope("agent:main"))
