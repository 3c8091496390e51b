"""MCP over stdio, by the official SDK. stdout belongs to the protocol."""

from collections.abc import Iterator

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from gieok import __version__
from gieok.errors import GieokError, OutputLost
from gieok.ops.operation import Effect
from gieok.surfaces import tools

_Context = ServerRequestContext[object]


async def _list_tools(context: _Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    del context, params
    return types.ListToolsResult(
        tools=[
            types.Tool(
                name=name,
                description=found.doc.en,
                input_schema=tools.schema(found),
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
        text, data = await anyio.to_thread.run_sync(
            lambda: tools.call(tools.context(), params.name, params.arguments or {})
        )
    except GieokError as error:
        return types.CallToolResult(content=[types.TextContent(text=tools.refusal(error))], is_error=True)
    structured = data if isinstance(data, dict) else {"result": data}
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=structured)


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
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
