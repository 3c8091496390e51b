"""A vault and the memories in it, both ways."""

import dataclasses
import json
import shutil
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
import vaults
from ruamel.yaml import YAML
from vaults import HOME as _HOME
from vaults import START as _START
from vaults import Vault, observe

from gieok.errors import ArchiveFailed
from gieok.flow import distil
from gieok.flow.distil import deliver
from gieok.memory import observation
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.tiers import approval, questions, sweep, sync
from gieok.memory.tiers.questions import ArchiveQuestionKind
from gieok.model.memory import CORRECTED, Document, Tier


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    """Return a vault with a note of its person's."""
    made = vaults.make(tmp_path)
    yield made
    made.tiers.journal.close()


def test_what_is_approved_moves_to_a_note_and_leaves_warm(vault: Vault, tmp_path: Path) -> None:
    observe(vault.tiers, "We ship with SQLite", "We deploy on Fridays")
    assert set(vault.notes()) == {"01 We ship with SQLite", "01 We deploy on Fridays"}
    assert (
        vault.place(vault.document("We ship with SQLite"))
        == "Gieok/2024/08/01 We ship with SQLite.md"
    )
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
    note.write_text(
        note.read_text().replace("We ship with SQLite\n", "We ship with DuckDB\n")
        + "\nMy reasons.\n"
    )
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
    assert vault.questions() == [(ArchiveQuestionKind.DELETED, document.key)]
    assert vault.place(document) == "hot"  # safe until it is answered
    assert vault.sync().asked == 0
    vault.tiers.clock.advance(timedelta(days=400))
    sweep.tier_due_memories(vault.tiers)
    assert vault.place(document) == "hot"


def test_a_deletion_that_is_rejected_is_written_back(vault: Vault) -> None:
    observe(vault.tiers, "We ship with SQLite")
    note = vault.note("SQLite")
    before = note.read_text()
    note.unlink()
    vault.sync()
    done = approval.written_back(vault.tiers, questions.load_questions(vault.tiers.journal))
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
    assert {one.name for one in questions.load_questions(vault.tiers.journal)} == {sync.VANISHED}
    away.rename(vault.folder / "Gieok")  # it comes back as it was
    done = vault.sync()
    assert (done.returned, done.wrong, vault.questions()) == (12, [], [])
    assert all(vault.place(vault.document(f"Decision number {n}")) != "hot" for n in range(12))
    assert vault.sync() == sync.Synced()


def replace_here(vault: Vault, document: Document, text: str) -> None:
    """Let a model write a memory anew, as the reflector does."""
    held = vault.tiers.store.get(_HOME, [document.key])[0]
    vault.tiers.journal.hand_over(
        [observation.build_whole_entry(dataclasses.replace(held, text=text, content_hash="fresh"))]
    )
    deliver(vault.tiers.journal, vault.tiers.store)
    sweep.sweep_stale_places(vault.tiers)


def test_what_was_changed_on_both_sides_is_kept_twice(vault: Vault) -> None:
    observe(vault.tiers, "We ship with SQLite")
    document = vault.document("We ship with SQLite")
    note = vault.note("SQLite")
    note.write_text(
        note.read_text().replace("We ship with SQLite\n", "We ship with DuckDB\n") + "\nMine.\n"
    )
    replace_here(vault, document, "We ship with Postgres")
    vault.sync()
    assert vault.document("We ship with DuckDB").key == document.key
    assert vault.place(document) == "Gieok/2024/08/01 We ship with SQLite.md"
    assert note.read_text().endswith("\nMine.\n")
    (ours,) = (text for name, text in vault.notes().items() if "Gieok's version 2026-10-10" in name)
    assert "We ship with Postgres" in ours
    assert (
        YAML(typ="safe").load(ours.split("---\n")[1])["of"]
        == "[[Gieok/2024/08/01 We ship with SQLite]]"
    )
    assert vault.questions() == [(ArchiveQuestionKind.EDITED, document.key)]
    assert vault.sync() == sync.Synced()


