"""Validation and schema of an operation's typed request.

Every surface uses this one check.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from gieok.commands.command import Command, CommandParameter, P, ResultT, Surface
from gieok.errors import BadRequest, Phrase
from gieok.home.call import Call

#: Type of a number on the command line → what its value must be.
_NUMBERS: dict[type, str] = {int: "it must be a whole number", float: "it must be a number"}
#: JSON type of a parameter → what its value must be.
_TYPES = {
    "boolean": "it must be of type boolean",
    "integer": "it must be of type integer",
    "number": "it must be of type number",
    "string": "it must be of type string",
}
#: JSON type of a parameter → what a program's value must be.
_PYTHON_TYPES = {
    "boolean": "it must be a bool",
    "integer": "it must be an int",
    "number": "it must be a float or an int",
    "string": "it must be a str",
}
#: Larger numbers are not the same in every program that reads JSON.
_MOST = 2**53
#: Characters that JSON can express and UTF-8 cannot.
_UNKEPT = re.compile("[\0\ud800-\udfff]")
#: Numbers that may be negative, or whose range the operation checks itself.
_SIGNED = frozenset(("credit", "limit", "min_score", "keep"))
_NAMES: dict[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "string",
}


def list_parameters(found: Command[..., Any], surface: Surface) -> list[CommandParameter]:
    """Return the request fields of an operation that callers on a surface may set."""
    return [
        parameter
        for parameter in found.parameters
        if surface is not Surface.MCP or not parameter.about.cli_only
    ]


def default_of(parameter: CommandParameter) -> Any:  # noqa: ANN401 - the parameter's own type
    """Return the default of a parameter; its type is the parameter's."""
    return list(parameter.default) if isinstance(parameter.default, tuple) else parameter.default


def type_name(parameter: CommandParameter) -> str:
    """Return the JSON type of a parameter.

    A repeatable positional argument of the command line is one text.
    """
    return _NAMES[type(default_of(parameter))]


def request_schema(found: Command[..., Any], surface: Surface) -> dict[str, Any]:
    """Return the JSON Schema of an operation's request."""
    parameters = list_parameters(found, surface)
    return {
        "type": "object",
        "properties": {
            find_parameter_name(parameter): _build_schema_property(parameter, surface)
            for parameter in parameters
        },
        "required": [
            find_parameter_name(parameter) for parameter in parameters if parameter.about.needed
        ],
        "additionalProperties": False,
    }


def _build_schema_property(parameter: CommandParameter, surface: Surface) -> dict[str, object]:
    default = default_of(parameter)
    schema: dict[str, object] = {
        "type": type_name(parameter),
        "description": _describe_parameter(parameter, surface),
    }
    if isinstance(default, list) and surface is Surface.MCP:
        default = ""  # a model is told of one text alone, which is shorter
    elif isinstance(default, list):
        schema |= {"type": ["string", "array"], "items": {"type": "string"}}
    if parameter.about.choices:
        schema["enum"] = list(parameter.about.choices)
    return schema if parameter.about.needed else {**schema, "default": default}


def _describe_parameter(parameter: CommandParameter, surface: Surface) -> str:
    about = parameter.about
    return about.tool_doc if surface is Surface.MCP else about.doc.en


def run_checked_command(
    chosen: Command[P, ResultT], call: Call, *args: P.args, **values: P.kwargs
) -> ResultT:
    """Return a command's result, after the check of its parameters. Raises BadRequest."""
    named = {name.rstrip("_"): value for name, value in values.items()}
    checked: Command[..., ResultT] = chosen
    return checked(call, *args, **check_request(chosen, named, Surface.PYTHON))


def build_missing_error(parameter: CommandParameter, surface: Surface) -> BadRequest:
    """Return the error of a call without a parameter that it needs."""
    return BadRequest(
        "{name} is missing",
        name=Phrase(shown_name(parameter, surface)),
        example=parameter.about.needed,
        hint="give `{name}`" if surface is Surface.PYTHON else "such as `{example}`",
    )


