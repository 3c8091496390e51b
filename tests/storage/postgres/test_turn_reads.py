"""What one turn with a character asks of the server: few statements, and no read twice."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from character_talk import SilentNotifier
from postgres_wire import Wire, listening

from gieok.character.accounts.points import PointsDesk
from gieok.character.cards.canon import Canon
from gieok.character.cards.roster import Roster
from gieok.character.memory.service import CharacterService
from gieok.character.turn.model_reader import Reading
from gieok.character.turn.turn import Turns, Turnstile, UserTurn
from gieok.character.turn.upkeep import Tending
from gieok.flow.incidents import Incidents
from gieok.flow.lifecycle import fill_vectors
from gieok.model.accounts import StoredCharacter
from gieok.storage.accounts.postgres import PostgresAccounts
from gieok.storage.index.postgres.store import PostgresStore
from gieok.storage.journal.postgres.journal import PostgresJournal
from gieok.testing import HashEmbedder
from gieok.testing.clock import ManualClock
from gieok.testing.scripted_chat import ScriptedReplies

_NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
_CARD = json.dumps({"spec": "chara_card_v3", "data": {"name": "Mina", "first_mes": "어서 와."}})
#: What a usual turn sends: one that says nothing new. Each kind is a verb and a table.
_KINDS = {
    # who talks: the user's own character and account, the service's character
    "SELECT characters": 1,
    "SELECT users": 1 + 2,  # and locks of the user's row
    # the points are held
    "INSERT holds": 1,
    "UPDATE users": 1 + 1,  # and charged
    # what is known of the scope, under one lock, the message, and how far was learned
    "advisory lock": 1,
    "SELECT scopes": 1 + 2,  # and the lock for the reply, and counts of words
    "SELECT positions": 1,
    "SELECT made": 1,
    "SELECT messages": 1,
    "INSERT messages": 1 + 1,  # and the reply
    "INSERT positions": 1,
    # the search
    "SELECT models": 1,
    "WITH unnest": 1,
    # the points are charged
    "INSERT ledger": 1,
    "DELETE holds": 1,
}
_TRANSACTIONS, _ROUND_TRIPS = 6, 9


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def turns(make_database: Callable[[], str], wire: Wire) -> Iterator[Turns]:
    """Give turns with Mina, of whom Kim has said something; what is sent is noted."""
    with listening(make_database(), wire) as url, ExitStack() as closing:
        store, journal, accounts = PostgresStore(url), PostgresJournal(url), PostgresAccounts(url)
        for one in (store, journal, accounts):
            closing.callback(one.close)
        clock, embedder = ManualClock(_NOW), HashEmbedder()
        memory = CharacterService(journal=journal, store=store, clock=clock, embedder=embedder)
        desk = PointsDesk(accounts=accounts, journal=journal, clock=clock)
        desk.credit("kim", 100, "first")
        accounts.keep_character(StoredCharacter("", "mina", "Mina", _CARD, _NOW, _NOW), is_new=True)
        canon = Canon(journal=journal, store=store, clock=clock)
        incidents = Incidents(journal, clock, SilentNotifier())
        tending = Tending(Reading(memory=memory, asker=None, incidents=incidents))
        turns = Turns(
            memory=memory,
            accounts=accounts,
            roster=Roster(accounts=accounts, canon=canon, journal=journal, clock=clock),
            points=desk,
            models=ScriptedReplies(("그래.",)),
            tending=tending,
            order=Turnstile(journal),
            random=Random(0),
        )
        turns.close()  # what is learned beside the turn is not counted
        list(turns.begin(UserTurn("kim", "mina", "내 생일은 3월 15일이야")))
        memory.learn(turns.scene("kim", "mina").bond)
        fill_vectors(store, embedder)
        clock.advance(timedelta(minutes=1))
        yield turns


def test_a_turn_sends_few_statements_in_few_round_trips(turns: Turns, wire: Wire) -> None:
    wire.clear()
    text = "".join(part.text for part in turns.begin(UserTurn("kim", "mina", "내 생일 언제지?")))
    assert text == "그래."
    assert dict(wire.kinds) == _KINDS
    assert (wire.transactions, wire.round_trips) == (_TRANSACTIONS, _ROUND_TRIPS)


def test_what_people_say_is_never_in_a_statement(turns: Turns, wire: Wire) -> None:
    # A server writes the text of a statement that fails to its log.
    wire.clear()
    said = ("회색 코끼리가 온다", "내 생일은 4월 2일이야", "코끼리 어디 갔지?")
    for text in said:
        assert list(turns.begin(UserTurn("kim", "mina", text)))
    turns.tending.tend(turns.scene("kim", "mina").bond)
    assert wire.statements
    spoken = ("코끼리", "4월", "그래.", "생일")
    assert [one for one in wire.sent if any(word in one for word in spoken)] == []


def test_learning_beside_a_turn_takes_few_round_trips(turns: Turns, wire: Wire) -> None:
    bond = turns.scene("kim", "mina").bond
    turns.tending.tend(bond)
    list(turns.begin(UserTurn("kim", "mina", "내 생일 언제지?")))
    wire.clear()
    turns.tending.tend(bond)
    assert (wire.transactions, wire.round_trips, len(wire.statements)) == (4, 10, 8)
