"""Where files come from, and which file a name means."""

import contextlib
from pathlib import Path

import pytest

from gieok.errors import BadRequest, NotIndexed
from gieok.memory.files import roots
from gieok.memory.files.roots import Root
from gieok.model.memory import Scope
from gieok.testing import MemoryStore

_SCOPE = Scope("agent:main")


@pytest.fixture
def two(tmp_path: Path) -> list[Root]:
    """Return two roots of the same folder name, each with an a.md; one has a b.md too."""
    store = MemoryStore()
    for parent in ("one", "two"):
        (tmp_path / parent / "notes").mkdir(parents=True)
        (tmp_path / parent / "notes" / "a.md").write_text(parent)
    (tmp_path / "two" / "notes" / "b.md").write_text("b")
    (tmp_path / "secret.md").write_text("secret")
    roots.add_roots(store, _SCOPE, [tmp_path / "one" / "notes"])
    roots.add_roots(store, _SCOPE, [tmp_path / "two" / "notes"])
    return roots.load_roots(store, _SCOPE)


def test_roots_of_the_same_name_are_told_apart_and_remembered(two: list[Root]) -> None:
    assert [root.name for root in two] == ["notes", "notes-2"]
    assert not two[0].owns("notes-2/a.md")


def test_a_root_is_added_once_and_a_folder_inside_belongs_to_it(tmp_path: Path) -> None:
    store = MemoryStore()
    first = roots.add_roots(store, _SCOPE, [tmp_path, tmp_path, tmp_path / "sub"])
    assert roots.add_roots(store, _SCOPE, [tmp_path / "sub" / "a.md"]) == first
    assert len(roots.load_roots(store, _SCOPE)) == 1
    assert roots.load_roots(store, Scope("agent:other")) == []


def test_paths_are_shown_short_while_there_is_one_root(two: list[Root]) -> None:
    assert roots.display(two[:1], "notes/sub/a.md") == "sub/a.md"
    assert roots.display(two, "notes-2/a.md") == "notes-2/a.md"


def test_a_name_is_found_as_shown_as_key_and_as_path(two: list[Root]) -> None:
    file = two[1].path / "b.md"
    assert roots.resolve_root_file(two, "b.md")[1] == file
    assert roots.resolve_root_file(two, "notes-2/b.md")[1] == file
    assert roots.resolve_root_file(two, str(file))[1] == file


def test_a_name_in_two_roots_must_be_said_in_full(two: list[Root]) -> None:
    with pytest.raises(BadRequest) as caught:
        roots.resolve_root_file(two, "a.md")
    assert "'notes/a.md', 'notes-2/a.md'" in caught.value.hint
    assert roots.resolve_root_file(two, "notes/a.md")[1].read_text() == "one"


def test_a_missing_file_has_a_place_inside_a_root(two: list[Root]) -> None:
    assert roots.resolve_root_file(two, "later.md")[1] == two[0].path / "later.md"


@pytest.mark.parametrize(
    "name",
    [
        "../../secret.md",
        "../../../etc/passwd",
        "/etc/passwd",
        "notes/../../../secret.md",
        "..",
        "out.md",
        "a\0b",
        "x" * 5000,
        "\ud800/../../..",
    ],
)
def test_nothing_outside_of_the_roots_is_reached(two: list[Root], name: str) -> None:
    (two[0].path / "out.md").symlink_to(two[0].path.parent.parent / "secret.md")
    with pytest.raises(BadRequest):
        roots.resolve_root_file(two[:1], name)


def test_a_loop_of_links_leads_to_no_file(two: list[Root]) -> None:
    (two[0].path / "loop").symlink_to(two[0].path / "loop")
    with contextlib.suppress(BadRequest):  # Python 3.13 resolves it to itself instead
        assert not roots.resolve_root_file(two[:1], "loop/x")[1].is_file()


def test_without_roots_nothing_is_known() -> None:
    with pytest.raises(NotIndexed):
        roots.resolve_root_file([], "a.md")


def test_a_file_root_holds_that_file_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "b.md").write_text("b")
    root = Root("a.md", tmp_path / "a.md")
    for name in ("a.md", "a.md/a.md", str(tmp_path / "a.md")):
        assert roots.resolve_root_file([root], name)[1] == tmp_path / "a.md"
    for name in ("b.md", "anything", "../a.md"):
        with pytest.raises(BadRequest):
            roots.resolve_root_file([root], name)


def test_a_file_root_beside_a_folder_makes_no_name_ambiguous(
    tmp_path: Path, two: list[Root]
) -> None:
    single = Root("secret.md", tmp_path / "secret.md")
    assert roots.resolve_root_file([*two, single], "b.md")[1] == two[1].path / "b.md"


def test_with_one_root_a_folder_of_its_name_is_meant_first(tmp_path: Path) -> None:
    (tmp_path / "notes" / "notes").mkdir(parents=True)
    (tmp_path / "notes" / "a.md").write_text("outer")
    (tmp_path / "notes" / "notes" / "a.md").write_text("inner")
    one = [Root("notes", tmp_path / "notes")]
    assert roots.resolve_root_file(one, "notes/a.md")[1].read_text() == "inner"
    (tmp_path / "notes" / "notes" / "a.md").unlink()
    assert roots.resolve_root_file(one, "notes/a.md")[1].read_text() == "outer"


def test_a_root_inside_a_new_one_becomes_part_of_it(tmp_path: Path) -> None:
    store = MemoryStore()
    (tmp_path / "in").mkdir()
    roots.add_roots(store, _SCOPE, [tmp_path / "in"])
    roots.add_roots(store, _SCOPE, [tmp_path])
    assert [root.path for root in roots.load_roots(store, _SCOPE)] == [tmp_path]
    assert [root.path for root in roots.list_retired_roots(store, _SCOPE)] == [tmp_path / "in"]
    roots.drop_retired(store, _SCOPE)
    assert roots.list_retired_roots(store, _SCOPE) == []


@pytest.mark.parametrize(
    ("key", "is_told"),
    [
        ("notes/a.md", True),
        ("notes/[draft] a.md", True),
        ("notes/[redacted:key].md", False),
        ("notes/\\xff.md", False),
        ("notes/[draft] \\xff.md", False),
    ],
)
def test_the_path_of_a_file_is_not_told_from_a_name_that_was_redacted_or_has_escaped_bytes(
    tmp_path: Path, key: str, *, is_told: bool
) -> None:
    assert Root("notes", tmp_path).tells_file(key) is is_told
