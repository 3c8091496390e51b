"""Opens the memory of characters."""

import secrets
from collections.abc import Callable
from functools import cache, partial

from gieok.app import embedders, models, notices
from gieok.app.wiring import Wiring
from gieok.character.accounts import return_visits
from gieok.character.accounts.erasure import Erasing
from gieok.character.accounts.inactivity import Inactivity
from gieok.character.accounts.points import PointPrices, PointsDesk, prices_of
from gieok.character.accounts.takeout import Takeout
from gieok.character.cards.canon import Canon
from gieok.character.cards.roster import Roster
from gieok.character.facts import scope_of
from gieok.character.house import House
from gieok.character.memory.control import Control
from gieok.character.memory.service import RULES, Bond, CharacterService, TurnBudget
from gieok.character.turn import meanings
from gieok.character.turn.completion import Completions
from gieok.character.turn.model_reader import Reading
from gieok.character.turn.turn import Turns, Turnstile
from gieok.character.turn.upkeep import Tending
from gieok.config import Settings
from gieok.flow.incidents import Incidents
from gieok.model.accounts import Hold, StoredCharacter
from gieok.ops.context import CharacterContext
from gieok.ports.models import ChatModel, Sampling


def open_character_context(wiring: Wiring) -> CharacterContext:
    """Build the context; a memory is opened when it is asked for."""
    return CharacterContext(
        cache(partial(_open_house, wiring)),
        partial(_has_accounts, wiring),
    )


def _has_accounts(wiring: Wiring) -> bool:
    return wiring.stores.has_accounts(wiring.stores.journal_name)


def _open_house(wiring: Wiring) -> House:
    stores = wiring.stores
    reply_tokens = wiring.settings.integer("character.max_reply_tokens")
    memory = CharacterService(
        journal=stores.journal(),
        store=stores.configured(),
        clock=wiring.clock,
        embedder=embedders.open_embedder(wiring),
        accounts=stores.accounts(),
        budget=_build_context_budget(
            wiring.settings.integer("character.context_tokens") - reply_tokens
        ),
        cache=stores.window_cache(),
        extractor=" + ".join(filter(None, (RULES, models.memory_model(wiring.settings)))),
        free_slots=wiring.settings.integer("character.slots"),
        privacy=wiring.privacy,
        zone=wiring.zone,
    )
    desk = _open_points_desk(wiring)
    turns = _open_character_turns(wiring, memory, desk)
    return House(
        memory=memory,
        accounts=stores.accounts(),
        points=desk,
        control=Control(memory=memory, undo_days=wiring.settings.integer("character.undo_days")),
        inactivity=Inactivity(
            accounts=stores.accounts(),
            journal=memory.journal,
            store=memory.store,
            clock=wiring.clock,
            letters=partial(notices.open_letter_channel, wiring),
            zone=wiring.zone,
        ),
        takeout=Takeout(memory=memory, accounts=stores.accounts()),
        erasing=Erasing(memory=memory, accounts=stores.accounts()),
        turns=turns,
        completions=Completions(turns=turns),
        limiter=stores.limiter,
    )


def _build_context_budget(tokens: int) -> TurnBudget:
    """Return the budget for a context of so many tokens; memories never fill a small context."""
    tokens = max(tokens, 256)
    return TurnBudget(
        context_tokens=tokens, narrative_tokens=min(TurnBudget().narrative_tokens, tokens // 3)
    )


def _open_character_turns(wiring: Wiring, memory: CharacterService, desk: PointsDesk) -> Turns:
    settings = wiring.settings
    sampling = Sampling(
        settings.number("character.temperature"), settings.integer("character.max_reply_tokens")
    )
    accounts = wiring.stores.accounts()
    canon = Canon(
        journal=memory.journal, store=memory.store, clock=memory.clock, embedder=memory.embedder
    )
    roster = Roster(accounts=accounts, canon=canon, journal=memory.journal, clock=memory.clock)
    tending = Tending(_build_bond_tending(wiring, memory, roster))
    return Turns(
        memory=memory,
        accounts=accounts,
        find=roster.find,
        canon=canon.told,
        points=desk,
        chat=_build_chat_opener(settings),
        later=tending.later,
        close=tending.close,
        sampling=sampling,
        new_id=lambda: secrets.token_hex(12),
        order=Turnstile(memory.journal),
    )


def _build_bond_tending(
    wiring: Wiring, memory: CharacterService, roster: Roster
) -> Callable[[Bond], None]:
    """Return the task that learns facts and summarises beside the conversation.

    The task uses a model where one is configured.
    """
    reading = Reading(
        memory=memory,
        asker=partial(models.memory_asker, wiring)
        if models.memory_model(wiring.settings)
        else None,
        incidents=Incidents(memory.journal, wiring.clock, notices.open_notices(wiring)),
        name_of=lambda bond: roster.find(bond.user, bond.character).name,
    )

    def tend(bond: Bond) -> None:
        reading.tend(bond)
        return_visits.form_again(memory, bond)
        meanings.embed_recent_memories(memory, bond)

    return tend


def _build_chat_opener(settings: Settings) -> Callable[[StoredCharacter], ChatModel]:
    """Return a function that opens the model of a character, each model once.

    A character of a user's own may name only the models that are allowed.
    """
    opened = cache(partial(models.open_chat_model, settings))
    own = settings.text("character.model")
    allowed = {name.strip() for name in settings.text("character.models").split(",")}

    def of(stored: StoredCharacter) -> ChatModel:
        may = not stored.owner or "*" in allowed or stored.model in allowed
        return opened(stored.model if stored.model and may else own)

    return of


def _open_points_desk(wiring: Wiring) -> PointsDesk:
    settings = wiring.settings
    prices = PointPrices(
        settings.integer("character.daily_points"),
        settings.integer("character.reply_points"),
        prices_of(settings.text("character.slot_prices")),
    )
    return PointsDesk(
        accounts=wiring.stores.accounts(),
        clock=wiring.clock,
        zone=wiring.zone,
        prices=prices,
        webhook_secret=partial(settings.secret, settings.text("character.webhook_key_variable")),
        tolerance_s=settings.number("character.webhook_tolerance_s"),
        was_delivered=partial(_was_delivered, wiring),
    )


def _was_delivered(wiring: Wiring, hold: Hold) -> bool:
    character, _, message = hold.purpose.partition("/")
    return bool(wiring.stores.journal().messages(scope_of(hold.user, character), [message]))
