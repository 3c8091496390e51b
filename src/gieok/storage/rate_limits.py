"""Rate limits by a sliding window: two counters for each key and rate."""

import time

from limits import RateLimitItem, RateLimitItemPerSecond
from limits.storage import MemoryStorage, Storage
from limits.strategies import SlidingWindowCounterRateLimiter

from gieok.opening import Opening
from gieok.ports.limits import Rate, Room


class MemoryLimiter:
    """`RateLimiter` of one process."""

    is_shared = False

    def __init__(self) -> None:
        self._counted = Counted(MemoryStorage())

    @classmethod
    def open(cls, opening: Opening) -> "MemoryLimiter":
        """Return a limiter without counts."""
        del opening
        return cls()

    def admit(self, key: str, rate: Rate) -> Room:
        """Count a request where there is room."""
        return self._counted.admit(key, rate)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


class Counted:
    """Counters of a rate limiter, in a storage in memory or on a server."""

    def __init__(self, storage: Storage) -> None:
        self._limiter = SlidingWindowCounterRateLimiter(storage)

    def admit(self, key: str, rate: Rate) -> Room:
        """Count a request, and return the remaining room."""
        item: RateLimitItem = RateLimitItemPerSecond(rate.requests, rate.seconds)
        is_admitted = self._limiter.hit(item, key)
        reset, remaining = self._limiter.get_window_stats(item, key)
        return Room(is_admitted, remaining, 0.0 if remaining else max(reset - time.time(), 0.0))
