"""Whoever looks after a home knows of its accounts, and makes none."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.home.doctor import Check, iter_chain_checks
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.model.accounts import Posting
from gieok.storage.accounts.sqlite import SqliteAccounts

_AT = datetime(2026, 11, 23, tzinfo=UTC)


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    call = open_call({})
    yield call
    call.home.store.close()


def _checks(call: Call) -> list[Check]:
    """Return what is said of accounts, up to what is checked after them."""
    found = []
    for check in iter_chain_checks(call):
        if check.name == "store":
            break
        found.append(check)
    return [check for check in found if check.name == "accounts"]


def _status(call: Call) -> tuple[str, str]:
    found = load_command("status")
    result = found(call)
    return result.accounts, found.present(result, Style("en", colour=False))


def test_a_home_without_users_is_not_told_of_accounts(call: Call) -> None:
    assert _checks(call) == []
    accounts, shown = _status(call)
    assert (accounts, "accounts" in shown) == ("", False)
    assert not list(call.home.folder.glob("accounts*"))


def test_doctor_compares_points_with_the_ledger_and_status_says_where_they_are(
    call: Call,
) -> None:
    call.home.folder.mkdir(exist_ok=True)
    file = call.home.folder / "accounts.sqlite"
    with closing(SqliteAccounts(file)) as accounts:
        accounts.post("min", Posting("credit", 10, "pay"), _AT)
    (sound,) = _checks(call)
    assert (sound.ok, sound.detail.endswith("all sums agree")) == (True, True)
    assert f"accounts: {file}" in _status(call)[1]
    with closing(sqlite3.connect(file)) as db:
        db.execute("UPDATE users SET points = 99")
        db.commit()
    (wrong,) = _checks(call)
    assert (wrong.ok, "'min'" in wrong.detail) == (False, True)
