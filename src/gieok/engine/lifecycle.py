"""After documents are stored: fill in vectors, switch the embedding model, copy stores."""

from collections.abc import Callable

from gieok.model.memory import PassageId, Scope
from gieok.ports.models import Embedder
from gieok.ports.store import ModelSwitch, Store, VectorCopy, VectorSearch

Progress = Callable[[int], None]

#: Passages embedded between two writes: a kill loses a few seconds of work.
_BATCH = 64
#: Documents, and vectors, copied between two writes.
_COPIED_DOCUMENTS = 500
_COPIED_VECTORS = 2_000


def fill_vectors(
    store: VectorSearch, embedder: Embedder, progress: Progress = lambda done: None, *, batches: int = 0
) -> int:
    """Embed passages without a vector, newest first: all, or some batches; return how many.

    Raises EmbedderFailed, ShapeMismatch.
    """
    store.use_model(embedder.model, embedder.dimension)
    done = 0
    left = batches or -1
    while left and (waiting := store.missing(_BATCH)):
        store.put_vectors(embedder.model, _embed(embedder, waiting))
        done += len(waiting)
        left -= 1
        progress(done)
    return done


def switch_model(store: ModelSwitch, embedder: Embedder, progress: Progress = lambda done: None) -> int:
    """Embed everything with another model next to the old vectors, then swap; return how many passages."""
    model, dimension = embedder.model, embedder.dimension
    done = 0
    before: PassageId | None = None
    while waiting := store.missing_for(model, dimension, before, _BATCH):
        store.keep_vectors(model, _embed(embedder, waiting))
        done += len(waiting)
        progress(done)
        before = waiting[-1][0]
    store.switch_model(model, dimension)
    return done + fill_vectors(store, embedder)


def copy_scope(
    source: Store,
    target: Store,
    scope: Scope,
    *,
    force: bool = False,
    progress: Progress = lambda done: None,
) -> int:
    """Make a scope of `target` equal to that of `source`; return how many documents were put or forgotten.

    Only documents with another content hash are put; all with `force`, or if a note differs, because notes tell how documents
    were cut. Safe to kill and to repeat.
    """
    wanted, there = source.hashes(scope), target.hashes(scope)
    notes, known = source.notes(scope), target.notes(scope)
    force = force or any(known.get(name, value) != value for name, value in notes.items())
    changed = [key for key, content_hash in wanted.items() if force or there.get(key) != content_hash]
    for start in range(0, len(changed), _COPIED_DOCUMENTS):
        batch = changed[start : start + _COPIED_DOCUMENTS]
        target.put(source.entries(scope, batch))
        progress(start + len(batch))
    gone = sorted(there.keys() - wanted.keys())
    if gone:
        target.forget(scope, gone)
    for name, value in notes.items():
        if known.get(name) != value:
            target.write_note(scope, name, value)
    return len(changed) + len(gone)


def copy_vectors(source: Store, target: Store, progress: Progress = lambda done: None) -> int:
    """Copy the vectors of `source` for the passages of `target`, and its model; return how many."""
    if not isinstance(source, VectorCopy) or not isinstance(target, ModelSwitch):
        return 0
    active = source.active_model()
    if active is None:
        return 0
    has_model = isinstance(target, VectorCopy) and target.active_model() == active
    keep = target.put_vectors if has_model else target.keep_vectors
    copied = 0
    before: PassageId | None = None
    while page := target.missing_for(*active, before, _COPIED_VECTORS):
        known = source.vectors_of(active[0], [text for _, text in page])
        keep(active[0], {passage: known[text] for passage, text in page if text in known})
        copied += len(known)
        progress(copied)
        before = page[-1][0]
    if not has_model:
        target.switch_model(*active)
    return copied


def differences(source: Store, target: Store) -> list[str]:
    """Return the differences of two stores over the scopes of the first, and the second's own faults; empty: a good copy."""
    found = target.check()
    for scope in source.scopes():
        ours, theirs = source.stats(scope), target.stats(scope)
        if source.hashes(scope) != target.hashes(scope) or ours.passages != theirs.passages:
            found.append(f"{scope}: {theirs.documents:,} documents of {ours.documents:,} are the same")
        elif isinstance(source, VectorCopy) and isinstance(target, VectorCopy) and theirs.vectors < ours.vectors:
            found.append(f"{scope}: {theirs.vectors:,} vectors of {ours.vectors:,}")
    return found


def _embed(embedder: Embedder, waiting: list[tuple[PassageId, str]]) -> dict[PassageId, bytes]:
    vectors = embedder.embed_passages([text for _, text in waiting])
    return {passage: vector for (passage, _), vector in zip(waiting, vectors, strict=True)}
