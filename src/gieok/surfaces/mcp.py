"""MCP over stdio, by the official SDK. stdout belongs to the protocol."""

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import cast

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from gieok import __version__
from gieok.errors import GieokError, OutputLost
from gieok.ops.encode import result_schema
from gieok.ops.operation import Effect
from gieok.ops.run import failed
from gieok.surfaces import jsonrpc, tools

_Context = ServerRequestContext[object]


async def _list_tools(context: _Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    del context, params
    return types.ListToolsResult(
        tools=[
            types.Tool(
                name=name,
                description=found.doc.en,
                input_schema=tools.schema(found),
                output_schema=result_schema(found),
                annotations=types.ToolAnnotations(
                    read_only_hint=found.effect is Effect.READ,
                    destructive_hint=found.effect is Effect.DESTROY,
                    open_world_hint=False,
                ),
            )
            for name, found in tools.tools().items()
        ]
    )


async def _call_tool(context: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Run the tool on a thread: a search must not hold up a ping."""
    del context
    try:
        answer = await anyio.to_thread.run_sync(
            lambda: tools.call(tools.context(params.name), params.name, params.arguments or {})
        )
    except GieokError as error:  # of the settings, which are read at the first call
        answer = failed(error)
    if answer.failure:
        return types.CallToolResult(content=[types.TextContent(text=tools.refusal(answer.failure))], is_error=True)
    structured = cast("dict[str, object]", answer.data)  # as every tool's output schema says
    return types.CallToolResult(content=[types.TextContent(text=answer.text)], structured_content=structured)


def main() -> int:
    """Serve on stdin and stdout until stdin ends, or nobody reads what is answered. Raises OutputLost."""
    lost: OSError | None = None
    try:
        anyio.run(_serve)
    except* BrokenPipeError:
        pass
    except* OSError as errors:
        lost = next(_leaves(errors))
    if lost:
        raise OutputLost(f"an answer could not be written: {lost.strerror}")
    return 0


def _leaves(group: BaseExceptionGroup[OSError]) -> Iterator[OSError]:
    for error in group.exceptions:
        yield from _leaves(error) if isinstance(error, BaseExceptionGroup) else (error,)


async def _serve() -> None:
    server: Server[object] = Server(
        "gieok",
        version=__version__,
        instructions=tools.INSTRUCTIONS,
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
    )
    lines = _Lines()
    async with stdio_server(stdin=cast("anyio.AsyncFile[str]", lines)) as (reading, writing):
        lines.answer = writing.send
        await server.run(reading, writing, server.create_initialization_options())


class _Lines:
    """The lines of stdin that are messages; the others are answered with an error, where the SDK would drop them."""

    answer: Callable[[SessionMessage], Awaitable[None]]

    def __init__(self) -> None:
        # Away from 0, so that no child reads the protocol's input.
        self._file = anyio.wrap_file(os.fdopen(os.dup(0), "rb"))
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._file:
            wrong = jsonrpc.refusal(line) or _unfit(line)
            if wrong is None:
                yield line.decode("utf-8")
                continue
            error = types.ErrorData(code=wrong.code, message=wrong.message)
            await self.answer(SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=wrong.id, error=error)))


def _unfit(line: bytes) -> jsonrpc.Refusal | None:
    """Return the error for a message that the SDK itself cannot read, as one that is nested more deeply than it goes."""
    try:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError as error:
        id_ = json.loads(line).get("id")
        return jsonrpc.Refusal(
            id_, jsonrpc.INVALID_REQUEST, f"the message cannot be read: {str(error).splitlines()[-1]}"
        )
    return None
