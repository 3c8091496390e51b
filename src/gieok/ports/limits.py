"""How much one may ask in a while."""

from typing import NamedTuple, Protocol


class Rate(NamedTuple):
    """At most `requests` (1 or more) in any `seconds` (1 or more), which slide."""

    requests: int
    seconds: int = 60


class Room(NamedTuple):
    """What a limiter says of a request: whether it may go on, how many more may, and the seconds
    until one more may.
    """

    is_admitted: bool
    remaining: int
    wait_s: float


class RateLimiter(Protocol):
    """Counts requests by key. Never raises: a count that cannot be reached is made in this process
    meanwhile.
    """

    def admit(self, key: str, rate: Rate) -> Room:
        """Count a request where there is room for it. A key is counted apart for each rate."""

    @property
    def is_shared(self) -> bool:
        """Say whether other processes count with this one at the moment."""

    def close(self) -> None:
        """Release everything."""
