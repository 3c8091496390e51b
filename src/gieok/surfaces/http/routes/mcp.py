"""MCP over streamable HTTP: the tools of `gieok mcp` for the owner, one message per request.

The server keeps nothing between requests: there is no `Mcp-Session-Id`, no stream to listen to
(GET: 405), nothing to end (DELETE: 405).
"""

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Query, Request, Response
from starlette.datastructures import Headers

from gieok.errors import BadRequest
from gieok.model.memory import Scope
from gieok.surfaces import jsonrpc, mcp_protocol, tools
from gieok.surfaces.http.access import OWNERS_ONLY, Desk
from gieok.surfaces.http.shapes import RawBody
from gieok.surfaces.http.streaming import EVENTS, format_server_event
from gieok.surfaces.mcp_protocol import BATCHING, HANDSHAKE_VERSIONS, VERSION, Calling

router = APIRouter(dependencies=OWNERS_ONLY, include_in_schema=False)
_JSON = "application/json"
_HEADER_MISMATCH = -32020
#: Headers that repeat a value of the body, so that a proxy can read it (version 2026-07-28).
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_STATUS = {
    jsonrpc.PARSE_ERROR: 400,
    jsonrpc.INVALID_REQUEST: 400,
    jsonrpc.INVALID_PARAMS: 400,
    _HEADER_MISMATCH: 400,
    mcp_protocol.UNSUPPORTED_VERSION: 400,
    mcp_protocol.METHOD_NOT_FOUND: 404,
}


@router.post("/mcp")
def ask_mcp_tools(
    request: Request,
    body: RawBody,
    desk: Desk,
    folder: Annotated[str, Query()] = "",
    scope: Annotated[str, Query()] = "",
) -> Response:
    """Answer a message; `folder` and `scope` as of operations."""
    if folder and not (Path(folder).is_absolute() and "\0" not in folder and Path(folder).is_dir()):
        raise BadRequest(
            "folder is {folder!r}",
            folder=folder,
            hint="it must be the absolute path of a folder on this machine",
        )
    flags = {"scope": str(Scope(scope))} if scope else {}
    call = partial(
        tools.answer_tool_call,
        folder=folder or str(Path.home()),
        resident=desk.resident,
        flags=flags,
    )
    return reply(request.headers, body, call)


def reply(headers: Headers, body: bytes, call: Calling) -> Response:
    """Return the response to a request body.

    It is JSON, or one server-sent event where the client accepts nothing else.
    """
    form = _choose_answer_type(headers)
    if not form:
        return Response(status_code=406)
    version = headers.get("mcp-protocol-version", "")
    if version and version not in (*HANDSHAKE_VERSIONS, VERSION):
        data = {"supported": [*HANDSHAKE_VERSIONS, VERSION], "requested": version}
        code = mcp_protocol.UNSUPPORTED_VERSION
        return _build_mcp_response(
            form,
            _Answer(400, jsonrpc.build_rpc_error(None, code, "unsupported protocol version", data)),
        )
    # a client that sends no header may speak that version
    if body.lstrip()[:1] == b"[" and version in ("", BATCHING):
        answer = mcp_protocol.of_batch(body, call)
        return _build_mcp_response(
            form,
            _Answer(200 if isinstance(answer, list) else 202 if answer is None else 400, answer),
        )
    return _build_mcp_response(form, _of_one(headers, body, call))


class _Answer(NamedTuple):
    """HTTP status and MCP message of an answer; the message is None where there is none to send."""

    status: int
    message: object = None


def _build_mcp_response(form: str, answer: _Answer) -> Response:
    if answer.message is None:
        return Response(status_code=answer.status)
    if form == EVENTS and answer.status == 200:
        return Response(
            format_server_event(answer.message, "message"), answer.status, media_type=EVENTS
        )
    content = json.dumps(answer.message, ensure_ascii=False).encode("utf-8", "replace")
    return Response(content, answer.status, media_type=_JSON)


def _of_one(headers: Headers, body: bytes, call: Calling) -> _Answer:
    if wrong := jsonrpc.refusal(body):
        return _Answer(400, jsonrpc.build_rpc_error(wrong.id, wrong.code, wrong.message))
    request = mcp_protocol.request(json.loads(body))
    if request is None:
        return _Answer(202)
    if problem := _find_header_contradiction(headers, request):
        return _Answer(400, jsonrpc.build_rpc_error(request.id, _HEADER_MISMATCH, problem))
    row = mcp_protocol.answer_mcp_request(request, call)
    failed = row.get("error")
    status = (
        _STATUS.get(failed["code"], 200) if isinstance(failed, dict) and request.version else 200
    )
    return _Answer(status, row)


def _find_header_contradiction(headers: Mapping[str, str], asked: mcp_protocol.Request) -> str:
    """Return how the headers contradict the body; '' where they agree.

    The rules are those of the MCP version with a version in each request (2026-07-28).
    """
    version = headers.get("mcp-protocol-version", "")
    if not asked.version and version != VERSION:
        return ""
    return next(
        (
            f"the header {name} is not what the body says"
            for name, value in _iter_repeated_headers(asked)
            if _read_mcp_header(headers, name) != value
        ),
        "",
    )


def _iter_repeated_headers(asked: mcp_protocol.Request) -> Iterator[tuple[str, Any]]:
    yield "MCP-Protocol-Version", asked.version
    yield "Mcp-Method", asked.method
    if (name := _NAMED.get(asked.method)) and asked.params.get(name) is not None:
        yield "Mcp-Name", asked.params[name]


def _read_mcp_header(headers: Mapping[str, str], name: str) -> str:
    """Return the value of a header, decoded from base64 where a header cannot hold it as it is."""
    text = headers.get(name, "")
    if not (text.startswith("=?base64?") and text.endswith("?=")):
        return text
    try:
        return base64.b64decode(text[9:-2], validate=True).decode()
    except (binascii.Error, ValueError):
        return text


def _choose_answer_type(headers: Headers) -> str:
    """Return the content type of the answer; '' where the client accepts neither type."""
    taken = {
        part.partition(";")[0].strip().lower() for part in headers.get("accept", "*/*").split(",")
    }
    if taken & {_JSON, "application/*", "*/*"}:
        return _JSON
    return EVENTS if taken & {EVENTS, "text/*"} else ""
