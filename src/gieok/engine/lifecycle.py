"""What happens to documents after they are in the store: vectors are filled in, and replaced for another model."""

from collections.abc import Callable
from typing import Protocol

from gieok.model import PassageId
from gieok.ports import Embedder, ModelSwitch, VectorSearch

#: Passages embedded between two writes: a few seconds of work, which is what a killed process loses.
_BATCH = 64


class _Switchable(VectorSearch, ModelSwitch, Protocol):
    pass


def fill_vectors(
    store: VectorSearch, embedder: Embedder, progress: Callable[[int], None] = lambda done: None, *, batches: int = 0
) -> int:
    """Embed passages that have no vector, newest first: all, or some batches; return how many.

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


def switch_model(store: _Switchable, embedder: Embedder, progress: Callable[[int], None] = lambda done: None) -> int:
    """Embed everything with another model beside the old vectors, then swap; return how many passages were embedded."""
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


def _embed(embedder: Embedder, waiting: list[tuple[PassageId, str]]) -> dict[PassageId, bytes]:
    vectors = embedder.embed_passages([text for _, text in waiting])
    return {passage: vector for (passage, _), vector in zip(waiting, vectors, strict=True)}
