"""Brings what a home knows for the moment of an action in line with its journal and its store."""

from collections.abc import Iterable
from pathlib import Path

from gieok import fs
from gieok.flow.action_notes import (
    ActionKnowledge,
    load_action_knowledge,
    write_action_knowledge,
)
from gieok.memory.action import attempts, lessons, named
from gieok.model.memory import Scope
from gieok.places.home import action_file, action_folder
from gieok.places.project import find_project_name
from gieok.places.scope import is_brought, is_served
from gieok.ports.journal import FullJournal
from gieok.ports.store import Store
from gieok.text.attempts.forms import read_command_forms


def update_action_knowledge(
    store: Store, journal: FullJournal, home: Path, scopes: Iterable[Scope] | None = None
) -> None:
    """Write the files of the given scopes, of all by default.

    A kill at any moment leaves them as they were, or behind: the next run goes on. Raises
    StoreError, OSError.
    """
    every = {*store.scopes(), *journal.scopes()} if scopes is None else {*scopes}
    for scope in sorted(every, key=str):
        if is_brought(scope.path) or is_served(scope.path):
            continue
        # A slower process would write what it read before a faster one wrote.
        with fs.lock_resource(home, action_file(str(home), str(scope))):
            _update_scope(store, journal, home, scope)
    if scopes is None:
        drop_action_knowledge(home, kept=every)


def _update_scope(store: Store, journal: FullJournal, home: Path, scope: Scope) -> None:
    kept = attempts.read_attempts(journal, home, scope)
    before = load_action_knowledge(str(home), str(scope))
    forms, mends = before.forms, before.mends
    programs: frozenset[str] | None = None
    if kept.is_changed:
        forms, mends = lessons.list_lessons(kept.attempts, find_project_name(str(scope)))
        programs = frozenset(
            form.program for one in kept.attempts for form in read_command_forms(one.command)
        )
    lines = named.list_named_lines(store, home, scope, programs)
    now = ActionKnowledge(forms, mends, lines)
    if now.build_row() != before.build_row():
        write_action_knowledge(str(home), str(scope), now)
    if kept.is_changed:  # behind what was made of them, so that a kill loses nothing
        attempts.write_attempts(home, scope, journal.identity(), kept)


def drop_action_knowledge(home: Path, kept: Iterable[Scope] = ()) -> None:
    """Remove the files of all scopes but those kept: a scope may be gone, or have another name."""
    folder = Path(action_folder(str(home)))
    names = {Path(action_file(str(home), str(scope))).stem for scope in kept}
    for file in folder.iterdir() if folder.is_dir() else ():
        if file.stem not in names:
            file.unlink(missing_ok=True)
    if not names and folder.is_dir():
        folder.rmdir()
