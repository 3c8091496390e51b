"""Accounts on a real PostgreSQL server keep the contract."""

from collections.abc import Callable

import pytest

from gieok.backends.accounts.postgres import PostgresAccounts
from gieok.testing.contracts.accounts import AccountsContract


class TestPostgresAccounts(AccountsContract):
    @pytest.fixture
    def make_accounts(self, make_database: Callable[[], str]) -> Callable[[], PostgresAccounts]:
        return lambda: PostgresAccounts(make_database())
