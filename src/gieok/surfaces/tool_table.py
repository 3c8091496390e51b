"""Tools for models, made from the operations table: each operation that names the surface MCP is
one.
"""

from typing import Any

from gieok.ops import NAMES, operation
from gieok.ops.operation import Effect, Operation, Surface
from gieok.ops.request import request_schema


def load_tool_operations() -> dict[str, Operation[Any, Any]]:
    """Return tool name → operation."""
    operations = (operation(name) for name in NAMES)
    return {o.tool or tool_name(o.name): o for o in operations if Surface.MCP in o.surfaces}


def tool_name(name: str) -> str:
    """Return the tool's name for an operation's: `memory_search`, and `code_impact` for `code
    impact`.
    """
    return name.replace(" ", "_") if " " in name else f"memory_{name}"


def description(found: Operation[Any, Any]) -> str:
    """Return what a model is told of a tool: what it does, and when to call it rather than
    another.
    """
    return f"{found.doc.en}. {found.tool_hint}" if found.tool_hint else found.doc.en


def describe_tools() -> list[dict[str, Any]]:
    """Return what a process must know of each tool: its operation, its effect, and the definition
    for clients.
    """
    return [
        {
            "operation": tool_operation.name,
            "writes": tool_operation.effect is not Effect.READ,
            "shows_source": tool_operation.shows_source,
            "definition": {
                "name": name,
                "description": description(tool_operation),
                "inputSchema": request_schema(tool_operation, Surface.MCP),
                "annotations": {
                    "readOnlyHint": tool_operation.effect is Effect.READ,
                    "destructiveHint": tool_operation.effect is Effect.DESTROY,
                    "openWorldHint": False,
                },
            },
        }
        for name, tool_operation in load_tool_operations().items()
    ]
