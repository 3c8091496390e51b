"""A project that is elsewhere now has its memory there: by rename, by another user's folder, with
what was there already.
"""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gieok.commands.memory.index import index_memory as index
from gieok.commands.memory.remember import remember_record as remember
from gieok.commands.memory.search import search_memory as search
from gieok.commands.moving.move import MoveResult
from gieok.commands.moving.move import move_folders as move
from gieok.errors import BadRequest
from gieok.flow import distil
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory import observation
from gieok.memory.exchange import json_lines
from gieok.memory.files import roots
from gieok.memory.files.seeds import SESSION_FOLDERS
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.model.conversation import Cursor, Message, Role
from gieok.model.memory import Scope
from gieok.places.project import project_scope
from gieok.settings import grants

_AT = datetime(2026, 11, 1, 9, tzinfo=UTC)


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    here = tmp_path / "lee"
    for name, value in {
        "HOME": here,
        "GIEOK_HOME": here / "home",
        "GIEOK_EMBEDDER": "none",
        "CLAUDE_CONFIG_DIR": "",
    }.items():
        monkeypatch.setenv(name, str(value))
    (tmp_path / "kim" / "shop" / ".git").mkdir(parents=True)
    (tmp_path / "kim" / "shop" / ".gieok").mkdir()
    here.mkdir()
    return here


def _context(folder: Path) -> Call:
    return open_call({}, environment=dict(os.environ), folder=folder)


def _scope(folder: Path) -> Scope:
    return Scope(project_scope(str(folder)))


def _fill(old: Path, text: str, said: str) -> None:
    call, scope = _context(old), _scope(old)
    journal, store = call.home.journal, call.home.store
    journal.keep(SESSION_FOLDERS, {str(old): ""})
    made = observation.build_observed_entries(
        scope, Observed((Observation(text, _AT, Priority.HIGH, Category.DECISION),)), _AT
    )
    journal.hand_over(put=made)
    transcript = str(old.parent / ".claude" / "projects" / "x" / "s.jsonl")
    message = Message(said, Role.USER, said, _AT, "s", "claude-code", 5, transcript, 1)
    journal.append(scope, [message], Cursor(said, transcript, 1), None)
    distil.deliver(journal, store)
    call.home.sidecar.derive_turns()
    remember(call, text=[f"Record: {text}"])


def _found(folder: Path, question: str) -> list[str]:
    return [hit.snippet for hit in search(_context(folder), query=[question]).results]


def _moved(folder: Path, *folders: object, **more: bool) -> MoveResult:
    return move(_context(folder), folders=[str(one) for one in folders], yes=True, **more)


def test_the_memory_of_a_project_goes_where_its_folder_went(user: Path, tmp_path: Path) -> None:
    old, new = tmp_path / "kim" / "shop", user / "shop"
    _fill(old, "Parcels leave with Hanjin", "the umbrella is in the cellar")
    before = _scope(old)
    old.rename(new)
    old.parent.rmdir()
    looked = _moved(user, dry_run=True)
    assert looked.old == str(tmp_path / "kim")
    assert _context(user).home.journal.made(_scope(new)) == []
    done = _moved(user)
    assert (done.memories, done.messages, [one.scope for one in done.scopes]) == (1, 1, [before])
    assert not done.missing
    index(_context(new), no_wait=True)
    assert any("Hanjin" in text for text in _found(new, "who takes the parcels: Hanjin?"))
    assert any("cellar" in text for text in _found(new, "umbrella cellar"))
    assert any("Record" in text for text in _found(new, "Record parcels Hanjin"))
    (message,) = _context(new).home.journal.read(_scope(new), 0, budget_tokens=99)
    assert message.message.source == str(user / ".claude" / "projects" / "x" / "s.jsonl")
    assert grants.load_grant(user / "home", str(new)).entries
    call = _context(user)
    assert call.home.store.hashes(before) == {}
    assert call.home.journal.made(before) == []
    assert call.home.journal.read(before, 0, budget_tokens=99) == []
    assert not _moved(user, tmp_path / "kim", user).scopes, "again is once"


def test_what_is_remembered_there_already_stays(user: Path, tmp_path: Path) -> None:
    old, new = tmp_path / "kim" / "shop", user / "store"
    _fill(old, "Parcels leave with Hanjin", "the umbrella is in the cellar")
    old.rename(new)
    _fill(new, "Letters leave on Friday", "the ladder is in the attic")
    _moved(user, old, new)
    texts = {entry.document.text for entry in _context(new).home.journal.made(_scope(new))}
    assert texts == {"Parcels leave with Hanjin", "Letters leave on Friday"}
    said = {
        m.message.text for m in _context(new).home.journal.read(_scope(new), 0, budget_tokens=999)
    }
    assert said == {"the umbrella is in the cellar", "the ladder is in the attic"}


