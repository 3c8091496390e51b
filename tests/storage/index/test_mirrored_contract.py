"""The stores whose vectors another library searches keep the contract.

The libraries are imported by the tests: at collection each worker would import them.
"""

from collections.abc import Callable
from math import inf
from pathlib import Path

import pytest

from gieok.storage.index.mirrored.store import MirroredStore
from gieok.testing.contracts import StoreContract


class MirroredContract(StoreContract):
    sequences = 20

    @pytest.fixture
    def make_store(self, tmp_path: Path) -> Callable[[], MirroredStore]:
        self.files: dict[MirroredStore, Path] = {}
        return lambda: self.open(tmp_path / f"{len(self.files)}.sqlite")

    def open(self, file: Path) -> MirroredStore:
        store = self.open_kind(file)
        self.files[store] = file
        return store

    def open_kind(self, file: Path) -> MirroredStore:
        raise NotImplementedError

    def reopen(self, store: MirroredStore) -> MirroredStore:
        return self.open(self.files[store])


class TestLanceStore(MirroredContract):
    def open_kind(self, file: Path) -> MirroredStore:
        from gieok.storage.index.lancedb.store import LanceStore

        return LanceStore(file)


class TestResidentLanceStore(MirroredContract):
    def open_kind(self, file: Path) -> MirroredStore:
        from gieok.storage.index.lancedb.store import LanceStore

        return LanceStore(file, resident=True)


class TestChromaStore(MirroredContract):
    def open_kind(self, file: Path) -> MirroredStore:
        from gieok.storage.index.chroma.store import ChromaStore

        class AlwaysAsked(ChromaStore):
            """The graph is asked also where it would not be trusted, so that the contract sees
            Chroma and not SQLite.
            """

            largest_share = inf

        return AlwaysAsked(file)
