"""A service for characters in a folder of its own: two users with points, a character of the
service, a scripted model.
"""

import json
from pathlib import Path
from random import Random
from typing import NamedTuple

from character_talk import SilentNotifier

from gieok.character.accounts.points import PointsDesk
from gieok.character.cards.canon import Canon
from gieok.character.cards.roster import Roster
from gieok.character.memory.service import Bond, CharacterService, TurnBudget
from gieok.character.turn.completion import Completions, Sent
from gieok.character.turn.history import Shown
from gieok.character.turn.model_reader import Reading
from gieok.character.turn.turn import Reply, Turns, Turnstile, UserTurn
from gieok.character.turn.upkeep import Tending
from gieok.flow.incidents import Incidents
from gieok.model.accounts import StoredCharacter
from gieok.ports.models import Sampling
from gieok.storage.accounts.sqlite import SqliteAccounts
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.clock import ManualClock
from gieok.testing.memory_store import MemoryStore
from gieok.testing.scripted_chat import ScriptedReplies

KIM, LEE, MINA = "kim", "lee", "mina"
CARD = {
    "name": "Mina",
    "description": "{{char}} runs a book shop and knows {{user}} well.",
    "first_mes": "어서 와, {{user}}.",
    "system_prompt": "",
    "post_history_instructions": "Answer {{user}} in one sentence.",
    "character_book": {
        "entries": [{"keys": ["등대"], "content": "{{char}}의 등대는 섬에 있다.", "enabled": True}]
    },
}


class CharacterHouse(NamedTuple):
    """The parts of a service."""

    turns: Turns
    completions: Completions
    model: ScriptedReplies
    clock: ManualClock
    tending: Tending
    journal: SqliteJournal
    accounts: SqliteAccounts

    def say(self, text: str, user: str = KIM, message_id: str = "") -> str:
        """Have a whole turn; return the reply."""
        reply = self.turns.begin(UserTurn(user, MINA, text, message_id))
        return "".join(part.text for part in reply)

    def send(self, *shown: Shown, user: str = KIM, conversation: str = "") -> Reply:
        """Begin a front end's turn."""
        return self.completions.begin(Sent(user, MINA, shown, conversation))

    def balance(self, user: str = KIM) -> int:
        return self.accounts.balance(user)

    def lines(self, user: str = KIM, session: str = KIM) -> list[str]:
        """Return what the journal holds: `u: …` and `a: …`."""
        turns = self.journal.turns(Bond(user, MINA).scope, "character", session)
        held = sorted((turn.message for turn in turns), key=lambda message: message.at)
        return [f"{message.role[0]}: {message.text}" for message in held]

    def close(self) -> None:
        self.tending.close()
        self.journal.close()
        self.accounts.close()


def opened(
    folder: Path, clock: ManualClock, model: ScriptedReplies, budget: TurnBudget | None = None
) -> CharacterHouse:
    """Open a service."""
    journal, accounts = (
        SqliteJournal(folder / "journal.sqlite"),
        SqliteAccounts(folder / "accounts.sqlite"),
    )
    memory = CharacterService(
        journal=journal, store=MemoryStore(), clock=clock, budget=budget or TurnBudget()
    )
    desk = PointsDesk(accounts=accounts, journal=journal, clock=clock)
    for user in (KIM, LEE):
        desk.credit(user, 100, "first")
    card = json.dumps({"spec": "chara_card_v3", "spec_version": "3.0", "data": CARD})
    stored = StoredCharacter("", MINA, "Mina", card, clock.now(), clock.now())
    accounts.keep_character(stored, is_new=True)
    canon = Canon(journal=journal, store=memory.store, clock=clock)
    canon.keep(stored)
    roster = Roster(accounts=accounts, canon=canon, journal=journal, clock=clock)
    incidents = Incidents(journal, clock, SilentNotifier())
    tending = Tending(Reading(memory=memory, asker=None, incidents=incidents))
    turns = Turns(
        memory=memory,
        accounts=accounts,
        roster=roster,
        points=desk,
        models=model,
        tending=tending,
        order=Turnstile(journal),
        sampling=Sampling(0.8, 400),
        random=Random(0),
    )
    return CharacterHouse(turns, Completions(turns=turns), model, clock, tending, journal, accounts)
