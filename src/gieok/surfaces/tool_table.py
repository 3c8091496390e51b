"""Tools for models, made from the operations of the surface MCP."""

from typing import Any

from gieok.commands import NAMES, load_command
from gieok.commands.command import Command, Effect, Surface
from gieok.commands.request import request_schema

#: Switch of an operation that asks: the person agreed already.
_AGREED = "yes"


def load_tool_operations() -> dict[str, Command[..., Any]]:
    """Return tool name → operation; imports every operation."""
    operations = (load_command(name) for name in NAMES)
    return {o.tool or tool_name(o.name): o for o in operations if Surface.MCP in o.surfaces}


def tool_name(name: str) -> str:
    """Return the tool name of an operation.

    Examples are `memory_search`, and `code_impact` for `code impact`.
    """
    return name.replace(" ", "_") if " " in name else f"memory_{name}"


def description(found: Command[..., Any]) -> str:
    """Return the description of a tool for models.

    It says what the tool does, and when to call it rather than another tool.
    """
    return f"{found.doc.en}. {found.tool_hint}" if found.tool_hint else found.doc.en


def describe_tools() -> list[dict[str, Any]]:
    """Return a row for each tool: its operation, its effect, its definition for clients.

    `question`: what a person is asked before the call, '' for nothing; `agreed`: the parameters by
    which the operation knows that they were asked.
    """
    return [
        {
            "operation": tool_operation.name,
            "writes": tool_operation.effect is not Effect.READ,
            "question": tool_operation.person_question.en,
            "agreed": {p.name: True for p in tool_operation.parameters if p.name == _AGREED},
            "runs_in_daemon": tool_operation.runs_in_daemon,
            "shows_source": tool_operation.shows_source,
            "definition": {
                "name": name,
                "description": description(tool_operation),
                "inputSchema": request_schema(tool_operation, Surface.MCP),
                "annotations": {
                    "readOnlyHint": tool_operation.effect is Effect.READ,
                    "destructiveHint": bool(tool_operation.person_question.en),
                    "openWorldHint": False,
                },
            },
        }
        for name, tool_operation in load_tool_operations().items()
    ]
