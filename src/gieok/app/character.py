"""Opens the memory of characters."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

from gieok import registry
from gieok.app import embedders
from gieok.app.wiring import Wiring
from gieok.capabilities.character.control import Control
from gieok.capabilities.character.house import House
from gieok.capabilities.character.play import PlayedClock
from gieok.capabilities.character.points import PointsDesk, Prices, prices_of
from gieok.capabilities.character.service import Characters
from gieok.ops.context import CharacterContext
from gieok.ports.journal import FullJournal
from gieok.ports.store import Store


def opened(wiring: Wiring) -> CharacterContext:
    """Put the context together; a memory is opened when it is asked for."""
    return CharacterContext(partial(_playground), cache(partial(_house, wiring)))


def _house(wiring: Wiring) -> House:
    stores = wiring.stores
    memory = Characters(
        journal=stores.journal(),
        store=stores.configured(),
        clock=wiring.clock,
        embedder=partial(embedders.opened, wiring),
        cache=stores.window_cache(),
    )
    control = Control(memory=memory, undo_days=wiring.settings.integer("character.undo_days"))
    return House(
        memory=memory, accounts=stores.accounts(), points=_desk(wiring), control=control, limiter=stores.limiter
    )


def _desk(wiring: Wiring) -> PointsDesk:
    settings = wiring.settings
    prices = Prices(
        settings.integer("character.daily_points"),
        settings.integer("character.reply_points"),
        prices_of(settings.text("character.slot_prices")),
    )
    return PointsDesk(
        accounts=wiring.stores.accounts(),
        clock=wiring.clock,
        prices=prices,
        webhook_secret=partial(settings.secret, settings.text("character.webhook_key_variable")),
        tolerance_s=settings.number("character.webhook_tolerance_s"),
    )


@contextmanager
def _playground(clock: PlayedClock) -> Iterator[Characters]:
    """Open a memory in a folder of its own: what is played for a measurement is nobody's."""
    with tempfile.TemporaryDirectory(prefix="gieok-played-") as folder:
        journal: FullJournal = registry.load(registry.JOURNALS, "sqlite")(Path(folder) / "journal.sqlite")
        store: Store = registry.load(registry.STORES, registry.LOCAL_STORE)(Path(folder) / "memory.sqlite")
        try:
            yield Characters(journal=journal, store=store, clock=clock)
        finally:
            journal.close()
            store.close()
