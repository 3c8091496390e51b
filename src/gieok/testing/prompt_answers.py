"""How the servers of tests answer: at once, and without a log."""

import sys
from http.server import ThreadingHTTPServer
from typing import ClassVar


class PromptAnswers:
    """Base of a request handler that sends head and body of an answer as one, and logs nothing.

    It stands before `BaseHTTPRequestHandler`. Sent apart, the body waits for an acknowledgement of
    the head, some 40 ms.
    """

    disable_nagle_algorithm: ClassVar[bool] = True
    wbufsize: ClassVar[int] = -1

    def log_message(self, *arguments: object) -> None:
        """Log nothing."""


class LoopbackServer(ThreadingHTTPServer):
    """Base of a server that says nothing of a client that left.

    A program that is ended, or whose time was up, leaves in the middle of an answer, which is no
    fault of the server. Its own faults are printed as ever.
    """

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Print the fault that is being handled, unless a client left."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]
