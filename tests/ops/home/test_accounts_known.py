"""Whoever looks after a home knows of its accounts, and makes none."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gieok.app import open_context
from gieok.model.accounts import Posting
from gieok.ops import operation
from gieok.ops.context import Context
from gieok.ops.home.doctor import Check, iter_chain_checks
from gieok.ops.operation import Style
from gieok.storage.accounts.sqlite import SqliteAccounts

_AT = datetime(2026, 11, 23, tzinfo=UTC)


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    context = open_context({})
    yield context
    context.memory.store().close()


def _checks(context: Context) -> list[Check]:
    """Return what is said of accounts, up to what is checked after them."""
    found = []
    for check in iter_chain_checks(context):
        if check.name == "store":
            break
        found.append(check)
    return [check for check in found if check.name == "accounts"]


def _status(context: Context) -> tuple[str, str]:
    found = operation("status")
    result = found.handler(context, found.request())
    return result.accounts, found.present(result, Style("en", colour=False))


def test_a_home_without_users_is_not_told_of_accounts(context: Context) -> None:
    assert _checks(context) == []
    accounts, shown = _status(context)
    assert (accounts, "accounts" in shown) == ("", False)
    assert not list(context.home.glob("accounts*"))


def test_doctor_compares_points_with_the_ledger_and_status_says_where_they_are(
    context: Context,
) -> None:
    context.home.mkdir(exist_ok=True)
    file = context.home / "accounts.sqlite"
    with closing(SqliteAccounts(file)) as accounts:
        accounts.post("min", Posting("credit", 10, "pay"), _AT)
    (sound,) = _checks(context)
    assert (sound.ok, sound.detail.endswith("all sums agree")) == (True, True)
    assert f"accounts: {file}" in _status(context)[1]
    with closing(sqlite3.connect(file)) as db:
        db.execute("UPDATE users SET points = 99")
        db.commit()
    (wrong,) = _checks(context)
    assert (wrong.ok, "'min'" in wrong.detail) == (False, True)
