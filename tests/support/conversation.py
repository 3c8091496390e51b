"""A conversation with `gieok mcp`, line by line, as no client library would let it go wrong."""

import json
import subprocess
from typing import Any


class Conversation:
    """Speaks JSON-RPC with a process through its pipes."""

    def __init__(self, server: "subprocess.Popen[bytes]") -> None:
        self._server = server
        self.number = 0

    def begin(self) -> None:
        """Shake hands."""
        client = {"name": "test", "version": "0"}
        self.ask(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client},
        )
        self.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode())

    def ask(self, method: str, params: object) -> dict[str, Any]:
        """Send a request; return the answer to it."""
        self.number += 1
        self.write(
            json.dumps(
                {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
            ).encode()
        )
        answer = self.read()
        assert answer.get("id") == self.number, answer
        return answer

    def write(self, line: bytes) -> None:
        """Send one line as it is."""
        assert self._server.stdin
        self._server.stdin.write(line + b"\n")
        self._server.stdin.flush()

    def read(self) -> dict[str, Any]:
        """Return the next answer."""
        assert self._server.stdout
        line = self._server.stdout.readline()
        assert line, "the server ended"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def end(self) -> None:
        """Close its input, and wait until it ends."""
        assert self._server.stdin
        self._server.stdin.close()
        assert self._server.wait() == 0
