"""A vault with what Gieok has in it, for tests of the cold tier."""

import unicodedata
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gieok.flow.distil import deliver
from gieok.memory import observation
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.tiers import approval, cold, questions, retention, shelf, sweep, sync
from gieok.memory.tiers.day_file import DayForm
from gieok.memory.tiers.note_file import NoteForm
from gieok.memory.tiers.questions import ArchiveQuestionKind
from gieok.memory.tiers.tiers import Tiers
from gieok.model.memory import Document, Scope, Tier
from gieok.storage.archives.folder import FolderArchive
from gieok.storage.archives.vault import VaultArchive
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.clock import ManualClock
from gieok.testing.memory_store import MemoryStore

START = datetime(2024, 8, 1, 14, tzinfo=UTC)
NOW = START + timedelta(days=800)
HOME = Scope("agent:main")


class Vault:
    """A vault with what Gieok has in it."""

    def __init__(self, folder: Path, tiers: Tiers) -> None:
        self.folder, self.tiers = folder, tiers

    def notes(self) -> dict[str, str]:
        """Return Gieok's notes by their name."""
        return {
            file.stem: file.read_text() for file in sorted((self.folder / "Gieok").rglob("*.md"))
        }

    def note(self, words: str) -> Path:
        """Return the note whose name holds words."""
        (found,) = [
            file
            for file in self.folder.rglob("*.md")
            if words in unicodedata.normalize("NFC", file.name)
        ]
        return found

    def sync(self) -> sync.Synced:
        """Synchronise, and sweep."""
        done = sync.sync_cold_tier(self.tiers)
        done.wrong += sync.sweep_cold_tier(self.tiers)
        return done

    def document(self, text: str) -> Document:
        """Return the memory that says this, as search finds it."""
        store = self.tiers.store
        found = [one for one in store.get(HOME, list(store.hashes(HOME))) if one.text == text]
        (document,) = found
        return document

    def documents(self) -> list[Document]:
        """Return every memory, as search finds it."""
        return self.tiers.store.get(HOME, list(self.tiers.store.hashes(HOME)))

    def place(self, document: Document) -> str:
        """Return where a memory lives: `hot`, or its path."""
        rows = self.tiers.journal.archived(document.scope, keys=[document.key])
        is_hot = document.key in {
            one.document.key for one in self.tiers.journal.made(document.scope)
        }
        assert bool(rows) != is_hot
        return rows[0].place.path if rows else "hot"

    def questions(self) -> list[tuple[ArchiveQuestionKind, str]]:
        """Return what is asked, and of whom."""
        found = questions.load_questions(self.tiers.journal)
        return [(one.what, one.key) for one in found]


def observe(tiers: Tiers, *texts: str, day: int = 0, is_approved: bool = True) -> None:
    """Hand observations of a day over, and move them to cold, unless that is not approved."""
    at = START + timedelta(days=day)
    found = tuple(
        Observation(text, at, Priority.MEDIUM, Category.DECISION, message_ids=("s/1",))
        for text in texts
    )
    tiers.journal.hand_over(observation.build_observed_entries(HOME, Observed(found), at))
    deliver(tiers.journal, tiers.store)
    sweep.tier_due_memories(tiers)
    if is_approved:
        approval.approve_days(tiers, [one.day for one in approval.list_due_days(tiers, 365)])
        sync.sweep_cold_tier(tiers)


def make(folder: Path) -> Vault:
    """Return a vault with a note of its person's."""
    vault = folder / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "Mine.md").write_text("---\ntags: [mine]\n---\nMy own note.\n")
    archive = VaultArchive(vault, "Gieok", ".obsidian")
    warm = shelf.Shelf(Tier.WARM, DayForm(UTC), lambda scope: FolderArchive(folder / "warm"))
    form = NoteForm("Gieok", UTC)
    notes = shelf.Shelf(Tier.COLD, form, lambda scope: archive)
    form.is_taken = cold.taken(notes)
    return Vault(vault, tiers(SqliteJournal(folder / "journal.sqlite"), warm, notes))


def tiers(journal: SqliteJournal, warm: shelf.Shelf, notes: shelf.Shelf) -> Tiers:
    """Return tiers on two shelves."""
    shelves = {Tier.WARM: warm, Tier.COLD: notes}
    return Tiers(
        journal, MemoryStore(), shelves, retention.build_retention_rules(), ManualClock(NOW), UTC
    )
