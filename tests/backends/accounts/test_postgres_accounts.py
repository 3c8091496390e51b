"""Accounts on a real PostgreSQL server keep the contract."""

from collections.abc import Callable

import pytest

from gieok.backends.accounts.postgres import PostgresAccounts
from gieok.testing.contracts.accounts import AccountsContract
from gieok.testing.contracts.accounts_at_once import PointsAtOnceContract, sequences


class TestPostgresAccounts(AccountsContract):
    @pytest.fixture
    def make_accounts(self, make_database: Callable[[], str]) -> Callable[[], PostgresAccounts]:
        return lambda: PostgresAccounts(make_database())


class TestPostgresPointsAtOnce(PointsAtOnceContract):
    kills = (3, 17)
    test_any_sequence_of_calls_leaves_what_a_book_of_them_leaves = sequences(8)

    @pytest.fixture
    def url(self, make_database: Callable[[], str]) -> str:
        return make_database()

    @pytest.fixture
    def make_accounts(self, url: str, make_database: Callable[[], str]) -> Callable[[], PostgresAccounts]:
        urls = iter([url])
        return lambda: PostgresAccounts(next(urls, "") or make_database())

    @pytest.fixture
    def opening(self, url: str) -> str:
        return f"from gieok.backends.accounts.postgres import PostgresAccounts; accounts = PostgresAccounts({url!r})"
