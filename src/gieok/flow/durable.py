"""Journal copies of the parts of a store that no file can restore.

These parts are a scope's notes, and documents of older releases. A store's notes are the working
copy, so that a search needs no journal; a rebuild starts from the journal's copy.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from gieok.flow.distil import deliver
from gieok.model.memory import Entry, Scope, Tier
from gieok.ports.journal import Durable, FullJournal, KeptValues, MadeDocuments
from gieok.ports.store import DERIVED, Adoptable, Documents, Notes, Store

_NOTES = "notes:"
#: Note of documents that a person forgot although a file still holds them: key → content hash, as
#: JSON.
FORGOTTEN_NOTE = "forgotten"
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class DurableNotes:
    """Notes of a store, each written to the journal first."""

    journal: KeptValues
    store: Store

    def notes(self, scope: Scope) -> dict[str, str]:
        """Return the notes of a scope by name."""
        return self.store.notes(scope)

    def update_note(self, scope: Scope, name: str, change: Callable[[str], str]) -> None:
        """Set one note in journal and store.

        A value that the store has lost is taken from the journal.
        """
        realm = _NOTES + scope.path

        def kept(raw: str) -> str:
            value = change(raw or self.journal.kept(realm).get(name, ""))
            self.journal.keep(realm, {name: value})
            return value

        self.store.update_note(scope, name, kept)

    def write_note(self, scope: Scope, name: str, value: str) -> None:
        """Set one note in journal and store."""
        self.update_note(scope, name, lambda _: value)


def noted_scopes(journal: KeptValues) -> list[Scope]:
    """Return the scopes that have notes in the journal."""
    return [Scope(realm.removeprefix(_NOTES)) for realm in journal.realms(_NOTES)]


def kept_notes(journal: KeptValues, scope: Scope) -> dict[str, str]:
    """Return the notes of a scope in the journal."""
    return journal.kept(_NOTES + scope.path)


def forgotten(notes: Notes, scope: Scope) -> dict[str, str]:
    """Return key → content hash of documents that a person forgot although a file holds them."""
    hashes: dict[str, str] = json.loads(notes.notes(scope).get(FORGOTTEN_NOTE, "") or "{}")
    return hashes


def add_forgotten(notes: Notes, scope: Scope, more: Mapping[str, str]) -> None:
    """Record documents as forgotten for as long as their content has the given hash.

    `more` maps keys to content hashes.
    """
    notes.update_note(
        scope, FORGOTTEN_NOTE, lambda raw: json.dumps(json.loads(raw or "{}") | dict(more))
    )


def adopt_store(
    journal: FullJournal, store: Adoptable, is_made: Callable[[str], bool], derived: Collection[str]
) -> None:
    """Reconcile store and journal: documents by key, and all notes but `derived` ones.

    The journal lacks data that older releases kept only in the store; a new store lacks the data of
    a lost one. Safe to kill.
    """
    deliver(journal, store)
    for scope in store.scopes():
        adopt_scope(journal, store, scope, sorted(filter(is_made, store.hashes(scope))))
        for name, value in store.notes(scope).items():
            if name not in derived and not name.startswith(DERIVED):
                _keep_unless_kept(journal, scope, name, value)
    for scope in {*noted_scopes(journal), *journal.made_scopes()}:
        restore_scope(journal, store, scope)
    store.set_adopted()


def adopt_scope(
    journal: MadeDocuments, store: Documents, scope: Scope, keys: Sequence[str]
) -> None:
    """Copy documents of a store to the journal."""
    for start in range(0, len(keys), _AT_ONCE):
        journal.adopt(store.entries(scope, keys[start : start + _AT_ONCE]))


def restore_scope(journal: Durable, store: Store, scope: Scope) -> None:
    """Write a scope's notes to a store, and the documents that it lacks or holds differently.

    A document differs where its content does.
    """
    there = store.notes(scope)
    for name, value in kept_notes(journal, scope).items():
        if there.get(name) != value:
            _restore_note(journal, store, scope, name)
    known = store.hashes(scope)
    fresh = [
        entry
        for entry in journal.made(scope)
        if known.get(entry.document.key) != entry.document.content_hash
    ]
    for start in range(0, len(fresh), _AT_ONCE):
        store.put(fresh[start : start + _AT_ONCE])


def _keep_unless_kept(journal: KeptValues, scope: Scope, name: str, value: str) -> None:
    """Write a note to the journal where the journal has none.

    Another process may write the note at the same moment.
    """
    journal.update_kept(_NOTES + scope.path, name, lambda kept: kept or value)


def _restore_note(journal: KeptValues, store: Notes, scope: Scope, name: str) -> None:
    """Write a note of the journal to a store.

    The note is read under the store's lock, which `DurableNotes` holds while it writes both.
    """
    store.update_note(scope, name, lambda raw: kept_notes(journal, scope).get(name, raw))


def retier(journal: Durable, store: Store) -> int:
    """Tell a store the tiers of memories; return how many differed.

    The documents themselves are equal, so that no hash shows the difference.
    """
    count = 0
    for scope in journal.made_scopes():
        tiers = {row.key: row.place.tier for row in journal.archived(scope)}
        keys = [*tiers, *(entry.document.key for entry in journal.made(scope))]
        for start in range(0, len(keys), _AT_ONCE):
            held = store.entries(scope, keys[start : start + _AT_ONCE])
            there = ((stored, tiers.get(stored.document.key, Tier.HOT)) for stored in held)
            wrong = [
                Entry(replace(stored.document, tier=tier), stored.passages)
                for stored, tier in there
                if stored.document.tier != tier
            ]
            store.put(wrong)
            count += len(wrong)
    return count
