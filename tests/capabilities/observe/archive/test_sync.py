"""A vault and the memories in it, both ways."""

import json
import shutil
import unicodedata
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from gieok.backends.archives.folder import FolderArchive
from gieok.backends.archives.vault import VaultArchive
from gieok.backends.journals.sqlite.journal import SqliteJournal
from gieok.capabilities.observe import observation
from gieok.capabilities.observe.archive import approval, cold, questions, retention, shelf, sweep, sync
from gieok.capabilities.observe.archive.day_file import DayForm
from gieok.capabilities.observe.archive.note_file import NoteForm
from gieok.capabilities.observe.archive.questions import Asked
from gieok.capabilities.observe.archive.tiers import Tiers
from gieok.capabilities.observe.observation import Category, Observation, Observed, Priority
from gieok.engine import distil
from gieok.engine.distil import deliver
from gieok.errors import ArchiveFailed
from gieok.model.memory import CORRECTED, Document, Scope, Tier
from gieok.testing.clock import ManualClock
from gieok.testing.memory_store import MemoryStore

_START = datetime(2024, 8, 1, 14, tzinfo=UTC)
_NOW = _START + timedelta(days=800)
_HOME = Scope("agent:main")


class Vault:
    """A vault with what Gieok has in it."""

    def __init__(self, folder: Path, tiers: Tiers) -> None:
        self.folder, self.tiers = folder, tiers

    def notes(self) -> dict[str, str]:
        """Return Gieok's notes by their name."""
        return {file.stem: file.read_text() for file in sorted((self.folder / "Gieok").rglob("*.md"))}

    def note(self, words: str) -> Path:
        """Return the note whose name holds words."""
        (found,) = [file for file in self.folder.rglob("*.md") if words in unicodedata.normalize("NFC", file.name)]
        return found

    def sync(self) -> sync.Synced:
        """Synchronise, and sweep."""
        done = sync.run(self.tiers)
        sweep.sweep(self.tiers)
        return done

    def document(self, text: str) -> Document:
        """Return the memory that says this, as search finds it."""
        store = self.tiers.store
        found = [one for one in store.get(_HOME, list(store.hashes(_HOME))) if one.text == text]
        (document,) = found
        return document

    def place(self, document: Document) -> str:
        """Return where a memory lives: `hot`, or its path."""
        rows = self.tiers.journal.archived(document.scope, keys=[document.key])
        is_hot = document.key in {one.document.key for one in self.tiers.journal.made(document.scope)}
        assert bool(rows) != is_hot
        return rows[0].place.path if rows else "hot"

    def questions(self) -> list[tuple[Asked, str]]:
        """Return what is asked, and of whom."""
        found = questions.load(self.tiers.journal)
        return [(one.what, one.key) for one in found]


def observe(tiers: Tiers, *texts: str, day: int = 0) -> None:
    """Hand observations of a day over, and move them to cold."""
    at = _START + timedelta(days=day)
    found = tuple(Observation(text, at, Priority.MEDIUM, Category.DECISION, message_ids=("s/1",)) for text in texts)
    tiers.journal.hand_over(observation.entries(_HOME, Observed(found), at))
    deliver(tiers.journal, tiers.store)
    sweep.run(tiers)
    approval.approve(tiers, [one.day for one in approval.due(tiers, 365)])
    sweep.sweep(tiers)


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    folder = tmp_path / "vault"
    (folder / ".obsidian").mkdir(parents=True)
    (folder / "Mine.md").write_text("---\ntags: [mine]\n---\nMy own note.\n")
    journal = SqliteJournal(tmp_path / "journal.sqlite")
    archive = VaultArchive(folder, "Gieok", ".obsidian")
    warm = shelf.Shelf(Tier.WARM, DayForm(UTC), lambda scope: FolderArchive(tmp_path / "warm"))
    form = NoteForm("Gieok", UTC)
    notes = shelf.Shelf(Tier.COLD, form, lambda scope: archive)
    form.is_taken = cold.taken(notes)
    made = Tiers(journal, MemoryStore(), {Tier.WARM: warm, Tier.COLD: notes}, retention.rules(), ManualClock(_NOW), UTC)
    yield Vault(folder, made)
    journal.close()


