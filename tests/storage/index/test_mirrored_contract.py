"""The stores whose vectors another library searches keep the contract."""

from collections.abc import Callable
from math import inf
from pathlib import Path

import pytest

from gieok.storage.index.chroma.store import ChromaStore
from gieok.storage.index.lancedb.store import LanceStore
from gieok.storage.index.mirrored.store import MirroredStore
from gieok.testing.contracts import StoreContract


class MirroredContract(StoreContract):
    kind: type[MirroredStore]
    sequences = 20

    @pytest.fixture
    def make_store(self, tmp_path: Path) -> Callable[[], MirroredStore]:
        self.files: dict[MirroredStore, Path] = {}
        return lambda: self.open(tmp_path / f"{len(self.files)}.sqlite")

    def open(self, file: Path) -> MirroredStore:
        store = self.kind(file)
        self.files[store] = file
        return store

    def reopen(self, store: MirroredStore) -> MirroredStore:
        return self.open(self.files[store])


class AlwaysAsked(ChromaStore):
    """The graph is asked also where it would not be trusted, so that the contract sees Chroma and
    not SQLite.
    """

    largest_share = inf


class TestLanceStore(MirroredContract):
    kind = LanceStore


class TestResidentLanceStore(MirroredContract):
    kind = LanceStore

    def open(self, file: Path) -> MirroredStore:
        store = self.kind(file, resident=True)
        self.files[store] = file
        return store


class TestChromaStore(MirroredContract):
    kind = AlwaysAsked
