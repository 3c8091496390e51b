"""The fixtures that the parts of the contract share."""

from collections.abc import Callable, Iterator

import pytest

from gieok.testing.samples import FullStore


class StoreFixtures:
    """Gives `store`. A subclass gives the fixture `make_store`: a function that makes a new, empty
    store.
    """

    @pytest.fixture
    def store(self, make_store: Callable[[], FullStore]) -> Iterator[FullStore]:
        """Return one new store, closed at the end."""
        store = make_store()
        yield store
        store.close()

    def reopen(self, store: FullStore) -> FullStore:
        """Return another handle on the data of `store`; a store that keeps nothing on disk
        skips.
        """
        pytest.skip(f"{type(store).__name__} keeps nothing beyond its handle")
