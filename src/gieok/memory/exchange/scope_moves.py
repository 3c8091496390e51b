"""Moves the memory of folders that have moved: scopes follow from folders.

Folders are elsewhere on another machine, too. A scope is exported and imported under its new name,
then the old scope is forgotten: safe to kill and to repeat, and memory that the new scope holds
already stays.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from gieok.flow.distil import deliver
from gieok.memory.exchange import json_lines
from gieok.memory.exchange.intake import TakenIn
from gieok.memory.exchange.json_lines import Carrying
from gieok.memory.talk import turns
from gieok.model.memory import Scope
from gieok.ports.journal import FullJournal, KeptValues
from gieok.ports.store import Store
from gieok.ports.system import Clock

#: Realm of the journal: old folder → new folder. Transcripts name the folder in which they were
#: written.
REALM = "moved"
_AT_ONCE = 500


class Repointing(NamedTuple):
    """Pair of folders `OLD` and `NEW`: a path below the one is now below the other."""

    old: str
    new: str

    def path(self, text: str) -> str:
        """Return where a path is now; any other text stays."""
        if text == self.old:
            return self.new
        for sign in ("/", "\\"):
            start = self.old.rstrip("/\\") + sign
            if text.startswith(start):
                return self.new.rstrip("/\\") + sign + text[len(start) :]
        return text

    def value(self, value: Any) -> Any:  # noqa: ANN401 - a value of JSON
        """Return a JSON value with every path in it replaced by its new place."""
        if isinstance(value, str):
            return self.path(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        return (
            {name: self.value(item) for name, item in value.items()}
            if isinstance(value, dict)
            else value
        )


def find_moved_folder(journal: KeptValues, folder: str) -> str:
    """Return where a folder is that a transcript names."""
    moves = sorted(journal.kept(REALM).items(), key=lambda pair: -len(pair[0]))
    return next(
        (now for old, new in moves if (now := Repointing(old, new).path(folder)) != folder), folder
    )


def repoint(
    journal: FullJournal,
    store: Store,
    clock: Clock,
    scopes: Mapping[Scope, Scope],
    places: Repointing,
    progress: Callable[[int], None] = lambda done: None,
) -> TakenIn:
    """Move scopes to other scopes, with every path in their memory; the old scopes are emptied.

    Raises StoreError.
    """
    done = TakenIn()
    for old, new in sorted(scopes.items()):
        carrying = Carrying(
            journal=journal,
            store=store,
            clock=clock,
            place=f"{places.old} → {places.new}",
            into=new,
            progress=progress,
            done=done,
        )
        carrying.take_rows(
            _repoint_source_fields(json_lines.iter_export_lines(journal, store, [old]), places)
        )
        _drop_moved_scope(journal, store, old)
    deliver(journal, store)
    turns.update_all(journal, store)
    return done


def _repoint_source_fields(
    rows: Iterable[dict[str, Any]], places: Repointing
) -> Iterable[dict[str, Any]]:
    for row in rows:
        yield {
            **row,
            **{name: places.value(row[name]) for name in ("from", "source") if name in row},
        }


def _drop_moved_scope(journal: FullJournal, store: Store, scope: Scope) -> None:
    """Delete everything of a scope that was moved."""
    journal.drop(scope)
    for realm in (name for name in journal.realms() if name.endswith(f":{scope.path}")):
        journal.keep(realm, {}, list(journal.kept(realm)))
    left = sorted(store.hashes(scope))
    for start in range(0, len(left), _AT_ONCE):
        store.forget(scope, left[start : start + _AT_ONCE])
    for name in store.notes(scope):
        store.write_note(scope, name, "")
