"""Rate limits that processes share in Redis or Valkey.

While the server is unreachable, each process counts for itself: with N processes, a key may then
have N times its rate, and is never unlimited.
"""

from limits.storage import RedisStorage

from gieok.opening import Opening
from gieok.ports.limits import Rate, Room
from gieok.storage.rate_limits import Counted, MemoryLimiter
from gieok.storage.redis_server import RedisServer


class RedisLimiter:
    """`RateLimiter` of all processes that share a server; the server's clock counts."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self._alone = MemoryLimiter()
        pool = server.client.connection_pool
        self._counted = Counted(
            RedisStorage("redis://", connection_pool=pool, key_prefix="gieok:rate")
        )

    @classmethod
    def open(cls, opening: Opening) -> "RedisLimiter":
        """Return the limiter at `redis.url`.

        Raises BadConfig.
        """
        return cls(RedisServer.open(opening))

    @property
    def is_shared(self) -> bool:
        """Say whether the server counts, and not this process alone."""
        return self._server.is_up

    def admit(self, key: str, rate: Rate) -> Room:
        """Count a request where there is room.

        This process counts while the server is unreachable.
        """
        room = self._server.ask(lambda _: self._counted.admit(key, rate))
        return room if room is not None else self._alone.admit(key, rate)

    def close(self) -> None:
        """Close the connections."""
        self._server.close()