def test_what_is_approved_moves_to_a_note_and_leaves_warm(vault: Vault, tmp_path: Path) -> None:
    observe(vault.tiers, "We ship with SQLite", "We deploy on Fridays")
    assert set(vault.notes()) == {"01 We ship with SQLite", "01 We deploy on Fridays"}
    assert vault.place(vault.document("We ship with SQLite")) == "Gieok/2024/08/01 We ship with SQLite.md"
    assert vault.document("We ship with SQLite").tier is Tier.COLD
    assert not list((tmp_path / "warm").rglob("*.md"))
    assert vault.sync() == sync.Synced()


def test_a_name_of_a_persons_own_note_is_left_to_it(vault: Vault) -> None:
    own = vault.folder / "Gieok/2024/08/01 we ship.MD"
    own.parent.mkdir(parents=True)
    own.write_text("mine")
    observe(vault.tiers, "We ship")
    assert own.read_text() == "mine"
    assert vault.place(vault.document("We ship")).startswith("Gieok/2024/08/01 We ship ")


def test_an_edit_in_the_vault_is_the_persons_word(vault: Vault) -> None:
    observe(vault.tiers, "We ship with SQLite")
    note = vault.note("SQLite")
    note.write_text(note.read_text().replace("We ship with SQLite\n", "We ship with DuckDB\n") + "\nMy reasons.\n")
    done = vault.sync()
    assert (done.corrected, done.wrong) == (1, [])
    document = vault.document("We ship with DuckDB")
    assert document.metadata[CORRECTED]
    assert document.importance == pytest.approx(0.9)
    assert vault.place(document) == "Gieok/2024/08/01 We ship with SQLite.md"
    assert "status: corrected" in note.read_text()
    assert note.read_text().endswith("\nMy reasons.\n")
    assert [old.text for old in vault.tiers.journal.history(_HOME, 5)] == ["We ship with SQLite"]
    assert vault.sync() == sync.Synced()


def test_a_persons_edit_outranks_what_is_observed_later(vault: Vault) -> None:
    observe(vault.tiers, "We ship with SQLite")
    note = vault.note("SQLite")
    note.write_text(note.read_text().replace("priority: medium", "priority: low"))
    vault.sync()
    document = vault.document("We ship with SQLite")
    assert (document.metadata["priority"], bool(document.metadata[CORRECTED])) == ("low", True)


def test_a_note_that_was_renamed_or_moved_is_followed(vault: Vault) -> None:
    observe(vault.tiers, "We ship with SQLite", "We deploy on Fridays")
    moved = vault.folder / "Projects" / "Database.md"
    moved.parent.mkdir()
    vault.note("SQLite").rename(moved)
    moved.write_text(moved.read_text().replace("We ship with SQLite\n", "We ship with DuckDB\n"))
    vault.note("Fridays").rename(vault.folder / "Gieok" / "Deploy 금요일.md")
    done = vault.sync()
    assert (done.followed, done.corrected, done.asked) == (2, 1, 0)
    assert vault.place(vault.document("We ship with DuckDB")) == "Projects/Database.md"
    assert vault.place(vault.document("We deploy on Fridays")) == "Gieok/Deploy 금요일.md"
    assert vault.sync() == sync.Synced()
    assert (vault.folder / "Mine.md").read_text() == "---\ntags: [mine]\n---\nMy own note.\n"


def test_a_copy_and_the_copies_of_sync_programs_are_left_alone(vault: Vault) -> None:
    observe(vault.tiers, "We ship with SQLite")
    note = vault.note("SQLite")
    names = (
        "Mine too.md",
        "01 We ship (Conflicted copy phone 202408011400).md",
        "01 We ship.sync-conflict-20240801-1.md",
    )
    for name in names:
        shutil.copy(note, note.with_name(name))
        note.with_name(name).write_text(note.read_text().replace("SQLite\n", "Oracle\n"))
    assert vault.sync() == sync.Synced()
    assert all("Oracle" in note.with_name(name).read_text() for name in names)


def test_a_deletion_asks_and_approval_forgets(vault: Vault) -> None:
    observe(vault.tiers, "We ship with SQLite", "We deploy on Fridays")
    document = vault.document("We ship with SQLite")
    vault.note("SQLite").unlink()
    assert vault.sync().asked == 1
    assert vault.questions() == [(Asked.DELETED, document.key)]
    assert vault.place(document) == "hot"  # safe until it is answered
    assert vault.sync().asked == 0
    vault.tiers.clock.advance(timedelta(days=400))
    sweep.run(vault.tiers)
    assert vault.place(document) == "hot"


