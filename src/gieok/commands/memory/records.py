"""Places of the records of a call, and how the index follows these records."""

from pathlib import Path
from typing import NamedTuple

from gieok import fs, projects
from gieok.commands.memory import forgotten_marks
from gieok.commands.memory.relocation import follow_project
from gieok.commands.memory.replica import copy_beside
from gieok.commands.scope_names import name_scope
from gieok.errors import (
    BadRequest,
    EmbedderFailed,
    StoreBusy,
    StoreError,
    StoreReadOnly,
    StoreUnreachable,
)
from gieok.flow import lifecycle
from gieok.flow.durable import DurableNotes
from gieok.home.call import Call
from gieok.hook import records
from gieok.memory.files import roots, sync
from gieok.memory.files.seeds import SESSION_FOLDERS
from gieok.memory.talk import promotion
from gieok.model.memory import Scope
from gieok.places.checkout import common_folder, find_repository_top
from gieok.places.home import PROJECT_FOLDER, gate_rules_file, records_folder
from gieok.places.project import project_scope
from gieok.places.scope import USER_SCOPE, is_served
from gieok.places.workplace import find_workplace
from gieok.ports.store import ManagedStore, Store, VectorSearch
from gieok.settings import grants
from gieok.text.messages import Words

#: File in a folder of `records_folder`: the scope whose records are there.
_SCOPE_NAME = "scope"


class RecordShelf(NamedTuple):
    """`.gieok` folder, or a program's scope folder in the home, with the scope of its records."""

    base: Path
    scope: Scope

    @property
    def is_project(self) -> bool:
        """Return whether the shelf is a project's.

        Others may write to a project, so its records are recalled once they are trusted.
        """
        return self.base.name == PROJECT_FOLDER and self.scope != Scope(USER_SCOPE)

    def shown(self, file: Path) -> str:
        """Return a record's path relative to the project's folder."""
        return file.relative_to(self.base.parent).as_posix()

    def lock(self, home: Path) -> fs.exclusive:
        """Return the lock for reading and then writing the shelf's records and their trust."""
        return fs.lock_resource(home, self.base)


def find_record_shelf(call: Call, *, user: bool) -> RecordShelf:
    """Return the shelf of the named scope, of the project of the call, or the user's own.

    No folder but home is made. Raises BadRequest for a scope that can have no records, or whose
    folder nobody knows.
    """
    if call.is_scope_named and not user:
        return scope_shelf(call, call.scope)
    folder = "" if user else call.project or _new_project(call)
    if not folder:
        return RecordShelf(fs.make_private(call.home.folder), Scope(USER_SCOPE))
    # trust in the project's files moves along, before anything is judged
    projects.know(call.home.folder, folder)
    return project_shelf(folder)


def scope_shelf(call: Call, scope: Scope) -> RecordShelf:
    """Return the shelf of a scope.

    The shelf is the user's, that of a project whose folder is here, or one in the home for a
    program's own scope. Raises BadRequest for other scopes.
    """
    if scope == Scope(USER_SCOPE):
        return RecordShelf(fs.make_private(call.home.folder), scope)
    if scope.path.startswith("project:"):
        return _shelf_of_project(call, scope)
    if is_served(scope.path):
        raise BadRequest(
            "{scope} is what a character remembers",
            scope=name_scope(scope),
            hint=(
                "`gieok character` changes that; leave out --scope to remember it for the "
                "project, or for you (--user)"
            ),
        )
    base = Path(records_folder(str(call.home.folder), scope.path))
    if not (base / _SCOPE_NAME).exists():
        fs.make_private(base)
        fs.create_new_file(base / _SCOPE_NAME, f"{scope}\n")
    return RecordShelf(base, scope)


def _shelf_of_project(call: Call, scope: Scope) -> RecordShelf:
    for root in roots.load_roots(call.home.store, scope):
        if root.path.name == records.MEMORY and root.path.parent.name == PROJECT_FOLDER:
            return RecordShelf(root.path.parent, scope)
    for folder in (call.project, *call.home.journal.kept(SESSION_FOLDERS)):
        top = find_workplace(folder) if folder and Path(folder).is_dir() else ""
        if top and project_scope(top) == scope.path:
            return project_shelf(top)
    raise BadRequest(
        "{scope} has no folder for records that is known here",
        scope=name_scope(scope),
        hint="keep one there first: `gieok remember` in its folder",
    )


def shelf_at(call: Call, base: Path) -> RecordShelf:
    """Return the shelf in a folder that holds records."""
    if base == call.home.folder:
        return RecordShelf(base, Scope(USER_SCOPE))
    if base.name == PROJECT_FOLDER:
        return project_shelf(str(base.parent))
    return RecordShelf(base, Scope((base / _SCOPE_NAME).read_text(encoding="utf-8").strip()))


def project_shelf(root: str) -> RecordShelf:
    """Return the shelf of the project in a folder."""
    return RecordShelf(Path(root) / PROJECT_FOLDER, Scope(project_scope(root)))


def _new_project(call: Call) -> str:
    """Return where a project would begin: the repository's top, else the folder itself.

    '' for the user's folder, the root of the disk, and the home folder with all that lies in it.
    """
    top = Path(common_folder(find_repository_top(str(call.caller.folder))))
    here = top.resolve()
    is_none = here in (call.caller.user.resolve(), Path(top.anchor))
    return "" if is_none or here.is_relative_to(call.home.folder.resolve()) else str(top)


