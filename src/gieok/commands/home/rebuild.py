"""`gieok rebuild`: rebuild the index from files, journal and projects.

The index is derived: Gieok's own memories are in the journal, everything else in files. A sound
index stays in use until the new one replaces it in one step; a damaged one is set aside first, and
its readable vectors are reused, which saves embedding.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Annotated, TypeVar

from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden, OrNull, Reason
from gieok.commands.memory.replica import copy_beside
from gieok.commands.scope_names import name_scope
from gieok.errors import EmbedderFailed, StoreCorrupt, StoreError
from gieok.flow import distil, durable, lifecycle
from gieok.flow.ingest import Failed
from gieok.home.call import Call
from gieok.memory import observation
from gieok.memory.files import roots, sync
from gieok.memory.talk import turns
from gieok.memory.tiers import sweep
from gieok.model.memory import Entry, Scope
from gieok.places.scope import is_served
from gieok.ports.store import DERIVED, Renewable, Store, VectorSearch
from gieok.text.messages import Words
from gieok.text.turns import is_users

_T = TypeVar("_T")
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class RebuildResult:
    """Counts of the new index, and of the entries that the journal restored.

    `set_aside` is the folder of the damaged index, if any.
    """

    scopes: int
    documents: int
    from_journal: int
    vectors_kept: int
    embedded: int
    waiting: int
    set_aside: OrNull[str]
    failed: tuple[Reason, ...]
    note: OrNull[str] = ""
    found: Hidden[bool] = True


def render_rebuilt_index(result: RebuildResult, style: Style) -> str:
    """Show the counts of the new index, and the place of a damaged one."""
    lines = [
        style.say(
            "rebuilt: {documents:,} documents in {count} scope, {from_journal:,} of them from the "
            "journal; {vectors_kept:,} vectors kept, {embedded:,} made",
            plural=(
                "rebuilt: {documents:,} documents in {count} scopes, {from_journal:,} of them from "
                "the journal; {vectors_kept:,} vectors kept, {embedded:,} made"
            ),
            documents=result.documents,
            count=result.scopes,
            from_journal=result.from_journal,
            vectors_kept=result.vectors_kept,
            embedded=result.embedded,
        )
    ]
    if result.set_aside:
        lines.append(style.say("  the damaged index is in {set_aside}", set_aside=result.set_aside))
    if result.waiting:
        lines.append(style.say("  {waiting:,} passages wait for vectors", waiting=result.waiting))
    if result.note:
        lines.append(f"  {style.told(result.note)}")
    return "\n".join(
        lines
        + [
            f"  ✗ {printable(failure.path)}: {printable(style.told(failure.reason))}"
            for failure in result.failed
        ]
    )


@command(
    "rebuild",
    Words("Rebuild the index from your files and the journal; a damaged one is kept aside"),
    present=render_rebuilt_index,
    when_stopped=Words("the index is as it was; `gieok rebuild` begins anew"),
    examples=("gieok rebuild",),
    effect=Effect.WRITE,
)
def rebuild_index(
    call: Call,
    *,
    no_wait: Annotated[
        bool, Parameter(Words("do not wait for vectors; keyword search works at once"))
    ] = False,
) -> RebuildResult:
    """Rebuild the index; one process at a time."""
    journal = call.home.journal
    with journal.exclusive("rebuild"):
        aside, salvaged = _set_unsound_store_aside(call)
        store = call.home.store
        distil.deliver(journal, store)
        old = _Old(salvaged or store) if salvaged or not aside else None
        renewing = (
            store.renewed() if not aside and isinstance(store, Renewable) else nullcontext(store)
        )
        with renewing as target:
            turns.restart(call.home.journal, target)
            _derive_turn_documents(call, target)
            archived = _fill_archived(call, target, old)
            _fill_rebuilt_store(call, target, old, force=target is store)
            saved = old.vectors_into(target, call.progress("vectors kept")) if old else 0
        # Entries that other processes wrote meanwhile.
        _derive_turn_documents(call, store)
        failed = [
            one
            for scope in _list_rebuilt_scopes(call, None)
            for one in _bring_scope_in_line(call, store, scope)
        ]
        embedded, note = (0, "") if no_wait else _embed_rebuilt_store(call, store)
        store.compact()
        for scope in (one for one in journal.made_scopes() if not is_served(one.path)):
            call.home.sidecar.write_active_memory(scope)
        for scope in store.scopes():
            copy_beside(call, scope, force=True)
        stats = store.stats()
        has_vectors = isinstance(store, VectorSearch) and call.home.embedder_name != "none"
        memory_count = sum(len(journal.made(scope)) for scope in journal.made_scopes())
        memory_count += sum(one.memories for one in journal.places())
        return RebuildResult(
            scopes=len(store.scopes()),
            documents=stats.documents,
            from_journal=memory_count,
            vectors_kept=saved,
            embedded=embedded,
            waiting=stats.waiting if has_vectors else 0,
            set_aside=aside,
            failed=(*(Reason(one.key, one.reason) for one in failed), *archived),
            note=note,
        )


def _set_unsound_store_aside(call: Call) -> tuple[str, Store | None]:
    """Set an unsound store aside; return its quarantine folder, and the store there if it opens.

    Returns '' and None for a sound store.
    """
    try:
        wrong = call.home.store.check()
    except StoreCorrupt as error:
        wrong = [str(error)]
    if not wrong:
        return "", None
    what = "; ".join(wrong[:3])
    call.tell(call.words("the index is damaged: {what}", what=what))
    aside, salvaged = call.home.stores.set_aside()
    return str(aside), salvaged


class _Old:
    """Old store; of a damaged one, the part that can be read."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def scopes(self) -> list[Scope]:
        """Return the scopes of the old store."""
        return self._read(self._store.scopes, [])

    def notes(self, scope: Scope) -> dict[str, str]:
        """Return the notes of a scope."""
        return self._read(partial(self._store.notes, scope), {})

    def keys(self, scope: Scope) -> list[str]:
        """Return the keys of a scope."""
        return sorted(self._read(partial(self._store.hashes, scope), dict[str, str]()))

    def entries(self, scope: Scope, keys: Sequence[str]) -> list[Entry]:
        """Return the entries with these keys; entries on an unreadable page are skipped."""
        entries = self._read(partial(self._store.entries, scope, keys), None)
        if entries is not None or len(keys) == 1:
            return entries or []
        return [entry for key in keys for entry in self.entries(scope, [key])]

    def vectors_into(self, target: Store, progress: lifecycle.Progress) -> int:
        """Copy the readable vectors to `target`."""
        return self._read(partial(lifecycle.copy_vectors, self._store, target, progress), 0)

    def _read(self, read: Callable[[], _T], otherwise: _T) -> _T:
        try:
            return read()
        # a damaged page may decode to anything
        except (StoreError, ValueError, KeyError, TypeError):
            return otherwise


