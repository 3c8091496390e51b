"""The daemon's server: a thread per connection, and a bounded number of calls at once.

A caller beyond that bound answers itself.
"""

import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path

from gieok.precedence import PROMPTS
from gieok.processes import wire
from gieok.processes.call import HOOK, DaemonCall, is_answerable_for

#: Connections at once; the next waits to be accepted.
_MOST_CONNECTIONS = 64
#: Calls at once: enough for every agent of a person, few enough for two cores.
_MOST_CALLS = 8

#: Answers a call, given a function that shows progress and one that sends a lasting line; returns
#: the answer to send.
Answering = Callable[
    [DaemonCall, Callable[[str], None], Callable[[str], None]], Mapping[str, object]
]


class Server:
    """Server that answers every client that knows the token, until the socket is closed."""

    def __init__(
        self,
        listening: socket.socket,
        token: str,
        control: Callable[[str], Mapping[str, object]],
        called: Callable[[], None] = lambda: None,
    ) -> None:
        self._called = called
        self._listening = listening
        self._token = token
        self._control = control
        self._connections = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        self._calls = threading.BoundedSemaphore(_MOST_CALLS)

    def serve(self, answer: Answering) -> None:
        """Accept connections for ever. Raises OSError once the socket is closed."""
        while True:
            self._connections.acquire()
            try:
                connection, _ = self._listening.accept()
            except OSError:
                self._connections.release()
                raise
            threading.Thread(
                target=self._converse, args=(connection, answer), name="answer", daemon=True
            ).start()

    def _converse(self, connection: socket.socket, answer: Answering) -> None:
        connection.settimeout(wire.TIMEOUT_S)
        lines = wire.WireLines(connection)
        try:
            row = lines.receive()
            if row.get("token") != self._token:
                return
            if row.get("do") == "call":
                self._call(
                    lines,
                    DaemonCall(**{name: row[name] for name in DaemonCall._fields if name in row}),
                    answer,
                )
            else:
                lines.send(self._control(str(row.get("do"))))
        except (OSError, ValueError, TypeError):  # it left, or is no client of ours
            return
        finally:
            lines.close()
            self._connections.release()

    def _call(self, lines: wire.WireLines, call: DaemonCall, answer: Answering) -> None:
        if not is_answerable_for(call, os.environ) or not Path(call.folder).is_dir():
            lines.send({"answer": None})
            return
        if not self._calls.acquire(blocking=False):
            lines.send({"answer": None})
            return
        try:
            self._called()
            lines.send({"begun": True})
            reporter = _Told(lines)
            with PROMPTS.answering() if call.surface == HOOK else nullcontext():
                result = answer(call, reporter.say, reporter.tell)
            lines.send({"answer": result})
        finally:
            self._calls.release()

    def drain(self, seconds: float) -> None:
        """Accept no more calls, and wait up to `seconds` for the running ones."""
        deadline = time.monotonic() + seconds
        for _ in range(_MOST_CALLS):
            self._calls.acquire(timeout=max(deadline - time.monotonic(), 0))


class _Told:
    """Sender of progress to a client.

    A client that disconnected stops nothing, because a call that was begun is finished.
    """

    def __init__(self, lines: wire.WireLines) -> None:
        self._lines = lines

    def say(self, line: str) -> None:
        self._send({"say": line})

    def tell(self, line: str) -> None:
        self._send({"tell": line})

    def _send(self, row: Mapping[str, object]) -> None:
        try:
            self._lines.send(row)
        except OSError:
            return
