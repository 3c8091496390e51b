"""Memories move from hot to warm and back; people's corrections and damaged files on the way."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from gieok.flow.distil import correct, deliver
from gieok.flow.durable import retier
from gieok.memory import observation
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.tiers import retention, shelf, sweep
from gieok.memory.tiers.day_file import DayForm
from gieok.memory.tiers.tiers import Tiers
from gieok.model.memory import Entry, Tier
from gieok.storage.archives.folder import FolderArchive
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.clock import ManualClock
from gieok.testing.memory_store import MemoryStore
from gieok.testing.samples import HOME

_START = datetime(2026, 1, 5, 9, 30, tzinfo=UTC)
_LATER = timedelta(days=100)


@pytest.fixture
def tiers(tmp_path: Path) -> Iterator[Tiers]:
    journal = SqliteJournal(tmp_path / "journal.sqlite")
    warm = shelf.Shelf(Tier.WARM, DayForm(UTC), lambda scope: FolderArchive(tmp_path / "warm"))
    yield Tiers(
        journal,
        MemoryStore(),
        {Tier.WARM: warm},
        retention.build_retention_rules(),
        ManualClock(_START),
        UTC,
    )
    journal.close()


def observed(
    tiers: Tiers, *texts: str, day: int = 0, category: Category = Category.STATE
) -> list[Entry]:
    """Hand observations of a day over; return them."""
    at = _START + timedelta(days=day)
    found = tuple(
        Observation(text, at, Priority.MEDIUM, category, message_ids=("s/1",)) for text in texts
    )
    made = observation.build_observed_entries(HOME, Observed(found), at)
    tiers.journal.hand_over(made)
    deliver(tiers.journal, tiers.store)
    return made


def advance(tiers: Tiers, by: timedelta = _LATER) -> None:
    """Let time pass."""
    assert isinstance(tiers.clock, ManualClock)
    tiers.clock.advance(by)


def files(tiers: Tiers) -> dict[str, str]:
    """Return the files of warm."""
    archive = tiers.shelves[Tier.WARM].archive(HOME)
    return {one.path: archive.read(one.path)[0].decode() for one in archive.files()}


def tier_of(tiers: Tiers, entry: Entry) -> str:
    """Return the tier of a memory by the store, after checking that the journal agrees that it
    lives there alone.
    """
    key = entry.document.key
    hot = [one.document.key for one in tiers.journal.made(HOME)].count(key)
    archived = tiers.journal.archived(HOME, keys=[key])
    assert hot + len(archived) == 1
    (stored,) = tiers.store.get(HOME, [key])
    assert stored.tier == (archived[0].place.tier if archived else Tier.HOT)
    return stored.tier


def change(tiers: Tiers, path: str, old: str, new: str) -> None:
    """Change a file as a person does."""
    archive = tiers.shelves[Tier.WARM].archive(HOME)
    data, revision = archive.read(path)
    assert old in data.decode()
    archive.write(path, data.decode().replace(old, new).encode(), revision)


def test_what_is_over_moves_to_the_file_of_its_day_and_the_task_never_does(tiers: Tiers) -> None:
    (one, two) = observed(
        tiers, "결제는 SQLite로 간다", "둘째 줄\n  있는 것", category=Category.DECISION
    )
    task = observation.build_observed_entries(HOME, Observed((), task="ship it"), _START)
    tiers.journal.hand_over(task)
    advance(tiers, timedelta(days=89))
    assert sweep.tier_due_memories(tiers).moved == 0
    advance(tiers, timedelta(days=2))
    (young,) = observed(tiers, "new", day=91)
    done = sweep.tier_due_memories(tiers)
    assert (done.moved, done.wrong) == (2, [])
    assert [tier_of(tiers, one) for one in (one, two, young, *task)] == [
        "warm",
        "warm",
        "hot",
        "hot",
    ]
    (text,) = files(tiers).values()
    assert "## 결정\n\n- 🟡 09:30 결제는 SQLite로 간다 <!-- " in text
    assert sweep.tier_due_memories(tiers).written == 0


def test_a_late_arrival_is_merged_into_the_day_without_loss(tiers: Tiers) -> None:
    (one,) = observed(tiers, "one")
    advance(tiers)
    sweep.tier_due_memories(tiers)
    change(tiers, "2026-01-05.md", "# 2026-01-05\n", "# 2026-01-05\n\nwhat I noted myself\n")
    (late,) = observed(tiers, "late")
    assert sweep.tier_due_memories(tiers).moved == 1
    assert tier_of(tiers, one) == tier_of(tiers, late) == "warm"
    (text,) = files(tiers).values()
    assert all(part in text for part in ("one", "late", "what I noted myself"))


def test_what_a_person_changes_in_a_file_is_their_correction_in_its_place(tiers: Tiers) -> None:
    (one, other) = observed(tiers, "port is 8080", "else")
    advance(tiers)
    sweep.tier_due_memories(tiers)
    change(tiers, "2026-01-05.md", "port is 8080", "port is 9090")
    done = sweep.tier_due_memories(tiers)
    assert (done.corrected, done.wrong) == (1, [])
    (stored,) = tiers.store.get(HOME, [one.document.key])
    assert (stored.text, stored.tier, bool(stored.metadata["corrected"])) == (
        "port is 9090",
        Tier.WARM,
        True,
    )
    assert tiers.journal.history(HOME, 9)[0].text == "port is 8080"
    assert tier_of(tiers, one) == tier_of(tiers, other) == "warm"
    assert sweep.tier_due_memories(tiers).written == 0


def test_what_is_corrected_elsewhere_is_hot_again_and_leaves_the_file(tiers: Tiers) -> None:
    (one, other) = observed(tiers, "port is 8080", "else")
    advance(tiers)
    sweep.tier_due_memories(tiers)
    (stored,) = tiers.store.get(HOME, [one.document.key])
    correct(
        tiers.journal,
        tiers.store,
        stored,
        observation.corrected(stored, "port is 9090", tiers.clock.now()),
        _START,
    )
    assert tier_of(tiers, one) == "hot"
    sweep.sweep_stale_places(tiers)
    (text,) = files(tiers).values()
    assert ("8080" in text, "else" in text) == (False, True)
    tiers.journal.hand_over(forget=[(HOME, other.document.key)])
    sweep.sweep_stale_places(tiers)
    assert (files(tiers), tiers.journal.stale_places()) == ({}, [])


def test_a_file_that_is_gone_or_damaged_is_written_again_and_told(tiers: Tiers) -> None:
    (one, two) = observed(tiers, "one", "two")
    advance(tiers)
    sweep.tier_due_memories(tiers)
    archive = tiers.shelves[Tier.WARM].archive(HOME)
    before, revision = archive.read("2026-01-05.md")
    archive.delete("2026-01-05.md", revision)
    assert "2 memories were missing and are written again" in " ".join(
        sweep.tier_due_memories(tiers).wrong
    )
    assert tiers.journal.incidents()[0].name == "archive"
    assert sweep.tier_due_memories(tiers).wrong == []
    assert tiers.journal.incidents() == []
    archive.write("2026-01-05.md", b"\xff\x00 torn", archive.read("2026-01-05.md")[1])
    assert sweep.tier_due_memories(tiers).wrong
    assert archive.read("2026-01-05.md")[0] == before
    assert [path for path in (one.path for one in archive.files()) if path.startswith("damaged/")]
    (bullet,) = (line for line in before.decode().splitlines() if "09:30 one" in line)
    change(tiers, "2026-01-05.md", f"{bullet}\n", "")
    assert sweep.tier_due_memories(tiers).wrong
    assert archive.read("2026-01-05.md")[0] == before
    assert tier_of(tiers, one) == tier_of(tiers, two) == "warm"


def test_a_day_comes_back_to_hot_for_thirty_days(tiers: Tiers) -> None:
    (one,) = observed(tiers, "one")
    (next_day,) = observed(tiers, "next", day=1)
    advance(tiers)
    sweep.tier_due_memories(tiers)
    assert sweep.restore_day_to_hot(tiers, HOME, date(2026, 1, 5)).moved == 1
    assert (tier_of(tiers, one), tier_of(tiers, next_day)) == ("hot", "warm")
    assert list(files(tiers)) == ["2026-01-06.md"]
    assert tiers.journal.made(HOME) == [one]
    advance(tiers, timedelta(days=29))
    assert sweep.tier_due_memories(tiers).moved == 0
    advance(tiers, timedelta(days=2))
    assert sweep.tier_due_memories(tiers).moved == 1


def test_a_large_day_is_packed_and_unpacked_again(
    tiers: Tiers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf, "LARGE_BYTES", 3_000)
    some = observed(tiers, *(f"memory {n} " + "글" * 30 for n in range(3)))
    advance(tiers)
    sweep.tier_due_memories(tiers)
    more = observed(tiers, *(f"more {n} " + "글" * 30 for n in range(9)))
    assert sweep.tier_due_memories(tiers).moved == 9
    archive = tiers.shelves[Tier.WARM].archive(HOME)
    assert [one.path for one in archive.files()] == ["2026-01-05.md.gz"]
    assert {tier_of(tiers, one) for one in (*some, *more)} == {"warm"}
    tiers.journal.hand_over(forget=[(HOME, one.document.key) for one in more])
    sweep.sweep_stale_places(tiers)
    assert [one.path for one in archive.files()] == ["2026-01-05.md"]
    assert {tier_of(tiers, one) for one in some} == {"warm"}
    assert tiers.journal.stale_places() == []


def test_a_full_disk_moves_nothing_and_is_told(tiers: Tiers, tmp_path: Path) -> None:
    (one,) = observed(tiers, "one")
    advance(tiers)
    (tmp_path / "warm").write_text("no folder")
    done = sweep.tier_due_memories(tiers)
    assert (done.moved, tier_of(tiers, one)) == (0, "hot")
    assert "cannot be" in done.wrong[0]
    (tmp_path / "warm").unlink()
    assert (
        sweep.tier_due_memories(tiers).moved,
        tiers.journal.stale_places(),
        tiers.journal.incidents(),
    ) == (
        1,
        [],
        [],
    )


def test_a_new_store_is_given_what_is_archived(tiers: Tiers) -> None:
    (one,) = observed(tiers, "one")
    advance(tiers)
    sweep.tier_due_memories(tiers)
    fresh = replace(tiers, store=MemoryStore())
    assert sweep.tier_due_memories(fresh).wrong == []
    assert tier_of(fresh, one) == "warm"


def test_an_index_beside_the_store_learns_the_tier_too(tiers: Tiers) -> None:
    beside = MemoryStore()
    (one,) = observed(tiers, "one")
    beside.put([one])
    advance(tiers)
    sweep.tier_due_memories(replace(tiers, beside=lambda: [beside]))
    assert [document.tier for document in beside.get(HOME, [one.document.key])] == [Tier.WARM]
    sweep.restore_day_to_hot(tiers, HOME, date(2026, 1, 5))
    assert (retier(tiers.journal, beside), retier(tiers.journal, beside)) == (1, 0)
    assert [document.tier for document in beside.get(HOME, [one.document.key])] == [Tier.HOT]
