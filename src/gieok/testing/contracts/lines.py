"""The contract of `LineSearch`: each line has a vector beside that of its passage."""

from typing import Protocol

import pytest

from gieok.errors import ShapeMismatch
from gieok.model.memory import Document, Entry, Passage
from gieok.model.retrieval import Filter
from gieok.ports.store import LineSearch
from gieok.testing.contracts.base import StoreFixtures
from gieok.testing.hash_embedder import HashEmbedder
from gieok.testing.memory_store import MemoryStore
from gieok.testing.samples import EVERYTHING, HOME, START, FullStore, embed_missing, near

_LIST = "# 메모\n\n- 결제 정산 일정\n- 고양이 사료 주문\n- 서버 백업 시간\n"


class _LineStore(FullStore, LineSearch, Protocol):
    """Type of the stores that this contract is for."""


class LineContract(StoreFixtures):
    """Tests of the sentences of `gieok.ports.LineSearch`."""

    @pytest.fixture
    def embedder(self, store: FullStore) -> HashEmbedder:
        """Return the embedder whose model `store` uses."""
        embedder = HashEmbedder()
        store.use_model(embedder.model, embedder.dimension)
        return embedder

    def test_the_best_line_of_a_passage_is_named(
        self, store: _LineStore, embedder: HashEmbedder
    ) -> None:
        store.put([build_note_entry("a", _LIST)])
        embed_all(store, embedder)
        (line,) = store.best_lines(near(embedder, "고양이 사료"), passages_of(store))
        assert _LIST[line.start : line.end] == "고양이 사료 주문"

    def test_lines_equal_brute_force(self, store: _LineStore, embedder: HashEmbedder) -> None:
        exact = MemoryStore()
        exact.use_model(embedder.model, embedder.dimension)
        for held in (store, exact):
            held.put(
                [
                    build_note_entry("a", _LIST),
                    build_note_entry("b", "- 결제 환불\n- 서버 배포 시간\n"),
                    build_note_entry("c", "회의 일정"),
                ]
            )
            embed_all(held, embedder)
        for hub_weight in (0.0, 0.4):
            query = near(embedder, "서버 시간", hub_weight)
            ours, theirs = (held.best_lines(query, passages_of(held)) for held in (store, exact))
            assert [(line.start, line.end) for line in ours] == [
                (line.start, line.end) for line in theirs
            ]
            assert [line.score for line in ours] == pytest.approx(
                [line.score for line in theirs], abs=0.01
            )
            assert [line.cosine for line in ours] == pytest.approx(
                [line.cosine for line in theirs], abs=0.01
            )

    def test_a_passage_without_vectors_of_lines_is_its_own_line(
        self, store: _LineStore, embedder: HashEmbedder
    ) -> None:
        store.put([build_note_entry("a", _LIST), build_note_entry("b", "고양이")])
        assert store.best_lines(near(embedder, "고양이"), passages_of(store)) == []
        embed_missing(store, embedder)
        lines = store.best_lines(near(embedder, "고양이"), passages_of(store))
        assert [(line.start, line.end) for line in lines] == [(0, len(_LIST)), (0, len("고양이"))]

    def test_turns_have_no_lines(self, store: _LineStore) -> None:
        store.put([build_note_entry("a", _LIST, kind="turn")])
        assert store.missing_lines(9) == []

    def test_missing_lines_come_newest_first_below_a_place(self, store: _LineStore) -> None:
        store.put(
            [build_note_entry("a", _LIST), build_note_entry("b", "- 환불 규정\n- 배포 순서\n")]
        )
        everything = store.missing_lines(EVERYTHING)
        texts = ["배포 순서", "환불 규정", "서버 백업 시간", "고양이 사료 주문", "결제 정산 일정"]
        assert [text for _, text in everything] == texts
        assert store.missing_lines(2, everything[1][0]) == everything[2:4]

    def test_a_line_that_stays_keeps_its_vector(
        self, store: _LineStore, embedder: HashEmbedder
    ) -> None:
        store.put([build_note_entry("a", _LIST)])
        embed_all(store, embedder)
        store.put([build_note_entry("a", _LIST + "- 여행 준비\n")])
        assert [text for _, text in store.missing_lines(9)] == ["여행 준비"]

    def test_lines_that_are_gone_are_skipped(
        self, store: _LineStore, embedder: HashEmbedder
    ) -> None:
        store.put([build_note_entry("a", _LIST)])
        missing = store.missing_lines(9)
        store.forget(HOME, ["a"])
        store.put_lines(
            embedder.model, {line: embedder.embed_query(text) for line, text in missing}
        )
        assert store.missing_lines(9) == []
        assert store.check() == []

    def test_vectors_of_lines_of_another_model_are_refused(
        self, store: _LineStore, embedder: HashEmbedder
    ) -> None:
        store.put([build_note_entry("a", _LIST)])
        line, text = store.missing_lines(1)[0]
        with pytest.raises(ShapeMismatch):
            store.put_lines("other@1", {line: embedder.embed_query(text)})
        with pytest.raises(ShapeMismatch):
            store.put_lines(embedder.model, {line: HashEmbedder(32).embed_query(text)})


def build_note_entry(key: str, text: str, kind: str = "memory") -> Entry:
    """Return a note with one passage."""
    document = Document(
        scope=HOME,
        key=key,
        kind=kind,
        text=text,
        content_hash=text,
        created_at=START,
        updated_at=START,
    )
    return Entry(document, (Passage(0, len(text), 1, text.count("\n") + 1),))


def passages_of(store: FullStore) -> list[int]:
    """Return the ids of all passages of the scope, in order."""
    return sorted(store.within(HOME, Filter(), EVERYTHING))


def embed_all(store: _LineStore | MemoryStore, embedder: HashEmbedder) -> None:
    """Embed all passages and their lines."""
    embed_missing(store, embedder)
    missing = store.missing_lines(EVERYTHING)
    vectors = embedder.embed_passages([text for _, text in missing])
    store.put_lines(
        embedder.model, {line: vector for (line, _), vector in zip(missing, vectors, strict=True)}
    )
