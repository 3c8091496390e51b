"""The contract of `VectorSearch`: exact search over the active model's vectors.

Each text is embedded once. A store may keep vectors in eight bits: scores may differ by 0.01 from
those of `MemoryStore`, and the order of two passages is compared only where their exact scores lie
further apart than that.
"""

from datetime import timedelta
from itertools import pairwise

import pytest

from gieok.errors import ShapeMismatch
from gieok.model.retrieval import Filter, Ranking, VectorQuery
from gieok.ports.store import JointSearch
from gieok.testing.contracts.base import StoreFixtures
from gieok.testing.hash_embedder import HashEmbedder
from gieok.testing.memory_store import MemoryStore
from gieok.testing.samples import (
    EVERYTHING,
    HOME,
    OTHER,
    START,
    FullStore,
    build_entry,
    build_keyword_query,
    corpus,
    embed_missing,
    list_ranked_keys,
    list_ranked_places,
    near,
)
from gieok.text.embedform import text_to_embed

_ALL = Filter()
#: Largest difference that eight bits may make to a score.
_SLACK = 0.01


class VectorContract(StoreFixtures):
    """Tests of the sentences of `gieok.ports.VectorSearch`."""

    @pytest.fixture
    def embedder(self, store: FullStore) -> HashEmbedder:
        """Return the embedder whose model `store` uses."""
        embedder = HashEmbedder()
        store.use_model(embedder.model, embedder.dimension)
        return embedder

    @pytest.mark.parametrize(
        "where", [_ALL, Filter(frozenset({"note"})), Filter(since=START + timedelta(days=20))]
    )
    def test_nearest_equals_brute_force(
        self, store: FullStore, embedder: HashEmbedder, where: Filter
    ) -> None:
        exact = _build_vector_reference(embedder)
        for held in (store, exact):
            held.put(corpus(11, 40) + corpus(12, 10, OTHER))
            embed_missing(held, embedder)
            held.put(corpus(11, 5))
            held.forget(HOME, ["11/7.md"])
        for text in ("결제", "invoice cat", "고양이 회의 일정"):
            for hub_weight in (0.0, 0.4):
                assert_near(store, exact, near(embedder, text, hub_weight), where, EVERYTHING)
            assert_near(store, exact, near(embedder, text), where, 10)

    def test_both_rankings_at_once_are_those_of_each(
        self, store: FullStore, embedder: HashEmbedder
    ) -> None:
        if not isinstance(store, JointSearch):
            pytest.skip("ranks by one thing at a time")
        store.put(
            [build_entry("a", "결제"), build_entry("b", "결제 고양이"), build_entry("c", "cat")]
        )
        words, vector = build_keyword_query("결제"), near(embedder, "결제")
        where = Filter(kinds=frozenset({"note"}))
        nothing = (Ranking("keyword", ()), Ranking("vector", ()))
        assert store.rank_both(HOME, words, vector, where, 5)[1].ranked == ()
        embed_missing(store, embedder)
        both = store.rank_both(HOME, words, vector, where, 5)
        alone = store.keyword(HOME, words, where, 5), store.nearest(HOME, vector, where, 5)
        assert (both, [len(one.ranked) for one in both]) == (alone, [2, 3])
        for one in both:
            found = store.passages([passage for passage, _ in one.ranked], HOME)
            assert one.keys.items() <= {passage.id: passage.key for passage in found}.items()
        assert store.rank_both(OTHER, words, vector, where, 5) == nothing
        assert store.rank_both(HOME, None, None, where, 5) == nothing
        with pytest.raises(ShapeMismatch):
            store.rank_both(HOME, words, VectorQuery(bytes(8)), where, 5)

    def test_another_scope_is_never_seen(self, store: FullStore, embedder: HashEmbedder) -> None:
        store.put([build_entry("mine", "고양이"), build_entry("yours", "결제", scope=OTHER)])
        embed_missing(store, embedder)
        assert list_ranked_keys(store, store.nearest(HOME, near(embedder, "결제"), _ALL, 9)) == [
            "mine"
        ]

    def test_only_the_best_are_returned_best_first(
        self, store: FullStore, embedder: HashEmbedder
    ) -> None:
        store.put(
            [
                build_entry("b", "결제 고양이 회의"),
                build_entry("a", "결제"),
                build_entry("c", "고양이 회의"),
            ]
        )
        embed_missing(store, embedder)
        assert list_ranked_keys(store, store.nearest(HOME, near(embedder, "결제"), _ALL, 2)) == [
            "a",
            "b",
        ]
        assert store.nearest(HOME, near(embedder, "결제"), _ALL, 0).ranked == ()

    def test_equally_near_passages_go_by_id(self, store: FullStore, embedder: HashEmbedder) -> None:
        store.put([build_entry(key, "같은 글") for key in "cab"])
        embed_missing(store, embedder)
        assert list_ranked_keys(store, store.nearest(HOME, near(embedder, "같은"), _ALL, 2)) == [
            "c",
            "a",
        ]

    def test_a_crowded_passage_falls_behind(self, store: FullStore, embedder: HashEmbedder) -> None:
        store.put(
            [
                build_entry("hub", "결제 정산", "결제 정산", "결제 정산"),
                build_entry("alone", "고양이"),
            ]
        )
        embed_missing(store, embedder)
        for hub_weight, first in ((0.0, "hub"), (0.6, "alone")):
            query = near(embedder, "결제 정산 정산 고양이", hub_weight)
            assert list_ranked_keys(store, store.nearest(HOME, query, _ALL, 9))[0] == first

    def test_without_vectors_nothing_is_near(
        self, store: FullStore, embedder: HashEmbedder
    ) -> None:
        assert store.nearest(HOME, near(embedder, "결제"), _ALL, 9).ranked == ()
        store.put([build_entry("a", "결제"), build_entry("empty")])
        assert store.nearest(HOME, near(embedder, "결제", 0.4), _ALL, 9).ranked == ()

    def test_passages_without_a_vector_are_left_out(
        self, store: FullStore, embedder: HashEmbedder
    ) -> None:
        store.put([build_entry("old", "결제"), build_entry("new", "환불")])
        embed_missing(store, embedder, 1)
        assert list_ranked_keys(store, store.nearest(HOME, near(embedder, "결제"), _ALL, 9)) == [
            "new"
        ]
        assert (store.stats(HOME).passages, store.stats(HOME).vectors) == (2, 1)

    def test_missing_lists_the_newest_first_with_the_text_to_embed(self, store: FullStore) -> None:
        store.put([build_entry("a", "하나", "둘", context="제목")])
        store.put([build_entry("b", "Mina: 안녕")])
        expected = [text_to_embed("Mina: 안녕"), "둘", "하나"]
        assert [text for _, text in store.missing(9)] == expected
        assert [text for _, text in store.missing(1)] == expected[:1]

    def test_vectors_of_passages_that_are_gone_are_skipped(
        self, store: FullStore, embedder: HashEmbedder
    ) -> None:
        store.put([build_entry("a", "결제"), build_entry("b", "환불")])
        missing = store.missing(9)
        store.forget(HOME, ["a"])
        store.put_vectors(
            embedder.model, {passage: embedder.embed_query(text) for passage, text in missing}
        )
        assert list_ranked_keys(store, store.nearest(HOME, near(embedder, "결제"), _ALL, 9)) == [
            "b"
        ]
        assert store.check() == []

    def test_a_replaced_document_with_the_same_text_has_its_vectors_at_once(
        self, store: FullStore, embedder: HashEmbedder
    ) -> None:
        store.put([build_entry("a", "결제", "환불")])
        embed_missing(store, embedder)
        store.put([build_entry("a", "결제", "새 줄")])
        assert [text for _, text in store.missing(9)] == ["새 줄"]

    def test_a_forgotten_text_that_comes_back_has_its_vector_at_once(
        self, store: FullStore, embedder: HashEmbedder
    ) -> None:
        store.put([build_entry("a", "결제")])
        embed_missing(store, embedder)
        store.forget(HOME, ["a"])
        store.put([build_entry("elsewhere", "결제", scope=OTHER)])
        assert store.missing(9) == []
        assert list_ranked_keys(store, store.nearest(OTHER, near(embedder, "결제"), _ALL, 9)) == [
            "elsewhere"
        ]

    def test_one_vector_serves_every_passage_with_that_text(
        self, store: FullStore, embedder: HashEmbedder
    ) -> None:
        store.put(
            [
                build_entry("a", "결제"),
                build_entry("b", "결제"),
                build_entry("c", "결제", scope=OTHER),
            ]
        )
        assert store.nearest(OTHER, near(embedder, "결제"), _ALL, 9).ranked == ()
        embed_missing(store, embedder, 1)
        assert store.missing(9) == []
        assert list_ranked_keys(store, store.nearest(HOME, near(embedder, "결제"), _ALL, 9)) == [
            "a",
            "b",
        ]
        assert list_ranked_keys(store, store.nearest(OTHER, near(embedder, "결제"), _ALL, 9)) == [
            "c"
        ]

    def test_the_same_text_in_another_context_shares_its_vector(
        self, store: FullStore, embedder: HashEmbedder
    ) -> None:
        store.put([build_entry("a", "결제")])
        embed_missing(store, embedder)
        store.put([build_entry("b", "결제", context="제목")])
        assert store.missing(9) == []

    def test_another_model_or_dimension_is_a_mismatch(
        self, store: FullStore, embedder: HashEmbedder
    ) -> None:
        store.use_model(embedder.model, embedder.dimension)
        for model, dimension in (("another@1", embedder.dimension), (embedder.model, 65)):
            with pytest.raises(ShapeMismatch):
                store.use_model(model, dimension)

    def test_a_vector_of_the_wrong_dimension_is_refused_and_nothing_is_written(
        self, store: FullStore, embedder: HashEmbedder
    ) -> None:
        store.put([build_entry("a", "결제"), build_entry("b", "환불")])
        (b, _), (a, _) = store.missing(9)
        with pytest.raises(ShapeMismatch):
            store.put_vectors(
                embedder.model,
                {a: embedder.embed_query("결제"), b: HashEmbedder(32).embed_query("환불")},
            )
        assert store.stats().vectors == 0
        embed_missing(store, embedder)
        with pytest.raises(ShapeMismatch):
            store.nearest(HOME, VectorQuery(vector=HashEmbedder(32).embed_query("환불")), _ALL, 9)

    def test_vectors_of_no_model_are_refused(self, store: FullStore) -> None:
        store.put([build_entry("a", "결제")])
        with pytest.raises(ShapeMismatch):
            store.put_vectors(
                HashEmbedder().model, {store.missing(1)[0][0]: HashEmbedder().embed_query("결제")}
            )

    def test_vectors_of_another_model_are_refused(
        self, store: FullStore, embedder: HashEmbedder
    ) -> None:
        store.use_model(embedder.model, embedder.dimension)
        store.put([build_entry("a", "결제")])
        with pytest.raises(ShapeMismatch):
            store.put_vectors("other@1", {store.missing(1)[0][0]: embedder.embed_query("결제")})


def _build_vector_reference(embedder: HashEmbedder) -> MemoryStore:
    exact = MemoryStore()
    exact.use_model(embedder.model, embedder.dimension)
    return exact


def assert_near(
    store: FullStore, exact: MemoryStore, query: VectorQuery, where: Filter, limit: int
) -> None:
    """Assert that `store` returns the hits of brute force, within the precision of eight bits."""
    ranking = store.nearest(HOME, query, where, limit)
    reference = exact.nearest(HOME, query, where, EVERYTHING)
    truth = dict(
        zip(
            list_ranked_places(exact, reference),
            (score for _, score in reference.ranked),
            strict=True,
        )
    )
    true_scores = [truth[place] for place in list_ranked_places(store, ranking)]
    assert (
        len(true_scores) == len(set(list_ranked_places(store, ranking))) == min(limit, len(truth))
    )
    assert [score for _, score in ranking.ranked] == pytest.approx(true_scores, abs=_SLACK)
    assert true_scores == pytest.approx(
        sorted(truth.values(), reverse=True)[: len(true_scores)], abs=2 * _SLACK
    )
    assert all(a >= b - _SLACK for a, b in pairwise(true_scores))
