"""Work on stored documents: fill in vectors, switch the embedding model, copy stores."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from gieok.model.memory import LineId, PassageId, Scope
from gieok.ports.models import Embedder, Followed
from gieok.ports.store import DERIVED, LineSearch, ModelSwitch, Store, VectorCopy, VectorSearch

Progress = Callable[[int], None]
#: Makes the texts that are embedded out of passages, each with its text.
TextForm = Callable[[Sequence[tuple[PassageId, str]]], list[str]]

#: Passages embedded between two writes: a kill loses a few seconds of work.
_BATCH = 64
#: How many times a switch looks for passages that were written while it ran.
_PASSES = 5
#: Passages read per page when looking for those to embed first.
_PAGE = 1_000
#: Documents or vectors copied between two writes.
_COPIED_DOCUMENTS = 500
_COPIED_VECTORS = 2_000


def read_texts(passages: Sequence[tuple[PassageId, str]]) -> list[str]:
    """Return the texts of passages as they are."""
    return [text for _, text in passages]


class _VectorStore(Store, VectorSearch, Protocol):
    """Store that also searches by vectors."""


def fill_vectors(
    store: VectorSearch,
    embedder: Embedder,
    progress: Progress = lambda done: None,
    *,
    batches: int = 0,
    is_first: Callable[[str], bool] | None = None,
    is_wanted: Callable[[str], bool] | None = None,
    form: TextForm = read_texts,
) -> int:
    """Embed passages that have no vector, newest first; return how many.

    All passages are embedded, or `batches` batches, or the passages whose text `is_wanted`. The
    texts that are embedded are the result of `form`. Passages whose text `is_first` go first when
    all are embedded. An embedder that follows the store uses the model that the store has now.
    Raises EmbedderFailed, ShapeMismatch.
    """
    embedder = for_store(embedder, store)
    store.use_model(embedder.model, embedder.dimension)
    done = 0
    chosen = is_wanted or is_first
    if chosen and not batches and isinstance(store, ModelSwitch):
        for waiting in _iter_first_passages(store, embedder, chosen, with_late=is_wanted is None):
            store.put_vectors(embedder.model, _embed_waiting_passages(embedder, waiting, form))
            done += len(waiting)
            progress(done)
        if is_wanted:
            return done
    left = batches or -1
    while left and (waiting := store.missing(_BATCH)):
        store.put_vectors(embedder.model, _embed_waiting_passages(embedder, waiting, form))
        done += len(waiting)
        left -= 1
        progress(done)
    return done


def fill_lines(
    store: VectorSearch,
    embedder: Embedder,
    progress: Progress = lambda done: None,
    *,
    batches: int = 0,
) -> int:
    """Embed lines that have no vector, newest first: all, or `batches` batches; return how many.

    Called after `fill_vectors`: lines cost more than passages, and no passage is to wait for lines.
    Does nothing for a store that keeps no lines. Raises EmbedderFailed, ShapeMismatch.
    """
    if not isinstance(store, LineSearch):
        return 0
    embedder = for_store(embedder, store)
    store.use_model(embedder.model, embedder.dimension)
    done, left = 0, batches or -1
    while left and (waiting := store.missing_lines(_BATCH)):
        vectors = embedder.embed_passages([text for _, text in waiting])
        store.put_lines(
            embedder.model,
            {line: vector for (line, _), vector in zip(waiting, vectors, strict=True)},
        )
        done += len(waiting)
        left -= 1
        progress(done)
    return done


def _iter_first_passages(
    store: ModelSwitch, embedder: Embedder, is_first: Callable[[str], bool], *, with_late: bool
) -> Iterator[list[tuple[PassageId, str]]]:
    """Yield batches of the passages that `is_first` selects, newest first.

    With `with_late`, batches of passages stored since the start, selected or not, are yielded in
    between.
    """
    before: PassageId | None = None
    newest: PassageId = 0
    while page := store.missing_for(embedder.model, embedder.dimension, before, _PAGE):
        newest = newest or page[0][0]
        chosen = [(passage, text) for passage, text in page if is_first(text)]
        for start in range(0, len(chosen), _BATCH):
            yield chosen[start : start + _BATCH]
            if with_late and (
                late := [
                    (passage, text) for passage, text in store.missing(_BATCH) if passage > newest
                ]
            ):
                newest = late[0][0]
                yield late
        before = page[-1][0]


def fill_in_order(
    store: _VectorStore,
    embedder: Embedder,
    order: Sequence[PassageId],
    progress: Progress,
    *,
    form: TextForm,
) -> int:
    """Embed passages in the given order; return how many of them still existed.

    The texts that are embedded are the result of `form`. Raises EmbedderFailed, ShapeMismatch.
    """
    embedder = for_store(embedder, store)
    store.use_model(embedder.model, embedder.dimension)
    count = 0
    for start in range(0, len(order), _BATCH):
        waiting = [
            (passage.id, passage.text) for passage in store.passages(order[start : start + _BATCH])
        ]
        store.put_vectors(embedder.model, _embed_waiting_passages(embedder, waiting, form))
        count += len(waiting)
        progress(count)
    return count


def switch_model(
    store: ModelSwitch,
    embedder: Embedder,
    progress: Progress = lambda done: None,
    *,
    form: TextForm = read_texts,
) -> int:
    """Embed all passages with another model beside the old vectors, then swap; return how many.

    An embedder that follows the store supplies the model that the settings ask for. When the switch
    is killed at any moment, the old vectors go on answering, and the next run continues where this
    one stopped. Raises EmbedderFailed.
    """
    embedder = embedder.wanted() if isinstance(embedder, Followed) else embedder
    model, dimension = embedder.model, embedder.dimension
    done = 0
    # Once more for passages that others wrote meanwhile: after the swap they would wait without a
    # vector.
    for _ in range(_PASSES):
        embedded = 0
        for count in _prepare_vectors(store, embedder, form):
            embedded += count
            progress(done + embedded)
        done += embedded
        if not embedded:
            break
    store.switch_model(model, dimension)
    return done + fill_vectors(store, embedder, form=form)


def follow_release(
    store: VectorSearch, embedder: Embedder, progress: Progress = lambda done: None
) -> int:
    """Make the vectors anew where they are of an earlier release of the model; return how many.

    As `switch_model`: the old ones answer until all are made, and what is written meanwhile gets
    an old one too. Raises EmbedderFailed.
    """
    if not (isinstance(embedder, Followed) and isinstance(store, ModelSwitch)):
        return 0
    if not embedder.is_upgrade:
        return 0
    target, done = embedder.wanted(), 0
    for count in _prepare_vectors(store, target, read_texts):
        done += count
        progress(done)
        fill_vectors(store, embedder)
    return done + switch_model(store, target)


def _prepare_vectors(store: ModelSwitch, embedder: Embedder, form: TextForm) -> Iterator[int]:
    """Keep vectors of a model that is not active yet, newest first; yield how many, by batches."""
    before: PassageId | None = None
    while waiting := store.missing_for(embedder.model, embedder.dimension, before, _BATCH):
        store.keep_vectors(embedder.model, _embed_waiting_passages(embedder, waiting, form))
        yield len(waiting)
        before = waiting[-1][0]


def for_store(embedder: Embedder, store: object) -> Embedder:
    """Return the embedder of the model that a store's vectors have now.

    Only an embedder that follows stores can supply another model; any other embedder is returned
    itself.
    """
    return embedder.of(store) if isinstance(embedder, Followed) else embedder


def copy_scope(
    source: Store,
    target: Store,
    scope: Scope,
    *,
    force: bool = False,
    progress: Progress = lambda done: None,
) -> int:
    """Make a scope of `target` equal to that of `source`; return how many documents changed.

    A document changes when it is put or forgotten. Only documents with another content hash are
    put; all documents with `force`, or if a note of the scope differs, because notes say how
    documents were cut. Safe to kill and to repeat.
    """
    # Notes are read first: the note that says how far documents are derived must not be ahead of
    # the documents.
    notes, known = source.notes(scope), target.notes(scope)
    hashes, there = source.hashes(scope), target.hashes(scope)
    force = force or any(
        known.get(name, value) != value
        for name, value in notes.items()
        if not name.startswith(DERIVED)
    )
    changed = [
        key for key, content_hash in hashes.items() if force or there.get(key) != content_hash
    ]
    for start in range(0, len(changed), _COPIED_DOCUMENTS):
        batch = changed[start : start + _COPIED_DOCUMENTS]
        target.put(source.entries(scope, batch))
        progress(start + len(batch))
    gone = sorted(there.keys() - hashes.keys())
    if gone:
        target.forget(scope, gone)
    for name, value in notes.items():
        if known.get(name) != value:
            target.write_note(scope, name, value)
    return len(changed) + len(gone)


def copy_vectors(source: Store, target: Store, progress: Progress = lambda done: None) -> int:
    """Copy from `source` its model and the vectors of the passages of `target`; return how many."""
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
    _copy_lines(source, target, active[0])
    return copied


def _copy_lines(source: VectorCopy, target: ModelSwitch, model: str) -> None:
    before: LineId | None = None
    while isinstance(target, LineSearch) and (
        page := target.missing_lines(_COPIED_VECTORS, before)
    ):
        known = source.vectors_of(model, [text for _, text in page])
        target.put_lines(model, {line: known[text] for line, text in page if text in known})
        before = page[-1][0]


def find_store_differences(source: Store, target: Store) -> list[str]:
    """Return the differences of two stores over the scopes of the first.

    The faults of the second store itself are included. An empty list means a good copy.
    """
    differences = target.check()
    for scope in source.scopes():
        ours, theirs = source.stats(scope), target.stats(scope)
        if source.hashes(scope) != target.hashes(scope) or ours.passages != theirs.passages:
            differences.append(
                f"{scope}: {theirs.documents:,} documents of {ours.documents:,} are the same"
            )
        elif (
            isinstance(source, VectorCopy)
            and isinstance(target, VectorCopy)
            and theirs.vectors < ours.vectors
        ):
            differences.append(f"{scope}: {theirs.vectors:,} vectors of {ours.vectors:,}")
    return differences


def _embed_waiting_passages(
    embedder: Embedder, waiting: list[tuple[PassageId, str]], form: TextForm
) -> dict[PassageId, bytes]:
    vectors = embedder.embed_passages(form(waiting))
    return {passage: vector for (passage, _), vector in zip(waiting, vectors, strict=True)}
