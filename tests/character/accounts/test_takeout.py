"""A user takes everything with them, or everything of them goes: no file of the home and no table
of a server has it.
"""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from character_talk import BOND, CharacterTalk

from gieok.character.accounts.erasure import Erasing
from gieok.character.accounts.return_visits import fade
from gieok.character.accounts.takeout import Takeout
from gieok.character.memory.control import Control
from gieok.character.memory.decisions import MemoryEdit
from gieok.character.memory.service import Bond, CharacterService, TurnBudget
from gieok.errors import NotFound
from gieok.model.accounts import Account, IssuedKey, KeyRole, Posting, StoredCharacter
from gieok.ports.accounts import Accounts
from gieok.storage.accounts.sqlite import SqliteAccounts
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.clock import ManualClock
from gieok.testing.hash_embedder import HashEmbedder

_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
_OTHER = Bond("lee", "maru", BOND.persona, BOND.zone)
#: What must not be anywhere afterwards: what kim said, was made of it, wrote, is called, has.
_MARKERS = (
    "혜화동",
    "망원동",
    "연남동",
    "새우",
    "kimdan",
    "kim@example.org",
    "캐릭터김단",
    "gk_kimdan",
    "사례금",
    "lorekim",
    "conversation-kim",
)


class Service(NamedTuple):
    """Users of a service with memories, and where all of it is."""

    talk: CharacterTalk
    accounts: Accounts
    dump: Callable[[], bytes]


_KIM = BOND._replace(user="kimdan")


@pytest.fixture(params=["sqlite", "postgres"])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    if request.param == "sqlite":
        journal, store = (
            SqliteJournal(tmp_path / "journal.sqlite"),
            SqliteStore(tmp_path / "memory.sqlite"),
        )
        accounts: Accounts = SqliteAccounts(tmp_path / "accounts.sqlite")

        def dump() -> bytes:
            return b"".join(
                file.read_bytes() for file in sorted(tmp_path.rglob("*")) if file.is_file()
            )
    else:
        url = request.getfixturevalue("make_database")()
        from gieok.storage.accounts.postgres import PostgresAccounts
        from gieok.storage.index.postgres.store import PostgresStore
        from gieok.storage.journal.postgres.journal import PostgresJournal

        journal, store, accounts = PostgresJournal(url), PostgresStore(url), PostgresAccounts(url)

        def dump() -> bytes:
            return _tables(url)

    embedder = HashEmbedder()
    memory = CharacterService(
        journal=journal,
        store=store,
        clock=ManualClock(_AT),
        embedder=embedder,
        budget=TurnBudget(context_tokens=700, narrative_tokens=300),
    )
    yield Service(CharacterTalk(memory, memory.clock), accounts, dump)
    for one in (journal, store, accounts):
        one.close()


