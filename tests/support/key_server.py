"""Providers on loopback that look at the key first, and refuse as each of them does."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from gieok.testing import model_server
from gieok.testing.model_server import ModelServer

GOOD, NEXT, SPENT = "key-good-1111", "key-next-2222", "key-spent-3333"
_HEADERS = ("authorization", "x-api-key", "x-goog-api-key")


class _Handler(model_server._ModelHandler):
    """Answers who has a good key."""

    def do_GET(self) -> None:  # noqa: N802 - the library's
        """List no models."""
        if self._may_ask():
            page = {
                "object": "list",
                "data": [],
                "models": [],
                "has_more": False,
                "first_id": None,
                "last_id": None,
            }
            self._send(200, json.dumps(page).encode())

    def do_POST(self) -> None:  # noqa: N802 - the library's
        """Answer as a model would."""
        if self._may_ask():
            super().do_POST()

    def _may_ask(self) -> bool:
        key = next(
            (self.headers[name].removeprefix("Bearer ") for name in _HEADERS if self.headers[name]),
            "",
        )
        self.server.keys.append(key)
        self.server.asked.append(f"{self.command} {self.path.partition('?')[0]}")
        if key in self.server.valid:
            return True
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self._send(*self._refusal(key))
        return False

    def _refusal(self, key: str) -> tuple[int, bytes]:
        """Return how the provider refuses; it repeats the key, as some do."""
        is_spent = key == SPENT
        if self.headers["x-goog-api-key"]:
            status, word = (429, "RESOURCE_EXHAUSTED") if is_spent else (400, "INVALID_ARGUMENT")
            told = (
                "Quota exceeded" if is_spent else "API key not valid. Please pass a valid API key."
            )
            return status, json.dumps(
                {"error": {"code": status, "message": f"{told} {key}", "status": word}}
            ).encode()
        if self.headers["x-api-key"]:
            kind, told = "invalid_request_error", "Your credit balance is too low to access the API"
            status = 400 if is_spent else 401
            return status, json.dumps(
                {"type": "error", "error": {"type": kind, "message": told if is_spent else key}}
            ).encode()
        told = (
            "You exceeded your current quota" if is_spent else f"Incorrect API key provided: {key}"
        )
        return (429 if is_spent else 401), json.dumps(
            {"error": {"message": told, "code": "x", "type": "y"}}
        ).encode()


@contextmanager
def serving() -> Iterator[ModelServer]:
    """Serve; `valid` are the keys that are taken, `keys` and `asked` what was seen."""
    made = ModelServer()
    made.RequestHandlerClass = _Handler
    made.valid, made.keys, made.asked = {GOOD, NEXT}, [], []
    try:
        yield made
    finally:
        made.shutdown()
        made.server_close()