def follow_shelf(call: Call, kept: RecordShelf, *, embed: bool = True) -> None:
    """Bring the index in line with a shelf: purge expired records, index the rest.

    Raises StoreError.
    """
    store = call.home.store
    if kept.is_project:
        follow_project(call, str(kept.base.parent), store)
    # a slower process would index what it read before a faster process wrote
    with kept.lock(call.home.folder):
        if (
            not kept.is_project
            or grants.load_grant(call.home.folder, str(kept.base.parent)).entries
        ):
            # records that came with a project are not deleted either
            expired = records.list_expired(kept.base, call.clock.now())
            forgotten_marks.mark_removed(call, kept.scope, expired)
            for file in expired:
                file.unlink(missing_ok=True)
        is_there = _index_shelf_words(call, kept, store)
    if (kept.base / records.MEMORY / records.RULES).is_dir() or has_gate_rules(call):
        follow_gate_rules(call, store)
    call.home.follow_action_notes([kept.scope], store)
    if not is_there:
        return
    if embed:
        follow_meaning(call)
    copy_beside(call, kept.scope)


def has_gate_rules(call: Call) -> bool:
    """Return whether rules about actions were ever compiled in the home."""
    return Path(gate_rules_file(str(call.home.folder))).exists()


def follow_gate_rules(call: Call, store: Store) -> None:
    """Bring the rules about actions in line with what is remembered. Raises StoreError."""
    promotion.refresh_gate_rules(
        store, call.home.folder, call.home.journal, now=call.clock.now(), zone=call.zone
    )


def follow_meaning(call: Call, batches: int = 1) -> None:
    """Prepare vector search for so many batches of passages, newest first.

    If that fails, the words are indexed, and the vectors follow with the next index run.
    """
    try:
        _give_meaning(call, call.home.store, batches)
    except (EmbedderFailed, StoreError) as error:
        call.tell(error.in_full)


def rewrite_active_memory(call: Call, scope: Scope) -> None:
    """Rewrite the file of a scope's active memory, where there is such a file."""
    if call.home.sidecar.active_file(scope).exists():
        call.home.sidecar.write_active_memory(scope)


def follow_soon(call: Call, kept: RecordShelf) -> bool:
    """Bring the index in line; return False, and tell a person, if the store does not answer now.

    The record files are what counts. An index beside the store follows at once. Raises StoreError
    for a store that is broken.
    """
    try:
        follow_shelf(call, kept)
    except (StoreUnreachable, StoreBusy, StoreReadOnly) as error:
        later = Words("done; the index follows when the store answers again:")
        call.tell(f"{later.say(call.lang)} {error}")
        for beside in call.home.stores.all()[1:]:
            _index_shelf_words(call, kept, beside)
        return False
    return True


def _index_shelf_words(call: Call, kept: RecordShelf, store: Store) -> bool:
    """Index the words of a shelf; return False where nothing of the shelf is left."""
    folder = kept.base / records.MEMORY
    if not records.is_inside(kept.base, folder):
        raise BadRequest(
            "{folder!r} leads out of {base!r}",
            folder=folder,
            base=kept.base,
            hint="replace the link by a folder",
        )
    notes = DurableNotes(call.home.journal, store)
    if not folder.exists():
        _forget_missing_records(notes, kept.scope, folder)
        return False
    sync.sync_scope_roots(
        store, kept.scope, roots.add_roots(notes, kept.scope, [folder]), call.home.cut
    )
    return True


def _give_meaning(call: Call, store: Store, batches: int) -> None:
    """Prepare vector search: vectors here, or the copy at a service."""
    if isinstance(store, ManagedStore):
        store.push()
    elif isinstance(store, VectorSearch) and (embedder := call.home.open_embedder()) is not None:
        lifecycle.fill_vectors(store, embedder, batches=batches)
        lifecycle.fill_lines(store, embedder, batches=batches)


def _forget_missing_records(notes: DurableNotes, scope: Scope, folder: Path) -> None:
    """Forget the documents of records that are gone with their folder.

    The folder may be gone through another branch or a deletion by hand.
    """
    if roots.retire_roots(notes, scope, [folder]):
        sync.forget_retired(notes.store, scope)


def refresh_project_index(call: Call, project: str) -> None:
    """Bring the index in line with everything of a project, words only.

    This runs while a session starts.
    """
    shelf = project_shelf(project)
    follow_shelf(call, shelf, embed=False)
    known = [root for root in roots.load_roots(call.home.store, shelf.scope) if root.path.exists()]
    if known:
        sync.sync_scope_roots(call.home.store, shelf.scope, known, call.home.cut)
        copy_beside(call, shelf.scope)


def find_record_key(call: Call, kept: RecordShelf, file: Path) -> str | None:
    """Return the key of a record's document; None for a record that cannot be recalled.

    Success is reported only after reading back.
    """
    shelf_roots = roots.load_roots(call.home.store, kept.scope)
    keys = [root.key_of(file) for root in shelf_roots if root.path in file.parents]
    documents = call.home.store.get(kept.scope, keys)
    return documents[0].key if documents else None
