"""Types that several routes take and return."""

import re
from functools import cache, reduce
from operator import or_
from types import UnionType
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

from fastapi import Depends, Header, HTTPException, Path, Query, Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

from gieok.errors import BadRequest
from gieok.model.accounts import USER_PATTERN
from gieok.surfaces.http.design_names import DESIGN_NAMES

T = TypeVar("T")


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("no NUL can be kept")
    return text


def _on_one_line(text: str) -> str:
    if re.search(r"[\x00-\x1f\x7f]", text):
        raise ValueError("it must be one line")
    return text


# Checked by a function, not by a pattern: making an example of a pattern over 100,000 characters
# takes half a minute.
WithoutNul = Annotated[str, AfterValidator(_without_nul)]
Prose = Annotated[WithoutNul, Field(max_length=100_000)]
Topic = Annotated[str, Field(min_length=1, max_length=50), AfterValidator(_on_one_line)]
Line = Annotated[str, Field(max_length=500), AfterValidator(_on_one_line)]
UserText = Annotated[str, Field(pattern=f"^{USER_PATTERN}$")]
UserName = Annotated[
    str,
    Path(pattern=f"^{USER_PATTERN}$", examples=["min"], description="The user: `sub` of a token."),
]
CharacterName = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[^\x00-\x20/:]+$")]
CharacterId = Annotated[
    str, Path(min_length=1, max_length=128, pattern=r"^[^\x00-\x20/:]+$", examples=["mina"])
]
Word = Annotated[str, Path(min_length=1, max_length=300, pattern=r"^[^\x00-\x20]+$")]
PageNumber = Annotated[int, Query(ge=1, le=1_000_000_000, description="From 1 on.")]
PageLimit = Annotated[int, Query(ge=1, le=100, description="Rows of a page.")]


def _build_key_header(rest: str) -> Any:  # noqa: ANN401
    """Return the header of a key, whose description ends in `rest`."""
    return Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        pattern=r"^[\x21-\x7e]+$",
        examples=["order-4711"],
        description=(
            f"Of your own choice. The same key again changes nothing, and gives the same answer{rest}"
        ),
    )


IdempotencyKey = Annotated[str, _build_key_header(".")]
OptionalIdempotencyKey = Annotated[
    str | None, _build_key_header("; without one, each request counts.")
]
IfMatch = Annotated[
    str | None,
    Header(alias="If-Match", description="The ETag that was read; 412 where it is another now."),
]


def check_match(asked: str | None, tag: str) -> None:
    """Answer 412 where the client's ETag is not the current one."""
    if asked is not None and asked not in ("*", tag):
        raise HTTPException(412, "it was changed since it was read")


def choose_named(name: str, value: T | None, other: str, alias_value: T | None) -> T | None:
    """Return the value of a field that has two names; None for neither. Raises BadRequest."""
    if value is not None and alias_value is not None and value != alias_value:
        raise BadRequest(
            "`{name}` and `{other}` are two values of one field",
            name=name,
            other=other,
            hint="send `{name}` alone",
        )
    return alias_value if value is None else value


async def _read_raw_body(request: Request) -> bytes:
    return await request.body()


RawBody = Annotated[bytes, Depends(_read_raw_body)]


class Given(BaseModel):
    """What a client sends: nothing that is not described here."""

    model_config = ConfigDict(extra="forbid")


class Page(BaseModel):
    """A page of a list."""

    total: int = Field(description="Rows of all pages.", examples=[1])
    page: int = Field(examples=[1])
    limit: int = Field(examples=[20])


@cache
def build_answer_model(record: type) -> type[BaseModel]:
    """Return the pydantic model of an answer, made from the NamedTuple that a route returns.

    The model has the same names, types and descriptions: clients read the names that the rest of
    the program uses, and each is written once. The names of the original design stand beside them.
    """
    hints, defaults = get_type_hints(record), getattr(record, "_field_defaults", {})
    fields: dict[str, Any] = {
        name: (
            _replace_record_types(hint),
            Field(defaults.get(name, ...), examples=_EXAMPLES.get(name)),
        )
        for name, hint in hints.items()
    }
    for name, attribute in DESIGN_NAMES.get(record, {}).items():
        hint = hints[attribute] if attribute in hints else _find_property_type(record, attribute)
        fields[name] = (_replace_record_types(hint), Field(validation_alias=attribute))
    model: type[BaseModel] = create_model(record.__name__, __doc__=record.__doc__, **fields)
    return model


#: Name of a field → examples, for every model with such a field.
_EXAMPLES: dict[str, list[object]] = {
    "balance": [37], "streak": [3], "given": [10], "points": [100], "total": [1], "page": [1],
    "limit": [20], "predicate": ["birthday"], "object": ["3월 15일"], "kind": ["reply"],
    "score": [0.71],
}  # fmt: skip


def _find_property_type(record: type, name: str) -> Any:  # noqa: ANN401 - a type
    """Return the type of a property."""
    return get_type_hints(getattr(record, name).fget)["return"]


def _replace_record_types(hint: Any) -> Any:  # noqa: ANN401 - a type
    """Return a type in which the records are replaced by their models."""
    if isinstance(hint, type) and hasattr(hint, "_fields"):
        return build_answer_model(hint)
    arguments = get_args(hint)
    if not arguments:
        return hint
    inner = tuple(map(_replace_record_types, arguments))
    if inner == arguments:
        return hint
    return reduce(or_, inner) if isinstance(hint, UnionType) else hint.__origin__[inner]
