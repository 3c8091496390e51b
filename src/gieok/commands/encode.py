"""Encoder of results as the documented JSON, and of their types as JSON Schema.

Every surface uses it. A result is a dataclass or a named tuple whose fields, and properties
marked by
`mark_encoded_getter`, are the documented names. A trailing `_` keeps a name from being a Python
keyword (`from_`). The annotations below say where JSON differs from the value.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, TypeVar

from gieok.commands.command import Command
from gieok.model.memory import Scope
from gieok.text.messages import Words

_T = TypeVar("_T")
_GetterT = TypeVar("_GetterT", bound=Callable[..., object])


# Plain classes, because a named tuple costs a cold search .2 ms.
class Rounded:
    """Annotation that rounds numbers to this many digits behind the point."""

    def __init__(self, digits: int) -> None:
        self.digits = digits


class As:
    """Annotation that encodes a function's result for the value.

    The function's return type is the type in the JSON.
    """

    def __init__(self, made: Callable[[Any], object]) -> None:
        self.made = made


_HIDDEN, _OR_NULL, OMITTED, INLINE = "hidden", "null where empty", "left out where None", "in place"
#: Annotation: the field is not in the JSON.
Hidden = Annotated[_T, _HIDDEN]
#: Annotation: an empty value is null in the JSON.
OrNull = Annotated[_T, _OR_NULL]
#: Annotation: None is left out of the JSON.
Omitted = Annotated[_T | None, OMITTED]
#: Annotation: the value's fields are inlined in place of the value.
Inline = Annotated[_T, INLINE]
#: A score or a share.
Score = Annotated[float, Rounded(4)]


class Reason(NamedTuple):
    """Name of a thing that could not be done, with the reason."""

    path: str
    reason: str


#: Record types that are a single string in JSON.
_TEXTS = (Scope, Words)
_PLAIN = frozenset((str, int, float, bool, NoneType))
_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


class _Part:
    # A type, or what stands for one.
    def __init__(self, attribute: str, annotation: Any) -> None:  # noqa: ANN401
        self.attribute = attribute
        self.annotation = annotation
        self.name = attribute.rstrip("_")
        self.marks: tuple[object, ...] = getattr(annotation, "__metadata__", ())


def mark_encoded_getter(getter: _GetterT) -> _GetterT:
    """Mark the getter of a property as a field of the JSON."""
    getter.is_shown = True  # type: ignore[attr-defined]
    return getter


def encode(value: object) -> object:
    """Return the documented JSON of a result, or of a part of a result."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, Mapping):
        return {str(encode(key)): encode(item) for key, item in value.items()}
    if parts := _list_record_parts(kind):
        return dict(_iter_encoded_parts(value, parts))
    if isinstance(value, tuple | list | set | frozenset) and kind not in _TEXTS:
        return [encode(item) for item in value]
    return _encode_scalar(value)


def _encode_scalar(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    return value.en if isinstance(value, Words) else str(value)


def _iter_encoded_parts(record: object, parts: tuple[_Part, ...]) -> Iterator[tuple[str, object]]:
    for part in parts:
        value, marks = getattr(record, part.attribute), part.marks
        if value is None and OMITTED in marks:
            continue
        if _OR_NULL in marks:
            value = value or None
        for mark in marks:
            value = mark.made(value) if isinstance(mark, As) else value
            value = _round_floats(value, mark.digits) if isinstance(mark, Rounded) else value
        encoded = encode(value)
        if INLINE in marks and isinstance(encoded, dict):
            yield from encoded.items()
        else:
            yield part.name, encoded


def _round_floats(value: object, digits: int) -> object:
    if isinstance(value, Mapping):
        return {key: _round_floats(item, digits) for key, item in value.items()}
    return round(value, digits) if isinstance(value, float) else value


@cache
def _list_record_parts(kind: type[Any]) -> tuple[_Part, ...]:
    """Return the JSON fields of a record type; empty for any other type."""
    if kind in _TEXTS:
        return ()
    if is_dataclass(kind):
        names = [field.name for field in fields(kind)]
    elif issubclass(kind, tuple) and hasattr(kind, "_fields"):
        names = list(kind._fields)
    else:
        return ()
    parts = [_Part(name, kind.__annotations__[name]) for name in names]
    getters = {
        name: member.fget for name, member in vars(kind).items() if isinstance(member, property)
    }
    parts += [
        _Part(n, g.__annotations__["return"]) for n, g in getters.items() if hasattr(g, "is_shown")
    ]
    return tuple(part for part in parts if _HIDDEN not in part.marks)


def result_schema(found: Command[..., Any]) -> dict[str, Any]:
    """Return the JSON Schema of a command's result."""
    return build_type_schema(found.function.__annotations__["return"])


# A type, or what stands for one in an annotation.
def build_type_schema(kind: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the JSON Schema of the values that `encode` returns for a type."""
    if marks := getattr(kind, "__metadata__", ()):
        converter = next((mark.made for mark in marks if isinstance(mark, As)), None)
        inner = build_type_schema(
            converter.__annotations__["return"] if converter else kind.__origin__
        )
        return _merge_schema_choices([inner, {"type": "null"}]) if _OR_NULL in marks else inner
    if kind in _NAMES:
        return {"type": _NAMES[kind]}
    if type_arguments := getattr(kind, "__args__", ()):
        return _schema_of_several(getattr(kind, "__origin__", None), type_arguments)
    return _schema_of_class(kind) if isinstance(kind, type) and kind is not object else {}


# As above.
def _schema_of_several(origin: Any, given: tuple[Any, ...]) -> dict[str, Any]:  # noqa: ANN401
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": build_type_schema(given[1])}
    inner = _merge_schema_choices(
        [build_type_schema(argument) for argument in given if argument is not ...]
    )
    return (
        {"type": "array", "items": inner}
        if isinstance(origin, type) and origin is not UnionType
        else inner
    )


def _schema_of_class(kind: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
    if issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    if kind in _TEXTS or issubclass(kind, Path | date):
        return {"type": "string"}
    class_schema: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
    for part in _list_record_parts(kind):
        inner = build_type_schema(part.annotation)
        if INLINE not in part.marks:
            class_schema["properties"][part.name] = inner
            class_schema["required"] += [] if OMITTED in part.marks else [part.name]
        elif "properties" in inner:
            class_schema["properties"] |= inner["properties"]
            class_schema["required"] += inner["required"]
        else:
            class_schema |= inner
    return class_schema


def _merge_schema_choices(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of a union."""
    different = [schema for place, schema in enumerate(found) if schema not in found[:place]]
    if len(different) == 1:
        return different[0]
    # Named where it is the same for all: what a tool returns must be an object.
    are_objects = all(schema.get("type") == "object" for schema in different)
    return ({"type": "object"} if are_objects else {}) | {"anyOf": different}
