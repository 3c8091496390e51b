"""Opens the memory of characters."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

from gieok import registry
from gieok.app import embedders
from gieok.app.wiring import Wiring
from gieok.capabilities.character.canon import Canon
from gieok.capabilities.character.house import House
from gieok.capabilities.character.play import PlayedClock
from gieok.capabilities.character.roster import Roster
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
    )
    canon = Canon(journal=memory.journal, store=memory.store, clock=wiring.clock, embedder=memory.embedder)
    accounts = stores.accounts()
    roster = Roster(accounts=accounts, canon=canon, journal=memory.journal, clock=wiring.clock)
    return House(memory=memory, accounts=accounts, roster=roster, canon=canon)


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