def test_a_deletion_that_is_rejected_is_written_back(vault: Vault) -> None:
    observe(vault.tiers, "We ship with SQLite")
    note = vault.note("SQLite")
    before = note.read_text()
    note.unlink()
    vault.sync()
    done = approval.written_back(vault.tiers, questions.load(vault.tiers.journal))
    assert (done.wrong, note.read_text(), vault.questions()) == ([], before, [])
    assert vault.place(vault.document("We ship with SQLite")).endswith("01 We ship with SQLite.md")
    assert vault.sync() == sync.Synced()


def test_a_note_that_was_emptied_is_named_and_left(vault: Vault) -> None:
    observe(vault.tiers, "We ship with SQLite")
    note = vault.note("SQLite")
    emptied = note.read_text().replace("We ship with SQLite\n\n<!--", "<!--")
    note.write_text(emptied)
    for _ in range(2):
        assert "nothing is left of its text" in vault.sync().wrong[0]
    assert note.read_text() == emptied
    assert vault.place(vault.document("We ship with SQLite")) != "hot"


def test_a_note_without_its_comment_is_still_an_edit(vault: Vault) -> None:
    observe(vault.tiers, "We ship with SQLite")
    note = vault.note("SQLite")
    head = note.read_text().partition("We ship with SQLite")[0]
    note.write_text(head + "We ship with DuckDB\n")
    assert vault.sync().corrected == 1
    assert vault.document("We ship with DuckDB").metadata[CORRECTED]
    assert "<!-- gieok {" in note.read_text()


def test_a_vault_that_is_not_there_changes_and_asks_nothing(vault: Vault) -> None:
    observe(vault.tiers, "We ship with SQLite")
    place = vault.place(vault.document("We ship with SQLite"))
    away = vault.folder.rename(vault.folder.with_name("away"))
    for make in (lambda: None, vault.folder.mkdir, (vault.folder / "lost+found").mkdir):
        make()
        with pytest.raises(ArchiveFailed, match="not there"):
            vault.sync()
    assert vault.questions() == []
    assert vault.place(vault.document("We ship with SQLite")) == place
    shutil.rmtree(vault.folder)
    away.rename(vault.folder)
    assert vault.sync() == sync.Synced()


def test_half_of_all_notes_gone_at_once_is_one_question(vault: Vault) -> None:
    observe(vault.tiers, *(f"Decision number {n}" for n in range(12)))
    away = (vault.folder / "Gieok").rename(vault.folder.with_name("away"))
    assert vault.sync().asked == 12
    assert {one.name for one in questions.load(vault.tiers.journal)} == {sync.VANISHED}
    away.rename(vault.folder / "Gieok")  # it comes back as it was
    done = vault.sync()
    assert (done.returned, done.wrong, vault.questions()) == (12, [], [])
    assert all(vault.place(vault.document(f"Decision number {n}")) != "hot" for n in range(12))
    assert vault.sync() == sync.Synced()


def test_what_was_changed_on_both_sides_is_kept_twice(vault: Vault) -> None:
    observe(vault.tiers, "We ship with SQLite")
    document = vault.document("We ship with SQLite")
    note = vault.note("SQLite")
    note.write_text(note.read_text().replace("We ship with SQLite\n", "We ship with DuckDB\n") + "\nMine.\n")
    correct(vault, document, "We ship with Postgres")
    vault.sync()
    assert vault.document("We ship with DuckDB").key == document.key
    assert vault.place(document) == "Gieok/2024/08/01 We ship with SQLite.md"
    assert note.read_text().endswith("\nMine.\n")
    (ours,) = (text for name, text in vault.notes().items() if "Gieok's version 2026-10-10" in name)
    assert "We ship with Postgres" in ours
    assert YAML(typ="safe").load(ours.split("---\n")[1])["of"] == "[[Gieok/2024/08/01 We ship with SQLite]]"
    assert vault.questions() == [(Asked.EDITED, document.key)]
    assert vault.sync() == sync.Synced()


