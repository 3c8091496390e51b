"""Syncs a scope with its roots: everything, or only the changed paths of a watcher."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from gieok.errors import BadRequest
from gieok.flow.durable import forgotten
from gieok.flow.ingest import Failed, Report, SourceItem, gone, ingest
from gieok.memory.files import freshness, roots, seeds
from gieok.memory.files.cut import Cut
from gieok.memory.files.read import (
    KIND,
    copies_of,
    cut_note_passages,
    described_again,
    read_file,
    read_root,
    shape,
    why_copy,
)
from gieok.memory.files.roots import Root, file_key, is_memory_file
from gieok.model.memory import Entry, Scope
from gieok.ports.store import Store

Progress = Callable[[int], None]

#: Name of the note that stores the passage sizes of a scope.
SHAPE_NOTE = "files.cut"
#: Above this many events (a `git checkout`), comparing everything is cheaper than looking at each
#: path.
_MANY_CHANGES = 200
_CUT_AT_ONCE = 200


def sync_scope_roots(
    store: Store,
    scope: Scope,
    wanted: Iterable[Root],
    cut: Cut,
    *,
    force: bool = False,
    progress: Progress = lambda done: None,
) -> Report:
    """Compare every file of the roots with the store and put the differences.

    Raises BadRequest, StoreError.
    """
    wanted = list(wanted)
    known = store.hashes(scope)
    away = [root for root in wanted if roots.is_away(root, known)]
    if len(away) == len(wanted) and not any(root.path.exists() for root in wanted):
        raise BadRequest(
            "the indexed folder {path!r} does not exist",
            path=wanted[0].path,
            hint=(
                "nothing was removed; bring it back, or `gieok index --remove FOLDER` to forget it"
            ),
        )
    recut(store, scope, cut, progress)
    skipped = forgotten(store, scope)
    report = Report()
    marks = freshness.read_marks(store.notes(scope).get(freshness.NOTE, ""))
    for root in wanted:
        before = report.seen
        # The status is taken before the file is read: a change made meanwhile is newer than the
        # mark.
        if (changes := freshness.find_folder_changes(root, 0, ())) is not None:
            marks[root.name] = changes.newest_ns
        if root in away:
            report.failed.append(_keep_away(root))
            continue
        items = read_root(scope, root, cut)
        root_report = ingest(
            store,
            scope,
            items,
            owns=root.owns,
            force=force,
            forgotten=skipped,
            progress=lambda n: progress(before + n),  # noqa: B023
        )
        report.merge(root_report)
    forget_retired(store, scope)
    store.write_note(scope, SHAPE_NOTE, shape(cut))
    store.write_note(scope, freshness.NOTE, freshness.write_marks(marks))
    return report


def _keep_away(root: Root) -> Failed:
    """Return why a root was not compared, and what to do if it is gone for good."""
    path = str(root.path)
    why = (
        (
            f"the folder {path!r} is empty; its memory is kept. Gone for good: `gieok index "
            "--remove FOLDER`"
        )
        if root.path.exists()
        else (
            f"the folder {path!r} does not exist; its memory is kept. Gone for good: `gieok index "
            "--remove FOLDER`"
        )
    )
    return Failed(root.name, why)


def forget_retired(store: Store, scope: Scope) -> list[str]:
    """Forget the documents of retired roots; return their keys."""
    retired = roots.list_retired_roots(store, scope)
    if not retired:
        return []
    keys = sorted(key for key in store.hashes(scope) if any(root.owns(key) for root in retired))
    store.forget(scope, keys)
    roots.drop_retired(store, scope)
    return keys


def sync_changed(
    store: Store, scope: Scope, wanted: Sequence[Root], cut: Cut, changed: set[Path]
) -> Report:
    """Sync the changed paths of a watcher.

    An empty set, folders and bulk changes compare everything.
    """
    report, skipped = Report(), forgotten(store, scope)
    for root in wanted:
        touched = {
            path
            for path in changed
            if path == root.path or (root.path in path.parents and root.takes(path))
        }
        known = store.hashes(scope)
        is_compared = (
            not changed or len(touched) > _MANY_CHANGES or _is_coarse(root, touched, known)
        )
        if not root.path.exists() or (is_compared and roots.is_away(root, known)):
            continue  # unmounted or being replaced: nothing is removed, the next scan compares it
        if is_compared:
            report.merge(
                ingest(store, scope, read_root(scope, root, cut), owns=root.owns, forgotten=skipped)
            )
        else:
            files = {
                path
                for path in touched
                if root.is_file or is_memory_file(path.relative_to(root.path))
            }
            files |= set() if root.is_file else set(copies_of(files))
            keys = {root.key_of(path) for path in files}
            there = sorted(
                path for path in files if path.exists() and (root.is_file or not why_copy(path))
            )
            items = [item for path in there for item in read_file(scope, root, path, cut)]
            report.merge(
                ingest(
                    store,
                    scope,
                    items,
                    owns=lambda key: file_key(key) in keys,  # noqa: B023
                    forgotten=skipped,
                )
            )
    return report


def _is_coarse(root: Root, touched: Iterable[Path], known: Iterable[str]) -> bool:
    """Say whether an event names a folder, existing or deleted, instead of a file."""
    return any(
        path.is_dir() or (not path.exists() and _held_folder(root.key_of(path), known))
        for path in touched
    )


def _held_folder(key: str, known: Iterable[str]) -> bool:
    """Say whether documents are below a folder."""
    return any(one.startswith(f"{key}/") for one in known)


def recut(store: Store, scope: Scope, cut: Cut, progress: Progress = lambda done: None) -> int:
    """Cut stored documents again that an older release or other settings cut differently.

    Returns how many. Works on the stored texts, so that missing folders are included. Starts over
    after a kill.
    """
    if store.notes(scope).get(SHAPE_NOTE, shape(cut)) == shape(cut):
        return 0
    done = 0
    keys = sorted(store.hashes(scope))
    for start in range(0, len(keys), _CUT_AT_ONCE):
        documents = store.get(scope, keys[start : start + _CUT_AT_ONCE])
        notes = [
            described_again(stored) if stored.kind == KIND else stored
            for stored in documents
            if stored.kind in (KIND, seeds.COMMIT)
        ]
        cuts = [Entry(document, cut_note_passages(document, cut)) for document in notes]
        store.put(cuts)
        done += len(cuts)
        progress(done)
    store.write_note(scope, SHAPE_NOTE, shape(cut))
    return done


def count_stale(store: Store, scope: Scope, wanted: Iterable[Root], cut: Cut) -> int:
    """Return how many files differ from the store by content; nothing is written."""
    known, skipped = store.hashes(scope), frozenset(forgotten(store, scope).values())
    stale = set[str]()
    for root in wanted:
        if roots.is_away(root, known):
            continue
        on_disk, unread = dict[str, str](), list[str]()
        for item in read_root(scope, root, cut):
            if isinstance(item, SourceItem):
                on_disk[item.key] = item.content_hash
            elif item.keeps:
                unread.append(item.key)
        stale |= {
            file_key(key)
            for key, content_hash in on_disk.items()
            if known.get(key) != content_hash and content_hash not in skipped
        }
        stale |= set(map(file_key, gone(known, {*on_disk, *unread}, unread, root.owns)))
    return len(stale)
