"""Fixtures that the contracts of stores share."""

from collections.abc import Callable, Iterator

import pytest

from gieok.testing.samples import FullStore


class StoreFixtures:
    """Fixtures for a store.

    A subclass defines the fixture `make_store`: a function that makes a new, empty store.
    """

    @pytest.fixture
    def store(self, make_store: Callable[[], FullStore]) -> Iterator[FullStore]:
        """Return a new store, closed at the end of the test."""
        store = make_store()
        yield store
        store.close()

    def reopen(self, store: FullStore) -> FullStore:
        """Return another handle on the data of `store`.

        The test is skipped for a store that keeps nothing on disk.
        """
        pytest.skip(f"{type(store).__name__} keeps nothing beyond its handle")
