"""Validation and schema of an operation's typed request.

Every surface uses this one check.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields
from typing import Any

from gieok.commands.command import Operation, Surface
from gieok.errors import BadRequest

#: Types of numbers, named for people.
_KINDS: dict[type, str] = {int: "a whole number", float: "a number"}
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


def list_parameters(found: Operation[Any, Any], surface: Surface) -> list[Field[Any]]:
    """Return the request fields of an operation that callers on a surface may set."""
    return [
        field
        for field in fields(found.request)
        if surface is not Surface.MCP or not field.metadata["cli_only"]
    ]


def default_of(field: Field[Any]) -> Any:  # noqa: ANN401 - the parameter's own type
    """Return the default of a parameter; its type is the parameter's."""
    return field.default_factory() if field.default_factory is not MISSING else field.default


def type_name(field: Field[Any]) -> str:
    """Return the JSON type of a parameter.

    A repeatable positional argument of the command line is one text.
    """
    return _NAMES[type(default_of(field))]


def request_schema(found: Operation[Any, Any], surface: Surface) -> dict[str, Any]:
    """Return the JSON Schema of an operation's request."""
    parameters = list_parameters(found, surface)
    return {
        "type": "object",
        "properties": {
            find_parameter_name(field): _build_schema_property(field, surface)
            for field in parameters
        },
        "required": [
            find_parameter_name(field) for field in parameters if field.metadata["needed"]
        ],
        "additionalProperties": False,
    }


def _build_schema_property(field: Field[Any], surface: Surface) -> dict[str, object]:
    default = default_of(field)
    schema: dict[str, object] = {"type": type_name(field), "description": field.metadata["doc"].en}
    if isinstance(default, list) and surface is Surface.MCP:
        default = ""  # a model is told of one text alone, which is shorter
    elif isinstance(default, list):
        schema |= {"type": ["string", "array"], "items": {"type": "string"}}
    if field.metadata["choices"]:
        schema["enum"] = list(field.metadata["choices"])
    return schema if field.metadata["needed"] else {**schema, "default": default}


# The request.
def check_request(
    found: Operation[Any, Any], values: Mapping[str, object], surface: Surface
) -> Any:  # noqa: ANN401
    """Return the operation's request, built from values by name.

    Raises BadRequest, which names the parameter.
    """
    known = {find_parameter_name(field): field for field in list_parameters(found, surface)}
    if unknown := sorted(set(values) - set(known)):
        raise BadRequest(f"unknown argument {unknown[0]!r}", hint=f"arguments: {', '.join(known)}")
    checked_values = {
        name: _coerce_parameter_value(known[name], value, surface) for name, value in values.items()
    }
    for name, field in known.items():
        if field.metadata["needed"] and not _has_text(checked_values.get(name)):
            raise BadRequest(
                f"{shown_name(field, surface)} is missing",
                hint=f"such as `{field.metadata['needed']}`",
            )
    return found.request(**{known[name].name: value for name, value in checked_values.items()})


def _has_text(value: object) -> bool:
    return bool("".join(value if isinstance(value, list) else str(value or "")).strip())


def _coerce_parameter_value(field: Field[Any], value: object, surface: Surface) -> object:
    expected = type(default_of(field))
    if surface is Surface.HTTP and any(
        map(_UNKEPT.search, map(str, value if isinstance(value, list) else [value]))
    ):
        raise BadRequest(
            f"{field.name} holds what no file can keep",
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
    name = shown_name(field, surface)
    if type(value) is not expected or expected is list:
        raise BadRequest(
            f"{name} is {value!r}", hint=_describe_expected_type(field, expected, surface)
        )
    if isinstance(value, int | float):
        _check_size(field, name, value)
    choices = field.metadata["choices"]
    if choices and value not in choices:
        raise BadRequest(f"{name} is {value!r}", hint=_format_choice_hint(str(value), choices))
    return value


def _check_size(field: Field[Any], name: str, value: float) -> None:
    if isinstance(value, int) and abs(value) > _MOST:
        raise BadRequest(f"{name} is {value}", hint=f"at most {_MOST:,}")
    if value < min(default_of(field), 0) and field.name not in _SIGNED:
        raise BadRequest(f"{name} is {value}", hint="it may not be negative")


def _describe_expected_type(field: Field[Any], expected: type, surface: Surface) -> str:
    if surface is Surface.CLI and expected in _KINDS:
        return f"it must be {_KINDS[expected]}"
    return f"it must be of type {type_name(field)}"


def shown_name(field: Field[Any], surface: Surface) -> str:
    """Return a parameter's name as its caller writes it."""
    is_option = surface is Surface.CLI and not field.metadata["positional"]
    return (
        f"--{find_parameter_name(field).replace('_', '-')}"
        if is_option
        else find_parameter_name(field)
    )


def find_parameter_name(field: Field[Any]) -> str:
    """Return a parameter's name: its field's name without the underscore of `for_`.

    The underscore keeps the name apart from a Python keyword.
    """
    return field.name.rstrip("_")


def _format_choice_hint(word: str, known: Sequence[str]) -> str:
    """Return a hint with the closest choice and all choices."""
    from difflib import get_close_matches  # 2 ms, for an error

    near = get_close_matches(word, known, 1)
    return (
        f"did you mean {near[0]}? One of: {', '.join(known)}"
        if near
        else f"one of: {', '.join(known)}"
    )


def _parse_cli_number(text: str, expected: type[int | float]) -> object:
    """Return a command line word as a number; the word itself where it is no number."""
    try:
        return expected(text)
    except ValueError:
        return text
