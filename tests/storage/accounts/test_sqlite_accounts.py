"""Accounts in a file keep the contract."""

import itertools
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from gieok.model.accounts import Account
from gieok.storage.accounts.sqlite import SqliteAccounts
from gieok.testing import ManualClock
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
        return (
            "from gieok.storage.accounts.sqlite import SqliteAccounts, Path; accounts = "
            f"SqliteAccounts(Path({file!r}))"
        )


def test_users_of_an_older_file_live_in_the_zone_of_the_home_until_they_set_one(
    tmp_path: Path,
) -> None:
    file = tmp_path / "accounts.sqlite"
    with closing(SqliteAccounts(file)) as accounts:
        accounts.keep_account(Account("min", "UTC"))
        accounts.keep_account(Account("far", "Asia/Seoul"))
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA user_version = 1")
    with closing(SqliteAccounts(file)) as accounts:
        assert [accounts.account(name).zone for name in ("min", "far")] == ["", "Asia/Seoul"]
        accounts.describe("min", "UTC", "en", "", ManualClock().now())
    with closing(SqliteAccounts(file)) as accounts:
        assert accounts.account("min").zone == "UTC"
