"""Problem documents (RFC 9457): every error has the same form, `application/problem+json`."""

import http
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from gieok.errors import STATUS, BadRequest, GieokError, TooManyRequests, encode_phrase

MEDIA_TYPE = "application/problem+json"
_OPENAPI_HINT = "see /openapi.json"
#: Seconds after which it is worth asking again for what does not answer now.
_AWAY_S = 2
#: Stands for the cause of an error that is for the operator.
UNTOLD_CAUSE = "the server cannot do this now"
#: Status → code, where no GieokError gives one.
_CODES = {
    400: "bad_request",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "too_slow",
    412: "precondition_failed",
    413: "too_large",
    415: ("unsupported_media_type"),
    421: "wrong_host",
}
_MEANINGS = {
    400: "The request cannot be read, or asks for what cannot be done.",
    401: "No token or key, or one that is not valid.",
    402: "The balance does not reach; nothing was charged.",
    403: "The token or key does not open this.",
    404: "There is no such thing, or it is somebody else's.",
    408: "The body did not come in time.",
    409: "It is there already, or was changed meanwhile.",
    412: "It is another than If-Match says.",
    413: "The body is too large.",
    421: "The Host is no name of this server.",
    422: "The request does not fit the description here.",
    429: "More than a key may ask in a minute; Retry-After says when there is room.",
    500: "Something unexpected; nothing was charged.",
    502: "The model gave nothing usable; nothing was charged.",
    503: "The database does not answer, or is busy; nothing was charged. Retry-After says when to "
    "try again.",
}


_INVALID = 422
_OPENAI_TYPES = {
    401: "authentication_error",
    402: "insufficient_quota",
    403: "permission_error",
    429: "rate_limit_error",
}


