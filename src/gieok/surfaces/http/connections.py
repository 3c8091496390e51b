"""Connections that wait: the head of a request comes in time, and only so many wait at once.

uvicorn times the pause between two requests, and neither the first one nor a head that comes byte
by byte.
"""

import asyncio
import contextlib
import sys
from collections import OrderedDict
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

#: The whole head of a request comes within so many seconds after the connection, or after the
#: answer before it.
HEAD_S = 20.0
#: Of more connections that wait for a head, the one that waits longest is closed for the next:
#: nobody can use up all.
MOST_WAITING = 512
_FILES = 4096
#: Bytes that are read at once: in chunks of one byte, the 256 KB of asyncio hold up all others for
#: a second.
_MOST_READ = 16_384


class PatientProtocol(H11Protocol):
    """HTTP/1.1 that closes a connection whose request does not come."""

    #: All that wait, the longest first. One event loop: no lock.
    waiting: ClassVar["OrderedDict[PatientProtocol, asyncio.TimerHandle]"] = OrderedDict()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait."""
        super().connection_made(transport)
        if hasattr(transport, "max_size"):  # of asyncio's own loop
            transport.max_size = _MOST_READ
        self._look()

    def data_received(self, data: bytes) -> None:
        """Wait no longer once a head is whole."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it is there."""
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
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
    """Let this process have as many connections open as there may be: a shell allows 1,024 files or
    256.
    """
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
