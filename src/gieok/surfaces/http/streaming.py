"""A reply as server-sent events.

Each piece is made in a thread, and the reply is closed whatever the client does.
"""

import json
from collections.abc import AsyncIterator, Iterator

import anyio.to_thread
from anyio import CancelScope, CapacityLimiter
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from gieok.character.turn.turn import Reply
from gieok.surfaces.http.access import Reception

EVENTS = "text/event-stream"
#: Tells proxies not to buffer the pieces.
_HEADERS = {"X-Accel-Buffering": "no"}


class ReplyResponse(StreamingResponse):
    """Response that sends events, and closes the reply at the end.

    Where the client has left, the pieces that it got are kept and charged.
    """

    def __init__(self, reply: Reply, events: Iterator[str], desk: Reception) -> None:
        super().__init__(_iter_stepped(events, desk.streams), media_type=EVENTS, headers=_HEADERS)
        self._reply, self._desk = reply, desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            with CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._reply.close)
            self._desk.count(self._reply)


async def _iter_stepped(events: Iterator[str], threads: CapacityLimiter) -> AsyncIterator[str]:
    # A thread pool of its own: messages that wait for this reply's end hold the threads of the
    # other pool.
    while (
        event := await anyio.to_thread.run_sync(next, events, None, limiter=threads)
    ) is not None:
        yield event


def format_server_event(data: object, name: str = "") -> str:
    """Return one event."""
    named = f"event: {name}\n" if name else ""
    return f"{named}data: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n"