def test_what_its_person_corrected_here_since_lives_on_and_the_vaults_version_is_kept(
    vault: Vault,
) -> None:
    observe(vault.tiers, "We ship with SQLite")
    note = vault.note("SQLite")
    note.write_text(note.read_text().replace("We ship with SQLite\n", "We ship with DuckDB\n"))
    document = vault.document("We ship with SQLite")
    correct(vault, document, "We ship with Postgres")
    assert vault.place(vault.document("We ship with Postgres")) == "hot"
    (theirs,) = vault.notes().values()
    assert "We ship with DuckDB" in theirs
    approval.take_beside(vault.tiers, questions.load_questions(vault.tiers.journal))
    assert vault.document("We ship with DuckDB").key == document.key
    assert (vault.notes(), vault.questions()) == ({}, [])


def correct(vault: Vault, document: Document, text: str) -> None:
    """Correct a memory here, as `gieok edit` does."""
    now = vault.tiers.clock.now()
    held = vault.tiers.store.get(_HOME, [document.key])[0]
    distil.correct(
        vault.tiers.journal, vault.tiers.store, held, observation.corrected(held, text, now), now
    )
    sweep.sweep_stale_places(vault.tiers)


@pytest.mark.parametrize("is_dropped", [True, False])
def test_a_conflict_is_answered_either_way(vault: Vault, *, is_dropped: bool) -> None:
    observe(vault.tiers, "We ship with SQLite")
    note = vault.note("SQLite")
    note.write_text(note.read_text().replace("We ship with SQLite\n", "We ship with DuckDB\n"))
    replace_here(vault, vault.document("We ship with SQLite"), "We ship with Postgres")
    asked = questions.load_questions(vault.tiers.journal)
    if is_dropped:
        approval.drop_beside(vault.tiers, asked)
    else:
        assert approval.take_beside(vault.tiers, asked).wrong == []
    sweep.sweep_stale_places(vault.tiers)
    text = "We ship with DuckDB" if is_dropped else "We ship with Postgres"
    assert vault.place(vault.document(text)) == "Gieok/2024/08/01 We ship with SQLite.md"
    assert list(vault.notes()) == ["01 We ship with SQLite"]
    assert vault.questions() == []
    assert vault.sync() == sync.Synced()


def test_a_correction_here_is_written_into_the_memorys_own_note_beside_its_persons_words(
    vault: Vault,
) -> None:
    observe(vault.tiers, "We ship with SQLite")
    note = vault.note("SQLite")
    own = (
        note.read_text()
        .replace("tags:\n", "tags:\n- mine\n", 1)
        .replace("type:", "rating: 5\ntype:", 1)
    )
    note.write_text(own + "\nMy own reasons.\n")
    vault.sync()
    correct(vault, vault.document("We ship with SQLite"), "We ship with Postgres")
    text = note.read_text()
    assert list(vault.notes()) == ["01 We ship with SQLite"], "no second note"
    assert "We ship with Postgres" in text
    assert "SQLite" not in text
    assert "My own reasons." in text
    assert "rating: 5" in text
    assert (
        vault.place(vault.document("We ship with Postgres"))
        == "Gieok/2024/08/01 We ship with SQLite.md"
    )
    assert vault.sync() == sync.Synced()


@pytest.mark.parametrize("first", ["sync", "sweep", "approval"])
@pytest.mark.parametrize("has_own", [True, False])
def test_a_correction_while_the_vault_is_away_is_written_into_the_same_note_once_it_is_back(
    vault: Vault, first: str, *, has_own: bool
) -> None:
    observe(vault.tiers, "We ship with SQLite")
    if has_own:
        note = vault.note("SQLite")
        note.write_text(note.read_text() + "\nMy own reasons.\n")
        vault.sync()
    away = vault.folder.rename(vault.folder.with_name("away"))
    correct(vault, vault.document("We ship with SQLite"), "We ship with Postgres")
    sweep.tier_due_memories(vault.tiers)  # a day passes: what is old leaves hot
    assert vault.place(vault.document("We ship with Postgres")) == "2024-08-01.md"
    away.rename(vault.folder)
    if first == "approval":
        approval.approve_days(
            vault.tiers, [one.day for one in approval.list_due_days(vault.tiers, 365)]
        )
    elif first == "sweep":
        sweep.tier_due_memories(vault.tiers)
    vault.sync()
    assert list(vault.notes()) == ["01 We ship with SQLite"], "no second note"
    text = vault.note("SQLite").read_text()
    assert ("We ship with Postgres" in text, "My own reasons." in text) == (True, has_own)
    assert (
        vault.place(vault.document("We ship with Postgres"))
        == "Gieok/2024/08/01 We ship with SQLite.md"
    )
    assert vault.sync() == sync.Synced()


