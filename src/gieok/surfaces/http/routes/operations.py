"""Routes for operations, called by the owner of the home, and for the list of all operations."""

import json
from collections.abc import Awaitable, Callable
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, Header, Query, Request, Response
from pydantic import BaseModel, Field

from gieok.commands import NAMES, load_command
from gieok.commands.command import Effect
from gieok.errors import STATUS, BadRequest, NotFound, Phrase
from gieok.surfaces.http.access import KNOWN_QUERY, OWNERS_ONLY, Desk
from gieok.surfaces.http.operations import (
    ELSEWHERE,
    FITTING,
    CallerPlace,
    answer_http_operation,
    path_of,
)
from gieok.surfaces.http.problems import ALWAYS, documented, problem
from gieok.surfaces.language import language

router = APIRouter(tags=["operations"], dependencies=OWNERS_ONLY)


class OperationRow(BaseModel):
    """An operation: its command, what it does, what that does to stored data, and where it is
    called.
    """

    name: str = Field(examples=["search"])
    doc: str = Field(description="In English, or in Korean by `Accept-Language`.")
    effect: Effect
    group: str = Field(examples=["memory"])
    path: str | None = Field(
        description="Null where it is not called over HTTP.", examples=["/api/operations/search"]
    )
    elsewhere: str = Field(description="Why it is not.", examples=[""])


@router.get("/api/operations", responses=documented(*ALWAYS), dependencies=KNOWN_QUERY)
def operations(accept_language: Annotated[str, Header()] = "") -> list[OperationRow]:
    """List all operations, in the order of the command line's help."""
    return list(_list_operation_rows(language([], {"LANG": accept_language})))


@cache
def _list_operation_rows(lang: str) -> tuple[OperationRow, ...]:
    return tuple(
        OperationRow(
            name=chosen.name,
            doc=chosen.doc.say(lang),
            effect=chosen.effect,
            group=chosen.rib,
            path=path_of(chosen.name) if chosen.name in FITTING else None,
            elsewhere=ELSEWHERE.get(chosen.name, ""),
        )
        for chosen in map(load_command, NAMES)
    )


def _build_operation_endpoint(name: str) -> Callable[..., Awaitable[Response]]:
    """Return the endpoint of an operation, which runs it in one of a limited number of threads."""

    async def call(
        request: Request,
        desk: Desk,
        folder: Annotated[str, Query()] = "",
        scope: Annotated[str, Query()] = "",
    ) -> Response:
        values, place = _parse_body_parameters(await request.body()), CallerPlace(folder, scope)
        answer = await anyio.to_thread.run_sync(
            answer_http_operation, desk.resident, name, values, place, limiter=desk.operations
        )
        if failure := answer.failure:
            return problem(STATUS[failure.code][1], failure.code, failure.message, failure.hint)
        body = json.dumps(answer.data, ensure_ascii=False).encode("utf-8", "replace")
        return Response(body, media_type="application/json")

    return call


def _parse_body_parameters(body: bytes) -> dict[str, Any]:
    """Return the parameters in a JSON body; an empty body has none."""
    try:
        values = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        raise BadRequest("the body is not JSON") from None
    if not isinstance(values, dict):
        raise BadRequest(
            "the body is no JSON object", hint='parameters by name: `{"query": ["…"]}`'
        )
    return values


for _name in FITTING:
    router.add_api_route(
        path_of(_name),
        _build_operation_endpoint(_name),
        methods=["POST"],
        include_in_schema=False,
        dependencies=KNOWN_QUERY,
    )


@router.post("/api/operations/{name:path}", include_in_schema=False)
def refuse_unknown_operation(name: str) -> None:
    """Raise the error that says why an operation is not found here."""
    name = name.replace("/", " ")
    if name in ELSEWHERE:
        raise NotFound(
            "`gieok {name}` is not called over HTTP: {why}",
            name=name,
            why=ELSEWHERE[name],
            hint="run it on the command line",
        )
    near = get_close_matches(name, FITTING, 1)
    hint = (
        Phrase("did you mean {path}?", path=path_of(near[0]))
        if near
        else "`GET /api/operations` lists them"
    )
    raise NotFound("there is no operation {name!r}", name=name, hint=hint)
