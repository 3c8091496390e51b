"""Cache of windows in Redis or Valkey, for processes that share it.

An unreachable server or an unreadable entry counts as no cached window.
"""

import json
import zlib
from collections.abc import Callable

from gieok.model.conversation import HeldWindow, Journalled, Message, Role, WindowMark
from gieok.model.memory import Scope
from gieok.opening import Opening
from gieok.storage.index.rows import to_ms, utc
from gieok.storage.redis_server import RedisServer

#: Seconds after which a window expires: an unreachable server may miss an eviction.
KEEP_S = 3600
_LEVEL = 1


class RedisCache:
    """`WindowCache` of all processes that share a server.

    `journal` is the name of the journal that the windows are read from.
    """

    def __init__(self, server: RedisServer, journal: str) -> None:
        self._server = server
        self._prefix = f"gieok:window:1:{journal}:"

    @classmethod
    def open(cls, opening: Opening, journal: Callable[[], str]) -> "RedisCache":
        """Return the cache at `redis.url`.

        Raises BadConfig.
        """
        return cls(RedisServer.open(opening), journal())

    def get(self, scope: Scope) -> HeldWindow | None:
        """Return the cached window of a scope."""
        data = self._server.ask(lambda client: client.get(self._key(scope)))
        return _decode_cached_window(data) if isinstance(data, bytes) else None

    def put(self, scope: Scope, window: HeldWindow) -> None:
        """Cache a window until it expires."""
        written = _encode_cached_window(window)
        self._server.ask(lambda client: client.set(self._key(scope), written, ex=KEEP_S))

    def drop(self, scope: Scope) -> None:
        """Evict the window of a scope."""
        self._server.ask(lambda client: client.delete(self._key(scope)))

    def close(self) -> None:
        """Close the connections."""
        self._server.close()

    def _key(self, scope: Scope) -> str:
        return self._prefix + scope.path


def _encode_cached_window(window: HeldWindow) -> bytes:
    rows = [
        (
            entry.seq,
            entry.first,
            *entry.message._replace(
                role=entry.message.role.value,  # type: ignore[arg-type]
                at=to_ms(entry.message.at),  # type: ignore[arg-type]
            ),
        )
        for entry in window.messages
    ]
    return zlib.compress(json.dumps([window.mark, rows], ensure_ascii=True).encode(), _LEVEL)


def _decode_cached_window(data: bytes) -> HeldWindow | None:
    try:
        mark, rows = json.loads(zlib.decompress(data))
        return HeldWindow(WindowMark(*mark), tuple(_build_cached_message(*row) for row in rows))
    except (zlib.error, ValueError, TypeError):  # another release wrote it
        return None


def _build_cached_message(
    seq: int, first: int, identity: str, role: str, text: str, at: int, *rest: object
) -> Journalled:
    return Journalled(seq, Message(identity, Role(role), text, utc(at), *rest), first)  # type: ignore[arg-type]
