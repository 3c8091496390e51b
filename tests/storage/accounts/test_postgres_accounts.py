"""Accounts on a real PostgreSQL server keep the contract."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from plain_settings import PlainSettings
from plans import Explained, catalogue

from gieok.errors import BadConfig, StoreError
from gieok.model.accounts import Account, IssuedKey, KeyRole, Posting, StoredCharacter
from gieok.opening import Opening
from gieok.storage.accounts.postgres import NAME, NAMES, PostgresAccounts
from gieok.storage.accounts.sql.owners import user_number
from gieok.testing.contracts.accounts import AccountsContract
from gieok.testing.contracts.accounts_at_once import (
    PointsAtOnceContract,
    build_account_sequence_test,
)


class TestPostgresAccounts(AccountsContract):
    @pytest.fixture
    def make_accounts(self, make_database: Callable[[], str]) -> Callable[[], PostgresAccounts]:
        return lambda: PostgresAccounts(make_database())


class TestPostgresPointsAtOnce(PointsAtOnceContract):
    kills = (5, 23)
    test_any_sequence_of_calls_leaves_what_a_book_of_them_leaves = build_account_sequence_test(8)

    @pytest.fixture
    def url(self, make_database: Callable[[], str]) -> str:
        return make_database()

    @pytest.fixture
    def make_accounts(
        self, url: str, make_database: Callable[[], str]
    ) -> Callable[[], PostgresAccounts]:
        urls = iter([url])
        return lambda: PostgresAccounts(next(urls, "") or make_database())

    @pytest.fixture
    def opening(self, url: str) -> str:
        return (
            "from gieok.storage.accounts.postgres import PostgresAccounts; accounts = "
            f"PostgresAccounts({url!r})"
        )


_AT = datetime(2026, 11, 23, 9, tzinfo=UTC)


def test_every_table_is_keyed_by_its_user_and_tied_to_nothing(
    make_database: Callable[[], str],
) -> None:
    tables, keys, tied = catalogue(make_database(), NAME)
    assert tables == dict.fromkeys(NAMES, "HASH (scope_id)") | {"migrations": ""}
    assert {name for name, _ in keys} == set(NAMES)
    assert {first for _, first in keys} == {"scope_id"}
    assert tied == []


class _Explained(Explained, PostgresAccounts):
    pass


def test_every_statement_of_a_user_looks_into_one_partition(
    make_database: Callable[[], str],
) -> None:
    accounts = _Explained(make_database())
    for user in ("jun", "min"):
        accounts.plans.clear()
        accounts.seen(user, _AT)
        accounts.keep_account(Account(user, "Asia/Seoul"))
        accounts.describe(user, "UTC", "en", "", _AT)
        account = accounts.account(user)
        assert account
        accounts.stage(account, "reminded", _AT)
        accounts.holds_of(user)
        accounts.check_in(user, _AT.date(), 10, _AT)
        accounts.check_in(user, _AT.date(), 10, _AT)
        accounts.last_check_in(user)
        accounts.post(user, Posting("slots", -1, "buy", "", "mina", 3), _AT)
        accounts.posted(user, "buy")
        accounts.hold(user, 1, "reply", _AT, "")
        accounts.settle(user, "reply", Posting("reply", -1, "reply"), _AT)
        accounts.release(user, "reply")
        accounts.balance(user)
        accounts.ledger(user, 0, 20)
        accounts.slots(user, "mina")
        character = StoredCharacter(user, "mina", "Mina", "{}", _AT, _AT)
        accounts.keep_character(character, is_new=True)
        accounts.keep_character(character, is_new=False)
        accounts.character(user, "mina")
        accounts.characters(user, 0, 20)
        accounts.keep_key(IssuedKey(user, "k", "hash", KeyRole.USER, "", _AT))
        accounts.key(user, "k")
        accounts.keys(user)
        accounts.drop_character(user, "mina")
        accounts.erase_account(user)
    assert len(accounts.plans) > 60
    assert accounts.spread() == []
    accounts.close()


def test_where_no_server_is_named_there_are_no_accounts_and_opening_them_says_what_is_missing(
    tmp_path: Path,
) -> None:
    opening = Opening(tmp_path, tmp_path, PlainSettings({"journal": "mongo", "database.url": ""}))
    assert not PostgresAccounts.is_there(opening)
    with pytest.raises(BadConfig, match=r"`journal: mongo` needs `database.url`"):
        PostgresAccounts.open(opening)


def test_asking_whether_there_are_accounts_makes_none(
    make_empty_database: Callable[[], str], tmp_path: Path
) -> None:
    url = make_empty_database()
    settings = {
        "journal": "postgres",
        "database.url": url,
        "store.timeout_s": "5",
        "database.connections": "2",
    }
    opening = Opening(tmp_path, tmp_path, PlainSettings(settings))
    assert not PostgresAccounts.is_there(opening)
    assert not PostgresAccounts.is_there(opening)
    with psycopg.connect(url) as db:
        assert db.execute(
            "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'gieok%'"
        ).fetchone() == (0,)


def test_users_of_one_number_never_see_each_other(make_database: Callable[[], str]) -> None:
    url = make_database()
    with psycopg.connect(url) as db:
        found = (
            "INSERT INTO gieok_accounts.users (scope_id, name, points) VALUES (%s, 'somebody', 100)"
        )
        db.execute(found, (user_number("min"),))
    accounts = PostgresAccounts(url)
    assert (accounts.balance("min"), accounts.account("min")) == (0, None)
    with pytest.raises(StoreError, match="number of another user"):
        accounts.post("min", Posting("reply", -1, "r"), _AT)
    accounts.close()


def test_text_that_postgresql_refuses_comes_back_as_it_was(
    make_database: Callable[[], str],
) -> None:
    accounts = PostgresAccounts(make_database())
    strange = "a\0b \ud83d 미나 \x10 \x100000 % ?"
    character = StoredCharacter(
        "min", strange, strange, strange, _AT, _AT, strange, b"\0\x10\xff", strange
    )
    accounts.keep_character(character, is_new=True)
    assert accounts.character("min", strange) == character
    accounts.close()


def test_users_of_earlier_tables_live_in_the_zone_of_the_home_until_they_set_one(
    make_empty_database: Callable[[], str],
) -> None:
    url = make_empty_database()
    accounts = PostgresAccounts(url)
    accounts.keep_account(Account("min", "UTC"))
    accounts.keep_account(Account("far", "Asia/Seoul"))
    accounts.post("min", Posting("purchase", 500, "order-1"), _AT)
    accounts.close()
    with psycopg.connect(url) as db:
        db.execute(f"ALTER TABLE {NAME}.users ALTER COLUMN zone SET DEFAULT 'UTC'")
        db.execute(f"DELETE FROM {NAME}.migrations WHERE version = 2")
    accounts = PostgresAccounts(url)
    zones = {name: accounts.account(name) for name in ("min", "far")}
    assert [zones[name].zone for name in ("min", "far")] == ["", "Asia/Seoul"]
    assert accounts.balance("min") == 500
    accounts.seen("new", _AT)
    assert accounts.account("new").zone == ""
    accounts.close()
