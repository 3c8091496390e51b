"""A full disk, a put that fails half way and endless re-indexing: what was there stays, and nothing
else.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from gieok.errors import StoreFull
from gieok.storage.index.sqlite import vectors
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.testing import HashEmbedder
from gieok.testing.contracts import RefusalContract
from gieok.testing.samples import HOME, build_entry, corpus, embed_missing

_NO_LIMIT = 2**31


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory.sqlite"


@pytest.fixture
def store(file: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(file)
    yield store
    store.close()


def _leave_room(store: SqliteStore, pages: int) -> None:
    """Let the database grow by so many pages: SQLite then raises the very error of a full disk."""
    db = store._db()
    held = db.execute("PRAGMA page_count").fetchone()[0]
    db.execute(f"PRAGMA max_page_count = {min(held + pages, _NO_LIMIT)}")


@pytest.mark.parametrize("pages", range(0, 40, 3))
def test_a_full_disk_leaves_what_was_there_and_a_put_works_once_there_is_room(
    store: SqliteStore, pages: int
) -> None:
    store.put(corpus(31, 20))
    before = (store.hashes(HOME), store.stats().passages)
    _leave_room(store, pages)
    with pytest.raises(StoreFull):
        store.put(
            [
                build_entry("31/3.md", "new"),
                *(build_entry(f"big {n}", f"{n} 결제 " * 5000) for n in range(10)),
            ]
        )
    assert (store.hashes(HOME), store.stats().passages) == before
    assert store.check() == []
    _leave_room(store, _NO_LIMIT)
    store.put([build_entry("big", "결제 " * 50_000)])
    assert store.hashes(HOME).keys() == {*before[0], "big"}
    assert store.check() == []


class TestSqliteRefusals(RefusalContract):
    @pytest.fixture
    def make_store(self, file: Path) -> Callable[[], SqliteStore]:
        return lambda: SqliteStore(file, busy_timeout_ms=50)

    @pytest.fixture
    def fill_disk(self) -> Callable[[SqliteStore], AbstractContextManager[None]]:
        @contextmanager
        def full(store: SqliteStore) -> Iterator[None]:
            _leave_room(store, 2)
            yield
            _leave_room(store, _NO_LIMIT)

        return full

    @pytest.fixture
    def hold_lock(self, file: Path) -> Callable[[SqliteStore], AbstractContextManager[None]]:
        @contextmanager
        def held(store: SqliteStore) -> Iterator[None]:
            other = sqlite3.connect(file, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            yield
            other.close()

        return held


def test_a_put_that_fails_half_way_writes_nothing(store: SqliteStore) -> None:
    store.put([build_entry("a", "old")])
    unwritable = replace(build_entry("c", "x").document, metadata={"key": object()})  # type: ignore[dict-item]
    with pytest.raises(TypeError):
        store.put(
            [
                build_entry("a", "new"),
                build_entry("b", "x"),
                build_entry("c", "x")._replace(document=unwritable),
            ]
        )
    assert [d.text for d in store.get(HOME, ["a", "b", "c"])] == ["old"]
    assert store.check() == []
    store.put([build_entry("b", "the store still works")])


def test_indexing_the_same_documents_again_and_again_does_not_grow_the_file(
    file: Path, store: SqliteStore
) -> None:
    embedder = HashEmbedder()
    store.use_model(embedder.model, embedder.dimension)
    entries = corpus(33, 200)
    for _ in range(5):
        store.put(entries)
    embed_missing(store, embedder)
    store.compact()
    rows, size = _rows(file), store.stats().disk_bytes
    for _ in range(45):
        store.put(entries)
    store.compact()
    assert _rows(file) == rows
    assert store.stats().disk_bytes < 1.5 * size
    assert store.missing(1) == []
    assert file.with_name(f"{file.name}-wal").stat().st_size < 16_000_000
    assert store.check() == []


def test_changing_every_document_again_and_again_does_not_grow_the_file(store: SqliteStore) -> None:
    for round_ in range(60):
        store.put(
            [
                build_entry(str(n), f"{n} 결제 {(round_ * 31 + n) % 97}", "고양이 " * 20)
                for n in range(100)
            ]
        )
        if round_ == 5:
            size = store.stats().disk_bytes
    assert store.stats().disk_bytes < 1.5 * size
    assert store.check() == []


def test_unused_vectors_are_kept_up_to_the_cap_and_the_oldest_go_first(store: SqliteStore) -> None:
    embedder = HashEmbedder()
    store.use_model(embedder.model, embedder.dimension)
    for text in ("used", "old", "newer"):
        store.put([build_entry(text, text)])
        embed_missing(store, embedder)
    store.forget(HOME, ["old", "newer"])
    with store._writing() as db:
        vectors.drop_unused_sqlite_vectors(db, keep=1)
    store.put([build_entry("old", "old"), build_entry("newer", "newer")])
    assert [text for _, text in store.missing(9)] == ["old"]
    assert store.check() == []


def _rows(file: Path) -> dict[str, int]:
    db = sqlite3.connect(file)
    tables = ("scopes", "documents", "passages", "vectors", "models", "keywords_docsize")
    counts = {table: db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables}
    db.close()
    return counts