class Problem(BaseModel):
    """An error."""

    type: str = Field(
        description="A URN of the code.", examples=["urn:problem-type:gieok:not_found"]
    )
    title: str = Field(description="The status in words.", examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str = Field(description="What happened.", examples=["there is no character 'mina'"])
    code: str = Field(description="Stable, for programs.", examples=["not_found"])
    hint: str = Field(
        description="What to do next.", examples=["list what there is, and name one of it"]
    )
    template: str = Field(
        description="The English template of `detail`.",
        examples=["there is no character {identity!r}"],
    )
    values: dict[str, Any] = Field(
        description=(
            "What stands in the template: text, a number, or another message as `template` and "
            "`values`."
        ),
        examples=[{"identity": "mina"}],
    )
    hint_template: str = Field(
        description="The English template of `hint`.",
        examples=["list what there is, and name one of it"],
    )
    hint_values: dict[str, Any] = Field(
        description="What stands in the hint's template.", examples=[{}]
    )


class OpenAiFault(BaseModel):
    """What is wrong, in OpenAI's words."""

    message: str
    type: str = Field(examples=["invalid_request_error"])
    param: str | None = None
    code: str = Field(examples=["not_found"])


class OpenAiError(BaseModel):
    """An error as OpenAI's clients read it."""

    error: OpenAiFault


def openai_error(error: GieokError) -> dict[str, Any]:
    """Return an error in the form that OpenAI's clients read."""
    return _as_openai(document(error)).model_dump()


def _as_openai(found: Problem) -> OpenAiError:
    kind = _OPENAI_TYPES.get(
        found.status, "invalid_request_error" if found.status < 500 else "server_error"
    )
    message = f"{found.detail} ({found.hint})" if found.hint else found.detail
    return OpenAiError(error=OpenAiFault(message=message, type=kind, code=found.code))


class ProblemResponse(JSONResponse):
    """Response with a problem document.

    Below /v1 the error has the form that OpenAI's clients expect.
    """

    media_type = MEDIA_TYPE

    def __init__(self, made: Problem, headers: Mapping[str, str]) -> None:
        super().__init__(made.model_dump(), made.status, headers=dict(headers))
        self._made, self._more = made, dict(headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if not scope["path"].startswith("/v1/"):
            await super().__call__(scope, receive, send)
            return
        status = http.HTTPStatus.BAD_REQUEST if self._made.status == _INVALID else self._made.status
        await JSONResponse(_as_openai(self._made).model_dump(), status, self._more)(
            scope, receive, send
        )


def problem(
    status: int, code: str, detail: str, hint: str = "", headers: Mapping[str, str] | None = None
) -> ProblemResponse:
    """Return the response for an error."""
    return ProblemResponse(_build_problem(status, code, detail, hint), headers or {})


def document(error: GieokError) -> Problem:
    """Return the problem document of a GieokError."""
    status = STATUS[error.code][1]
    detail = UNTOLD_CAUSE if is_for_operator(error) else str(error)
    hint = _OPENAPI_HINT if error.hint == BadRequest.hint else error.hint
    return _build_problem(status, error.code, detail, hint)


def is_for_operator(error: GieokError) -> bool:
    """Say whether the cause of an error, such as a damaged file, is told to the operator alone."""
    return STATUS[error.code][1] == http.HTTPStatus.INTERNAL_SERVER_ERROR


def of_error(error: GieokError) -> ProblemResponse:
    """Return the response for a GieokError."""
    details = document(error)
    headers = (
        {"WWW-Authenticate": "Bearer"} if details.status == http.HTTPStatus.UNAUTHORIZED else {}
    )
    if isinstance(error, TooManyRequests):
        headers |= build_retry_headers(error)
    elif details.status == http.HTTPStatus.SERVICE_UNAVAILABLE:
        headers |= {"Retry-After": str(_AWAY_S)}
    return ProblemResponse(details, headers)


def build_retry_headers(error: TooManyRequests) -> dict[str, str]:
    """Return the header that says when there is room again."""
    return {"Retry-After": str(max(1, math.ceil(error.retry_after_s)))}


def _build_problem(status: int, code: str, detail: str, hint: str) -> Problem:
    of_detail, of_hint = encode_phrase(detail), encode_phrase(hint)
    texts = {
        "detail": detail,
        "hint": hint,
        **of_detail,
        "hint_template": of_hint["template"],
        "hint_values": of_hint["values"],
    }
    # The request may hold text that cannot be encoded; the answer is sent all the same.
    clean_texts = json.loads(json.dumps(texts, ensure_ascii=False).encode("utf-8", "replace"))
    return Problem(
        type=f"urn:problem-type:gieok:{code}",
        title=http.HTTPStatus(status).phrase,
        status=status,
        code=code,
        **clean_texts,
    )


def install_problem_handlers(app: FastAPI) -> None:
    """Answer every error of an application with a problem document."""

    @app.exception_handler(GieokError)
    def of_ours(request: Request, error: GieokError) -> ProblemResponse:
        request.state.error = error
        return of_error(error)

    @app.exception_handler(HTTPException)
    def of_routing(request: Request, error: HTTPException) -> Response:
        if (
            error.status_code == http.HTTPStatus.NOT_FOUND
            and request.method == "GET"
            and request.app.state.has_pages
            and "text/html" in request.headers.get("accept", "")
        ):
            # the templates of pages, which a server without a browser needs not
            from gieok.surfaces.web.site import render_missing_page

            return render_missing_page(request)
        code = _CODES.get(error.status_code, "error")
        detail = (
            f"{request.method} {request.url.path}: {error.detail}"
            if code != "bad_request"
            else str(error.detail)
        )
        return problem(error.status_code, code, detail, _OPENAPI_HINT, error.headers)

    @app.exception_handler(RequestValidationError)
    def of_request(request: Request, error: RequestValidationError) -> ProblemResponse:
        faults = error.errors()
        if any(fault["type"] == "json_invalid" for fault in faults):
            return problem(400, "bad_request", "the body is not JSON", _OPENAPI_HINT)
        sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        is_whole_body = any(tuple(fault["loc"]) == ("body",) for fault in faults)
        if is_whole_body and not sent.endswith(("/json", "+json")):
            return problem(
                422,
                "invalid",
                "the body was not read as JSON",
                "send the header `Content-Type: application/json`",
            )
        # Without the rejected input, which may be a user's text.
        wrong = "; ".join(
            f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults[:5]
        )
        return problem(422, "invalid", wrong, _OPENAPI_HINT)


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of a route that may answer with `statuses`, for the OpenAPI
    document.
    """
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {
        status: {"description": _MEANINGS[status], "content": content}
        for status in sorted(statuses)
    }


def openai_documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of a route below /v1, for the OpenAPI document."""
    return {
        status: {"description": _MEANINGS[status], "model": OpenAiError}
        for status in sorted(statuses)
    }


#: Responses of every route that identifies its caller.
ALWAYS: Sequence[int] = (400, 401, 403, 408, 413, 421, 422, 429, 500, 503)
