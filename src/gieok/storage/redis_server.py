"""Redis or Valkey server that may be unreachable at any time.

Every caller has a fallback for then.
"""

import logging
import time
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from gieok.errors import BadConfig
from gieok.opening import Opening

#: Seconds that an answer may take, and seconds for which a server that gave none is left alone.
TIMEOUT_S = 0.2
REST_S = 5.0
_SCHEMES = ("redis", "rediss", "unix", "valkey", "valkeys")
_LOG = logging.getLogger(__name__)
T = TypeVar("T")


class RedisServer:
    """Client with short time-outs and a circuit breaker.

    After a failure nobody waits for the server until `rest_s` passed. `location` is the address
    without secrets; `now` is monotonic, in seconds.
    """

    def __init__(
        self,
        url: str,
        *,
        password: str = "",
        timeout_s: float = TIMEOUT_S,
        rest_s: float = REST_S,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.location = _find_redis_location(url)
        self._rest_s, self._now, self._closed_until = rest_s, now, float("-inf")
        self._is_gone = False
        # One immediate retry, for a connection that was idle and that the server closed; a server
        # that stays silent is asked once.
        again = Retry(NoBackoff(), 1, supported_errors=(redis.ConnectionError,))
        self.client = _build_redis_client(url, self.location, password, timeout_s, again)

    @classmethod
    def open(cls, opening: Opening) -> "RedisServer":
        """Return the server at `redis.url`.

        Nothing is connected before the first call. Raises BadConfig.
        """
        url = opening.setting("redis.url")
        if not url:
            raise BadConfig(
                "`redis.url` is not set",
                hint="such as redis://localhost:6379/0, or rediss:// for TLS",
            )
        return cls(url, password=opening.secret("REDIS_PASSWORD"))

    @property
    def is_up(self) -> bool:
        """Say whether the server answered the last call, or may be tried again."""
        return self._now() >= self._closed_until

    def ask(self, question: Callable[["redis.Redis"], T]) -> T | None:
        """Return the server's answer; None where it is down, or was a moment ago."""
        if not self.is_up:
            return None
        try:
            answer = question(self.client)
        except (redis.RedisError, OSError) as error:
            self._closed_until = self._now() + self._rest_s
            if not self._is_gone:
                _LOG.warning(
                    "%s does not answer (%s): this process goes on alone",
                    self.location,
                    type(error).__name__,
                )
            self._is_gone = True
            return None
        if self._is_gone:
            self._is_gone = False
            _LOG.warning("%s answers again", self.location)
        return answer

    def close(self) -> None:
        """Close the connections."""
        self.client.close()


def _build_redis_client(
    url: str, location: str, password: str, timeout_s: float, again: Retry
) -> redis.Redis:
    options = {"password": password} if password and not urlsplit(url).password else {}
    try:
        client = redis.Redis.from_url(
            _as_redis(url),
            socket_timeout=timeout_s,
            socket_connect_timeout=timeout_s,
            retry=again,
            **options,
        )
        pool = client.connection_pool
        # An option that the connection does not know raises here.
        pool.connection_class(**pool.connection_kwargs)
    except (ValueError, TypeError, redis.RedisError):  # the message may quote the password
        raise _build_redis_address_error(location) from None
    return client


def _as_redis(url: str) -> str:
    return f"redis{url.removeprefix('valkey')}" if url.startswith("valkey") else url


def _find_redis_location(url: str) -> str:
    try:
        parts = urlsplit(url)
        where = f"{parts.hostname or ''}:{parts.port}" if parts.port else parts.hostname or ""
    except ValueError:
        raise _build_redis_address_error("it") from None
    if parts.scheme not in _SCHEMES:
        raise _build_redis_address_error(f"{parts.scheme or '…'}://")
    return f"{parts.scheme}://{where}{parts.path}"


def _build_redis_address_error(said: str) -> BadConfig:
    hint = (
        "such as redis://localhost:6379/0, rediss://host:6380/0 for TLS, or unix:///path; a "
        "password as REDIS_PASSWORD"
    )
    return BadConfig(
        "redis.url is no address of Redis or Valkey: {said}",
        said=said,
        hint=hint,
        setting="redis.url",
    )
