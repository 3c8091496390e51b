"""Rate limits on requests."""

from typing import NamedTuple, Protocol


class Rate(NamedTuple):
    """Limit of `requests` (1 or more) in a sliding window of `seconds` (1 or more)."""

    requests: int
    seconds: int = 60


class Room(NamedTuple):
    """Decision on a request: whether it may go on, how many more may, and seconds until the
    next.
    """

    is_admitted: bool
    remaining: int
    wait_s: float


class RateLimiter(Protocol):
    """Counter of requests by key.

    Never raises: while a shared count cannot be reached, this process counts alone.
    """

    def admit(self, key: str, rate: Rate) -> Room:
        """Count a request if the rate admits it; each (key, rate) has its own count."""

    @property
    def is_shared(self) -> bool:
        """Return whether other processes share the count at the moment."""

    def close(self) -> None:
        """Release everything."""
