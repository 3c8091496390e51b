"""Middlewares that refuse foreign hosts and origins, and bodies that are too large or slow."""

import ipaddress
import re
from collections.abc import Sequence

import anyio
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gieok.surfaces.http.problems import ProblemResponse, problem

#: Path → factor by which its bodies may be larger: files, and a chat history that is sent again
#: with each request.
LARGER = (
    (re.compile(r"(/api)?/characters/import|/api/characters/[^/]+/(card|chats)"), 32),
    (re.compile(r"/v1/.*"), 4),
)

#: So much of a body that is too large is still read, and dropped: a client that is still sending
#: does not see an answer.
_MOST_DRAINED = 64 * 1024 * 1024


class HostGuard:
    """ASGI middleware that admits requests for the server's own host names alone.

    A page in a browser may not reach the server through a name of the page's own (DNS rebinding). A
    numeric address is nobody's name and is admitted. `Origin`, which browsers send, must be the
    server's own or one of `serve.origins`.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str], origins: Sequence[str]) -> None:
        self._app = app
        self._hosts = {"localhost", *hosts}
        self._origins = set(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        refused = self._refusal(Headers(scope=scope)) if scope["type"] == "http" else None
        await (refused or self._app)(scope, receive, send)

    def _refusal(self, headers: Headers) -> ProblemResponse | None:
        host, origin = headers.get("host", "").lower(), headers.get("origin", "").lower()
        name = re.sub(r":\d*$", "", host)
        if not (name in self._hosts or _is_address(name)):
            return problem(
                421, "wrong_host", "this server has another name", "add the name to serve.hosts"
            )
        if origin and origin not in self._origins and origin.partition("://")[2] != host:
            return problem(
                403,
                "forbidden",
                "pages of this origin may not ask",
                "add the origin to serve.origins",
            )
        return None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


class BodyGuard:
    """ASGI middleware that reads a whole body before the request takes a thread.

    The body is limited in size and in time.
    """

    def __init__(self, app: ASGIApp, limit: int, seconds: float) -> None:
        self._app = app
        self._limit = limit
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._limit * next(
            (times for path, times in LARGER if path.fullmatch(scope["path"])), 1
        )
        read: bytes | ProblemResponse | None = problem(
            408,
            "too_slow",
            "the body did not come in time",
            "send it again",
            {"Connection": "close"},
        )
        with anyio.move_on_after(self._seconds):
            read = (
                await _read_bounded_body(receive, limit)
                if _read_declared_length(scope) <= _MOST_DRAINED
                else _too_large(limit)
            )
        if isinstance(read, bytes):
            await self._app(scope, _replay_body(read, receive), send)
        elif read is not None:
            await read(scope, receive, send)


def _read_declared_length(scope: Scope) -> int:
    length = Headers(scope=scope).get("content-length", "0")
    return int(length) if length.isdecimal() else 0


def _too_large(limit: int) -> ProblemResponse:
    hint = "send less at once; who runs the server may raise serve.body_kb"
    return problem(
        413, "too_large", f"the body is larger than {limit:,} bytes", hint, {"Connection": "close"}
    )


async def _read_bounded_body(receive: Receive, limit: int) -> bytes | ProblemResponse | None:
    """Return the body of a request; None where the client left."""
    read, length = bytearray(), 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        part = message.get("body", b"")
        length += len(part)
        if length <= limit:
            read += part
        elif length > _MOST_DRAINED:
            return _too_large(limit)
        if not message.get("more_body"):
            return bytes(read) if length <= limit else _too_large(limit)


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` function that yields the body already read, then what the client sends."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay
