"""The contract of `ModelSwitch`: all vectors are replaced, and search always has vectors.

The new vectors are those of another model.
"""

from collections.abc import Callable, Iterator

import pytest

from gieok.errors import ShapeMismatch
from gieok.model.retrieval import Filter
from gieok.testing.contracts.base import StoreFixtures
from gieok.testing.hash_embedder import HashEmbedder
from gieok.testing.memory_store import MemoryStore
from gieok.testing.samples import (
    EVERYTHING,
    HOME,
    FullStore,
    build_entry,
    corpus,
    embed_missing,
    list_ranked_keys,
    list_ranked_places,
    near,
    scores,
)

_ALL = Filter()
_OLD = HashEmbedder(64)
_NEW = HashEmbedder(32, model="new@1")


class SwitchContract(StoreFixtures):
    """Tests of the sentences of `gieok.ports.ModelSwitch`."""

    @pytest.fixture
    def embedded(self, store: FullStore) -> FullStore:
        """Return the store with a corpus and the old model's vectors."""
        store.use_model(_OLD.model, _OLD.dimension)
        store.put(corpus(21, 15))
        embed_missing(store, _OLD)
        return store

    def test_pages_of_missing_texts_go_back_in_time_and_cover_all(
        self, embedded: FullStore
    ) -> None:
        pages = list(_iter_unembedded_pages(embedded, 7))
        ids = [passage for page in pages for passage, _ in page]
        assert all(len(page) <= 7 for page in pages)
        assert ids == sorted(set(ids), reverse=True)
        assert len(ids) == embedded.stats().passages

    def test_search_does_not_see_vectors_that_are_kept_aside(self, embedded: FullStore) -> None:
        before = embedded.nearest(HOME, near(_OLD, "결제 cat"), _ALL, EVERYTHING)
        _keep_all(embedded)
        assert embedded.missing_for(_NEW.model, _NEW.dimension, None, 9) == []
        assert embedded.nearest(HOME, near(_OLD, "결제 cat"), _ALL, EVERYTHING) == before
        embedded.use_model(_OLD.model, _OLD.dimension)

    def test_how_far_a_switch_is_can_be_asked(self, embedded: FullStore) -> None:
        assert embedded.prepared(_OLD.model) == embedded.stats().passages
        assert embedded.prepared(_NEW.model) == 0
        first = embedded.missing_for(_NEW.model, _NEW.dimension, None, 7)
        embedded.keep_vectors(
            _NEW.model, {passage: _NEW.embed_query(text) for passage, text in first}
        )
        assert embedded.stats().passages > embedded.prepared(_NEW.model) >= 7

    def test_a_question_of_another_model_is_refused_also_where_vectors_are_as_long(
        self, embedded: FullStore
    ) -> None:
        query = near(_OLD, "결제")._replace(model="as-long@1")
        with pytest.raises(ShapeMismatch):
            embedded.nearest(HOME, query, _ALL, 9)
        assert embedded.nearest(HOME, query._replace(model=_OLD.model), _ALL, 9).ranked

    def test_after_the_switch_every_vector_is_of_the_new_model(self, embedded: FullStore) -> None:
        embedded.nearest(HOME, near(_OLD, "결제"), _ALL, 9)
        _keep_all(embedded)
        embedded.switch_model(_NEW.model, _NEW.dimension)
        ranked = embedded.nearest(HOME, near(_NEW, "고양이 회의"), _ALL, EVERYTHING).ranked
        assert len(ranked) == embedded.stats().vectors == embedded.stats().passages
        passages = embedded.passages([passage for passage, _ in ranked])
        exact = [_measure_store_cosine(_NEW, "고양이 회의", p.text, p.context) for p in passages]
        assert [score for _, score in ranked] == pytest.approx(exact, abs=0.01)
        with pytest.raises(ShapeMismatch):
            embedded.use_model(_OLD.model, _OLD.dimension)
        embedded.use_model(_NEW.model, _NEW.dimension)
        assert embedded.check() == []

    def test_the_old_models_vectors_are_gone_after_the_switch(self, embedded: FullStore) -> None:
        _keep_all(embedded)
        embedded.switch_model(_NEW.model, _NEW.dimension)
        assert (
            len(embedded.missing_for(_OLD.model, _OLD.dimension, None, EVERYTHING))
            == embedded.stats().passages
        )

    def test_what_was_written_meanwhile_is_missing_after_the_switch(
        self, embedded: FullStore
    ) -> None:
        _keep_all(embedded)
        embedded.put([build_entry("late", "늦은 글")])
        embedded.switch_model(_NEW.model, _NEW.dimension)
        assert [text for _, text in embedded.missing(9)] == ["늦은 글"]

    def test_compacting_keeps_vectors_that_wait_for_the_switch(self, embedded: FullStore) -> None:
        _keep_all(embedded)
        embedded.compact()
        assert embedded.missing_for(_NEW.model, _NEW.dimension, None, 9) == []

    def test_switching_back_and_forth_gives_the_first_ranking_again(
        self, embedded: FullStore
    ) -> None:
        before = list_ranked_keys(embedded, embedded.nearest(HOME, near(_OLD, "결제"), _ALL, 9))
        _keep_all(embedded)
        embedded.switch_model(_NEW.model, _NEW.dimension)
        embedded.switch_model(_OLD.model, _OLD.dimension)
        assert embedded.nearest(HOME, near(_OLD, "결제"), _ALL, 9).ranked == ()
        embed_missing(embedded, _OLD)
        assert (
            list_ranked_keys(embedded, embedded.nearest(HOME, near(_OLD, "결제"), _ALL, 9))
            == before
        )

    def test_vectors_that_are_handed_out_rank_elsewhere_as_here(
        self, embedded: FullStore, make_store: Callable[[], FullStore]
    ) -> None:
        assert embedded.active_model() == (_OLD.model, _OLD.dimension)
        texts = [
            text for _, text in embedded.missing_for(_NEW.model, _NEW.dimension, None, EVERYTHING)
        ]
        handed = embedded.vectors_of(_OLD.model, [*texts, "nobody wrote this"])
        assert handed.keys() == set(texts)
        assert embedded.vectors_of(_NEW.model, texts) == {}
        other = make_store()
        assert other.active_model() is None
        other.use_model(_OLD.model, _OLD.dimension)
        other.put(corpus(21, 15))
        other.put_vectors(
            _OLD.model, {passage: handed[text] for passage, text in other.missing(EVERYTHING)}
        )
        first, second = (
            held.nearest(HOME, near(_OLD, "결제 cat"), _ALL, EVERYTHING)
            for held in (embedded, other)
        )
        assert list_ranked_places(embedded, first) == list_ranked_places(other, second)
        assert scores(first) == scores(second)
        other.close()

    def test_one_model_has_one_dimension(self, embedded: FullStore) -> None:
        embedded.missing_for(_NEW.model, _NEW.dimension, None, 1)
        newest = embedded.missing_for(_NEW.model, _NEW.dimension, None, 1)[0][0]
        with pytest.raises(ShapeMismatch):
            embedded.missing_for(_NEW.model, 33, None, 1)
        with pytest.raises(ShapeMismatch):
            embedded.keep_vectors(_NEW.model, {newest: _OLD.embed_query("결제")})
        with pytest.raises(ShapeMismatch):
            embedded.switch_model(_NEW.model, 33)
        embedded.use_model(_OLD.model, _OLD.dimension)


def _iter_unembedded_pages(store: FullStore, size: int) -> Iterator[list[tuple[int, str]]]:
    before: int | None = None
    while page := store.missing_for(_NEW.model, _NEW.dimension, before, size):
        yield page
        before = page[-1][0]


def _keep_all(store: FullStore) -> None:
    for page in _iter_unembedded_pages(store, 7):
        store.keep_vectors(_NEW.model, {passage: _NEW.embed_query(text) for passage, text in page})


def _measure_store_cosine(embedder: HashEmbedder, question: str, text: str, context: str) -> float:
    alone = MemoryStore()
    alone.use_model(embedder.model, embedder.dimension)
    alone.put([build_entry("a", text, context=context)])
    embed_missing(alone, embedder)
    return alone.nearest(HOME, near(embedder, question), _ALL, 1).ranked[0][1]
