"""A gateway of OpenClaw's on loopback, as far as webhooks go: its routes, its refusals, its words
(2026.9.6).
"""

import json
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from gieok.testing.prompt_answers import LoopbackServer, PromptAnswers

TOKEN = "hooktoken-abcdef-123456"
_MOST_FAILURES = 20
_MISSING = {"wake": ("text", "text required"), "agent": ("message", "message required")}


class Gateway(LoopbackServer):
    """Keeps what it took: (route, body). While `is_slow`, it answers nothing until it is closed."""

    def __init__(self, *, mappings: tuple[str, ...] = (), path: str = "/hooks") -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.mappings, self.path = mappings, path
        self.took: list[tuple[str, dict[str, Any]]] = []
        self.seen_tokens: list[str] = []
        self.failures = 0
        self.is_slow = False
        self.closing = threading.Event()
        threading.Thread(
            target=self.serve_forever, daemon=True, kwargs={"poll_interval": 0.01}
        ).start()

    @property
    def port(self) -> int:
        """Return where it listens."""
        return int(self.server_address[1])

    def close(self) -> None:
        """End."""
        self.closing.set()
        self.shutdown()
        self.server_close()

    def configure(self, user: Path, *, token: str = TOKEN, **hooks: object) -> Path:
        """Write OpenClaw's configuration of a user; return the file."""
        file = user / ".openclaw" / "openclaw.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        gateway = {
            "mode": "local",
            "port": self.port,
            "bind": "loopback",
            "auth": {"mode": "token", "token": "gw-1"},
        }
        wanted = {"enabled": True, "token": token, "path": self.path, **hooks}
        file.write_text(
            json.dumps({"gateway": gateway, "hooks": wanted, "agents": {"entries": {}}}),
            encoding="utf-8",
        )
        return file


class _Handler(PromptAnswers, BaseHTTPRequestHandler):
    server: Gateway

    def do_GET(self) -> None:
        """Answer what is alive; hooks are posted."""
        if self.path in ("/health", "/healthz"):
            self._json(200, {"ok": True, "status": "live"})
        else:
            self._text(405 if self.path.startswith(self.server.path) else 404, "Method Not Allowed")

    def do_POST(self) -> None:
        """Take a webhook."""
        gateway = self.server
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        if gateway.is_slow:
            gateway.closing.wait(20)
            return
        route = self.path.removeprefix(gateway.path + "/")
        if "?token=" in self.path:
            self._json(400, {"ok": False, "error": "token in the address"})
        elif gateway.failures >= _MOST_FAILURES:
            self._text(429, "Too Many Requests", {"Retry-After": "60"})
        elif not self._is_known():
            gateway.failures += 1
            self._text(401, "Unauthorized")
        elif route == self.path or route not in (*_MISSING, *gateway.mappings):
            self._text(404, "Not Found")
        else:
            self._take(route, json.loads(data))

    def _is_known(self) -> bool:
        given = self.headers.get("authorization", "").removeprefix("Bearer ") or self.headers.get(
            "x-openclaw-token", ""
        )
        self.server.seen_tokens.append(given)
        return given == TOKEN

    def _take(self, route: str, body: dict[str, Any]) -> None:
        name, missing = _MISSING.get(route, ("", ""))
        if name and not body.get(name):
            self._json(400, {"ok": False, "error": missing})
            return
        self.server.took.append((route, body))
        if route not in _MISSING:
            self._text(204, "")
        elif route == "agent":
            self._json(200, {"ok": True, "runId": "6a5f0c9e-0000-4000-8000-000000000000"})
        else:
            self._json(200, {"ok": True, "mode": body.get("mode", "now"), "eventOutcome": "queued"})

    def _json(self, status: int, body: object) -> None:
        self._answer(status, json.dumps(body).encode(), "application/json", {})

    def _text(self, status: int, text: str, headers: dict[str, str] | None = None) -> None:
        self._answer(status, text.encode(), "text/plain", headers or {})

    def _answer(self, status: int, data: bytes, kind: str, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {
            "content-type": kind,
            "content-length": str(len(data)),
            **headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
