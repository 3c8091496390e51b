"""Limits on connections that wait for a request, in time and in number.

uvicorn limits only the pause between two requests: not the wait for the first request, nor a head
that arrives byte by byte.
"""

import asyncio
import contextlib
import sys
from collections import OrderedDict
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

#: Seconds in which the whole head of a request must arrive, from the connection or from the answer
#: before it.
HEAD_S = 20.0
#: Connections that may wait for a head. For one more, the connection that waits longest is closed,
#: so that nobody can use up all.
MOST_WAITING = 512
_FILES = 4096
#: Bytes read at once: a client that sends chunks of one byte would, at asyncio's 256 KB, hold up
#: all others for a second.
_MOST_READ = 16_384


class PatientProtocol(H11Protocol):
    """HTTP/1.1 protocol that closes a connection whose request head does not arrive in time."""

    #: Connections that wait for a head, the longest wait first. They share one event loop, so there
    #: is no lock.
    waiting: ClassVar["OrderedDict[PatientProtocol, asyncio.TimerHandle]"] = OrderedDict()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for a request."""
        super().connection_made(transport)
        if hasattr(transport, "max_size"):  # of asyncio's own loop
            transport.max_size = _MOST_READ
        self._look()

    def data_received(self, data: bytes) -> None:
        """Stop waiting once the head of a request is complete."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it has arrived already."""
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._forget()
        super().connection_lost(exc)

    def _look(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._forget()
        elif self not in self.waiting:
            self.waiting[self] = self.loop.call_later(HEAD_S, self._end)
            if len(self.waiting) > MOST_WAITING:
                next(iter(self.waiting))._end()  # noqa: SLF001 - another of this class

    def _forget(self) -> None:
        if timer := self.waiting.pop(self, None):
            timer.cancel()

    def _end(self) -> None:
        self._forget()
        self.transport.close()


def allow_files() -> None:
    """Raise the limit of open files of this process as far as allowed.

    Shells allow 1,024 files or 256, and each connection takes one.
    """
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < limit:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
