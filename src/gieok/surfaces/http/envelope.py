"""Middleware around every request: log line, metrics, common headers, unexpected errors."""

import logging
import math
import os
import time
import traceback
from collections.abc import Iterator

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gieok.character.turn.turn import FAILED
from gieok.errors import TRACEBACK_VARIABLE, GeneratorFailed, GieokError
from gieok.ports.limits import Rate, Room
from gieok.surfaces.http.metrics import Metrics
from gieok.surfaces.http.problems import problem

LOG = logging.getLogger("gieok.serve")


class Envelope:
    """ASGI middleware that logs and measures requests.

    The log has methods, patterns of routes, statuses and times: no token, no text, no name.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), [0]
        scope.setdefault("state", {})

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _iter_answer_headers(scope):
                    headers[name] = value
            await send(message)

        try:
            await self._app(scope, receive, sent)
        except Exception as error:
            _log_unexpected(error)
            if status[0]:
                raise
            await problem(
                500, "error", "something unexpected happened", "it is in the server's log"
            )(scope, receive, sent)
        finally:
            self._note(scope, status[0], time.perf_counter() - begun)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "") or "other"
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._metrics.answered(method, route, status, seconds)
        if isinstance(scope["state"].get("error"), GeneratorFailed):
            self._metrics.turn(FAILED)
        LOG.info(
            "%s %s %d %.0fms%s", method, route, status, seconds * 1000, _format_error_code(scope)
        )


_METHODS = ("GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH")


def _iter_answer_headers(scope: Scope) -> Iterator[tuple[str, str]]:
    yield "X-Content-Type-Options", "nosniff"
    yield "Cache-Control", "no-store"
    rate_and_room: tuple[Rate, Room] | None = scope["state"].get("rate")
    if rate_and_room is not None:
        rate, room = rate_and_room
        yield "RateLimit-Limit", str(rate.requests)
        yield "RateLimit-Remaining", str(room.remaining)
        yield "RateLimit-Reset", str(math.ceil(room.wait_s))


def _format_error_code(scope: Scope) -> str:
    """Return the code of an error; where the server failed, with the message for its operator."""
    error = scope["state"].get("error")
    return f" {error.code}" if isinstance(error, GieokError) else ""


def _log_unexpected(error: Exception) -> None:
    """Log where an unexpected error happened, without its message, which may hold a user's text."""
    if os.environ.get(TRACEBACK_VARIABLE):
        LOG.error("unexpected", exc_info=error)
        return
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "?"
    LOG.error("unexpected %s at %s", type(error).__name__, where)
