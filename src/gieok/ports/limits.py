"""How often something may be done, counted for all processes together."""

from typing import NamedTuple, Protocol


class Taken(NamedTuple):
    """What was taken of a limit. `wait_s` is 0.0 where it was given, else the seconds until there is room."""

    limit: int
    remaining: int
    #: Seconds until there is more room than now.
    reset_s: float
    wait_s: float = 0.0


class RateLimiter(Protocol):
    """A limit of its own for every key."""

    def take(self, key: str) -> Taken:
        """Take one. Never raises: where the counts cannot be reached, those of this process hold."""