@pytest.mark.parametrize("where", ["renamed", "moved out of Gieok's folder"])
def test_a_note_that_its_person_moved_is_the_one_that_is_rewritten(
    vault: Vault, where: str
) -> None:
    observe(vault.tiers, "We ship with SQLite")
    note = vault.note("SQLite")
    moved = (
        note.with_name("Our database.md") if where == "renamed" else vault.folder / "Database.md"
    )
    note.rename(moved)
    vault.sync()
    correct(vault, vault.document("We ship with SQLite"), "We ship with Postgres")
    assert "We ship with Postgres" in moved.read_text()
    assert len(vault.notes()) == (where == "renamed")
    assert vault.sync() == sync.Synced()


def test_corrections_one_after_the_other_stay_in_one_note(vault: Vault) -> None:
    observe(vault.tiers, "We ship with SQLite", "We log for 90 days")
    for before, after in (("SQLite", "Postgres"), ("Postgres", "DuckDB"), ("DuckDB", "SQLite")):
        correct(vault, vault.document(f"We ship with {before}"), f"We ship with {after}")
    assert sorted(vault.notes()) == ["01 We log for 90 days", "01 We ship with SQLite"]
    assert "We ship with SQLite" in vault.note("SQLite").read_text()


def test_what_is_forgotten_leaves_its_note_and_what_a_person_wrote_stays(vault: Vault) -> None:
    observe(vault.tiers, "We ship with SQLite")
    note = vault.note("SQLite")
    note.write_text(note.read_text() + "\nMy own reasons.\n")
    vault.sync()
    document = vault.document("We ship with SQLite")
    vault.tiers.journal.erase(document.scope, [], [document.key])
    vault.sync()
    assert "SQLite" not in note.read_text()
    assert "My own reasons." in note.read_text()


def test_what_a_person_brought_back_stays_in_hot_and_its_note_keeps_their_words(
    vault: Vault,
) -> None:
    observe(vault.tiers, "We ship with SQLite")
    note = vault.note("SQLite")
    note.write_text(note.read_text() + "\nMy own reasons.\n")
    vault.sync()
    sweep.restore_day_to_hot(vault.tiers, _HOME, date(2024, 8, 1))
    assert vault.place(vault.document("We ship with SQLite")) == "hot"
    assert "My own reasons." in note.read_text()


def test_a_rejected_day_stays_in_warm_until_it_is_approved(vault: Vault) -> None:
    at = _START
    tiers = vault.tiers
    made = observation.build_observed_entries(
        _HOME, Observed((Observation("x", at, Priority.LOW, Category.STATE),)), at
    )
    tiers.journal.hand_over(made)
    deliver(tiers.journal, tiers.store)
    sweep.tier_due_memories(tiers)
    (due,) = approval.list_due_days(tiers, 365)
    assert (due.day, due.memories) == (date(2024, 8, 1), 1)
    assert due.size_bytes > 100
    approval.reject_days(tiers, [due.day])
    assert approval.list_due_days(tiers, 365) == []
    assert approval.approve_days(tiers, [due.day]).moved == 1
    assert approval.list_due_days(tiers, 3650) == []


def test_links_lead_to_real_notes(vault: Vault) -> None:
    observe(vault.tiers, "We ship with SQLite")
    observe(vault.tiers, "We ship with Postgres", day=2)
    older, newer = vault.document("We ship with SQLite"), vault.document("We ship with Postgres")
    end = observation.build_whole_entry(observation.end_document(older, newer))
    vault.tiers.journal.hand_over([end])
    deliver(vault.tiers.journal, vault.tiers.store)
    sweep.tier_due_memories(vault.tiers)
    approval.approve_days(
        vault.tiers, [one.day for one in approval.list_due_days(vault.tiers, 365)]
    )
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