def correct(vault: Vault, document: Document, text: str) -> None:
    """Correct a memory here, as `gieok edit` does."""
    now = vault.tiers.clock.now()
    held = vault.tiers.store.get(_HOME, [document.key])[0]
    distil.correct(vault.tiers.journal, vault.tiers.store, held, observation.corrected(held, text, now), now)
    sweep.sweep(vault.tiers)


@pytest.mark.parametrize("is_theirs", [True, False])
def test_a_conflict_is_answered_either_way(vault: Vault, *, is_theirs: bool) -> None:
    observe(vault.tiers, "We ship with SQLite")
    note = vault.note("SQLite")
    note.write_text(note.read_text().replace("We ship with SQLite\n", "We ship with DuckDB\n"))
    correct(vault, vault.document("We ship with SQLite"), "We ship with Postgres")
    asked = questions.load(vault.tiers.journal)
    if is_theirs:
        approval.theirs_stands(vault.tiers, asked)
    else:
        assert approval.ours_stands(vault.tiers, asked).wrong == []
    sweep.sweep(vault.tiers)
    text = "We ship with DuckDB" if is_theirs else "We ship with Postgres"
    assert vault.place(vault.document(text)) == "Gieok/2024/08/01 We ship with SQLite.md"
    assert list(vault.notes()) == ["01 We ship with SQLite"]
    assert vault.questions() == []
    assert vault.sync() == sync.Synced()


def test_a_correction_here_takes_the_note_away_but_not_what_a_person_wrote_in_it(vault: Vault) -> None:
    observe(vault.tiers, "We ship with SQLite")
    note = vault.note("SQLite")
    note.write_text(note.read_text() + "\nMy own reasons.\n")
    vault.sync()
    correct(vault, vault.document("We ship with SQLite"), "We ship with Postgres")
    assert "My own reasons." in note.read_text()
    assert "SQLite" not in note.read_text()
    assert "gieok" not in note.read_text().partition("%%")[0]
    assert vault.sync() == sync.Synced()


def test_a_rejected_day_stays_in_warm_until_it_is_approved(vault: Vault) -> None:
    at = _START
    tiers = vault.tiers
    made = observation.entries(_HOME, Observed((Observation("x", at, Priority.LOW, Category.STATE),)), at)
    tiers.journal.hand_over(made)
    deliver(tiers.journal, tiers.store)
    sweep.run(tiers)
    (due,) = approval.due(tiers, 365)
    assert (due.day, due.memories) == (date(2024, 8, 1), 1)
    assert due.size_bytes > 100
    approval.reject(tiers, [due.day])
    assert approval.due(tiers, 365) == []
    assert approval.approve(tiers, [due.day]).moved == 1
    assert approval.due(tiers, 3650) == []


def test_links_lead_to_real_notes(vault: Vault) -> None:
    observe(vault.tiers, "We ship with SQLite")
    observe(vault.tiers, "We ship with Postgres", day=2)
    older, newer = vault.document("We ship with SQLite"), vault.document("We ship with Postgres")
    end = observation.whole(observation.ended(older, newer))
    vault.tiers.journal.hand_over([end])
    deliver(vault.tiers.journal, vault.tiers.store)
    sweep.run(vault.tiers)
    approval.approve(vault.tiers, [one.day for one in approval.due(vault.tiers, 365)])
    resolve(vault, "SQLite", "replaced_by", "Postgres")
    resolve(vault, "Postgres", "replaces", "SQLite")
    vault.note("Postgres").rename(vault.folder / "Database.md")
    vault.sync()
    resolve(vault, "SQLite", "replaced_by", "Database")
    (vault.folder / "Database.md").unlink()
    vault.sync()
    assert "[[" not in vault.note("SQLite").read_text()


def resolve(vault: Vault, words: str, name: str, target: str) -> None:
    """Assert that a property of a note leads to the note of another."""
    found = YAML(typ="safe").load(vault.note(words).read_text().split("---\n")[1])[name]
    (link,) = [found] if isinstance(found, str) else found
    assert vault.folder / f"{link.removeprefix('[[').removesuffix(']]')}.md" == vault.note(target)


def test_nothing_of_a_persons_own_notes_is_kept(vault: Vault) -> None:
    observe(vault.tiers, "We ship with SQLite")
    vault.sync()
    kept = json.dumps(vault.tiers.journal.kept(f"archive.sync:{vault.folder}/Gieok"))
    assert "SQLite" in kept
    assert "Mine" not in kept
