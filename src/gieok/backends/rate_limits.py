"""Rate limits: two counters for each key and rate, weighted as the window slides. In this process, or in Redis or Valkey.

While the server is gone, each process counts for itself: of N processes, a key may then have N times its rate, and never all.
"""

import time

from limits import RateLimitItem, RateLimitItemPerSecond
from limits.storage import MemoryStorage, RedisStorage, Storage
from limits.strategies import SlidingWindowCounterRateLimiter

from gieok.backends.opening import Opening
from gieok.backends.redis_server import RedisServer
from gieok.ports.limits import Rate, Room


class MemoryLimiter:
    """`RateLimiter` of one process."""

    is_shared = False

    def __init__(self) -> None:
        self._counted = _Counted(MemoryStorage())

    @classmethod
    def open(cls, opening: Opening) -> "MemoryLimiter":
        """Return one that is empty."""
        del opening
        return cls()

    def admit(self, key: str, rate: Rate) -> Room:
        """Count a request where there is room."""
        return self._counted.admit(key, rate)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


class RedisLimiter:
    """`RateLimiter` of all processes that share a server; the server's clock counts."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self._alone = MemoryLimiter()
        pool = server.client.connection_pool
        self._counted = _Counted(RedisStorage("redis://", connection_pool=pool, key_prefix="gieok:rate"))

    @classmethod
    def open(cls, opening: Opening) -> "RedisLimiter":
        """Return that of `redis.url`. Raises BadConfig."""
        return cls(RedisServer.open(opening))

    @property
    def is_shared(self) -> bool:
        """Say whether the server counts."""
        return self._server.is_up

    def admit(self, key: str, rate: Rate) -> Room:
        """Count a request where there is room; in this process while the server is gone."""
        room = self._server.ask(lambda _: self._counted.admit(key, rate))
        return room if room is not None else self._alone.admit(key, rate)

    def close(self) -> None:
        """Close the connections."""
        self._server.close()


class _Counted:
    """Counters in a storage."""

    def __init__(self, storage: Storage) -> None:
        self._limiter = SlidingWindowCounterRateLimiter(storage)

    def admit(self, key: str, rate: Rate) -> Room:
        """Count a request, and look at what is left."""
        item: RateLimitItem = RateLimitItemPerSecond(rate.requests, rate.seconds)
        is_admitted = self._limiter.hit(item, key)
        reset, remaining = self._limiter.get_window_stats(item, key)
        return Room(is_admitted, remaining, 0.0 if remaining else max(reset - time.time(), 0.0))
