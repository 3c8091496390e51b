"""`gieok archive pending | approve | reject | sync` with a vault that Obsidian knows, and what
docs/archive.md says of it.
"""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gieok.commands import NAMES, load_command
from gieok.commands.archive.answer import AnswerResult
from gieok.commands.archive.pending import PendingResult
from gieok.commands.archive.sync import ArchiveSyncResult
from gieok.commands.command import Style
from gieok.commands.home import cold, jobs
from gieok.errors import STATUS, ArchiveFailed, BadRequest
from gieok.flow.distil import deliver
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory import observation
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.model.memory import Scope
from gieok.settings.table import OPTIONS
from gieok.testing.clock import ManualClock

_NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
_SCOPE = Scope("agent:main")
_DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(_NOW)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Return a vault that Obsidian has open."""
    folder = tmp_path / "Notes"
    (folder / ".obsidian").mkdir(parents=True)
    listed = tmp_path / "user/.config/obsidian/obsidian.json"
    listed.parent.mkdir(parents=True)
    listed.write_text(json.dumps({"vaults": {"1": {"path": str(folder), "ts": 1, "open": True}}}))
    return folder


@pytest.fixture
def call(
    tmp_path: Path, vault: Path, monkeypatch: pytest.MonkeyPatch, clock: ManualClock
) -> Iterator[Call]:
    for name, value in {
        "HOME": tmp_path / "user",
        "GIEOK_HOME": tmp_path / "h",
        "GIEOK_EMBEDDER": "none",
        "GIEOK_OBSERVE_AGENTS": "none",
        "GIEOK_ARCHIVE_COLD": "obsidian",
        "GIEOK_NOTIFY_TO": "log",
    }.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    opened = open_call({}, clock=clock, zone=UTC)
    _remember(
        opened,
        ("We ship with SQLite", 400),
        ("We deploy on Fridays", 500),
        ("We log for 90 days", 100),
    )
    load_command("archive run")(opened)
    yield opened
    opened.home.journal.close()
    opened.home.store.close()


def _remember(call: Call, *found: tuple[str, int]) -> None:
    made = (
        Observation(t, _NOW - timedelta(days=n), Priority.HIGH, Category.DECISION) for t, n in found
    )
    call.home.journal.hand_over(
        observation.build_observed_entries(_SCOPE, Observed(tuple(made)), _NOW)
    )
    deliver(call.home.journal, call.home.store)


def _pending(call: Call) -> PendingResult:
    result = load_command("archive pending")(call)
    assert isinstance(result, PendingResult)
    return result


def _answer(call: Call, name: str, *names: str) -> AnswerResult:
    result = load_command(f"archive {name}")(call, names=list(names))
    assert isinstance(result, AnswerResult)
    return result


def _sync(call: Call) -> ArchiveSyncResult:
    result = load_command("archive sync")(call)
    assert isinstance(result, ArchiveSyncResult)
    return result


def _notes(vault: Path) -> list[str]:
    return sorted(file.name for file in vault.rglob("*.md"))


def test_nothing_goes_to_cold_before_it_is_approved(call: Call, vault: Path) -> None:
    assert [(one.day.isoformat(), one.memories) for one in _pending(call).days] == [
        ("2025-07-11", 1),
        ("2025-10-19", 1),
    ]
    assert cold.move_days_to_cold(call, lambda: False) == "2 days wait for approval"
    assert _notes(vault) == []
    _answer(call, "reject", "2025-10-19")
    assert _answer(call, "approve", "all").moved == 1
    assert _notes(vault) == ["11 We deploy on Fridays.md"]
    assert _answer(call, "approve", "2025-10").moved == 1
    assert _pending(call).days == ()
    with pytest.raises(BadRequest, match="2024-01-01"):
        _answer(call, "approve", "2024-01-01")


def test_with_auto_approve_it_goes_by_itself_at_its_time(
    call: Call, vault: Path, monkeypatch: pytest.MonkeyPatch, clock: ManualClock
) -> None:
    monkeypatch.setenv("GIEOK_ARCHIVE_AUTO_APPROVE", "yes")
    opened = open_call({}, clock=clock, zone=UTC)
    jobs.run_due(opened)
    clock.advance(timedelta(days=8))
    ran = {one.name: one.said for one in jobs.run_due(opened)}
    assert ran["cold"] == "2 moved to cold"
    assert len(_notes(vault)) == 2
    opened.home.journal.close()
    opened.home.store.close()


def test_what_was_deleted_is_forgotten_only_by_its_name(call: Call, vault: Path) -> None:
    _answer(call, "approve", "all")
    for file in vault.rglob("*.md"):
        file.unlink()
    assert _sync(call).asked == 2
    first, second = _pending(call).questions
    assert {first.text, second.text} == {"We ship with SQLite", "We deploy on Fridays"}
    assert _answer(call, "approve", "all").forgotten == 0
    assert _answer(call, "approve", first.name).forgotten == 1
    assert _answer(call, "reject", second.name).written_back == 1
    assert len(_notes(vault)) == 1
    assert _pending(call).questions == ()
    held = b"".join(
        file.read_bytes() for file in (call.home.folder / "journal.sqlite", *vault.rglob("*.md"))
    )
    assert first.text.encode() not in held
    assert second.text.encode() in held
    assert _sync(call) == ArchiveSyncResult(0, 0, 0, 0, ())


def test_a_note_that_came_back_goes_with_the_memory_that_is_forgotten(
    call: Call, vault: Path
) -> None:
    _answer(call, "approve", "all")
    note = next(vault.rglob("*.md"))
    text = note.read_text()
    note.unlink()
    _sync(call)
    note.write_text(text)
    (asked,) = _pending(call).questions
    assert _answer(call, "approve", asked.name).forgotten == 1
    assert not note.exists()


def test_forgetting_reaches_notes_and_their_names(call: Call, vault: Path) -> None:
    _answer(call, "approve", "all")
    _sync(call)
    (note,) = vault.rglob("*SQLite*")
    note.write_text(note.read_text() + "\nMy own reasons.\n")

    load_command("forget")(call, match="SQLite", yes=True)
    assert "My own reasons." in note.read_text()
    note.unlink()  # it is its person's now, and named as it was
    held = b"".join(
        file.read_bytes()
        for file in (*call.home.folder.rglob("*"), *vault.rglob("*.md"))
        if file.is_file()
    )
    assert b'SQLite"' not in held.replace(b'"SQLite"', b"")
    assert b"ship with SQLite" not in held


def test_a_vault_that_is_away_is_told_once_and_another_one_is_not_taken_for_it(
    call: Call, vault: Path, tmp_path: Path
) -> None:
    _answer(call, "approve", "all")
    vault.rename(tmp_path / "away")
    other = tmp_path / "Other"
    (other / ".obsidian").mkdir(parents=True)
    listed = tmp_path / "user/.config/obsidian/obsidian.json"
    listed.write_text(json.dumps({"vaults": {"2": {"path": str(other), "ts": 9, "open": True}}}))
    for _ in range(2):
        with pytest.raises(ArchiveFailed, match="not there"):
            _sync(call)
    log = (
        (call.home.folder / "logs" / "gieok.log")
        if (call.home.folder / "logs").is_dir()
        else next(call.home.folder.rglob("*.log"))
    )
    assert log.read_text().count("the archive needs you") == 1
    assert _pending(call).questions == ()
    assert _notes(other) == []
    (tmp_path / "away").rename(vault)
    assert _sync(call) == ArchiveSyncResult(0, 0, 0, 0, ())
    assert not [one for one in call.home.journal.incidents() if one.name == "archive cold"]


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_what_waits_is_shown_with_how_to_answer(call: Call, vault: Path, lang: str) -> None:
    shown = load_command("archive pending").present(_pending(call), Style(lang, colour=False))
    assert "2025-07-11" in shown
    assert "gieok archive approve" in shown
    _answer(call, "approve", "all")
    next(vault.rglob("*.md")).unlink()
    _sync(call)
    shown = load_command("archive pending").present(_pending(call), Style(lang, colour=False))
    assert re.search(
        r"`gieok archive approve [0-9a-f]{8}`.*`gieok archive reject [0-9a-f]{8}`", shown
    )


def test_each_failure_of_an_archive_has_a_status() -> None:
    assert {"archive_failed", "archive_missing", "archive_conflict"} <= STATUS.keys()


@pytest.mark.parametrize("name", ["archive.md", "archive.ko.md"])
def test_commands_and_settings_of_the_document_are_there(name: str) -> None:
    text = (_DOCS / name).read_text(encoding="utf-8")
    commands = set(re.findall(r"gieok ((?:archive|keys|encryption) [a-z]+)", text))
    assert commands <= set(NAMES)
    assert {
        "archive pending",
        "archive approve",
        "archive reject",
        "archive sync",
        "archive restore",
    } <= commands
    settings = set(re.findall(r"`(archive\.[a-z_]+)", text)) - {"archive.md", "archive.ko"}
    assert settings <= {option.name for option in OPTIONS}


def test_both_documents_say_the_same() -> None:
    english, korean = (
        (_DOCS / name).read_text(encoding="utf-8") for name in ("archive.md", "archive.ko.md")
    )
    for pattern in (r"^#+ ", r"^\|", r"^    \$? ?gieok", r"`gieok [^`…]*`", r"https://[^`>\s]+"):
        found = [len(re.findall(pattern, text, re.MULTILINE)) for text in (english, korean)]
        assert found[0] == found[1], pattern


def test_an_edit_in_the_vault_is_found_by_the_next_search(call: Call, vault: Path) -> None:
    _answer(call, "approve", "all")
    (note,) = [file for file in vault.rglob("*.md") if "SQLite" in file.name]
    note.write_text(
        note.read_text().replace(
            "We ship with SQLite\n", "We ship with Postgres on the Tiber server\n"
        )
    )
    found = load_command("search")(call, query=["Tiber server"], min_score=0.0)
    assert found.results[0].snippet == "We ship with Postgres on the Tiber server"
    again = load_command("search")(call, query=["ship SQLite"], min_score=0.0)
    assert not any(
        hit.snippet == "We ship with SQLite" and hit.status == "current" for hit in again.results
    )


def test_a_note_that_vanished_asks_nothing_during_a_search(call: Call, vault: Path) -> None:
    _answer(call, "approve", "all")
    for file in vault.rglob("*.md"):
        file.unlink()
    load_command("search")(call, query=["SQLite"], min_score=0.0)
    assert _pending(call).questions == ()
