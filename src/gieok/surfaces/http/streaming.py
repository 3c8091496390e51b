"""A reply as server-sent events: each step in a thread, and an end whatever the client does."""

import json
from collections.abc import AsyncIterator, Iterator

import anyio.to_thread
from anyio import CancelScope, CapacityLimiter
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from gieok.character.turn.turn import Reply
from gieok.surfaces.http.access import Reception

EVENTS = "text/event-stream"
#: Proxies must not hold pieces back.
_HEADERS = {"X-Accel-Buffering": "no"}


class ReplyResponse(StreamingResponse):
    """Sends events, and closes the reply at the end: where the client is gone, what it got is kept
    and charged.
    """

    def __init__(self, reply: Reply, events: Iterator[str], desk: Reception) -> None:
        super().__init__(_stepped(events, desk.streams), media_type=EVENTS, headers=_HEADERS)
        self._reply, self._desk = reply, desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            with CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._reply.close)
            self._desk.count(self._reply)


async def _stepped(events: Iterator[str], threads: CapacityLimiter) -> AsyncIterator[str]:
    # Threads of their own: messages that wait for this one's end hold those of the others.
    while (
        event := await anyio.to_thread.run_sync(next, events, None, limiter=threads)
    ) is not None:
        yield event


def format_server_event(data: object, name: str = "") -> str:
    """Return one event."""
    named = f"event: {name}\n" if name else ""
    return f"{named}data: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n"
