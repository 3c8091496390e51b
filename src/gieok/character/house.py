"""Parts of a character service; surfaces and commands reach every part from here."""

from collections.abc import Callable
from dataclasses import dataclass

from gieok.character.accounts.erasure import Erasing
from gieok.character.accounts.identity import Identity
from gieok.character.accounts.inactivity import Inactivity
from gieok.character.accounts.points import PointsDesk
from gieok.character.accounts.takeout import Takeout
from gieok.character.cards.canon import Canon
from gieok.character.cards.roster import Roster
from gieok.character.memory.control import Control
from gieok.character.memory.service import CharacterService
from gieok.character.turn.completion import Completions
from gieok.character.turn.turn import Turns
from gieok.ports.accounts import Accounts
from gieok.ports.limits import RateLimiter


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The memory of characters, and the users, characters, keys and points of the service.

    `limiter` opens the rate limiter of requests and returns the same one every time; commands do
    not use it.
    """

    memory: CharacterService
    accounts: Accounts
    points: PointsDesk
    control: Control
    inactivity: Inactivity
    takeout: Takeout
    erasing: Erasing
    turns: Turns
    completions: Completions
    limiter: Callable[[], RateLimiter]

    @property
    def identity(self) -> Identity:
        """Return the issuer and verifier of keys."""
        return Identity(keys=self.accounts, clock=self.memory.clock)

    @property
    def canon(self) -> Canon:
        """Return the canon, which holds the characters' lorebooks."""
        memory = self.memory
        return Canon(
            journal=memory.journal, store=memory.store, clock=memory.clock, embedder=memory.embedder
        )

    @property
    def roster(self) -> Roster:
        """Return the characters."""
        return Roster(
            accounts=self.accounts,
            canon=self.canon,
            journal=self.memory.journal,
            clock=self.memory.clock,
        )
