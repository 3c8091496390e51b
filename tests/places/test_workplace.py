"""Where a project is, and the scope of its memory."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import gieok
from gieok.code.model import layout
from gieok.model.memory import Scope
from gieok.places.checkout import find_repository_top
from gieok.places.home import build_home_path
from gieok.places.project import list_project_scopes, project_scope
from gieok.places.workplace import project_root
from gieok.settings.values import load_effective_settings


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
    assert project_root(str(inner / "src" / "deep")) == str(inner)
    assert project_root(str(outer)) == str(outer)
    assert project_root(str(user / "shop" / "not" / "there")) == str(outer)


@pytest.mark.parametrize("home", ["", "~/.gieok", "~/other"])
def test_the_users_own_memory_marks_no_project(
    user: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    monkeypatch.setenv("GIEOK_HOME", home)
    _project(user)
    (user / "work").mkdir()
    assert project_root(str(user)) == project_root(str(user / "work")) == ""
    (user / "file").mkdir()
    (user / "file" / ".gieok").write_text("a file marks nothing")
    assert project_root(str(user / "file")) == ""


def test_projects_of_one_name_have_scopes_of_their_own(user: Path) -> None:
    one, two = (
        project_scope(str(user / "a" / "app")),
        project_scope(str(user / "b" / "app")),
    )
    assert one != two
    assert one.startswith("project:app-")
    assert two.startswith("project:app-")


# The last fails: a name that is not UTF-8 stays a surrogate, which no store takes.
@pytest.mark.parametrize(
    "name", ["shop", "내 가게", "a b:c", "~", " ", "::", "🙂", "x" * 200, "caf\udce9"]
)
def test_every_folder_has_a_scope_that_a_store_takes(name: str) -> None:
    scope = project_scope(f"/somewhere/{name}")
    assert Scope(scope).path.encode("utf-8")


def test_what_is_read_is_the_project_then_what_else_is_named_once() -> None:
    own = project_scope("/shop")
    assert list_project_scopes("/shop", "agent:main, user:kim,,agent:main") == [
        own,
        "agent:main",
        "user:kim",
    ]
    assert list_project_scopes("/shop", f" {own} ") == [own]
    assert list_project_scopes("", "agent:main") == ["agent:main"]
    assert list_project_scopes("", "") == []


def test_every_part_finds_the_same_project(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository without a marker is in no project around it: neither its memory, nor its
    settings, nor its code.
    """
    around = _project(user / "work")
    (around / ".gieok" / "config.yaml").write_text("no.such: setting\n")
    (around / ".gieok" / "code").mkdir()
    layout.index_file(around).touch()
    (around / "bank" / ".git").mkdir(parents=True)
    assert layout.find_root(around / "src") == around
    for folder in (around / "bank", around / "bank" / "src"):
        assert project_root(str(folder)) == ""
        assert layout.find_root(folder) is None
        assert load_effective_settings({}, {}, folder).values["hook.floor"].origin == "default"


# A worktree and a submodule have a file there; a broken link is one too.
@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_whatever_is_called_git_ends_the_search(user: Path, kind: str) -> None:
    inner = _project(user / "shop") / "module"
    inner.mkdir()
    marker = inner / ".git"
    {"folder": marker.mkdir, "file": marker.touch, "link": lambda: marker.symlink_to("nowhere")}[
        kind
    ]()
    assert project_root(str(inner)) == ""
    assert find_repository_top(str(inner / "src")) == str(inner)
    _project(inner)
    assert project_root(str(inner / "src")) == str(inner)


def test_a_folder_is_where_its_links_lead(user: Path) -> None:
    shop, elsewhere = _project(user / "shop"), user / "elsewhere"
    (elsewhere / "deep").mkdir(parents=True)
    (shop / "link").symlink_to(elsewhere / "deep")
    (elsewhere / "back").symlink_to(shop)
    assert project_root(str(shop / "link")) == ""
    assert project_root(str(elsewhere / "back" / "src")) == str(shop)


@pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root may give a folder away"
)
@pytest.mark.parametrize(
    ("owner", "caller", "is_found"),
    [(0, "", True), (12345, "", False), (12345, "12345", True), (12345, "54321", False)],
)
def test_a_folder_of_another_user_is_no_project(
    user: Path, owner: int, caller: str, is_found: bool
) -> None:
    shop = _project(user / "shop")
    (shop / ".gieok" / "config.yaml").write_text("no.such: setting\n")
    os.chown(shop / ".gieok", owner, owner)
    code = (
        "import sys; from gieok.places.workplace import project_root; "
        "from gieok.settings.values import load_effective_settings; load_effective_settings({}); "
        "print(project_root(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(shop)],
        cwd=shop,
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(Path(gieok.__file__).parents[1]), "SUDO_UID": caller},
    )
    assert done.stdout.strip() == (str(shop) if is_found else "")


def test_a_relative_home_is_meant_from_the_folder_of_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIEOK_HOME", "./mem")
    assert build_home_path() == str(tmp_path / "mem")
