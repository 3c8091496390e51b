"""Retrievers of a service, and stores that cannot be reached: recall answers from the others, and
says so.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from gieok.errors import StoreUnreachable
from gieok.flow.lifecycle import copy_scope, copy_vectors, fill_vectors, find_store_differences
from gieok.memory.files.profile import FILES
from gieok.model.memory import Entry, Passage, PassageId, Scope
from gieok.model.retrieval import Filter, FoundPassage, KeywordQuery, ManagedRankings, Ranking
from gieok.ports.store import ManagedStore, VectorSearch
from gieok.ranking.recall import Question, RankedHits, first_answer, recall
from gieok.testing import HashEmbedder, ManualClock, MemoryStore
from gieok.testing.samples import HOME, OTHER, build_entry, corpus, embed_missing

_PROFILE = replace(FILES, half_life_days=0.0)


class Managed:
    """What a service that ranks by itself looks like: documents and words here, meaning there."""

    location = "service"
    service_name = "service"

    def __init__(self) -> None:
        self._local = MemoryStore()
        self.order: list[str] = []
        self.is_down = False
        self.note = ""
        self.asked = 0

    def put(self, entries: Sequence[Entry]) -> None:
        self._local.put(entries)

    def passages(self, ids: Sequence[PassageId], scope: Scope | None = None) -> list[FoundPassage]:
        return self._local.passages(ids, scope)

    def keyword(self, scope: Scope, query: KeywordQuery, where: Filter, limit: int) -> Ranking:
        return self._local.keyword(scope, query, where, limit)

    def managed(
        self, scopes: Sequence[Scope], text: str, where: Filter, limit: int
    ) -> ManagedRankings:
        self.asked += 1
        if self.is_down:
            raise StoreUnreachable("service unreachable: connection refused", hint="wait")
        ids = {p.key: p.id for p in self._local.passages(range(1, 100))}
        ranked = tuple((ids[key], 1 - n / limit) for n, key in enumerate(self.order))
        return ManagedRankings({scopes[0]: Ranking("managed", ranked)} if ranked else {}, self.note)

    def push(self, progress: Callable[[int], None], *, verify: bool = False) -> int:
        raise NotImplementedError

    def prune(self) -> int:
        raise NotImplementedError


@pytest.fixture
def managed() -> Managed:
    store = Managed()
    store.put(
        [
            build_entry("pay", "결제했다"),
            build_entry("cat", "고양이가 잔다"),
            build_entry("trip", "제주도 여행"),
        ]
    )
    store.order = ["trip", "cat"]
    return store


def _ask(store: Managed, *, hybrid: bool = True, use_vectors: bool = True) -> RankedHits:
    question = Question("결제", (HOME,), hybrid=hybrid, use_vectors=use_vectors)
    return recall(store, HashEmbedder(), question, _PROFILE, ManualClock())  # type: ignore[arg-type]


def _keys(found: RankedHits) -> list[str]:
    return [hit.passage.key for hit in found.hits]


def test_the_double_has_the_abilities_it_should(managed: Managed) -> None:
    assert isinstance(managed, ManagedStore)
    assert not isinstance(managed, VectorSearch)


def test_a_services_order_is_the_answers_order(managed: Managed) -> None:
    found = _ask(managed, hybrid=False)
    assert _keys(found) == ["trip", "cat"]
    assert found.hits[0].score == pytest.approx(0.35), "no word here bears it out"
    assert (found.hits[0].signals["managed_rank"], found.degraded) == (1, None)


def test_with_hybrid_words_and_the_service_are_fused(managed: Managed) -> None:
    assert set(_keys(_ask(managed))) == {"pay", "trip", "cat"}
    managed.order = ["trip", "pay", "cat"]
    assert _keys(_ask(managed))[0] == "pay"


@pytest.mark.parametrize("hybrid", [True, False])
def test_while_the_service_is_down_words_answer_and_the_result_says_so(
    managed: Managed, hybrid: bool
) -> None:
    managed.is_down = True
    found = _ask(managed, hybrid=hybrid)
    assert _keys(found) == ["pay"]
    assert found.degraded == "service unreachable: connection refused (wait)"


def test_the_service_is_not_asked_where_only_words_are_wanted(managed: Managed) -> None:
    managed.is_down = True
    found = _ask(managed, use_vectors=False)
    assert (_keys(found), found.degraded) == (["pay"], None)


class _Away(MemoryStore):
    def scopes(self) -> list[Scope]:
        raise StoreUnreachable("postgres unreachable: away", hint="start it")


def test_the_first_store_that_can_be_reached_answers() -> None:
    here = MemoryStore()
    here.put([build_entry("a", "x")])
    assert first_answer([here, _Away()], MemoryStore.scopes) == ([HOME], None)
    answered, silent = first_answer([_Away(), here], lambda store: store.scopes())
    assert (answered, silent) == ([HOME], "postgres unreachable: away (start it)")
    with pytest.raises(StoreUnreachable):
        first_answer([_Away(), _Away()], lambda store: store.scopes())


def test_a_copy_holds_what_the_source_holds_and_nothing_else_of_the_scope() -> None:
    source, target, embedder = MemoryStore(), MemoryStore(), HashEmbedder()
    source.put(corpus(71, 20))
    source.write_note(HOME, "roots", "[]")
    fill_vectors(source, embedder)
    target.put([build_entry("old", "x"), *corpus(71, 5), build_entry("theirs", "y", scope=OTHER)])
    changed = copy_scope(source, target, HOME)
    assert changed == 16
    assert copy_vectors(source, target) > 0
    assert find_store_differences(source, target) == []
    assert target.notes(HOME) == {"roots": "[]"}
    assert target.hashes(OTHER).keys() == {"theirs"}
    assert target.active_model() == (embedder.model, embedder.dimension)
    assert copy_scope(source, target, HOME) == 0
    assert copy_scope(source, target, HOME, force=True) == 20


def test_a_copy_that_was_cut_in_another_way_is_copied_again() -> None:
    source, target = MemoryStore(), MemoryStore()
    source.put([build_entry("a", "one", "two")])
    whole = build_entry("a", "one", "two")
    target.put([whole._replace(passages=(Passage(0, 7, 1, 2),))])
    for store, cut in ((source, "400"), (target, "900")):
        store.write_note(HOME, "files.cut", cut)
    assert copy_scope(source, target, HOME) == 1
    assert find_store_differences(source, target) == []
    assert copy_scope(source, target, HOME) == 0


def test_a_difference_is_named_with_its_scope() -> None:
    source, target = MemoryStore(), MemoryStore()
    source.put([build_entry("a", "x"), build_entry("b", "y")])
    target.put([build_entry("a", "x")])
    assert find_store_differences(source, target) == ["agent:main: 1 documents of 2 are the same"]
    target.put([build_entry("b", "y")])
    source.use_model(HashEmbedder().model, HashEmbedder().dimension)
    embed_missing(source, HashEmbedder())
    assert find_store_differences(source, target) == ["agent:main: 0 vectors of 2"]


def test_without_vectors_nothing_is_copied() -> None:
    assert copy_vectors(MemoryStore(), MemoryStore()) == 0
    assert copy_vectors(Managed(), MemoryStore()) == 0  # type: ignore[arg-type]
