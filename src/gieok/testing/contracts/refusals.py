"""The contract of failures: a full disk and a held lock raise named errors.

Nothing is half written.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from gieok.errors import StoreBusy, StoreFull
from gieok.testing.contracts.base import StoreFixtures
from gieok.testing.hash_embedder import HashEmbedder
from gieok.testing.samples import HOME, FullStore, build_entry, corpus, embed_missing

#: Context manager that causes a failure for as long as it is entered.
Trouble = Callable[[FullStore], AbstractContextManager[None]]


class RefusalContract(StoreFixtures):
    """Tests of the errors that `gieok.ports.Store` specifies.

    A subclass defines the fixtures `fill_disk` and `hold_lock`. `hold_lock` lets another writer
    hold the lock that a put into the scope `HOME` needs, for longer than the store waits.
    """

    def test_a_full_disk_leaves_what_was_there_and_a_put_works_once_there_is_room(
        self, store: FullStore, fill_disk: Trouble
    ) -> None:
        store.put(corpus(31, 20))
        before = (store.hashes(HOME), store.stats().passages)
        with fill_disk(store), pytest.raises(StoreFull):
            store.put(
                [
                    build_entry("31/3.md", "new"),
                    *(build_entry(f"big {n}", f"{n} 결제 " * 5000) for n in range(10)),
                ]
            )
        assert (store.hashes(HOME), store.stats().passages) == before
        assert store.check() == []
        store.put([build_entry("big", "결제 " * 50_000)])
        assert store.hashes(HOME).keys() == {*before[0], "big"}
        assert store.check() == []

    def test_a_full_disk_while_vectors_are_written_leaves_none_of_them(
        self, store: FullStore, fill_disk: Trouble
    ) -> None:
        embedder = HashEmbedder(384)
        store.use_model(embedder.model, embedder.dimension)
        store.put(corpus(32, 60))
        with fill_disk(store), pytest.raises(StoreFull):
            embed_missing(store, embedder)
        assert store.stats().vectors == store.stats().cached_vectors == 0
        embed_missing(store, embedder)
        assert store.missing(1) == []

    def test_a_lock_that_is_not_given_up_is_named_and_nothing_was_written(
        self, store: FullStore, hold_lock: Trouble
    ) -> None:
        store.put([build_entry("a", "old")])
        with hold_lock(store):
            with pytest.raises(StoreBusy):
                store.put([build_entry("a", "new"), build_entry("b", "x")])
            assert [d.text for d in store.get(HOME, ["a", "b"])] == ["old"]
        store.put([build_entry("a", "new")])
        assert [d.text for d in store.get(HOME, ["a", "b"])] == ["new"]
        assert store.check() == []
