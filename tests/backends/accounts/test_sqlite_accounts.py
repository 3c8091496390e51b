"""Accounts in a file keep the contract."""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from gieok.backends.accounts.sqlite import SqliteAccounts
from gieok.testing.contracts.accounts import AccountsContract


class TestSqliteAccounts(AccountsContract):
    @pytest.fixture
    def make_accounts(self, tmp_path: Path) -> Callable[[], SqliteAccounts]:
        numbers = itertools.count()
        return lambda: SqliteAccounts(tmp_path / f"{next(numbers)}.sqlite")
