"""Accounts in a file keep the contract."""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from gieok.backends.accounts.sqlite import SqliteAccounts
from gieok.testing.contracts.accounts import AccountsContract
from gieok.testing.contracts.accounts_at_once import PointsAtOnceContract


class TestSqliteAccounts(AccountsContract):
    @pytest.fixture
    def make_accounts(self, tmp_path: Path) -> Callable[[], SqliteAccounts]:
        numbers = itertools.count()
        return lambda: SqliteAccounts(tmp_path / f"{next(numbers)}.sqlite")


class TestSqlitePointsAtOnce(PointsAtOnceContract):
    kills = (2, 5)

    @pytest.fixture
    def make_accounts(self, tmp_path: Path) -> Callable[[], SqliteAccounts]:
        numbers = itertools.count()
        return lambda: SqliteAccounts(tmp_path / f"{next(numbers)}.sqlite")

    @pytest.fixture
    def opening(self, tmp_path: Path) -> str:
        file = str(tmp_path / "0.sqlite")
        return f"from gieok.backends.accounts.sqlite import SqliteAccounts, Path; accounts = SqliteAccounts(Path({file!r}))"
