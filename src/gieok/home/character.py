"""Opens the memory of characters."""

from gieok.character.accounts.erasure import Erasing
from gieok.character.accounts.identity import Identity
from gieok.character.accounts.inactivity import Inactivity
from gieok.character.accounts.points import PointPrices, PointsDesk
from gieok.character.accounts.takeout import Takeout
from gieok.character.cards.canon import Canon
from gieok.character.cards.roster import Roster
from gieok.character.house import House
from gieok.character.memory.control import Control
from gieok.character.memory.service import RULES, CharacterService, TurnBudget
from gieok.character.turn.completion import Completions
from gieok.character.turn.model_reader import Reading
from gieok.character.turn.turn import Turns, Turnstile
from gieok.character.turn.upkeep import Tending
from gieok.flow.incidents import Incidents
from gieok.home import models, notices, profiles
from gieok.home.home import Home
from gieok.model.accounts import StoredCharacter
from gieok.ports.models import ChatModel, Sampling
from gieok.settings.rows.characters import parse_slot_prices
from gieok.settings.values import Settings


def open_house(home: Home) -> House:
    """Open the service of characters."""
    accounts, settings = home.stores.accounts(), home.settings
    memory = _open_character_memory(home)
    points = _open_points_desk(home, memory)
    turns = _open_character_turns(home, memory, points)
    return House(
        memory=memory,
        accounts=accounts,
        identity=Identity(keys=accounts, clock=home.clock),
        roster=turns.roster,
        points=points,
        control=Control(memory=memory, undo_days=settings.integer("character.undo_days")),
        inactivity=Inactivity(
            accounts=accounts,
            journal=memory.journal,
            store=memory.store,
            clock=home.clock,
            letters=notices.MailedLetters(home),
            zone=home.zone,
        ),
        takeout=Takeout(memory=memory, accounts=accounts),
        erasing=Erasing(memory=memory, accounts=accounts),
        turns=turns,
        completions=Completions(turns=turns),
    )


def _open_character_memory(home: Home) -> CharacterService:
    stores, settings = home.stores, home.settings
    reply_tokens = settings.integer("character.max_reply_tokens")
    return CharacterService(
        journal=stores.journal(),
        store=stores.configured(),
        clock=home.clock,
        embedder=home.open_embedder(),
        accounts=stores.accounts(),
        budget=_build_context_budget(settings, reply_tokens),
        cache=stores.window_cache(),
        reader=home.open_help_reader(),
        quoting=profiles.build_quoting_profile(settings.home),
        extractor=" + ".join(filter(None, (RULES, models.memory_model(settings)))),
        free_slots=settings.integer("character.slots"),
        privacy=home.privacy,
        zone=home.zone,
    )


def _build_context_budget(settings: Settings, reply_tokens: int) -> TurnBudget:
    """Return the budget for a call; memories never fill a small call."""
    tokens = max(settings.integer("character.context_tokens") - reply_tokens, 256)
    return TurnBudget(
        context_tokens=tokens,
        narrative_tokens=min(settings.integer("character.narrative_tokens"), tokens // 3),
        memories=settings.integer("character.narrative_memories"),
    )


def _open_character_turns(home: Home, memory: CharacterService, points: PointsDesk) -> Turns:
    settings, accounts = home.settings, home.stores.accounts()
    canon = Canon(
        journal=memory.journal, store=memory.store, clock=memory.clock, embedder=memory.embedder
    )
    reading = Reading(
        memory=memory,
        asker=models.memory_asker(home),
        incidents=Incidents(memory.journal, home.clock, home.notices),
    )
    return Turns(
        memory=memory,
        accounts=accounts,
        roster=Roster(accounts=accounts, canon=canon, journal=memory.journal, clock=memory.clock),
        points=points,
        models=CharacterModels(settings),
        tending=Tending(reading),
        order=Turnstile(memory.journal),
        sampling=Sampling(
            settings.number("character.temperature"), settings.integer("character.max_reply_tokens")
        ),
    )


def _open_points_desk(home: Home, memory: CharacterService) -> PointsDesk:
    settings = home.settings
    prices = PointPrices(
        settings.integer("character.daily_points"),
        settings.integer("character.reply_points"),
        parse_slot_prices(settings.text("character.slot_prices")),
        settings.integer("character.welcome_points"),
    )
    return PointsDesk(
        accounts=home.stores.accounts(),
        journal=memory.journal,
        clock=home.clock,
        zone=home.zone,
        prices=prices,
        secrets=settings,
        webhook_variable=settings.text("character.webhook_key_variable"),
        tolerance_s=settings.number("character.webhook_tolerance_s"),
    )


class CharacterModels:
    """`ReplyModels` of the settings; each model is opened once.

    A character of a user's own may name only the models that are allowed.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._default = settings.text("character.model")
        self._allowed = {name.strip() for name in settings.text("character.models").split(",")}
        self._opened: dict[str, ChatModel] = {}

    def open(self, stored: StoredCharacter) -> ChatModel:
        """Return the model of a character. Raises BadConfig, MissingExtra, GeneratorFailed."""
        may = not stored.owner or "*" in self._allowed or stored.model in self._allowed
        name = stored.model if stored.model and may else self._default
        if name not in self._opened:
            self._opened[name] = models.open_chat_model(self._settings, name)
        return self._opened[name]
