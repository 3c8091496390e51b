"""A project is one repository: in all its worktrees, under every name, wherever its folder is
moved.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from gieok import projects
from gieok.places.home import projects_file
from gieok.places.project import gone_scope, project_scope
from gieok.places.workplace import find_workplace, project_root
from gieok.settings import grants


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path.resolve() / "user"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("GIEOK_HOME", raising=False)
    return folder


@pytest.fixture
def home(user: Path) -> Path:
    folder = user / ".gieok"
    folder.mkdir()
    return folder


def _git(folder: Path, *words: str) -> None:
    """Run Git as a user of its own: neither a name nor a setting of this machine is needed."""
    own = (
        "-c",
        "user.name=kim",
        "-c",
        "user.email=kim@example.com",
        "-c",
        "init.defaultBranch=main",
    )
    subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True)


def _repository(folder: Path, message: str = "begin") -> Path:
    folder.mkdir(parents=True)
    _git(folder, "init")
    _git(folder, "commit", "--allow-empty", "-m", message)
    return folder


def _scope(folder: Path) -> str:
    return project_scope(find_workplace(str(folder)))


def test_a_worktree_has_the_memory_of_its_repository(user: Path) -> None:
    shop = _repository(user / "shop")
    _git(shop, "worktree", "add", "../shop-fix")
    (user / "shop-fix" / "src").mkdir()
    assert find_workplace(str(user / "shop-fix" / "src")) == str(shop)
    assert _scope(user / "shop-fix") == _scope(shop)


def test_a_worktree_without_records_of_its_own_has_those_of_its_repository(user: Path) -> None:
    shop = _repository(user / "shop")
    _git(shop, "worktree", "add", "../shop-fix")
    assert project_root(str(user / "shop-fix")) == ""
    (shop / ".gieok").mkdir()
    assert project_root(str(user / "shop-fix")) == str(shop)
    (user / "shop-fix" / "web" / ".gieok").mkdir(parents=True)
    (user / "shop-fix" / ".gieok").mkdir()
    assert project_root(str(user / "shop-fix")) == str(shop)
    assert project_root(str(user / "shop-fix" / "web")) == str(shop)
    (shop / "web" / ".gieok").mkdir(parents=True)
    assert project_root(str(user / "shop-fix" / "web")) == str(shop / "web")
    # what is known of the code is of the files that are there
    (user / "shop-fix" / ".gieok" / "code").mkdir()
    assert project_root(str(user / "shop-fix"), "code") == str(user / "shop-fix")


def test_a_worktree_of_what_is_no_project_may_be_one_with_the_memory_of_its_repository(
    user: Path,
) -> None:
    shop = _repository(user / "shop")
    _git(shop, "worktree", "add", "../shop-fix")
    (user / "shop-fix" / ".gieok").mkdir()
    assert project_root(str(user / "shop-fix")) == str(user / "shop-fix")
    assert project_scope(str(user / "shop-fix")) == project_scope(str(shop))


def test_worktrees_of_a_bare_repository_are_one_project(user: Path) -> None:
    shop = _repository(user / "shop")
    for name in (".bare", "bare.git"):
        top = user / f"of {name}"
        top.mkdir()
        _git(top, "clone", "--bare", str(shop), name)
        _git(top / name, "worktree", "add", str(top / "one"))
        _git(top / name, "worktree", "add", str(top / "two"), "-b", "two")
        assert _scope(top / "one") == _scope(top / "two") != _scope(shop)
    assert find_workplace(str(user / "of .bare" / "one")) == str(user / "of .bare")
    assert find_workplace(str(user / "of bare.git" / "one")) == str(
        user / "of bare.git" / "bare.git"
    )


def test_a_clone_that_shares_objects_and_a_submodule_are_projects_of_their_own(user: Path) -> None:
    shop, lib = _repository(user / "shop"), _repository(user / "lib", "another")
    _git(user, "clone", "--shared", "shop", "copy")
    _git(shop, "-c", "protocol.file.allow=always", "submodule", "add", str(lib), "lib")
    found = [_scope(folder) for folder in (shop, user / "copy", lib, shop / "lib")]
    assert len(set(found)) == 4


@pytest.mark.parametrize("where", ["store", "elsewhere/shop"])
def test_a_folder_that_is_renamed_or_moved_keeps_its_memory(
    user: Path, home: Path, where: str
) -> None:
    shop = _repository(user / "shop")
    before = projects.know(home, str(shop))
    (user / where).parent.mkdir(exist_ok=True)
    shop.rename(user / where)
    assert _scope(user / where) == before
    assert projects.know(home, str(user / where)) == before
    _git(user / where, "commit", "--allow-empty", "-m", "go on")
    (user / where).rename(user / "last")
    assert _scope(user / "last") == before
    assert gone_scope(str(shop / "src")) == before  # transcripts name the old folder


def test_what_a_person_trusts_of_a_project_moves_along(user: Path, home: Path) -> None:
    shop = _repository(user / "shop")
    projects.know(home, str(shop))
    trusted = grants.digest_trusted_content("memory/a.md", b"the pump is red")
    grants.edit_grant(home, str(shop), lambda held: held.with_entries([trusted]))
    shop.rename(user / "store")
    projects.know(home, str(user / "store"))
    assert grants.load_grant(home, str(user / "store")).entries == {trusted}
    assert not grants.load_grant(home, str(shop)).entries


def test_a_copy_of_a_folder_is_another_project(user: Path, home: Path) -> None:
    shop = _repository(user / "shop")
    before = projects.know(home, str(shop))
    shutil.copytree(shop, user / "copy")
    assert _scope(user / "copy") != before
    assert projects.know(home, str(user / "copy")) != before


def test_a_new_repository_at_the_place_of_one_that_moved_is_another_project(
    user: Path, home: Path
) -> None:
    shop = _repository(user / "shop")
    before = projects.know(home, str(shop))
    shop.rename(user / "store")
    assert projects.know(home, str(user / "store")) == before
    _repository(user / "shop", "something else")
    assert _scope(user / "shop") != before
    assert projects.know(home, str(user / "shop")) == _scope(user / "shop")
    assert _scope(user / "store") == before


def test_a_worktree_that_is_gone_was_of_its_repository(user: Path, home: Path) -> None:
    shop = _repository(user / "shop")
    _git(shop, "worktree", "add", "../shop-fix")
    before = projects.know(home, str(user / "shop-fix"))
    _git(shop, "worktree", "remove", "../shop-fix")
    assert gone_scope(str(user / "shop-fix" / "src")) == before == _scope(shop)


@pytest.mark.parametrize("path", ["/home/kim/work/shop", r"C:\Users\kim\shop"])
def test_a_folder_that_was_never_here_is_a_project_by_its_path(user: Path, path: str) -> None:
    assert gone_scope(path).startswith("project:shop-")
    assert gone_scope(path) != gone_scope(path.replace("kim", "lee"))


@pytest.mark.parametrize("text", ["", "{", "[1]", '[["/a"]]', "null"])
def test_a_file_of_projects_that_cannot_be_read_changes_no_scope(
    user: Path, home: Path, text: str
) -> None:
    shop = _repository(user / "shop")
    before = _scope(shop)
    Path(projects_file(str(home))).write_text(text, encoding="utf-8")
    assert _scope(shop) == before == projects.know(home, str(shop))
