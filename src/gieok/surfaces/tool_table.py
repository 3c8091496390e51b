"""Tools for models, made from the operations of the surface MCP."""

from typing import Any

from gieok.commands import NAMES, load_command
from gieok.commands.command import Command, Effect, Surface
from gieok.commands.request import request_schema
from gieok.surfaces.mcp_consent import CONFIRM

#: What a model is told of a tool that needs consent.
_PREVIEW_HINT = (
    "Where the user cannot be asked by the client, the first call changes nothing and shows a "
    "preview: end your turn and let the user answer."
)


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

    It says what the tool does, when to call it rather than another tool, and what a first call does
    that needs the consent of a person.
    """
    parts = [f"{found.doc.en}."] if found.tool_hint or found.person_question.en else [found.doc.en]
    parts += [found.tool_hint] if found.tool_hint else []
    parts += [_PREVIEW_HINT] if found.person_question.en else []
    return " ".join(parts)


def describe_tools() -> list[dict[str, Any]]:
    """Return a row for each tool: its operation, its effect, its definition for clients.

    `question`: what a person is asked before the call, '' for nothing. `agreed`, `rehearsal`: the
    switches of the operation for a call that they agreed to, and for one that does nothing yet; ''
    for none.
    """
    return [
        {
            "operation": tool_operation.name,
            "writes": tool_operation.effect is not Effect.READ,
            "question": tool_operation.person_question.en,
            "agreed": tool_operation.agreed_parameter,
            "rehearsal": tool_operation.rehearsal_parameter,
            "runs_in_daemon": tool_operation.runs_in_daemon,
            "shows_source": tool_operation.shows_source,
            "definition": {
                "name": name,
                "description": description(tool_operation),
                "inputSchema": build_tool_schema(tool_operation),
                "annotations": {
                    "readOnlyHint": tool_operation.effect is Effect.READ,
                    "destructiveHint": bool(tool_operation.person_question.en),
                    "openWorldHint": False,
                },
            },
        }
        for name, tool_operation in load_tool_operations().items()
    ]


def build_tool_schema(found: Command[..., Any]) -> dict[str, Any]:
    """Return the schema of a tool's arguments.

    One that needs consent takes one text for each, and a token (`mcp_consent.read_call_texts`).
    """
    schema = request_schema(found, Surface.MCP)
    if found.person_question.en:
        for field in schema["properties"].values():
            field.pop("default", None)
        schema["required"] = list(schema["properties"])
        schema["properties"][CONFIRM] = {
            "type": "string",
            "description": "token of the preview, once the user agreed",
            "default": "",
        }
    return schema
