"""Vectors are filled in, and replaced for another model."""

from collections.abc import Sequence

import pytest

from gieok.errors import EmbedderFailed, ShapeMismatch
from gieok.flow.lifecycle import fill_vectors, switch_model
from gieok.model.memory import Scope
from gieok.model.retrieval import Filter, VectorQuery
from gieok.testing import HashEmbedder, MemoryStore
from gieok.testing.samples import build_entry, corpus

_SCOPE = Scope("agent:main")


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore()
    store.put(corpus(7, 80, _SCOPE))
    return store


def _complete(store: MemoryStore) -> bool:
    stats = store.stats()
    return stats.vectors == stats.passages > 100


def test_every_passage_gets_a_vector_newest_first(store: MemoryStore) -> None:
    embedder = HashEmbedder()
    newest = store.missing(1)[0][1]
    told: list[int] = []
    done = fill_vectors(store, embedder, told.append)
    assert _complete(store)
    assert embedder.embedded[0] == newest
    assert told == sorted(told)
    assert told[-1] == done <= store.stats().passages


def test_what_has_a_vector_is_not_embedded_again(store: MemoryStore) -> None:
    fill_vectors(store, HashEmbedder())
    embedder = HashEmbedder()
    assert fill_vectors(store, embedder) == 0
    assert embedder.embedded == []


def test_another_model_is_refused_and_nothing_is_lost(store: MemoryStore) -> None:
    fill_vectors(store, HashEmbedder(64))
    with pytest.raises(ShapeMismatch):
        fill_vectors(store, HashEmbedder(32))
    assert _complete(store)


class _Failing(HashEmbedder):
    """Fails from the third batch on."""

    def embed_passages(self, texts: Sequence[str]) -> list[bytes]:
        if len(self.embedded) >= 128:
            raise EmbedderFailed("out of memory")
        return super().embed_passages(texts)


def test_a_failure_keeps_what_was_embedded_and_the_next_run_goes_on(store: MemoryStore) -> None:
    with pytest.raises(EmbedderFailed):
        fill_vectors(store, _Failing())
    kept = store.stats().vectors
    assert 128 <= kept < store.stats().passages
    assert fill_vectors(store, HashEmbedder()) <= store.stats().passages - kept
    assert _complete(store)


def test_a_switch_replaces_every_vector(store: MemoryStore) -> None:
    fill_vectors(store, HashEmbedder(64))
    other = HashEmbedder(32)
    told: list[int] = []
    assert switch_model(store, other, told.append) > 0
    assert told == sorted(told)
    assert _complete(store)
    query = VectorQuery(vector=other.embed_query("결제 정산"))
    assert store.nearest(_SCOPE, query, Filter(), 5).ranked


def test_a_switch_that_fails_leaves_the_old_vectors_in_use(store: MemoryStore) -> None:
    old = HashEmbedder(64)
    fill_vectors(store, old)
    with pytest.raises(EmbedderFailed):
        switch_model(store, _Failing(32))
    store.use_model(old.model, old.dimension)
    assert _complete(store)


def test_a_switch_to_the_same_model_embeds_nothing(store: MemoryStore) -> None:
    fill_vectors(store, HashEmbedder())
    embedder = HashEmbedder()
    assert switch_model(store, embedder) == 0
    assert embedder.embedded == []


def test_what_comes_first_is_embedded_before_the_rest_and_what_is_stored_meanwhile_at_once() -> (
    None
):
    store, embedder = MemoryStore(), HashEmbedder()
    store.put([build_entry(f"{n:03}", f"{'first' if n % 2 else 'then'} {n}") for n in range(200)])

    def store_more(done: int) -> None:
        if done == 64:
            store.put([build_entry("late", "then at once")])

    assert (
        fill_vectors(store, embedder, store_more, is_first=lambda text: text.startswith("first"))
        == 201
    )
    assert embedder.embedded[0] == "first 199"
    assert embedder.embedded[64] == "then at once"
    assert [text[:5] for text in embedder.embedded if text != "then at once"] == ["first"] * 100 + [
        "then "
    ] * 100
