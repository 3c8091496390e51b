"""A note that is written while a new store is brought in line with the journal stays, whichever of
the two is looked at.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from gieok.flow import durable
from gieok.flow.durable import DurableNotes
from gieok.model.memory import Scope
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.storage.journal.sqlite.journal import SqliteJournal

SCOPE = Scope("agent:main")
NAME = "files.roots"


class _Interrupted(SqliteJournal):
    """A journal in which another process writes just after it was looked at."""

    meanwhile: Callable[[], None] | None = None

    def kept(self, realm: str) -> dict[str, str]:
        found = super().kept(realm)
        now, self.meanwhile = self.meanwhile, None
        if now is not None:
            now()
        return found


@pytest.mark.parametrize("step", ["adopt", "restore"])
def test_what_another_process_adds_meanwhile_is_kept_in_both(tmp_path: Path, step: str) -> None:
    store, journal = (
        SqliteStore(tmp_path / "memory.sqlite"),
        _Interrupted(tmp_path / "journal.sqlite"),
    )
    notes = DurableNotes(journal, store)
    notes.write_note(SCOPE, NAME, "first")
    if step == "restore":
        store.write_note(SCOPE, NAME, "lost")
    journal.meanwhile = lambda: notes.update_note(SCOPE, NAME, lambda raw: raw + " second")
    if step == "adopt":
        durable.adopt_store(journal, store, lambda key: False, ())
        expected = "first second"
    else:
        durable.restore_scope(journal, store, SCOPE)
        expected = "lost second"
    assert store.notes(SCOPE)[NAME] == durable.kept_notes(journal, SCOPE)[NAME] == expected


def test_a_note_that_only_the_store_holds_is_kept_and_the_journals_own_wins(tmp_path: Path) -> None:
    store, journal = (
        SqliteStore(tmp_path / "memory.sqlite"),
        SqliteJournal(tmp_path / "journal.sqlite"),
    )
    journal.keep(f"notes:{SCOPE.path}", {"both": "journal"})
    store.write_note(SCOPE, "both", "store")
    store.write_note(SCOPE, "alone", "store")
    durable.adopt_store(journal, store, lambda key: False, ())
    assert durable.kept_notes(journal, SCOPE) == {"both": "journal", "alone": "store"}
    assert store.notes(SCOPE)["both"] == "journal"
    assert not store.is_unadopted()


def test_a_note_that_the_store_lost_is_changed_from_what_the_journal_holds(tmp_path: Path) -> None:
    store, journal = (
        SqliteStore(tmp_path / "memory.sqlite"),
        SqliteJournal(tmp_path / "journal.sqlite"),
    )
    DurableNotes(journal, store).write_note(SCOPE, NAME, "first")
    rebuilt = SqliteStore(tmp_path / "rebuilt.sqlite")
    DurableNotes(journal, rebuilt).update_note(SCOPE, NAME, lambda raw: raw + " second")
    assert rebuilt.notes(SCOPE)[NAME] == durable.kept_notes(journal, SCOPE)[NAME] == "first second"
