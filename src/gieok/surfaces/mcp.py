"""MCP over stdio. stdout belongs to the protocol.

In the standard library, and not by the SDK, whose import takes a second of CPU: an agent asks for the tools once, as soon as
it starts, and goes on without those that come later. Both ways to begin are spoken: the handshake (`initialize`, to
2025-11-25), and the version in each request (2026-07-28). The tests hold it against the SDK's own client.
"""

import json
import os
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gieok import __version__
from gieok.errors import STATUS, OutputLost
from gieok.surfaces import jsonrpc, streams, tools

_HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
_VERSION = "2026-07-28"
_META = "io.modelcontextprotocol"
_METHOD_NOT_FOUND, _UNSUPPORTED_VERSION = -32601, -32022
_SERVER = {"name": "gieok", "version": __version__}
_CAPABILITIES = {"tools": {"listChanged": False}}
#: More at once wait: each holds a thread.
_MOST_CALLS = 16


class _Failed(Exception):
    """An error of the protocol."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


class _Request(NamedTuple):
    id: str | int
    method: str
    params: Mapping[str, Any]

    @property
    def version(self) -> str:
        """Return the version that the request carries itself; '' after a handshake."""
        meta = self.params.get("_meta")
        return str(meta.get(f"{_META}/protocolVersion", "")) if isinstance(meta, dict) else ""


def main() -> int:
    """Serve on stdin and stdout until stdin ends, or nobody reads what is answered; return the exit status."""
    # Away from 0, so that no child reads the protocol's input.
    lines = os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    output = _Output()
    session = McpSession(output.write)
    for line in lines:
        session.receive(line)
        if output.error:
            break
    session.finish()
    if output.error and not isinstance(output.error, BrokenPipeError):
        lost = OutputLost(f"an answer could not be written: {output.error.strerror}")
        streams.print_error(str(lost), lost.hint)
        return STATUS[lost.code][0]
    return 0


class _Output:
    """Stdout, one line at a time, until that fails."""

    def __init__(self) -> None:
        self.error: OSError | None = None
        self._lock = threading.Lock()

    def write(self, row: Mapping[str, object]) -> None:
        data = json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        with self._lock:
            try:
                while data:
                    data = data[os.write(1, data) :]
            except OSError as error:
                self.error = error


class McpSession:
    """One client. Tools run in threads, so that a search does not hold up a ping."""

    def __init__(self, write: Callable[[Mapping[str, object]], None]) -> None:
        self._write = write
        self._free = threading.BoundedSemaphore(_MOST_CALLS)
        self._running: dict[str | int, threading.Thread] = {}
        self._cancelled: set[str | int] = set()

    def receive(self, line: bytes) -> None:
        """Answer a line, unless it asks for no answer."""
        if wrong := jsonrpc.refusal(line):
            self._write(jsonrpc.error(wrong.id, wrong.code, wrong.message))
            return
        message = json.loads(line)
        if message.get("method") == "notifications/cancelled":
            identity = (message.get("params") or {}).get("requestId")
            if isinstance(identity, str | int):
                self._cancelled.add(identity)
        if "id" not in message or "method" not in message:
            return
        request = _Request(message["id"], message["method"], message.get("params") or {})
        if request.method == "tools/call":
            thread = threading.Thread(target=self._answer, args=(request,))
            self._running[request.id] = thread
            thread.start()
        else:
            self._answer(request)

    def finish(self) -> None:
        """Wait for tools that run: what they write is not cut off."""
        for thread in list(self._running.values()):
            thread.join()

    def _answer(self, request: _Request) -> None:
        try:
            result = self._result(request)
            row: dict[str, object] = {"jsonrpc": "2.0", "id": request.id, "result": result}
        except _Failed as error:
            row = jsonrpc.error(request.id, error.code, str(error), error.data)
        except Exception as error:  # noqa: BLE001 - one tool that fails ends no session
            row = jsonrpc.error(request.id, jsonrpc.INTERNAL_ERROR, f"unexpected {type(error).__name__}: {error}")
        self._running.pop(request.id, None)
        if request.id in self._cancelled:
            self._cancelled.discard(request.id)
        else:
            self._write(row)

    def _result(self, request: _Request) -> dict[str, object]:
        result: dict[str, object]
        version = request.version
        if version and request.method != "initialize" and version != _VERSION:
            supported = {"supported": [_VERSION], "requested": version}
            raise _Failed(_UNSUPPORTED_VERSION, "unsupported protocol version", supported)
        match request.method:
            case "initialize" if not version:
                return _initialized(request.params)
            case "ping" if not version:
                return {}
            case "server/discover" if version:
                about = {"capabilities": _CAPABILITIES, "instructions": tools.INSTRUCTIONS}
                result = {"supportedVersions": [_VERSION], **about, "ttlMs": 0, "cacheScope": "private"}
            case "tools/list":
                result = {"tools": tools.listed()}
                result |= {"ttlMs": 0, "cacheScope": "private"} if version else {}
            case "tools/call":
                with self._free:
                    result = _called(request.params)
            case _:
                raise _Failed(_METHOD_NOT_FOUND, "Method not found", request.method)
        return result | ({"resultType": "complete", "_meta": {f"{_META}/serverInfo": _SERVER}} if version else {})


def _initialized(params: Mapping[str, Any]) -> dict[str, object]:
    asked = params.get("protocolVersion")
    if not isinstance(asked, str):
        raise _Failed(jsonrpc.INVALID_PARAMS, "`protocolVersion` must be a string")
    return {
        "protocolVersion": asked if asked in _HANDSHAKE_VERSIONS else _HANDSHAKE_VERSIONS[-1],
        "capabilities": _CAPABILITIES,
        "serverInfo": _SERVER,
        "instructions": tools.INSTRUCTIONS,
    }


def _called(params: Mapping[str, Any]) -> dict[str, object]:
    name, arguments = params.get("name"), params.get("arguments") or {}
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise _Failed(jsonrpc.INVALID_PARAMS, "`name` must be a string, and `arguments` an object")
    answer = tools.answer(name, arguments)
    result: dict[str, object] = {"content": [{"type": "text", "text": answer.text}], "isError": answer.is_refused}
    if not answer.is_refused:
        result["structuredContent"] = answer.data
    return result