def _tables(url: str) -> bytes:
    """Return every table of a database as text."""
    import psycopg

    with psycopg.connect(url) as db:
        names = db.execute(
            "SELECT table_schema || '.' || table_name FROM information_schema.tables WHERE "
            "table_type = 'BASE TABLE' "
            "AND table_schema NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        parts = []
        for (name,) in names:
            with db.cursor().copy(f"COPY (SELECT * FROM {name}) TO STDOUT") as copy:
                parts += [bytes(part) for part in copy]
    return b"".join(parts)


def _lived(service: Service) -> None:
    """Let two users talk with the same character; one of them has everything there is."""
    talk, accounts = service.talk, service.accounts
    for bond in (_KIM, _OTHER):
        accounts.seen(bond.user, _AT)
        talk.say("나 강아지 키워 이름은 초코야", "나 커피 좋아해", bond=bond)
    account = accounts.account("kimdan")
    assert account is not None
    accounts.keep_account(account._replace(mail="kim@example.org", lang="ko"))
    accounts.post("kimdan", Posting("credit", 9, "conversation-kim", "사례금", "maru", 2), _AT)
    accounts.keep_key(IssuedKey("kimdan", "gk_kimdan", "0" * 64, KeyRole.USER, "phone", _AT))
    card = json.dumps({"name": "캐릭터김단", "lore": "lorekim"}, ensure_ascii=False)
    accounts.keep_character(
        StoredCharacter("kimdan", "own", "캐릭터김단", card, _AT, _AT), is_new=True
    )
    talk.say(
        "저는 망원동에 살아요",
        "나 이사했어 혜화동으로 어제 짐 다 옮겼어",
        "나 새우 알레르기 있어",
        bond=_KIM,
    )
    talk.say(
        *(f"오늘은 도서관에서 책을 {n}권 빌렸는데 정말 재미있었어" for n in range(2, 14)), bond=_KIM
    )
    control = Control(memory=talk.characters)
    (home,) = [one for one in talk.characters.memories(_KIM).facts if one.object == "혜화동"]
    control.edit(_KIM, home.key, MemoryEdit(object="연남동"))
    (allergy,) = [one for one in talk.characters.memories(_KIM).facts if "새우" in one.object]
    control.delete(_KIM, allergy.key)
    talk.characters.search(_KIM, "연남동")


def test_a_user_takes_everything_with_them_and_nothing_of_others(service: Service) -> None:
    _lived(service)
    takeout = Takeout(memory=service.talk.characters, accounts=service.accounts)
    document = json.loads("".join(takeout.written("kimdan")))
    assert document["account"]["mail"] == "kim@example.org"
    assert (document["points"]["balance"], document["points"]["slots"]) == (9, {"maru": 2})
    assert document["points"]["ledger"][0]["note"] == "사례금"
    assert [key["id"] for key in document["keys"]] == ["gk_kimdan"]
    assert "0" * 64 not in json.dumps(document)
    assert document["characters"][0]["card"]["lore"] == "lorekim"
    (memory,) = document["memories"]
    facts = {(fact["object"], fact["is_current"]) for fact in memory["semantic"]}
    assert {("연남동", True), ("망원동", False)} <= facts
    assert "혜화동" in {item["object"] for item in memory["history"]}
    assert len(memory["messages"]) == 17
    assert memory["episodic"]
    with pytest.raises(NotFound):
        list(takeout.written("kimda"))


def test_nothing_of_a_user_who_is_erased_is_left_anywhere(service: Service) -> None:
    _lived(service)
    before = service.dump()
    missing = [one for one in _MARKERS if one not in before.decode("utf-8", "replace")]
    assert not [one for one in missing if one != "캐릭터김단"], "the markers are there to be found"
    others = service.talk.characters.memories(_OTHER)
    erasing = Erasing(memory=service.talk.characters, accounts=service.accounts)
    is_file = isinstance(service.accounts, SqliteAccounts)
    done = erasing.erase("kimdan", scrub=is_file)
    assert (done.scopes, done.still) == (1, ())
    assert done.messages >= 17
    after = service.dump()
    left = [one for one in _MARKERS if one.encode() in after]
    assert left == []
    assert service.accounts.account("kimdan") is None
    assert service.talk.characters.memories(_OTHER) == others
    assert service.talk.characters.search(_OTHER, "초코")
    assert erasing.erase("kimdan", scrub=False).messages == 0
    assert erasing.finish() == []


@pytest.mark.parametrize("service", ["sqlite"], indirect=True)
def test_an_erasure_that_was_killed_is_ended(service: Service) -> None:
    _lived(service)
    characters = service.talk.characters
    fade(characters.journal, characters.store, _KIM.scope)
    characters.journal.keep("character-erasing", {"kimdan": "begun"})
    characters.journal.drop(_KIM.scope)
    (done,) = Erasing(memory=characters, accounts=service.accounts).finish()
    assert done.user == "kimdan"
    assert not [one for one in _MARKERS if one.encode() in service.dump()]


@pytest.mark.parametrize("service", ["sqlite"], indirect=True)
def test_an_account_alone_is_taken_along_too(service: Service) -> None:
    service.accounts.keep_account(
        Account("kimdan", created_at=_AT, seen_at=_AT + timedelta(days=1))
    )
    takeout = Takeout(memory=service.talk.characters, accounts=service.accounts)
    assert json.loads("".join(takeout.written("kimdan")))["memories"] == []
