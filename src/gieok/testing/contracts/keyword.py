"""The contract of `KeywordSearch`: BM25 over the scope alone, as `MemoryStore` computes it.

The ranking is checked for many passages too.
"""

import unicodedata
from datetime import timedelta
from functools import cache

import pytest

from gieok.model.memory import Entry, Scope
from gieok.model.retrieval import Filter, KeywordQuery
from gieok.testing.contracts.base import StoreFixtures
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
    list_ranked_keys,
    list_ranked_places,
    scores,
)

_ALL = Filter()
_QUESTIONS = [
    "결제",
    "김치찌개 고양이",
    "invoice parser retry",
    "서버 backup 회의 배포 없는단어",
    "parseInvoiceDate",
]
_ODD_WORDS = ["ÉCOLE", "İstanbul", "ΣΊΣΥΦΟΣ", "ꟙꟗ", "𞤀𞤁", "x²", "ᏣᎳᎩ", "日本語", "snake_case_name"]
_SHAPES = [
    build_keyword_query(text, k1, b, context, spread)
    for text in _QUESTIONS
    for k1, b in ((1.2, 0.75), (0.9, 0.4), (2.0, 1.0), (0.0, 0.0))
    for context, spread in ((0.5, ()), (0.0, ()), (1.0, (0.3,)), (0.5, (0.5, 0.2)))
] + [build_keyword_query(text, spread=(0.5, 0.2))._replace(spread_tokens=6) for text in _QUESTIONS]


class KeywordContract(StoreFixtures):
    """Tests of the sentences of `gieok.ports.KeywordSearch`."""

    def test_rankings_equal_brute_force(self, store: FullStore) -> None:
        exact = MemoryStore()
        for held in (store, exact):
            held.put(corpus(5, 60) + corpus(6, 30, OTHER))
            held.put(corpus(5, 10))
            held.forget(HOME, ["5/20.md", "5/30.md"])
        for query in _SHAPES:
            for limit in (EVERYTHING, 7):
                self.assert_equal(store, exact, query, _ALL, limit)

    def test_filtered_rankings_equal_brute_force(self, store: FullStore) -> None:
        exact = MemoryStore()
        for held in (store, exact):
            held.put(corpus(7, 60))
        day = timedelta(days=1)
        for where in (
            Filter(kinds=frozenset({"session"})),
            Filter(since=START + 10 * day),
            Filter(until=START + 40 * day),
            Filter(
                kinds=frozenset({"note", "odd"}), since=START + 10 * day, until=START + 30 * day
            ),
            Filter(kinds=frozenset({"odd"})),
        ):
            for query in _SHAPES[::5]:
                self.assert_equal(store, exact, query, where, 20)

    def assert_equal(
        self, store: FullStore, exact: MemoryStore, query: KeywordQuery, where: Filter, limit: int
    ) -> None:
        """Assert that both stores return the same places in the same order, with the same
        scores.
        """
        actual, expected = (held.keyword(HOME, query, where, limit) for held in (store, exact))
        assert list_ranked_places(store, actual) == list_ranked_places(exact, expected), query
        assert scores(actual) == pytest.approx(scores(expected), abs=1e-4)
        assert actual.ceiling == pytest.approx(expected.ceiling, abs=1e-6)

    def test_what_another_scope_holds_changes_no_score(self, store: FullStore) -> None:
        store.put(corpus(8, 20))
        before = store.keyword(HOME, build_keyword_query("결제 invoice"), _ALL, EVERYTHING)
        store.put([*corpus(9, 40, OTHER), build_entry("많이", *["결제 " * 50] * 20, scope=OTHER)])
        assert store.keyword(HOME, build_keyword_query("결제 invoice"), _ALL, EVERYTHING) == before
        assert set(
            list_ranked_keys(
                store, store.keyword(OTHER, build_keyword_query("결제"), _ALL, EVERYTHING)
            )
        ).isdisjoint(list_ranked_keys(store, before))

    def test_a_scope_whose_name_begins_alike_is_another_scope(self, store: FullStore) -> None:
        scopes = [Scope(f"agent:{n}") for n in range(1, 13)]
        store.put([build_entry("a", "결제", scope=scope) for scope in scopes])
        for scope in scopes:
            (passage,) = store.passages(
                [i for i, _ in store.keyword(scope, build_keyword_query("결제"), _ALL, 20).ranked]
            )
            assert passage.scope == scope

    def test_ties_go_by_id(self, store: FullStore) -> None:
        store.put([build_entry(key, "같은 글") for key in "cab"])
        store.put([build_entry("c", "같은 글")])
        assert list_ranked_keys(
            store, store.keyword(HOME, build_keyword_query("같은"), _ALL, 9)
        ) == ["a", "b", "c"]

    def test_times_compare_with_valid_from_else_updated_and_until_is_exclusive(
        self, store: FullStore
    ) -> None:
        store.put(
            [
                build_entry("1", "결제", day=1),
                build_entry("2", "결제", day=2),
                build_entry("3", "결제", day=3),
            ]
        )
        window = Filter(since=START + timedelta(days=1), until=START + timedelta(days=3))
        assert list_ranked_keys(
            store, store.keyword(HOME, build_keyword_query("결제"), window, 9)
        ) == ["1", "2"]

    def test_decomposed_korean_is_found_by_a_composed_question(self, store: FullStore) -> None:
        store.put(
            [
                build_entry("a", unicodedata.normalize("NFD", "김치찌개 레시피")),
                build_entry("b", "다른 글"),
            ]
        )
        assert list_ranked_keys(
            store, store.keyword(HOME, build_keyword_query("김치찌개"), _ALL, 9)
        ) == ["a"]

    @pytest.mark.parametrize("word", _ODD_WORDS)
    def test_words_of_any_script_are_found(self, store: FullStore, word: str) -> None:
        store.put([build_entry("a", f"앞 {word} 뒤"), build_entry("b", "다른 글")])
        assert list_ranked_keys(store, store.keyword(HOME, build_keyword_query(word), _ALL, 9)) == [
            "a"
        ]
        assert store.check() == []

    def test_text_beside_characters_that_cannot_be_kept_is_found(self, store: FullStore) -> None:
        store.put([build_entry("a", "결제\0정산 \ud800환불", "🍜 배포")])
        for word in ("결제", "정산", "환불", "배포"):
            assert list_ranked_keys(
                store, store.keyword(HOME, build_keyword_query(word), _ALL, 9)
            ) == ["a"]

    def test_what_was_forgotten_or_replaced_is_not_found(self, store: FullStore) -> None:
        store.put([build_entry("a", "결제"), build_entry("b", "결제")])
        store.put([build_entry("a", "환불")])
        store.forget(HOME, ["b"])
        assert store.keyword(HOME, build_keyword_query("결제"), _ALL, 9).ranked == ()
        assert list_ranked_keys(
            store, store.keyword(HOME, build_keyword_query("환불"), _ALL, 9)
        ) == ["a"]

    def test_searching_after_putting_twice_gives_the_same_scores(self, store: FullStore) -> None:
        store.put(corpus(10, 20))
        before = store.keyword(HOME, build_keyword_query("결제 cat"), _ALL, EVERYTHING)
        places = list_ranked_places(store, before)
        store.put(corpus(10, 20))
        after = store.keyword(HOME, build_keyword_query("결제 cat"), _ALL, EVERYTHING)
        assert (list_ranked_places(store, after), scores(after)) == (places, scores(before))

    def test_an_empty_scope_gives_an_empty_leg(self, store: FullStore) -> None:
        assert store.keyword(HOME, build_keyword_query("결제"), _ALL, 9).ranked == ()
        store.put([build_entry("a", "결제")])
        store.forget(HOME, ["a"])
        emptied = store.keyword(HOME, build_keyword_query("결제"), _ALL, 9)
        assert emptied == MemoryStore().keyword(HOME, build_keyword_query("결제"), _ALL, 9)

    def test_no_tokens_or_no_room_gives_nothing(self, store: FullStore) -> None:
        store.put([build_entry("a", "결제"), build_entry("empty")])
        assert store.keyword(HOME, build_keyword_query(""), _ALL, 9).ranked == ()
        assert store.keyword(HOME, build_keyword_query("없는단어"), _ALL, 9).ranked == ()
        assert store.keyword(HOME, build_keyword_query("결제"), _ALL, 0).ranked == ()

    def test_a_question_may_have_thousands_of_tokens(self, store: FullStore) -> None:
        store.put([build_entry("a", "결제")])
        query = build_keyword_query("결제 " + " ".join(f"word{n}" for n in range(3000)))
        assert list_ranked_keys(store, store.keyword(HOME, query, _ALL, 9)) == ["a"]