def test_there_and_back_is_the_same_and_what_was_forgotten_does_not_come_back(
    user: Path, tmp_path: Path
) -> None:
    old, new = tmp_path / "kim" / "shop", user / "shop"
    _fill(old, "Parcels leave with Hanjin", "the umbrella is in the cellar")
    journal, scope = _context(old).home.journal, _scope(old)
    secret = Message("x", Role.USER, "my secret", _AT, "s", "claude-code", 2, "/t.jsonl", 2)
    journal.append(scope, [secret], Cursor("t", "/t.jsonl", 2), None)
    journal.erase(scope, [journal.read(scope, 0, budget_tokens=99)[-1].seq])
    before = list(json_lines.iter_export_lines(journal, _context(old).home.store, [scope]))
    old.rename(new)
    _moved(user, old, new)
    journal = _context(new).home.journal
    journal.append(_scope(new), [secret], Cursor("u", "/t.jsonl", 3), None)
    assert "my secret" not in [
        m.message.text for m in journal.read(_scope(new), 0, budget_tokens=999)
    ]
    new.rename(old)
    _moved(user, new, old)
    call = _context(old)
    assert list(json_lines.iter_export_lines(call.home.journal, call.home.store, [scope])) == before


def test_an_old_transcript_that_came_along_is_read_into_the_new_place(
    user: Path, tmp_path: Path
) -> None:
    old, new = tmp_path / "kim" / "shop", user / "shop"
    _fill(old, "Parcels leave with Hanjin", "the umbrella is in the cellar")
    old.rename(new)
    _moved(user, tmp_path / "kim", user)
    row = {
        "type": "user",
        "uuid": "u9",
        "sessionId": "t",
        "cwd": str(old),
        "timestamp": "2026-11-20T09:00:00Z",
        "message": {"role": "user", "content": "We ship on Mondays."},
    }
    file = user / ".claude" / "projects" / "-kim-shop" / "t.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(row) + "\n")
    _context(user).home.sidecar.capture_all()
    said = [
        m.message.text for m in _context(user).home.journal.read(_scope(new), 0, budget_tokens=999)
    ]
    assert "We ship on Mondays." in said


def _index_diary(user: Path, tmp_path: Path) -> Path:
    """Index a folder of notes of the old user; return it."""
    notes = tmp_path / "kim" / "diary"
    notes.mkdir()
    (notes / "attic.md").write_text("The spare key hangs in the attic.\n")
    index(_context(user), paths=[str(notes)], no_wait=True)
    return notes


def test_the_old_users_folder_is_seen_by_the_projects_that_are_here(
    user: Path, tmp_path: Path
) -> None:
    old = tmp_path / "kim" / "shop"
    call = _context(old)
    call.home.journal.keep(SESSION_FOLDERS, {str(old): "", str(tmp_path / "kim" / "gone"): ""})
    old.rename(user / "shop")
    found = _moved(user, dry_run=True)
    assert (found.old, found.new) == (str(tmp_path / "kim"), str(user))


def test_a_home_of_notes_without_a_project_is_seen_at_its_new_place(
    user: Path, tmp_path: Path
) -> None:
    notes = _index_diary(user, tmp_path)
    notes.rename(user / "diary")
    done = _moved(user)
    assert (done.old, done.new, done.indexed_folders) == (str(tmp_path / "kim"), str(user), 1)
    assert [hit.path for hit in search(_context(user), query=["spare key attic"]).results]
    assert index(_context(user), no_wait=True).report.unchanged == 1
    assert not _moved(user).old


def test_a_folder_that_is_nowhere_is_named_where_nothing_tells_its_new_place(
    user: Path, tmp_path: Path
) -> None:
    notes = _index_diary(user, tmp_path)
    notes.rename(tmp_path / "elsewhere")
    done = _moved(user)
    assert (done.old, done.missing) == ("", (str(notes),))


def test_a_folder_of_the_new_place_that_is_indexed_already_is_indexed_once(
    user: Path, tmp_path: Path
) -> None:
    notes = _index_diary(user, tmp_path)
    notes.rename(user / "diary")
    index(_context(user), paths=[str(user / "diary")], no_wait=True)
    _moved(user, tmp_path / "kim", user)
    held = roots.load_roots(_context(user).home.store, Scope("agent:main"))
    assert [root.path for root in held] == [user / "diary"]


def test_a_folder_that_is_not_here_is_named_and_nothing_is_asked_for_nothing(
    user: Path, tmp_path: Path
) -> None:
    old = tmp_path / "kim" / "shop"
    _fill(old, "Parcels leave with Hanjin", "the umbrella is in the cellar")
    done = _moved(user, tmp_path / "kim", tmp_path / "nobody")
    assert done.missing == (str(tmp_path / "nobody" / "shop"),)
    assert not _moved(user, tmp_path / "x", tmp_path / "y").found
    with pytest.raises(BadRequest, match="same folder"):
        _moved(user, old, old)
    with pytest.raises(BadRequest, match="name the folder that was"):
        _moved(user, old)
