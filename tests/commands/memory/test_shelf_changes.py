"""Records that change while a store on a server is away: the index follows when it is back."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gieok.commands import load_command
from gieok.commands.memory.records import find_record_shelf
from gieok.commands.memory.shelf_changes import ShelfChange
from gieok.home.call import Call
from gieok.home.calls import open_call

_NOWHERE = "postgresql://nobody@127.0.0.1:1/memory"
_OLD, _NEW = "The office wifi is nabi-5G", "The office wifi is nabi-6"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_database: Callable[[], str]) -> Path:
    """Return a home whose index is in PostgreSQL."""
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.setenv("GIEOK_STORE", "postgres")
    monkeypatch.setenv("GIEOK_DATABASE_URL", make_database())
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def _open() -> Call:
    """Return what a new process would see."""
    return open_call({"scope": "agent:main"})


def _run(name: str, **request: object) -> Any:
    return load_command(name)(_open(), **request)


def _list() -> dict[str, str]:
    """Return handle → text of the records that are listed."""
    return {row.handle: row.text for row in _run("list", kind="record").memories}


def _list_marks(home: Path) -> list[Path]:
    return list((home / "unfollowed").glob("*"))


def test_what_was_remembered_while_the_store_was_away_is_listed_when_it_is_back(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("GIEOK_DATABASE_URL", _NOWHERE)
        assert not _run("remember", text=[_OLD]).indexed
    assert set(_list().values()) == {_OLD}
    assert not _list_marks(home)


def test_an_edit_whose_process_ended_before_the_index_followed_is_found_by_the_old_handle(
    home: Path,
) -> None:
    _run("remember", text=[_OLD])
    (handle,) = _list()
    before = (_read_record(home), _list_marks(home))
    call = _open()
    with ShelfChange(call, find_record_shelf(call, user=False)):
        _write_record(home, _NEW)
    assert before == (_OLD, [])
    edited = _run("edit", handle=handle, text=[_NEW])
    assert not edited.changed
    assert set(_list().values()) == {_NEW}
    assert not _list_marks(home)


def _find_record(home: Path) -> Path:
    (file,) = home.glob("memory/decision/*.md")
    return file


def _read_record(home: Path) -> str:
    return _find_record(home).read_text(encoding="utf-8").splitlines()[-1]


def _write_record(home: Path, text: str) -> None:
    file = _find_record(home)
    file.write_text(file.read_text(encoding="utf-8").replace(_OLD, text), encoding="utf-8")


def test_a_change_that_goes_on_is_left_to_its_own_process(home: Path) -> None:
    _run("remember", text=[_OLD])
    call = _open()
    shelf = find_record_shelf(call, user=False)
    with ShelfChange(call, shelf) as change:
        _write_record(home, _NEW)
        assert set(_list().values()) == {_OLD}
        assert _list_marks(home)
        assert change.follow()
        assert not _list_marks(home)
    assert set(_list().values()) == {_NEW}
