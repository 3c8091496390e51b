"""Keeps in the journal what a store holds and no file can give again: notes about a scope, and what older releases left.

A store's notes are the working copy, so that a search needs no journal; the journal's are what a rebuild begins from.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gieok.engine.distil import deliver
from gieok.model.memory import Scope
from gieok.ports.journal import Durable, FullJournal, KeptValues, MadeDocuments
from gieok.ports.store import Adoptable, Documents, Notes, Store

_NOTES = "notes:"
#: The note that says which documents a person forgot although a file still holds them: key → content hash, as JSON.
FORGOTTEN_NOTE = "forgotten"
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class DurableNotes:
    """The notes of a store, each written to the journal first."""

    journal: KeptValues
    store: Store

    def notes(self, scope: Scope) -> dict[str, str]:
        """Return the notes of a scope by name."""
        return self.store.notes(scope)

    def update_note(self, scope: Scope, name: str, change: Callable[[str], str]) -> None:
        """Set one note in both; where the store has lost it, it begins from the journal's."""
        realm = _NOTES + scope.path

        def kept(raw: str) -> str:
            value = change(raw or self.journal.kept(realm).get(name, ""))
            self.journal.keep(realm, {name: value})
            return value

        self.store.update_note(scope, name, kept)


@dataclass(frozen=True, slots=True)
class JournalRealm:
    """`Realm` in a journal, which is opened when it is first needed."""

    journal: Callable[[], KeptValues]
    name: str

    def kept(self) -> dict[str, str]:
        """Return the values by name."""
        return self.journal().kept(self.name)

    def keep(self, values: Mapping[str, str], gone: Iterable[str] = ()) -> None:
        """Set values, and forget others, in one step."""
        self.journal().keep(self.name, values, gone)


def noted_scopes(journal: KeptValues) -> list[Scope]:
    """Return the scopes of which notes are kept."""
    return [Scope(realm.removeprefix(_NOTES)) for realm in journal.realms(_NOTES)]


def kept_notes(journal: KeptValues, scope: Scope) -> dict[str, str]:
    """Return the notes of a scope that are kept."""
    return journal.kept(_NOTES + scope.path)


def forgotten(notes: Notes, scope: Scope) -> dict[str, str]:
    """Return what a person forgot although a file holds it: key → content hash."""
    found: dict[str, str] = json.loads(notes.notes(scope).get(FORGOTTEN_NOTE, "") or "{}")
    return found


def add_forgotten(notes: Notes, scope: Scope, more: Mapping[str, str]) -> None:
    """Remember that documents are forgotten as long as their content is this."""
    notes.update_note(scope, FORGOTTEN_NOTE, lambda raw: json.dumps(json.loads(raw or "{}") | dict(more)))


def adopt(journal: FullJournal, store: Adoptable, is_made: Callable[[str], bool], derived: Collection[str]) -> None:
    """Let store and journal know the same: documents by key, and all but `derived` notes.

    A release that kept them in the store alone left what the journal lacks; a store that was lost, what a new one lacks. Killed
    at any moment, it is done again.
    """
    deliver(journal, store)
    for scope in store.scopes():
        adopt_scope(journal, store, scope, sorted(filter(is_made, store.hashes(scope))))
        found = {name: value for name, value in store.notes(scope).items() if name not in derived}
        if found:
            journal.keep(_NOTES + scope.path, found | kept_notes(journal, scope))
    for scope in {*noted_scopes(journal), *journal.made_scopes()}:
        restore(journal, store, scope)
    store.set_adopted()


def adopt_scope(journal: MadeDocuments, store: Documents, scope: Scope, keys: Sequence[str]) -> None:
    """Make documents durable that a store holds."""
    for start in range(0, len(keys), _AT_ONCE):
        journal.adopt(store.entries(scope, keys[start : start + _AT_ONCE]))


def restore(journal: Durable, store: Store, scope: Scope) -> None:
    """Give a store the notes of a scope, and the documents that it lacks or holds otherwise."""
    there = store.notes(scope)
    for name, value in kept_notes(journal, scope).items():
        if there.get(name) != value:
            store.write_note(scope, name, value)
    known = store.hashes(scope)
    fresh = [entry for entry in journal.made(scope) if known.get(entry.document.key) != entry.document.content_hash]
    for start in range(0, len(fresh), _AT_ONCE):
        store.put(fresh[start : start + _AT_ONCE])
