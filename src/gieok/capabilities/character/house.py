"""What a service for characters is made of. Surfaces and commands reach everything from here."""

from collections.abc import Callable
from dataclasses import dataclass

from gieok.capabilities.character.control import Control
from gieok.capabilities.character.identity import Identity
from gieok.capabilities.character.points import PointsDesk
from gieok.capabilities.character.service import Characters
from gieok.ports.accounts import Accounts
from gieok.ports.limits import RateLimiter


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The memory of characters, and the users, characters, keys and points of the service.

    `limiter` opens what limits the rate of requests, the same every time: commands have no use for it.
    """

    memory: Characters
    accounts: Accounts
    points: PointsDesk
    control: Control
    limiter: Callable[[], RateLimiter]

    @property
    def identity(self) -> Identity:
        """Return what issues and verifies keys."""
        return Identity(keys=self.accounts, clock=self.memory.clock)
