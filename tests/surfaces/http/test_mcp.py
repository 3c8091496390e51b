"""MCP over HTTP: the official client, and what no client of its sends."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, ClientSession
from mcp.client.streamable_http import streamable_http_client
from served import Served, served

from gieok.surfaces import tools

_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
_LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
_TOLD = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with (
        pytest.MonkeyPatch.context() as patch,
        served(tmp_path_factory.mktemp("home"), patch) as found,
    ):
        yield found


def _talk(
    service: Served, path: str, conversation: Callable[[Any], Awaitable[Any]], mode: str = ""
) -> Any:
    """Speak with the server as the official client does, and return what came of it."""

    async def main() -> Any:
        transport = httpx2.ASGITransport(service.app)
        async with httpx2.AsyncClient(
            transport=transport, headers=service.owner, base_url="http://localhost"
        ) as http:
            streams = streamable_http_client(f"http://localhost{path}", http_client=http)
            if mode:
                async with Client(streams, mode=mode) as client:
                    return await conversation(client)
            async with streams as (read, write), ClientSession(read, write) as session:
                await session.initialize()
                return await conversation(session)

    return asyncio.run(main())


def _post(service: Served, message: object, **headers: str) -> Any:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return service.client.post("/mcp", content=body, headers=service.owner | given)


@pytest.mark.parametrize("mode", ["", "2026-07-28"])
def test_the_official_client_finds_the_tools_of_stdio_and_calls_them(
    service: Served, tmp_path: Path, mode: str
) -> None:
    (tmp_path / "shop" / ".git").mkdir(parents=True)

    async def conversation(client: Any) -> tuple[Any, Any, Any, Any]:
        made = await client.call_tool("memory_remember", {"text": "린터는 ruff를 쓰기로 했다."})
        found = await client.call_tool("memory_search", {"query": "린터"})
        return (
            (await client.list_tools()).tools,
            made,
            found,
            await client.call_tool("memory_dance", {}),
        )

    listed, made, found, refused = _talk(
        service, f"/mcp?folder={tmp_path / 'shop'}", conversation, mode
    )
    assert [
        tool.model_dump(by_alias=True, exclude_none=True) for tool in listed
    ] == tools.list_tool_definitions()
    assert not made.is_error
    assert "ruff" in found.content[0].text
    assert refused.is_error
    assert "unknown tool" in refused.content[0].text


@pytest.mark.parametrize("mode", ["", "2026-07-28"])
def test_a_preview_and_its_token_correct_and_forget_over_http(
    service: Served, tmp_path: Path, mode: str
) -> None:
    (tmp_path / "shop" / ".git").mkdir(parents=True)

    async def conversation(client: Any) -> tuple[str, str, str]:
        async def call(tool: str, **given: str) -> str:
            return str((await client.call_tool(tool, given)).content[0].text)

        async def confirm(tool: str, **given: str) -> str:
            found = re.search(r'`confirm`: "([0-9a-f]{12})"', await call(tool, **given))
            assert found
            return await call(tool, **given, confirm=found[1])

        await call("memory_remember", text="The pump is red.")
        first = await call("memory_list", words="pump")
        await confirm("memory_correct", handle=_handle_in(first), text="The pump is blue.")
        second = await call("memory_list", words="pump")
        await confirm("memory_forget", handles=_handle_in(second))
        return first, second, await call("memory_list", words="pump")

    first, second, third = _talk(service, f"/mcp?folder={tmp_path / 'shop'}", conversation, mode)
    assert "The pump is red." in first
    assert "The pump is blue." in second
    assert "red" not in second
    assert "blue" not in third


def _handle_in(text: str) -> str:
    found = re.search(r"\b[0-9a-f]{8}\b", text)
    assert found
    return found[0]


def test_what_is_told_is_taken_and_what_asks_is_answered_in_the_form_that_the_client_takes(
    service: Served,
) -> None:
    told = _post(service, _TOLD)
    assert (told.status_code, told.content) == (202, b"")
    assert _post(service, {"jsonrpc": "2.0", "id": 9, "result": {}}).status_code == 202
    answered = _post(service, _PING, Accept="application/json, text/event-stream")
    assert (answered.status_code, answered.json()) == (
        200,
        {"jsonrpc": "2.0", "id": 1, "result": {}},
    )
    assert answered.headers["content-type"] == "application/json"
    stream = _post(service, _PING, Accept="text/event-stream")
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert stream.text == 'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'
    assert _post(service, _PING, Accept="image/png").status_code == 406
    for method in ("GET", "DELETE", "PUT"):
        refused = service.client.request(method, "/mcp", headers=service.owner)
        assert (refused.status_code, refused.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("message", "headers", "status", "code"),
    [
        (b"not json", {}, 400, -32700),
        (b"\xff", {}, 400, -32700),
        (b"[" * 100_000, {}, 400, -32600),
        ({}, {}, 400, -32600),
        ({**_PING, "id": True}, {}, 400, -32600),
        (_PING, {"MCP_Protocol_Version": "2031-01-01"}, 400, -32022),
        ({**_PING, "method": "nothing/such"}, {}, 200, -32601),
        ([_PING], {"MCP_Protocol_Version": "2025-06-18"}, 400, -32600),
        ([], {}, 400, -32600),
        ([_PING] * 51, {}, 400, -32600),
        ({**_LIST, "params": {"_meta": {_VERSION_KEY: "2026-07-28"}}}, {}, 400, -32020),
        (_LIST, {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": "tools/list"}, 400, -32020),
    ],
)
def test_what_is_wrong_is_said(
    service: Served, message: object, headers: dict[str, str], status: int, code: int
) -> None:
    answer = _post(service, message, **headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_a_version_in_each_request_repeats_its_headers(service: Served) -> None:
    params = {"_meta": {_VERSION_KEY: "2026-07-28"}, "name": "없는 것", "arguments": {}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": "tools/call"}
    right = _post(service, message, **headers, Mcp_Name="=?base64?7JeG64qUIOqygw==?=")
    assert right.json()["result"]["isError"]
    for wrong in ("memory_search", "=?base64?!?="):
        assert _post(service, message, **headers, Mcp_Name=wrong).json()["error"]["code"] == -32020


def test_several_messages_come_as_one_where_the_version_has_that(service: Served) -> None:
    found = _post(service, [_PING, _TOLD, 7, _LIST])
    assert [(row["id"], "error" in row) for row in found.json()] == [
        (1, False),
        (None, True),
        (2, False),
    ]
    assert _post(service, [_TOLD]).status_code == 202


def test_only_the_owner_asks_and_only_in_a_folder_that_is_there(service: Served) -> None:
    for key in (service.key("kim"), service.key("")):
        assert service.client.post("/mcp", json=_PING, headers=key).status_code == 403
    nobody = service.client.post("/mcp", json=_PING)
    assert (nobody.status_code, nobody.headers["www-authenticate"]) == (401, "Bearer")
    for folder in ("relative", "/no/such/folder", "/\0"):
        asked = service.client.post(
            "/mcp", params={"folder": folder}, json=_PING, headers=service.owner
        )
        assert asked.status_code == 400
