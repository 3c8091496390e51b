"""Rate limits by the library `limits`: a window that slides, counted in this process, or in Redis for several."""

import time

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage, Storage, storage_from_string
from limits.strategies import SlidingWindowCounterRateLimiter

from gieok.backends.opening import Opening
from gieok.ports.limits import Taken

_TIMEOUT_S = 0.5
_WINDOW_S = 60.0


class WindowLimits:
    """`RateLimiter`: so many a minute for every key. `url` is a Redis server's, '' for none."""

    def __init__(self, per_minute: int, url: str = "") -> None:
        self._item = RateLimitItemPerMinute(per_minute)
        self._own = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._shared = SlidingWindowCounterRateLimiter(_redis(url)) if url else None

    @classmethod
    def open(cls, opening: Opening) -> "WindowLimits | None":
        """Return the configured one; None where nothing is limited."""
        per_minute = int(opening.setting("serve.per_minute"))
        return cls(per_minute, opening.setting("redis.url")) if per_minute else None

    def take(self, key: str) -> Taken:
        """Take one; a server that does not answer stops nobody."""
        if self._shared is not None:
            try:
                return self._taken(self._shared, key)
            except Exception:  # noqa: BLE001 - of any library below: what this process counts holds meanwhile
                return self._taken(self._own, key)
        return self._taken(self._own, key)

    def _taken(self, limiter: SlidingWindowCounterRateLimiter, key: str) -> Taken:
        is_given = limiter.hit(self._item, key)
        stats = limiter.get_window_stats(self._item, key)
        reset = min(max(stats.reset_time - time.time(), 0.0), _WINDOW_S)
        return Taken(self._item.amount, stats.remaining, reset, 0.0 if is_given else max(reset, 1.0))


def _redis(url: str) -> Storage:
    made: Storage = storage_from_string(url, socket_timeout=_TIMEOUT_S, socket_connect_timeout=_TIMEOUT_S)  # type: ignore[assignment]
    return made
