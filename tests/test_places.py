"""Where a project is, and the scope of its memory."""

from pathlib import Path

import pytest

from gieok import places
from gieok.model import Scope


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "user"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("GIEOK_HOME", raising=False)
    return folder


def _project(folder: Path) -> Path:
    (folder / ".gieok").mkdir(parents=True)
    return folder


def test_a_project_is_the_nearest_folder_above_that_is_marked(user: Path) -> None:
    outer, inner = _project(user / "shop"), _project(user / "shop" / "web")
    (inner / "src" / "deep").mkdir(parents=True)
    assert places.project_root(str(inner / "src" / "deep")) == str(inner)
    assert places.project_root(str(outer)) == str(outer)
    assert places.project_root(str(user / "shop" / "not" / "there")) == str(outer)


@pytest.mark.parametrize("home", ["", "~/.gieok", "~/other"])
def test_the_users_own_memory_marks_no_project(user: Path, monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    monkeypatch.setenv("GIEOK_HOME", home)
    _project(user)
    (user / "work").mkdir()
    assert places.project_root(str(user)) == places.project_root(str(user / "work")) == ""
    (user / "file").mkdir()
    (user / "file" / ".gieok").write_text("a file marks nothing")
    assert places.project_root(str(user / "file")) == ""


def test_projects_of_one_name_have_scopes_of_their_own(user: Path) -> None:
    one, two = places.project_scope(str(user / "a" / "app")), places.project_scope(str(user / "b" / "app"))
    assert one != two
    assert one.startswith("project:app-")
    assert two.startswith("project:app-")


# The last fails: a name that is not UTF-8 stays a surrogate, which no store takes.
@pytest.mark.parametrize("name", ["shop", "내 가게", "a b:c", "~", " ", "::", "🙂", "x" * 200, "caf\udce9"])
def test_every_folder_has_a_scope_that_a_store_takes(name: str) -> None:
    scope = places.project_scope(f"/somewhere/{name}")
    assert Scope(scope).path.encode("utf-8")


def test_what_is_read_is_the_project_then_what_else_is_named_once() -> None:
    own = places.project_scope("/shop")
    assert places.scopes("/shop", "agent:main, user:kim,,agent:main") == [own, "agent:main", "user:kim"]
    assert places.scopes("/shop", f" {own} ") == [own]
    assert places.scopes("", "agent:main") == ["agent:main"]
    assert places.scopes("", "") == []
