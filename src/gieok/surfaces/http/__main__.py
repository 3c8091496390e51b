"""`python -m gieok.surfaces.http BY`: the server in the background.

`BY` says who starts it: the daemon, with whose end it ends too, or `gieok open`.
"""

import signal
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from gieok.errors import STATUS, GieokError
from gieok.home.calls import open_call
from gieok.processes.launch import ANY_PORT, DAEMON, READY
from gieok.surfaces import streams
from gieok.surfaces.http.serve import run_http_server

if TYPE_CHECKING:
    import uvicorn

#: Shorter than the time in which the daemon itself has to end.
_DRAIN_S = 3
_LOOK_S = 60.0


def main(by: str, *more: str) -> int:
    """Serve in the background; return the exit status."""
    try:
        if by == DAEMON:
            threading.Thread(target=_end_with_input, daemon=True).start()
            return run_http_server(
                {}, "en", by, any_port=ANY_PORT in more, drain_s=_DRAIN_S, started=_say_ready
            )
        hours = open_call({}).home.settings.number("daemon.idle_hours")
        return run_http_server(
            {}, "en", by, any_port=True, started=lambda server, _: _end_unused(server, hours * 3600)
        )
    except GieokError as error:
        streams.print_error(str(error), error.hint)
        return STATUS[error.code][0]


def _say_ready(server: "uvicorn.Server", url: str) -> None:
    del server
    print(READY, url, file=sys.stderr, flush=True)  # noqa: T201 - for the daemon


def _end_with_input() -> None:
    sys.stdin.read()
    signal.raise_signal(signal.SIGTERM)


def _end_unused(server: "uvicorn.Server", idle_s: float) -> None:
    """Stop the server after `idle_s` seconds without a request (0: never).

    Nobody may remember that the server runs.
    """

    def look() -> None:
        until_unused(lambda: server.server_state.total_requests, threading.Event().wait, idle_s)
        server.should_exit = True

    if idle_s:
        threading.Thread(target=look, daemon=True).start()


def until_unused(count: Callable[[], int], wait: Callable[[float], object], idle_s: float) -> None:
    """Return once the count of requests has not changed for `idle_s` seconds."""
    answered, unused_s = count(), 0.0
    while unused_s < idle_s:
        wait(_LOOK_S)
        now = count()
        unused_s, answered = (unused_s + _LOOK_S, now) if now == answered else (0.0, now)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
