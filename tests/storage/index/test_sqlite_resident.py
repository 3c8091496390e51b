"""A scope in memory answers as the file does, whatever was written since it was loaded."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gieok.model.retrieval import Filter, KeywordQuery, Ranking
from gieok.storage.index.sqlite import postings, resident, vectors
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.testing.hash_embedder import HashEmbedder
from gieok.testing.samples import (
    HOME,
    OTHER,
    START,
    build_entry,
    build_keyword_query,
    embed_missing,
    near,
)

_EMBEDDER = HashEmbedder()
_LINES = ("결제 서버", "정산 환불 결제", "deploy retry", "김치찌개", "결제 결제 환불")
_EVERYTHING = 99


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the file of a store that knows a model."""
    file = tmp_path / "index.sqlite"
    with closing(SqliteStore(file)) as store:
        store.use_model(_EMBEDDER.model, _EMBEDDER.dimension)
    return file


@pytest.fixture
def kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SqliteStore]:
    """Return a store in memory that reads two rows at a time and remembers two filters."""
    monkeypatch.setattr(resident, "_FETCHED_ROWS", 2)
    monkeypatch.setattr(resident, "_MOST_FILTERS", 2)
    with closing(SqliteStore(file, resident=True)) as store:
        yield store


def _put(store: SqliteStore, *days: int) -> None:
    store.put(
        [
            build_entry(f"{day}.md", *_LINES[day % 2 :], kind=f"kind{day % 3}", day=day)
            for day in days
        ]
    )


def _forget(store: SqliteStore, *days: int) -> None:
    store.forget(HOME, [f"{day}.md" for day in days])


def _put_elsewhere(store: SqliteStore) -> None:
    store.put([build_entry("there.md", *_LINES, scope=OTHER)])


_STEPS: dict[str, Callable[[SqliteStore], object]] = {
    "documents": lambda store: _put(store, 0, 1, 2),
    "their vectors": lambda store: embed_missing(store, _EMBEDDER),
    "more documents": lambda store: _put(store, 3, 4, 5, 6),
    "some of their vectors": lambda store: embed_missing(store, _EMBEDDER, 3),
    "a document again": lambda store: _put(store, 1),
    "another scope": _put_elsewhere,
    "the vectors that were left": lambda store: embed_missing(store, _EMBEDDER),
    "fewer documents": lambda store: _forget(store, 0, 4),
    "none at all": lambda store: _forget(store, 1, 2, 3, 5, 6),
}
_FILTERS = (
    Filter(),
    Filter(kinds=frozenset({"kind1"})),
    Filter(kinds=frozenset({"kind1", "kind2"})),
    Filter(without=frozenset({"none of these"})),
    Filter(since=START, kinds=frozenset({"nothing"})),
)
_QUERIES = (
    build_keyword_query("결제 환불"),
    build_keyword_query("결제 nowhere", spread=(0.5, 0.25)),
    build_keyword_query("결제 nowhere", spread=(0.5, 0.25))._replace(spread_tokens=1),
)


def _ask(store: SqliteStore, where: Filter) -> list[Ranking]:
    ranked = [store.keyword(HOME, query, where, _EVERYTHING) for query in _QUERIES]
    return [*ranked, store.nearest(HOME, near(_EMBEDDER, "결제 서버"), where, _EVERYTHING)]


def _round(ranking: Ranking) -> tuple[object, ...]:
    ranked = [(passage, round(score, 6)) for passage, score in ranking.ranked]
    holding = {token: count for token, count in ranking.holding.items() if count}
    return ranked, round(ranking.ceiling, 6), ranking.passages, holding


@pytest.mark.parametrize("prefilters", [False, True])
def test_a_scope_in_memory_answers_as_the_file_after_each_write(
    file: Path, kept: SqliteStore, monkeypatch: pytest.MonkeyPatch, prefilters: bool
) -> None:
    if prefilters:
        monkeypatch.setattr(resident, "_PREFILTER_FROM", 1)
        monkeypatch.setattr(resident, "_SCANS_BEFORE_SIGNS", 1)
    for what, write in _STEPS.items():
        with closing(SqliteStore(file)) as other:
            write(other)
            for where in _FILTERS:
                expected = [_round(ranking) for ranking in _ask(other, where)]
                assert [_round(ranking) for ranking in _ask(kept, where)] == expected, what


def test_gains_that_are_too_many_are_forgotten(
    file: Path, kept: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postings, "_KEPT_GAINS", 3)
    _put(kept, 0, 1)
    with closing(SqliteStore(file)) as other:
        for text in ("결제", "환불", "결제 deploy 환불", "결제"):
            query: KeywordQuery = build_keyword_query(text)
            expected = other.keyword(HOME, query, Filter(), _EVERYTHING)
            assert _round(kept.keyword(HOME, query, Filter(), _EVERYTHING)) == _round(expected)


def test_only_the_oldest_vectors_without_a_passage_are_dropped(kept: SqliteStore) -> None:
    kept.put([build_entry(f"{n}.md", f"결제 {n}", kind="code") for n in range(5)])
    embed_missing(kept, _EMBEDDER)
    _forget(kept, 0, 1, 2)
    texts = [f"결제 {n}" for n in range(5)]
    for keep, left in ((3, texts), (2, texts[1:]), (0, texts[3:])):
        with kept._writing() as db:
            vectors.drop_unused_sqlite_vectors(db, keep)
        assert sorted(kept.vectors_of(_EMBEDDER.model, texts)) == left
