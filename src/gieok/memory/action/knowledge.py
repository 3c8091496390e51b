"""Brings what the hook says before edits in line with what is remembered."""

from collections.abc import Iterable
from pathlib import Path

from gieok import fs
from gieok.errors import StoreError
from gieok.flow.action_notes import drop_action_files
from gieok.memory.action.named import update_named_lines
from gieok.model.memory import Scope
from gieok.places.home import action_file
from gieok.places.scope import is_brought, is_served
from gieok.ports.store import Store


def update_action_notes(store: Store, home: Path, scopes: Iterable[Scope] | None = None) -> None:
    """Write the files of the given scopes, of all by default.

    Where a store or a file fails, the files of all scopes are removed: none names what may be
    forgotten. Raises OSError where they cannot be.
    """
    try:
        chosen = store.scopes() if scopes is None else scopes
        own = sorted(
            (one for one in chosen if not (is_brought(one.path) or is_served(one.path))), key=str
        )
        for scope in own:
            # A slower process would write what it read before a faster one wrote.
            with fs.lock_resource(home, action_file(str(home), str(scope))):
                update_named_lines(store, home, scope)
    except (StoreError, OSError):
        drop_action_files(str(home))
        return
    if scopes is None:
        drop_action_files(str(home), kept=[str(scope) for scope in own])