def _list_rebuilt_scopes(call: Call, old: _Old | None) -> list[Scope]:
    journal = call.home.journal
    return sorted(
        {*durable.noted_scopes(journal), *journal.made_scopes(), *(old.scopes() if old else ())}
    )


def _fill_rebuilt_store(call: Call, target: Store, old: _Old | None, *, force: bool) -> None:
    """Fill a new store from files and the journal, and the rest from `old`.

    The rest are entries that are in neither files nor the journal now.
    """
    for scope in _list_rebuilt_scopes(call, old):
        for name, value in (
            (old.notes(scope) if old else {}) | durable.kept_notes(call.home.journal, scope)
        ).items():
            if not name.startswith(DERIVED):
                target.write_note(scope, name, value)
        had = old.keys(scope) if old else []
        if old:
            unknown = [key for key in had if key.startswith(observation.PREFIX)]
            call.home.journal.adopt(old.entries(scope, unknown))
        failed = _bring_scope_in_line(call, target, scope, force=force)
        missing = _list_missing_but_kept(
            target, scope, had, [failure.key for failure in failed if failure.keeps]
        )
        for start in range(0, len(missing), _AT_ONCE):
            old_entries = old.entries(scope, missing[start : start + _AT_ONCE]) if old else []
            journal = call.home.journal
            target.put(
                [entry for entry in old_entries if turns.is_underived(journal, entry.document)]
            )


def _fill_archived(call: Call, target: Store, old: _Old | None) -> list[Reason]:
    """Put archived memories into a new store, read from their files; return the unreadable files.

    A memory that no file holds any more is taken from `old`.
    """
    wrong: list[Reason] = []
    stored = old.entries if old else target.entries
    for entries, problems in sweep.iter_filed_entries(call.home.tiers, stored):
        for start in range(0, len(entries), _AT_ONCE):
            target.put(entries[start : start + _AT_ONCE])
        wrong += [Reason("archive", line) for line in problems]
    return wrong


def _derive_turn_documents(call: Call, target: Store) -> None:
    """Derive the documents of turns."""
    if call.home.settings.flag("index.sessions"):
        turns.update_all(
            call.home.journal,
            target,
            zone=call.zone,
            progress=call.progress("blocks of turns"),
        )


def _bring_scope_in_line(
    call: Call, target: Store, scope: Scope, *, force: bool = False
) -> list[Failed]:
    """Bring a scope in line with its files and the journal; return the files that failed."""
    journal = call.home.journal
    durable.restore_scope(journal, target, scope)
    made_keys = {entry.document.key for entry in journal.made(scope)} | {
        row.key for row in journal.archived(scope)
    }
    gone = [
        key
        for key in target.hashes(scope)
        if key.startswith(observation.PREFIX) and key not in made_keys
    ]
    target.forget(scope, gone)  # forgotten, or reflected away, while this was under way
    index_roots = roots.load_roots(target, scope)
    failed: list[Failed] = []
    if any(root.path.exists() for root in index_roots):
        progress = call.progress(call.words("{scope}: indexed", scope=name_scope(scope)))
        failed += sync.sync_scope_roots(
            target, scope, index_roots, call.home.cut, force=force, progress=progress
        ).failed
    return failed


def _list_missing_but_kept(
    target: Store, scope: Scope, had: Sequence[str], unread: Sequence[str]
) -> list[str]:
    """Return keys that `target` lacks although their documents are not gone.

    Their folder or file cannot be read now, or their origin is unknown.
    """
    known, forgotten = target.hashes(scope), durable.forgotten(target, scope)
    there = [root for root in roots.load_roots(target, scope) if root.path.exists()]
    below = tuple(f"{key}/" for key in unread)

    def is_gone(key: str) -> bool:
        if key in unread or key.startswith(below):
            return False
        return key in forgotten or any(root.owns(key) for root in there)

    return [key for key in had if key not in known and not is_gone(key)]


def _embed_rebuilt_store(call: Call, store: Store) -> tuple[int, str]:
    """Make the missing vectors; return their number, and the error."""
    try:
        embedder = call.home.open_embedder() if isinstance(store, VectorSearch) else None
        if embedder is None or not isinstance(store, VectorSearch):
            return 0, ""
        embedded_count = lifecycle.fill_vectors(
            store, embedder, call.progress("embedded"), is_first=is_users
        )
        lifecycle.fill_lines(store, embedder)
        call.home.settle_statements(store=store)
    except EmbedderFailed as error:
        return 0, error.in_full
    return embedded_count, ""
