"""The SQLite store keeps the contract, in SQL and in memory."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gieok.storage.index.sqlite.store import SqliteStore
from gieok.testing.contracts import LineContract, StoreContract


class TestSqliteStore(StoreContract, LineContract):
    resident = False

    @pytest.fixture
    def make_store(self, tmp_path: Path) -> Callable[[], SqliteStore]:
        self.files: dict[SqliteStore, Path] = {}
        return lambda: self.open(tmp_path / f"{len(self.files)}.sqlite")

    def open(self, file: Path) -> SqliteStore:
        store = SqliteStore(file, resident=self.resident)
        self.files[store] = file
        return store

    def reopen(self, store: SqliteStore) -> SqliteStore:
        return self.open(self.files[store])


class TestResidentSqliteStore(TestSqliteStore):
    resident = True
