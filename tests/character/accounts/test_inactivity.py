"""Who stays away is told twice before the episodes go, never twice the same, and finds them formed
again on return.
"""

import socket
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiosmtpd")

from aiosmtpd.controller import Controller
from character_talk import BOND, CharacterTalk
from plain_settings import PlainSettings

from gieok.character.accounts import return_visits
from gieok.character.accounts.inactivity import FADED, REMINDED, WARNED, Inactivity
from gieok.character.accounts.letters import FINAL, REMINDER
from gieok.character.facts import EPISODE
from gieok.character.memory.service import TurnBudget
from gieok.errors import NotifierFailed
from gieok.model.accounts import Account
from gieok.models.notifiers.smtp import SmtpChannel
from gieok.opening import ChannelOpening
from gieok.ports.system import Clock, Letters
from gieok.storage.accounts.sqlite import SqliteAccounts
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.kept_letters import KeptLetters


@pytest.fixture
def accounts(tmp_path: Path) -> Iterator[SqliteAccounts]:
    opened = SqliteAccounts(tmp_path / "accounts.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def chat(talk: CharacterTalk) -> CharacterTalk:
    """Return a talk that has episodes."""
    budget = TurnBudget(context_tokens=700, narrative_tokens=300)
    small = CharacterTalk(replace(talk.characters, budget=budget), talk.clock)
    small.say(
        "나 새우 알레르기 있어",
        *(f"오늘은 도서관에서 책을 {n}권 빌렸는데 정말 재미있었어" for n in range(2, 14)),
    )
    assert small.characters.memories(BOND).episodes
    return small


class Killed(BaseException):
    """The process ends."""


@pytest.fixture
def post() -> KeptLetters:
    return KeptLetters()


@pytest.fixture
def inactivity(chat: CharacterTalk, accounts: SqliteAccounts, post: KeptLetters) -> Inactivity:
    accounts.seen("kim", chat.clock.now())
    _mail(accounts, "kim@example.org", "ko")
    return _over(chat, accounts, post)


def _over(chat: CharacterTalk, accounts: SqliteAccounts, letters: Letters) -> Inactivity:
    return Inactivity(
        accounts=accounts,
        journal=chat.characters.journal,
        store=chat.characters.store,
        clock=chat.clock,
        letters=letters,
    )


def _mail(accounts: SqliteAccounts, mail: str, lang: str) -> None:
    account = accounts.account("kim")
    assert account is not None
    accounts.keep_account(account._replace(mail=mail, lang=lang))


def _stage(accounts: SqliteAccounts) -> str:
    account = accounts.account("kim")
    assert account is not None
    return account.stage


def test_two_mails_then_the_episodes_go_and_facts_and_messages_stay(
    chat: CharacterTalk,
    inactivity: Inactivity,
    accounts: SqliteAccounts,
    post: KeptLetters,
    journal: SqliteJournal,
) -> None:
    facts, said = (
        chat.characters.memories(BOND).facts,
        len(journal.read(BOND.scope, 0, budget_tokens=1 << 40)),
    )
    done = list[tuple[int, str]]()
    for day in range(1, 95):
        chat.later(1)
        done += [(day, step.stage) for step in inactivity.run().steps]
    assert done == [(60, REMINDED), (80, WARNED), (90, FADED)]
    assert [title for _, title, _ in post.sent] == [REMINDER.title_ko, FINAL.title_ko]
    assert {address for address, _, _ in post.sent} == {"kim@example.org"}
    assert "2026년 5월 31일" in post.sent[0][2]
    assert "2026년 5월 31일" in post.sent[1][2]
    held = chat.characters.memories(BOND)
    assert (held.episodes, held.facts) == ([], facts)
    assert len(journal.read(BOND.scope, 0, budget_tokens=1 << 40)) == said
    assert not any(document.kind == EPISODE for _, document in journal.replaced(BOND.scope))
    assert not any(document.kind == EPISODE for document in _in_store(chat))


def _in_store(chat: CharacterTalk) -> list[Any]:
    store = chat.characters.store
    return store.get(BOND.scope, sorted(store.hashes(BOND.scope)))


def test_who_comes_back_finds_the_episodes_formed_again_in_portions(
    chat: CharacterTalk, inactivity: Inactivity, accounts: SqliteAccounts
) -> None:
    told = chat.characters.memories(BOND).episodes
    for day in (60, 80, 90):
        chat.clock.advance(timedelta(days=day) - timedelta(days={60: 0, 80: 60, 90: 80}[day]))
        inactivity.run()
    accounts.seen("kim", chat.clock.now())
    assert _stage(accounts) == ""
    chat.say("나 왔어")
    assert not chat.characters.memories(BOND).episodes
    for _ in range(20):
        if not return_visits.form_again(chat.characters, BOND):
            break
    again = chat.characters.memories(BOND).episodes
    assert {i for one in again for i in one.message_ids} == {
        i for one in told for i in one.message_ids
    }
    assert "새우" in again[0].text
    assert chat.characters.search(BOND, "새우 알레르기")
    assert not return_visits.form_again(chat.characters, BOND)
    chat.later(70)
    assert [step.stage for step in inactivity.run().steps] == [REMINDED]


@pytest.mark.parametrize("is_after", [False, True])
def test_killed_around_a_mail_nothing_is_sent_twice_and_nothing_deleted(
    chat: CharacterTalk,
    inactivity: Inactivity,
    accounts: SqliteAccounts,
    post: KeptLetters,
    *,
    is_after: bool,
) -> None:
    chat.later(60)
    post.raises, post.is_after = Killed, is_after
    with pytest.raises(Killed):
        inactivity.run()
    sent, post.raises = len(post.sent), None
    assert inactivity.run().unsure == ()
    for _ in range(5):
        chat.later(20)
        assert inactivity.run().unsure == ("kim",)
    assert len(post.sent) == sent
    assert chat.characters.memories(BOND).episodes
    assert [step.stage for step in inactivity.run(resend="kim").steps] == [WARNED]
    chat.later(10)
    assert [step.stage for step in inactivity.run().steps] == [FADED]


def test_killed_as_episodes_go_the_next_run_ends_it(
    chat: CharacterTalk, inactivity: Inactivity, accounts: SqliteAccounts, post: KeptLetters
) -> None:
    for days in (60, 20):
        chat.later(days)
        inactivity.run()
    chat.later(10)
    account = accounts.account("kim")
    assert account is not None
    assert accounts.stage(account, "fading", chat.clock.now())
    return_visits.fade(chat.characters.journal, chat.characters.store, BOND.scope)
    assert [step.stage for step in inactivity.run().steps] == [FADED]
    assert (_stage(accounts), len(post.sent)) == (FADED, 2)


def test_a_mail_that_fails_is_tried_again(
    chat: CharacterTalk, inactivity: Inactivity, accounts: SqliteAccounts, post: KeptLetters
) -> None:
    chat.later(60)
    post.raises = NotifierFailed
    (step,) = inactivity.run().steps
    assert (step.ok, step.stage, step.said, _stage(accounts)) == (False, REMINDED, "no", "")
    post.raises = None
    assert inactivity.run().counts()[REMINDED] == 1
    assert len(post.sent) == 1


def test_who_is_long_gone_when_first_looked_at_is_warned_and_has_ten_days(
    chat: CharacterTalk, inactivity: Inactivity, post: KeptLetters
) -> None:
    chat.later(400)
    assert [step.stage for step in inactivity.run().steps] == [WARNED]
    for _ in range(9):
        chat.later(1)
        assert not inactivity.run().steps
    chat.later(1)
    assert [step.stage for step in inactivity.run().steps] == [FADED]
    assert [title for _, title, _ in post.sent] == [FINAL.title_ko]


def test_who_comes_back_in_between_loses_nothing(
    chat: CharacterTalk, inactivity: Inactivity, accounts: SqliteAccounts
) -> None:
    for days in (60, 20):
        chat.later(days)
        inactivity.run()
    accounts.seen("kim", chat.clock.now())
    chat.later(15)
    assert not inactivity.run().steps
    assert chat.characters.memories(BOND).episodes


def test_without_an_address_stages_are_recorded_and_nothing_is_sent(
    chat: CharacterTalk, inactivity: Inactivity, accounts: SqliteAccounts, post: KeptLetters
) -> None:
    _mail(accounts, "a@b.c, other@example.org", "ko")
    for days, stage in ((60, REMINDED), (20, WARNED), (10, FADED)):
        chat.later(days)
        assert inactivity.run(is_dry=True).steps[0].stage == stage
        (step,) = inactivity.run().steps
        assert (step.stage, step.mail) == (stage, False)
    assert not post.sent


def test_mails_go_through_a_server_to_the_users_own_address_in_their_language(
    chat: CharacterTalk, inactivity: Inactivity, accounts: SqliteAccounts
) -> None:
    box = _Box()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = Controller(box, hostname="127.0.0.1", port=port)
    server.start()
    try:
        real = _over(chat, accounts, _Mailed(port, chat.clock))
        chat.later(60)
        assert real.run().counts()[REMINDED] == 1
        _mail(accounts, "kim@example.org", "en")
        chat.later(20)
        assert real.run().counts()[WARNED] == 1
    finally:
        server.stop()
    first, second = box.mails
    assert (first["To"], second["To"]) == ("kim@example.org", "kim@example.org")
    assert (first["Subject"], second["Subject"]) == (REMINDER.title_ko, FINAL.title_en)
    assert (first.get_content_type(), second.get_content_type()) == ("text/plain", "text/plain")
    assert "60일이 지났습니다" in first.get_content()
    assert "on May 31, 2026" in second.get_content()
    assert not any("새우" in mail.get_content() for mail in box.mails)


class _Mailed:
    """`Letters` by the real channel, to a server on this machine."""

    def __init__(self, port: int, clock: Clock) -> None:
        self.port, self.clock = port, clock

    def send(self, address: str, title: str, text: str) -> str:
        return SmtpChannel(_opening(self.port, address, self.clock)).send(title, text)


class _Box:
    """Keeps mail."""

    def __init__(self) -> None:
        self.mails: list[Any] = []

    # Aiosmtpd's.
    async def handle_DATA(self, server: object, session: object, envelope: Any) -> str:  # noqa: N802
        self.mails.append(message_from_bytes(envelope.content, policy=default))
        return "250 OK"


def _opening(port: int, address: str, clock: Clock) -> ChannelOpening:
    settings = {
        "smtp_host": "127.0.0.1",
        "smtp_port": str(port),
        "smtp_security": "none",
        "mail_from": "memory@example.org",
        "mail_to": address,
    }
    return ChannelOpening(
        settings=PlainSettings(settings),
        environment={},
        user=Path(),
        log=Path(),
        clock=clock,
        timeout_s=10.0,
        zone=UTC,
        key_variable="",
        key_hint="",
    )


def test_many_users_are_looked_at_in_pages(
    chat: CharacterTalk, inactivity: Inactivity, accounts: SqliteAccounts
) -> None:
    for number in range(401):
        accounts.seen(f"u{number:03}", datetime(2026, 1, 1, tzinfo=UTC))
    assert inactivity.run(is_dry=True).counts()[REMINDED] == 401
    assert accounts.account("u400") == Account(
        "u400",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        seen_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
