"""What one turn with a character asks of the server: few transactions, and no read twice."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import psycopg
import pytest
from character_talk import SilentNotifier

from gieok.character.accounts.points import PointsDesk
from gieok.character.cards.canon import Canon
from gieok.character.cards.roster import Roster
from gieok.character.facts import scope_of
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
from gieok.testing.samples import build_entry
from gieok.testing.scripted_chat import ScriptedReplies

_NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
_CARD = json.dumps({"spec": "chara_card_v3", "data": {"name": "Mina", "first_mes": "어서 와."}})
#: One read of the accounts, the scope before and after the message, one search; the hold, the
#: message, how far was learned, the reply, the charge.
_READS, _WRITES = 4, 5


def test_a_turn_takes_nine_transactions(
    make_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, clock = make_database(), ManualClock(_NOW)
    store, journal, accounts = PostgresStore(url), PostgresJournal(url), PostgresAccounts(url)
    embedder = HashEmbedder()
    memory = CharacterService(journal=journal, store=store, clock=clock, embedder=embedder)
    desk = PointsDesk(accounts=accounts, journal=journal, clock=clock)
    desk.credit("kim", 100, "first")
    accounts.keep_character(StoredCharacter("", "mina", "Mina", _CARD, _NOW, _NOW), is_new=True)
    canon = Canon(journal=journal, store=store, clock=clock)
    tending = Tending(
        Reading(
            memory=memory,
            asker=None,
            incidents=Incidents(journal, clock, SilentNotifier()),
        )
    )
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
    begun: list[str] = []
    execute = psycopg.Cursor.execute

    def executed(self: psycopg.Cursor[Any], query: Any, *args: Any, **options: Any) -> Any:
        if str(query).startswith("BEGIN"):
            begun.append(str(query))
        return execute(self, query, *args, **options)

    monkeypatch.setattr(psycopg.Cursor, "execute", executed)
    clock.advance(timedelta(minutes=1))
    text = "".join(part.text for part in turns.begin(UserTurn("kim", "mina", "내 생일 언제지?")))
    assert text == "그래."
    reads = [one for one in begun if "READ ONLY" in one]
    assert (len(reads), len(begun) - len(reads)) == (_READS, _WRITES)
    for opened in (store, journal, accounts):
        opened.close()


def test_reads_that_are_shared_come_from_one_snapshot(make_database: Callable[[], str]) -> None:
    store, other = (PostgresStore(url) for url in [make_database()] * 2)
    scope = scope_of("kim", "mina")
    store.put([build_entry("a", "first", scope=scope)])
    with store.share_reads():
        assert len(store.hashes(scope)) == 1
        other.put([build_entry("b", "second", scope=scope)])
        assert len(store.hashes(scope)) == 1
    assert len(store.hashes(scope)) == 2
    with pytest.raises(ZeroDivisionError), store.share_reads():
        _ = 1 / 0
    assert len(store.hashes(scope)) == 2
    for opened in (store, other):
        opened.close()
