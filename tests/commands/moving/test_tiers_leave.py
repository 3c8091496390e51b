"""Forgetting and erasing reach every tier, and say where something was and where it may still
be.
"""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gieok.commands.command import Style
from gieok.commands.memory.forget import forget_memories as forget
from gieok.commands.memory.forget import render_forgotten
from gieok.commands.moving.erase import erase_home as erase
from gieok.commands.moving.import_memory import import_memories as take_in
from gieok.flow import distil
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory import observation
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.tiers import cold, sweep
from gieok.model.memory import Scope

MAIN = Scope("agent:main")
_OLD = datetime(2024, 5, 1, 9, tzinfo=UTC)


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {
        "HOME": tmp_path,
        "GIEOK_HOME": tmp_path / "home",
        "GIEOK_EMBEDDER": "none",
        "GIEOK_ARCHIVE_COLD": "folder",
        "GIEOK_ARCHIVE_FOLDER": tmp_path / "cold",
        "GIEOK_OBSERVE_AGENTS": "none",
    }.items():
        monkeypatch.setenv(name, str(value))
    (tmp_path / "cold").mkdir()
    (tmp_path / "cold" / "mine.txt").write_text(
        "an empty folder would be taken for a disk that is not mounted"
    )
    return tmp_path


def _context(user: Path) -> Call:
    return open_call({}, environment=dict(os.environ), folder=user)


def _keep(call: Call, *texts: str, at: datetime) -> None:
    found = tuple(Observation(text, at, Priority.LOW, Category.STATE) for text in texts)
    journal = call.home.journal
    journal.hand_over(put=observation.build_observed_entries(MAIN, Observed(found), at))
    distil.deliver(journal, call.home.store)


def _in_every_tier(user: Path) -> Call:
    call = _context(user)
    _keep(call, "the heron nests in the cold reed", "a heron of the shore", at=_OLD)
    sweep.tier_due_memories(call.home.tiers)
    tiers = call.home.tiers
    rows = [row for row in tiers.journal.archived(MAIN) if "reed" in _text(call, row.key)]
    cold.move_to_cold(tiers, rows)
    sweep.sweep_stale_places(tiers)
    _keep(call, "today a heron flew by", at=call.clock.now())
    return _context(user)


def _text(call: Call, key: str) -> str:
    (found,) = call.home.store.get(MAIN, [key])
    return found.text


def _files_with(user: Path, word: bytes) -> list[str]:
    return [str(file) for file in user.rglob("*") if file.is_file() and word in file.read_bytes()]


def test_forgetting_says_what_was_where(user: Path) -> None:
    call = _in_every_tier(user)
    assert any("cold" in name for name in _files_with(user, b"heron"))
    result = forget(call, match="heron", yes=True)
    assert result.done is not None
    assert {(one.kind, one.number) for one in result.done.removed} == {
        ("hot", 1),
        ("warm", 1),
        ("cold", 1),
    }
    assert str(user / "cold") in next(
        one.place for one in result.done.removed if one.kind == "cold"
    )
    assert any("earlier revisions" in why for _, why in result.done.still_in)
    assert _files_with(user, b"heron") == []
    assert "활성(hot) 1" in render_forgotten(result, Style("ko", colour=False))


def test_an_import_is_named_as_the_place_where_it_still_is(user: Path) -> None:
    note = user / "vault" / "heron.md"
    note.parent.mkdir()
    note.write_text("---\ntitle: Birds\npermalink: birds\n---\n- [fact] The heron nests in May\n")
    take_in(_context(user), what=[str(note.parent)], no_wait=True)
    result = forget(_context(user), source=str(note.parent), yes=True)
    assert result.done is not None
    assert (
        str(note),
        "it was imported from here; it is not imported again",
    ) in result.done.still_in
    assert [file for file in _files_with(user, b"heron nests") if "vault" not in file] == []
    again = take_in(_context(user), what=[str(note.parent)], no_wait=True)
    assert again.done.memories == 0  # type: ignore[union-attr]


def test_erasing_takes_the_cold_archive_along_but_not_a_persons_own_words(user: Path) -> None:
    call = _in_every_tier(user)
    tiers = call.home.tiers
    _keep(call, "the other heron of the reed", at=_OLD)
    sweep.tier_due_memories(tiers)
    cold.move_to_cold(
        tiers, [row for row in tiers.journal.archived(MAIN) if "other" in _text(call, row.key)]
    )
    sweep.sweep_stale_places(tiers)
    mine = next(file for file in (user / "cold").rglob("*.md") if "other" in file.read_text())
    mine.write_text(mine.read_text() + "\nmy own words below\n")
    done = erase(_context(user), all=True, yes=True)
    left = list((user / "cold").rglob("*.md"))
    assert left == [mine]
    assert any("words of your own" in one.reason for one in done.left)
    assert not (user / "home").exists()
    assert [str(file) for file in map(Path, _files_with(user, b"heron")) if file != mine] == []
