"""`gieok journal switch`: from SQLite to a real PostgreSQL and back, killed, refused."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.home.journal_switch import JournalSwitchResult
from gieok.errors import BadRequest
from gieok.flow.journal_copy import copy_journal, find_differing_parts
from gieok.home.calls import open_call
from gieok.model.accounts import Account, IssuedKey, KeyRole, Posting, StoredCharacter
from gieok.model.archive import Move, Place
from gieok.model.conversation import BufferedSpan, Incident, JournalRow, Reject, Retraction, Usage
from gieok.model.memory import Scope, Tier
from gieok.ports.accounts import Accounts
from gieok.ports.journal import FullJournal
from gieok.storage.accounts.postgres import NAMES, PostgresAccounts
from gieok.storage.accounts.sqlite import SqliteAccounts
from gieok.storage.journal.postgres.journal import PostgresJournal
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.contracts.archive_rows import lives
from gieok.testing.contracts.journal import append_turns, held
from gieok.testing.contracts.positions import build_reader_run
from gieok.testing.samples import AT, EVERYTHING, HOME, OTHER, build_entry, build_message

USER = Scope("user:min")


def _fill(journal: FullJournal) -> None:
    """Put a row into every table."""
    append_turns(
        journal,
        build_message("a", "one\0 결제"),
        build_message("b"),
        build_message("b", "b2"),
        build_message("c"),
        Retraction("s", "c"),
    )
    append_turns(
        journal, build_message("a", "the same session, another scope"), scope=OTHER, file="2:2"
    )
    journal.correct(HOME, "a", "corrected")
    cursor = journal.cursors()[0]
    assert journal.append(
        HOME, [], cursor._replace(offset=99), cursor, [Reject("/t", 1, 0, 9, "no JSON")]
    )
    one, *_, last = (found.seq for found in journal.read(HOME, 0, budget_tokens=EVERYTHING))
    assert journal.commit(
        0,
        build_reader_run(one),
        put=[build_entry("m", "x"), build_entry("n", "y")],
        forget=[build_entry("o", "z").document],
    )
    assert journal.buffer(HOME, "observe", BufferedSpan(one, last, 1, "chunk"))
    assert journal.archive([Move(build_entry("n", "y"), lives(build_entry("n", "y")))]) == []
    journal.mark_stale([Place(HOME, Tier.WARM, "2026/old.md")])
    journal.delivered([number for number, _, _ in journal.undelivered(1)])
    journal.keep("realm", {"a": "b"})
    journal.charge(AT.date(), "observer", Usage(1, 2, 3, 4, 0.5, 0.25))
    journal.raise_incident(Incident("observer", "down", AT, 1, AT + timedelta(minutes=1)))
    journal.identity()


def _fill_accounts(accounts: Accounts) -> None:
    """Put a row into every table, for two users and the service."""
    for user in ("min", "jun"):
        accounts.keep_account(
            Account(user, "Asia/Seoul", "ko", f"{user}@example.com", AT, AT, "reminded", AT)
        )
        accounts.check_in(user, AT.date(), 10, AT)
        accounts.post(user, Posting("slots", -1, "buy\0", "결제", "mina", 3), AT)
        accounts.hold(user, 1, "reply", AT, "mina/1")
        accounts.keep_key(IssuedKey(user, "k", "hash", KeyRole.USER, "phone", AT, AT))
    accounts.keep_character(
        StoredCharacter("", "mina", "미나", "{}", AT, AT, "m", b"\0\xff", "image/png"), is_new=True
    )


def test_accounts_are_copied_and_back_and_go_on(
    tmp_path: Path, make_database: Callable[[], str]
) -> None:
    here, there = SqliteAccounts(tmp_path / "accounts.sqlite"), PostgresAccounts(make_database())
    _fill_accounts(here)
    assert {row.table for scope in (USER, None) for row in here.copied_rows(scope)} == set(NAMES)
    there.post("gone", Posting("credit", 1, "r"), AT)
    with pytest.raises(BadRequest, match="user:gone"):
        copy_journal(here, there, what="list of accounts")
    assert copy_journal(here, there, replace=True).scopes == 2
    assert (copy_journal(here, there).copied, there.check(), there.users("", 9)) == (
        0,
        [],
        ["jun", "min"],
    )
    posted = there.settle("min", "reply", Posting("reply", -1, "reply"), AT)
    assert posted
    assert (posted.entry.number, posted.entry.balance) == (3, 8)
    back = SqliteAccounts(tmp_path / "back.sqlite")
    copy_journal(there, back)
    assert (find_differing_parts(there, back), back.ledger("min", 0, 9)) == (
        [],
        there.ledger("min", 0, 9),
    )
    for accounts in (here, there, back):
        accounts.close()


class _KilledAccounts(PostgresAccounts):
    """As `_Killed`."""

    taken = 0

    def take_rows(self, scope: Scope | None, rows: Iterable[JournalRow]) -> None:
        super().take_rows(scope, [*rows] if not self.taken else _until_killed(rows))
        self.taken += 1


def _until_killed(rows: Iterable[JournalRow]) -> Iterator[JournalRow]:
    yield from rows
    raise KeyboardInterrupt


def test_a_copy_of_accounts_that_was_killed_goes_on(
    tmp_path: Path, make_database: Callable[[], str]
) -> None:
    url = make_database()
    here, dying, there = (
        SqliteAccounts(tmp_path / "a.sqlite"),
        _KilledAccounts(url),
        PostgresAccounts(url),
    )
    _fill_accounts(here)
    with pytest.raises(KeyboardInterrupt):
        copy_journal(here, dying)
    assert len(find_differing_parts(here, there)) == 2
    assert copy_journal(here, there).copied == 2
    for accounts in (here, dying, there):
        accounts.close()


@pytest.fixture
def here(tmp_path: Path) -> Iterator[SqliteJournal]:
    journal = SqliteJournal(tmp_path / "here.sqlite")
    _fill(journal)
    yield journal
    journal.close()


@pytest.fixture
def there(make_database: Callable[[], str]) -> Iterator[PostgresJournal]:
    journal = PostgresJournal(make_database())
    yield journal
    journal.close()


def test_everything_is_copied_and_back_and_goes_on(
    here: SqliteJournal, there: PostgresJournal, tmp_path: Path
) -> None:
    tables = {row.table for scope in (HOME, None) for row in here.copied_rows(scope)}
    assert len(tables) == 15
    assert copy_journal(here, there).scopes == 2
    assert copy_journal(here, there).copied == 0
    assert (held(there), there.made(HOME), there.archived(HOME)) == (
        held(here),
        here.made(HOME),
        here.archived(HOME),
    )
    assert (there.corrections(HOME), there.identity()) == (here.corrections(HOME), here.identity())
    append_turns(there, build_message("d"))
    append_turns(there, build_message("e"), scope=OTHER, file="2:2")
    there.hand_over([build_entry("p", "new")])
    assert held(there)[-1] == "d"
    assert len(there.cursors()) == 2
    back = SqliteJournal(tmp_path / "back.sqlite")
    copy_journal(there, back)
    assert (find_differing_parts(there, back), held(back)) == ([], held(there))
    append_turns(back, build_message("f"))
    assert held(back)[-1] == "f"
    back.close()


class _Killed(PostgresJournal):
    """Takes one part, and dies in the next."""

    taken = 0

    def take_rows(self, scope: Scope | None, rows: Iterable[JournalRow]) -> None:
        def dying() -> Iterator[JournalRow]:
            yield from rows
            if self.taken:
                raise KeyboardInterrupt

        super().take_rows(scope, dying())
        self.taken += 1


def test_a_copy_that_was_killed_goes_on(
    here: SqliteJournal, make_database: Callable[[], str]
) -> None:
    url = make_database()
    dying, there = _Killed(url), PostgresJournal(url)
    with pytest.raises(KeyboardInterrupt):
        copy_journal(here, dying)
    assert len(find_differing_parts(here, there)) == 2
    assert copy_journal(here, there).copied == 2
    dying.close()
    there.close()


def test_what_another_journal_holds_is_dropped_only_when_asked_for(
    here: SqliteJournal, there: PostgresJournal
) -> None:
    append_turns(there, build_message("a", "somebody's"), scope=Scope("agent:somebody"))
    with pytest.raises(BadRequest, match="agent:somebody"):
        copy_journal(here, there)
    copy_journal(here, there, replace=True)
    assert (find_differing_parts(here, there), there.scopes()) == ([], here.scopes())


def test_the_command_changes_the_setting_once_both_are_equal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_database: Callable[[], str]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for name, value in {
        "GIEOK_HOME": str(home),
        "GIEOK_EMBEDDER": "none",
        "GIEOK_DATABASE_URL": make_database(),
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)

    def switch(name: str, *, dry_run: bool = False) -> JournalSwitchResult:
        call = open_call({})
        try:
            done: JournalSwitchResult = load_command("journal switch")(
                call, name=name, dry_run=dry_run
            )
            return done
        finally:
            call.home.journal.close()

    journal = SqliteJournal(home / "journal.sqlite")
    _fill(journal)
    journal.close()
    with closing(SqliteAccounts(home / "accounts.sqlite")) as accounts:
        _fill_accounts(accounts)
    assert not switch("postgres", dry_run=True).done
    moved = switch("postgres")
    assert (moved.scopes, moved.users, moved.location.partition("://")[0]) == (2, 2, "postgresql")
    with closing(PostgresAccounts(os.environ["GIEOK_DATABASE_URL"])) as accounts:
        assert (accounts.balance("min"), accounts.characters("", 0, 9)[0], accounts.check()) == (
            8,
            1,
            [],
        )
    assert (home / "config.yaml").read_text() == "journal: postgres\n"
    words = load_command("journal switch").present(moved, Style("en", colour=False))
    assert "compared and equal" in words
    with pytest.raises(BadRequest, match="no journal to switch to"):
        switch("postgres")
    back = switch("sqlite")
    assert (back.copied, back.users) == (0, 2)
    assert (home / "config.yaml").read_text() == "journal: sqlite\n"
