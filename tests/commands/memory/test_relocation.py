"""A project that was renamed: its records are trusted and indexed where they are now, with nothing
to be done.
"""

import subprocess
from pathlib import Path

import pytest

from gieok.commands import load_command
from gieok.home.calls import open_call
from gieok.memory.files import roots


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {
        "HOME": tmp_path,
        "GIEOK_HOME": tmp_path / "home",
        "GIEOK_EMBEDDER": "none",
        "GIEOK_OBSERVE_AGENTS": "none",
    }.items():
        monkeypatch.setenv(name, str(value))
    folder = tmp_path.resolve() / "work" / "shop"
    folder.mkdir(parents=True)
    own = ("-c", "user.name=kim", "-c", "user.email=kim@example.com")
    for words in (("init", "-q"), (*own, "commit", "-q", "--allow-empty", "-m", "begin")):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
    monkeypatch.chdir(folder)
    return folder


def _run(name: str, **request: object):
    return load_command(name)(open_call({}), **request)


def _indexed_folders() -> set[str]:
    call = open_call({})
    return {str(root.path) for root in roots.load_roots(call.home.store, call.scope)}


@pytest.mark.parametrize("command", ["remember", "index"])
def test_records_are_followed_to_where_their_project_was_moved(
    shop: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    (shop / "docs").mkdir()
    (shop / "docs" / "pump.md").write_text("The pump is red.\n", encoding="utf-8")
    kept = _run("remember", text=["Never push to main."], category="constraint")
    _run("index", paths=[str(shop / "docs")])
    store = shop.rename(shop.parent / "store")
    monkeypatch.chdir(store)
    if command == "remember":
        assert _run("remember", text=["Use ruff."]).scope == kept.scope
    else:
        _run("index")
    assert _indexed_folders() == {str(store / ".gieok" / "memory"), str(store / "docs")}
    for question in ("who may push to main?", "which colour has the pump?"):
        assert _run("search", query=[question]).results[0].scope.path == kept.scope
    assert _run("status").waiting.records == 0


def test_what_lies_at_the_old_place_again_is_left_alone(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _run("remember", text=["Never push to main."])
    store = shop.rename(shop.parent / "store")
    (shop / ".gieok" / "memory").mkdir(parents=True)
    monkeypatch.chdir(store)
    _run("remember", text=["Use ruff."])
    assert str(store / ".gieok" / "memory") in _indexed_folders()
    assert not list((shop / ".gieok" / "memory").iterdir())