# The request.
def check_request(
    found: Command[..., Any], values: Mapping[str, object], surface: Surface
) -> dict[str, Any]:
    """Return the parameters of an operation by their names in its signature, each checked.

    Raises BadRequest, which names the parameter.
    """
    known = {
        find_parameter_name(parameter): parameter for parameter in list_parameters(found, surface)
    }
    if unknown := sorted(set(values) - set(known)):
        raise BadRequest(
            "unknown argument {unknown!r}",
            unknown=unknown[0],
            known=", ".join(known),
            hint="arguments: {known}",
        )
    checked_values = {
        name: _coerce_parameter_value(known[name], value, surface) for name, value in values.items()
    }
    for name, parameter in known.items():
        if parameter.about.needed and not _has_text(checked_values.get(name)):
            raise build_missing_error(parameter, surface)
    return {known[name].name: value for name, value in checked_values.items()}


def _has_text(value: object) -> bool:
    return bool("".join(value if isinstance(value, list) else str(value or "")).strip())


def _coerce_parameter_value(parameter: CommandParameter, value: object, surface: Surface) -> object:
    expected = type(default_of(parameter))
    if surface is Surface.HTTP and any(
        map(_UNKEPT.search, map(str, value if isinstance(value, list) else [value]))
    ):
        raise BadRequest(
            "{name} holds what no file can keep",
            name=parameter.name,
            hint="neither NUL, nor half of a surrogate pair",
        )
    if surface is Surface.CLI and expected in (int, float) and isinstance(value, str):
        value = _parse_cli_number(value, expected)
    if expected is list:
        value = [value] * bool(value) if isinstance(value, str) else value
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return value
    if expected is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if expected is int and isinstance(value, float) and value.is_integer():
        return int(value)
    name = shown_name(parameter, surface)
    if type(value) is not expected or expected is list:
        value = _find_wrong_value(value, surface)
        raise BadRequest(
            "{name} is {value!r}" if isinstance(value, str) else "{name} is {value}",
            name=name,
            value=value if isinstance(value, str) else repr(value),
            hint=_describe_expected_type(parameter, expected, surface),
        )
    if isinstance(value, int | float):
        _check_size(parameter, name, value)
    choices = parameter.about.choices
    if choices and value not in choices:
        raise BadRequest(
            "{name} is {value!r}",
            name=name,
            value=value,
            hint=_format_choice_hint(str(value), choices),
        )
    return value


def _find_wrong_value(value: object, surface: Surface) -> object:
    """Return what an error names: of a list in Python its item that is no text.

    A method makes a list of the one value that it was given, and a program knows that value.
    """
    if surface is Surface.PYTHON and isinstance(value, list):
        return next((item for item in value if not isinstance(item, str)), value)
    return value


def _check_size(parameter: CommandParameter, name: str, value: float) -> None:
    if isinstance(value, int) and abs(value) > _MOST:
        raise BadRequest(
            "{name} is {value}", name=name, value=value, largest=_MOST, hint="at most {largest:,}"
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise BadRequest(
            "{name} is {value}", name=name, value=str(value), hint="it must be a number"
        )
    if value < min(default_of(parameter), 0) and parameter.name not in _SIGNED:
        raise BadRequest("{name} is {value}", name=name, value=value, hint="it may not be negative")


def _describe_expected_type(parameter: CommandParameter, expected: type, surface: Surface) -> str:
    if surface is Surface.CLI and expected in _NUMBERS:
        return _NUMBERS[expected]
    if surface is Surface.PYTHON:
        return _PYTHON_TYPES[type_name(parameter)]
    return _TYPES[type_name(parameter)]


def shown_name(parameter: CommandParameter, surface: Surface) -> str:
    """Return a parameter's name as its caller writes it."""
    is_option = surface is Surface.CLI and not parameter.about.positional
    return (
        f"--{find_parameter_name(parameter).replace('_', '-')}"
        if is_option
        else find_parameter_name(parameter)
    )


def find_parameter_name(parameter: CommandParameter) -> str:
    """Return a parameter's name: its parameter's name without the underscore of `for_`.

    The underscore keeps the name apart from a Python keyword.
    """
    return parameter.name.rstrip("_")


def _format_choice_hint(word: str, known: Sequence[str]) -> str:
    """Return a hint with the closest choice and all choices."""
    from difflib import get_close_matches  # 2 ms, for an error

    near = get_close_matches(word, known, 1)
    return (
        Phrase("did you mean {near}? One of: {known}", near=near[0], known=", ".join(known))
        if near
        else Phrase("one of: {known}", known=", ".join(known))
    )


def _parse_cli_number(text: str, expected: type[int | float]) -> object:
    """Return a command line word as a number; the word itself where it is no number."""
    try:
        return expected(text)
    except ValueError:
        return text
