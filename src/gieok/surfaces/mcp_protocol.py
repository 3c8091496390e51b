"""MCP protocol: answers messages, whichever transport carries them.

stdio is in `mcp`, HTTP in `http/routes/mcp`.

Written with the standard library and not with the SDK, whose import takes a second of CPU: an agent
asks for the tools once, as soon as it starts, and goes on without tools that arrive later. Both
ways to begin are supported: the handshake (`initialize`, up to 2025-11-25), and the version in each
request (2026-07-28). The tests check this module against the SDK's own client.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gieok import __version__
from gieok.surfaces import jsonrpc, tools
from gieok.surfaces.tools import ToolAnswer

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
VERSION = "2026-07-28"
#: The only version that allows batches of messages.
BATCHING = "2025-03-26"
METHOD_NOT_FOUND, UNSUPPORTED_VERSION = -32601, -32022
_MOST_MESSAGES = 50
_META = "io.modelcontextprotocol"
_SERVER = {"name": "gieok", "version": __version__}
_CAPABILITIES = {"tools": {"listChanged": False}}

#: Runs a tool: (name, arguments) → answer.
Calling = Callable[[str, Mapping[str, object]], ToolAnswer]


class _Failed(Exception):
    """Error of the protocol."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


class Request(NamedTuple):
    """Message that asks for an answer."""

    id: str | int
    method: str
    params: Mapping[str, Any]

    @property
    def version(self) -> str:
        """Return the version that the request itself carries; '' after a handshake."""
        meta = self.params.get("_meta")
        return str(meta.get(f"{_META}/protocolVersion", "")) if isinstance(meta, dict) else ""


def request(message: Mapping[str, Any]) -> Request | None:
    """Return the request in a message; None for a notification or an answer."""
    if "id" not in message or "method" not in message:
        return None
    return Request(message["id"], message["method"], message.get("params") or {})


def answer_mcp_request(asked: Request, call: Calling) -> dict[str, object]:
    """Return the message that answers a request: a result, or an error of the protocol."""
    try:
        return {"jsonrpc": "2.0", "id": asked.id, "result": _build_mcp_result(asked, call)}
    except _Failed as error:
        return jsonrpc.build_rpc_error(asked.id, error.code, str(error), error.data)
    except Exception as error:  # noqa: BLE001 - one tool that fails ends no session
        return jsonrpc.build_rpc_error(
            asked.id, jsonrpc.INTERNAL_ERROR, f"unexpected {type(error).__name__}: {error}"
        )


def offers_questions(params: Mapping[str, Any]) -> bool:
    """Return whether a client that says hello lets a server ask the person, by a form."""
    capabilities = params.get("capabilities")
    offered = capabilities.get("elicitation") if isinstance(capabilities, dict) else None
    return isinstance(offered, dict) and (not offered or isinstance(offered.get("form"), dict))


def build_question(identity: str, question: str) -> dict[str, object]:
    """Return the request that puts a question before the person, who agrees or does not."""
    form = {"type": "object", "properties": {}}
    return {
        "jsonrpc": "2.0",
        "id": identity,
        "method": "elicitation/create",
        "params": {"message": question, "requestedSchema": form},
    }


def is_agreement(message: Mapping[str, Any]) -> bool:
    """Return whether the answer to a question is that the person agrees."""
    result = message.get("result")
    return isinstance(result, dict) and result.get("action") == "accept"


def of_batch(line: bytes, call: Calling) -> object:
    """Return the answers to a batch of messages, a list; None where no message needs an answer."""
    try:
        messages = json.loads(line)
    except (ValueError, RecursionError):
        messages = None
    if not isinstance(messages, list) or not 0 < len(messages) <= _MOST_MESSAGES:
        return jsonrpc.build_rpc_error(
            None, jsonrpc.INVALID_REQUEST, f"a batch is a list of 1 to {_MOST_MESSAGES} messages"
        )
    rows = []
    for message in messages:
        if wrong := jsonrpc.refusal(json.dumps(message).encode()):
            rows.append(jsonrpc.build_rpc_error(wrong.id, wrong.code, wrong.message))
        elif parsed := request(message):
            rows.append(answer_mcp_request(parsed, call))
    return rows or None


def _build_mcp_result(asked: Request, call: Calling) -> dict[str, object]:
    result: dict[str, object]
    version = asked.version
    if version and asked.method != "initialize" and version != VERSION:
        supported = {"supported": [VERSION], "requested": version}
        raise _Failed(UNSUPPORTED_VERSION, "unsupported protocol version", supported)
    match asked.method:
        case "initialize" if not version:
            return _build_mcp_handshake(asked.params)
        case "ping" if not version:
            return {}
        case "server/discover" if version:
            about = {"capabilities": _CAPABILITIES, "instructions": tools.INSTRUCTIONS}
            result = {"supportedVersions": [VERSION], **about, "ttlMs": 0, "cacheScope": "private"}
        case "tools/list":
            result = {"tools": tools.list_tool_definitions()}
            result |= {"ttlMs": 0, "cacheScope": "private"} if version else {}
        case "tools/call":
            result = _call_mcp_tool(asked.params, call)
        case _:
            raise _Failed(METHOD_NOT_FOUND, "Method not found", asked.method)
    return result | (
        {"resultType": "complete", "_meta": {f"{_META}/serverInfo": _SERVER}} if version else {}
    )


def _build_mcp_handshake(params: Mapping[str, Any]) -> dict[str, object]:
    requested = params.get("protocolVersion")
    if not isinstance(requested, str):
        raise _Failed(jsonrpc.INVALID_PARAMS, "`protocolVersion` must be a string")
    return {
        "protocolVersion": requested if requested in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1],
        "capabilities": _CAPABILITIES,
        "serverInfo": _SERVER,
        "instructions": tools.INSTRUCTIONS,
    }


def _call_mcp_tool(params: Mapping[str, Any], call: Calling) -> dict[str, object]:
    name, arguments = params.get("name"), params.get("arguments") or {}
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise _Failed(jsonrpc.INVALID_PARAMS, "`name` must be a string, and `arguments` an object")
    answer = call(name, arguments)
    # No `structuredContent`: Claude Code (2.1.197) shows the model the structured content instead
    # of the text, unfenced and six times as long.
    return {"content": [{"type": "text", "text": answer.text}], "isError": answer.is_refused}
