"""Turns with a character on a real server."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from character_talk import SilentNotifier
from postgres_wire import Wire, note_traffic

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


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def turns(make_database: Callable[[], str], wire: Wire) -> Iterator[Turns]:
    """Give turns with Mina, of whom Kim has said something; what is sent is noted."""
    with note_traffic(make_database(), wire) as url, ExitStack() as closing:
        turns = closing.enter_context(_serving(url))
        turns.points.credit("kim", 100, "first")
        mina = StoredCharacter("", "mina", "Mina", _CARD, _NOW, _NOW)
        turns.accounts.keep_character(mina, is_new=True)
        turns.close()  # what is learned beside the turn is not counted
        list(turns.begin(UserTurn("kim", "mina", "내 생일은 3월 15일이야")))
        memory = turns.memory
        memory.learn(turns.scene("kim", "mina").bond)
        fill_vectors(memory.store, memory.embedder)
        memory.clock.advance(timedelta(minutes=1))
        yield turns


@pytest.fixture
def two_servers(make_database: Callable[[], str]) -> Iterator[tuple[Turns, Turns]]:
    """Give the turns of two servers with Mina on one database."""
    url = make_database()
    with _serving(url) as one, _serving(url) as other:
        mina = StoredCharacter("", "mina", "Mina", _CARD, _NOW, _NOW)
        one.accounts.keep_character(mina, is_new=True)
        one.points.credit("kim", 100, "first")
        yield one, other


@contextmanager
def _serving(url: str) -> Iterator[Turns]:
    with ExitStack() as closing:
        store, journal, accounts = PostgresStore(url), PostgresJournal(url), PostgresAccounts(url)
        for one in (store, journal, accounts):
            closing.callback(one.close)
        clock, embedder = ManualClock(_NOW), HashEmbedder()
        memory = CharacterService(journal=journal, store=store, clock=clock, embedder=embedder)
        desk = PointsDesk(accounts=accounts, journal=journal, clock=clock)
        canon = Canon(journal=journal, store=store, clock=clock)
        incidents = Incidents(journal, clock, SilentNotifier())
        tending = Tending(Reading(memory=memory, asker=None, incidents=incidents))
        yield Turns(
            memory=memory,
            accounts=accounts,
            roster=Roster(accounts=accounts, canon=canon, journal=journal, clock=clock),
            points=desk,
            models=ScriptedReplies(("그래.",)),
            tending=tending,
            order=Turnstile(journal),
            random=Random(0),
        )
