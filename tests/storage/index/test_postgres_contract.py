"""The PostgreSQL store keeps the contract on a real server."""

from collections.abc import Callable

import pytest

from gieok.storage.index.postgres.store import PostgresStore
from gieok.testing.contracts import StoreContract


class TestPostgresStore(StoreContract):
    sequences = 12

    @pytest.fixture
    def make_store(self, make_database: Callable[[], str]) -> Callable[[], PostgresStore]:
        self.urls: dict[PostgresStore, str] = {}
        return lambda: self.open(make_database())

    def open(self, url: str) -> PostgresStore:
        store = PostgresStore(url)
        self.urls[store] = url
        return store

    def reopen(self, store: PostgresStore) -> PostgresStore:
        return self.open(self.urls[store])
