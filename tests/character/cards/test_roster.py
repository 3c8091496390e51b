"""Characters of a service and of its users: whose they are, what becomes of their canon, and what a
reply is told of it.
"""

import itertools
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gieok.character.cards.canon import RECALLED, Canon, canon_scope
from gieok.character.cards.card import Card, card_from, new_card, with_data
from gieok.character.cards.package import CardForm
from gieok.character.cards.roster import Roster, id_of
from gieok.errors import BadRequest, Conflict, NotFound
from gieok.model.conversation import Message, Role
from gieok.model.memory import Scope
from gieok.storage.accounts.sqlite import SqliteAccounts
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.clock import ManualClock
from gieok.testing.memory_store import MemoryStore

_MINA = new_card({"name": "미나", "description": "책방 주인"}, ("안녕",))


def _with_book(*entries: tuple[list[str], str], **more: object) -> Card:
    rows = [{"keys": keys, "content": text} for keys, text in entries]
    return with_data(_MINA, {"character_book": {"entries": rows, **more}})


@pytest.fixture
def roster(journal: SqliteJournal, tmp_path: Path) -> Iterator[Roster]:
    clock = ManualClock(datetime(2026, 3, 2, 12, tzinfo=UTC))
    canon = Canon(journal=journal, store=MemoryStore(), clock=clock)
    accounts = SqliteAccounts(tmp_path / "accounts.sqlite")
    yield Roster(accounts=accounts, canon=canon, journal=journal, clock=clock)
    accounts.close()


def _canon(roster: Roster, scope: str) -> dict[str, str]:
    return {
        one.document.text: one.document.content_hash for one in roster.journal.made(Scope(scope))
    }


def test_a_users_own_character_goes_before_the_services_and_is_nobody_elses(roster: Roster) -> None:
    roster.create("", new_card({"name": "Harbour"}))
    own = roster.create("kim", _MINA)
    assert (own.id, roster.find("kim", "미나").owner, roster.find("lee", "harbour").owner) == (
        "미나",
        "kim",
        "",
    )
    with pytest.raises(NotFound) as another:
        roster.find("lee", "미나")
    with pytest.raises(NotFound) as unknown:
        roster.find("lee", "nobody")
    assert str(another.value).replace("미나", "nobody") == str(unknown.value)
    assert [one.id for one in roster.page("kim").characters] == ["미나", "harbour"]
    assert [one.id for one in roster.page("lee").characters] == ["harbour"]


def test_an_id_that_is_taken_is_a_conflict(roster: Roster) -> None:
    roster.create("", _MINA, "mina")
    for owner in ("kim", ""):
        with pytest.raises(Conflict):
            roster.create(owner, _MINA, "mina")
    roster.create("kim", _MINA, "own")
    roster.create("", _MINA, "own")
    assert (roster.find("kim", "own").owner, roster.find("lee", "own").owner) == ("kim", "")


@pytest.mark.parametrize(
    "identity", ["a/b", "../x", ".", "a b", "-a", "a:b", "a" * 65, "a\n", "a\0"]
)
def test_an_id_is_a_plain_name(roster: Roster, identity: str) -> None:
    with pytest.raises(BadRequest):
        roster.create("kim", _MINA, identity)


@pytest.mark.parametrize(
    ("name", "identity"),
    [("Mina Kim!", "mina-kim"), ("미나", "미나"), ("../..", ""), ("💙", ""), ("a" * 90, "a" * 64)],
)
def test_an_id_is_made_of_the_name(name: str, identity: str) -> None:
    assert id_of(name) == (identity or id_of(name))
    assert id_of(name).startswith(identity or "character-")


def test_pages_go_on_from_the_users_own_to_the_services(roster: Roster) -> None:
    for n in range(3):
        roster.create("kim", _MINA, f"own{n}")
        roster.create("", _MINA, f"service{n}")
    found = [roster.page("kim", offset, 2) for offset in range(0, 8, 2)]
    assert [one.id for page in found for one in page.characters] == [
        f"{a}{n}" for a in ("own", "service") for n in range(3)
    ]
    assert {page.total for page in found} == {6}


def test_a_change_of_the_card_puts_again_what_changed_alone(roster: Roster) -> None:
    roster.create(
        "kim", _with_book((["책방"], "골목 끝에 있다"), (["고양이"], "이름은 보리")), "mina"
    )
    before = _canon(roster, "user:kim/canon:mina")
    roster.canon.clock.advance(timedelta(days=1))  # type: ignore[attr-defined]
    changed = _with_book((["고양이"], "이름은 보리"), (["책방"], "역 앞으로 옮겼다"))
    stored = roster.update("kim", "mina", changed)
    after = _canon(roster, "user:kim/canon:mina")
    assert before.keys() - after.keys() == {"골목 끝에 있다"}
    assert after.keys() - before.keys() == {"역 앞으로 옮겼다"}
    assert roster.canon.keep(stored) == (0, 0)
    assert roster.canon.store.hashes(canon_scope("kim", "mina")).keys() == {
        one.document.key for one in roster.journal.made(canon_scope("kim", "mina"))
    }