_DOCUMENTS, _LINES = 20, 1000


@cache  # half of the time of a quick store; it is asked and never written
def _build_keyword_reference() -> tuple[list[Entry], MemoryStore]:
    """Return the documents, and the in-memory store that holds them."""
    entries = []
    for number in range(_DOCUMENTS):
        lines = [f"결제 {line}" for line in range(_LINES)]
        lines[number] = f"바늘 결제 {'needle ' * (number % 3)}"
        entries.append(build_entry(f"{number:03d}", *lines))
    store = MemoryStore()
    store.put(entries)
    return entries, store


class ScaleContract(StoreFixtures):
    """Tests of the sentences of `gieok.ports.Store` and `KeywordSearch` with many passages."""

    def test_twenty_thousand_passages(self, store: FullStore) -> None:
        entries, exact = _build_keyword_reference()
        for entry in entries:
            store.put([entry])
        assert store.stats(HOME).passages == _DOCUMENTS * _LINES
        for text in ("바늘", "needle 결제"):
            actual, expected = (
                held.keyword(HOME, build_keyword_query(text), _ALL, 20) for held in (store, exact)
            )
            assert list_ranked_keys(store, actual) == list_ranked_keys(exact, expected)
            assert [round(score, 4) for score in scores(actual)] == [
                round(score, 4) for score in scores(expected)
            ]
        store.put([build_entry("000", "하나만")])
        assert store.stats(HOME).passages == (_DOCUMENTS - 1) * _LINES + 1
        assert store.check() == []
        assert store.forget(HOME, list(store.hashes(HOME))) == _DOCUMENTS
        store.compact()
        assert (store.stats().passages, store.check()) == (0, [])
