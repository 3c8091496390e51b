"""How the servers of tests answer: at once, and without a log."""

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