def test_what_goes_and_what_stays_with_a_character_is_told(roster: Roster) -> None:
    roster.create("", _with_book((["책방"], "골목 끝에 있다")), "mina")
    roster.journal.say(
        Scope("user:kim/character:mina"), [Message("1", Role.USER, "hi", roster.clock.now(), "kim")]
    )
    gone = roster.delete("", "mina")
    assert (gone.canon, _canon(roster, "character:mina")) == (1, {})
    assert roster.journal.read(Scope("user:kim/character:mina"), 0, budget_tokens=9)
    with pytest.raises(NotFound):
        roster.delete("", "mina")


def test_a_file_comes_in_goes_out_and_takes_another_place_where_asked(roster: Roster) -> None:
    data = json.dumps(
        {"spec": "chara_card_v2", "data": {"name": "Mina", "odd": 1.0, "first_mes": "Hi"}}
    ).encode()
    came = roster.import_file("kim", data)
    assert (came.id, roster.export_file("kim", "mina", CardForm.JSON)) == ("mina", data)
    with pytest.raises(Conflict):
        roster.import_file("kim", data)
    assert (
        roster.find("kim", "mina").package,
        roster.find("kim", "mina", with_file=True).package,
    ) == (b"", data)
    other = data.replace(b"Hi", b"Hello")
    assert roster.import_file("kim", other, "mina", replaces=True).created_at == came.created_at
    assert roster.export_file("kim", "mina", CardForm.JSON) == other
    roster.update("kim", "mina", with_data(card_from(other), {"nickname": "M"}))
    assert json.loads(roster.export_file("kim", "mina", CardForm.JSON))["data"]["odd"] == 1.0
    with pytest.raises(NotFound):
        roster.export_file("lee", "mina", CardForm.PNG)


def test_a_lorebook_alone_takes_the_place_of_a_characters_lorebook(roster: Roster) -> None:
    roster.create("", _with_book((["책방"], "골목 끝에 있다")), "mina")
    book = json.dumps({"entries": {"0": {"key": ["등대"], "content": "섬에 있다"}}}).encode()
    with pytest.raises(Conflict):
        roster.import_file("", book, "mina")
    stored = roster.import_file("", book, "mina", replaces=True)
    assert stored.name == "미나"
    found = roster.canon.entries(stored, "책방 옆 등대", [], 500)
    assert [one.text for one in found] == ["섬에 있다"]
    alone = roster.import_file("kim", book, name="항구")
    assert (alone.id, alone.name) == ("항구", "항구")
    assert json.loads(roster.export_file("kim", "항구", CardForm.JSON))["spec"] == "chara_card_v3"


def test_canon_is_told_by_key_by_likeness_and_within_its_budget(roster: Roster) -> None:
    told = "미나는 겨울마다 통영에서 유자를 받아 온다."
    rows = ((["책방"], "책방은 골목 끝에 있다."), (["고양이"], "고양이 이름은 보리다."), ([], told))
    stored = roster.create("", _with_book(*rows), "mina")
    found = roster.canon.entries(stored, "책방에 갈래", ["고양이는?"], 500)
    assert [(one.why, one.entry.number) for one in found] == [("책방", 0), ("고양이", 1)]
    assert [one.why for one in roster.canon.entries(stored, "통영 유자 이야기 해 줘", [], 500)] == [
        RECALLED
    ]
    assert roster.canon.entries(stored, "날씨 좋다", [], 500) == []
    assert len(roster.canon.entries(stored, "책방 고양이", [], 14)) == 1
    assert (
        roster.canon.tell(stored, "kim", ["고양이", "책방"], 500)
        == "[캐릭터의 설정: 늘 그렇다]\n\n책방은 골목 끝에 있다.\n\n고양이 이름은 보리다."
    )


def test_room_goes_to_constant_entries_then_by_priority_and_the_order_is_the_books(
    roster: Roster,
) -> None:
    rows = [
        {
            "keys": ["a"],
            "content": f"{name} {'x ' * 40}",
            "priority": priority,
            "insertion_order": order,
            "constant": name == "c",
        }
        for name, priority, order in (("low", 1, 1), ("high", 9, 3), ("c", 0, 2), ("mid", 5, 0))
    ]
    stored = roster.create("", with_data(_MINA, {"character_book": {"entries": rows}}), "mina")
    one = roster.canon.entries(stored, "a", [], 10_000)
    each = sum(map(len, (row.text for row in one))) // len(one)
    assert [row.text.split()[0] for row in one] == ["mid", "low", "c", "high"]
    budget = next(b for b in range(each) if len(roster.canon.entries(stored, "a", [], b)) == 2)
    assert [row.text.split()[0] for row in roster.canon.entries(stored, "a", [], budget)] == [
        "c",
        "high",
    ]


def test_an_entry_that_waits_for_replies_counts_those_of_the_whole_chat(roster: Roster) -> None:
    stored = roster.create("", _with_book((["a"], "@@activate_only_after 2\nlater")), "mina")
    scope, ids = Scope("user:kim/character:mina"), itertools.count()
    told = []
    for _ in range(3):
        told.append(roster.canon.tell(stored, "kim", ["a"], 100))
        roster.journal.say(
            scope, [Message(str(next(ids)), Role.ASSISTANT, "ok", roster.clock.now(), "kim")]
        )
    assert told == ["", "", "[Canon: always so]\n\nlater"]
