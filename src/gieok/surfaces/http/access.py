"""Identification of callers, as dependencies of routes.

A user sees their own scopes, and no name of anything that belongs to another user.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from anyio import CapacityLimiter
from fastapi import Depends, Header, Request
from fastapi.dependencies.models import Dependant
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from gieok.character.accounts.identity import PREFIX, Principal
from gieok.character.house import House
from gieok.character.turn.turn import CUT, FAILED, Reply
from gieok.errors import BadRequest, Forbidden, TooManyRequests, Unauthorized
from gieok.home.resident import Resident
from gieok.model.accounts import KeyRole
from gieok.ports.limits import Rate, RateLimiter
from gieok.processes.gate import CHANGE_HEADER, COOKIE, OWNER_PREFIX, Gate
from gieok.surfaces.http.metrics import Metrics
from gieok.surfaces.http.options import HttpOptions
from gieok.surfaces.http.tokens import Tokens

_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="bearer",
    description="A signed token (JWT, HS256 or RS256; `sub` is the user) or an API key (`gk_…`).",
)
_owner_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="owner",
    description="The owner's token (`go_…`): the file `serve.token` in the home.",
)
BearerCredentials = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
OwnerCredentials = Annotated[HTTPAuthorizationCredentials | None, Depends(_owner_bearer)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reception:
    """Shared objects that routes work with."""

    house: House
    options: HttpOptions
    tokens: Tokens
    metrics: Metrics
    limiter: RateLimiter
    gate: Gate
    #: Objects that operations share: open stores, models.
    resident: Resident
    #: Threads that wait for the next piece of a reply.
    streams: CapacityLimiter
    #: Threads that run operations: a long one holds up no other request.
    operations: CapacityLimiter

    def count(self, reply: Reply) -> None:
        """Count a finished turn in the metrics."""
        outcome = reply.finish if reply.finish in (CUT, FAILED) else "delivered"
        self.metrics.turn(outcome, reply.points)

    def principal(self, credentials: HTTPAuthorizationCredentials | None) -> Principal:
        """Return the principal who calls. Raises Unauthorized, Forbidden."""
        if credentials is None:
            raise Unauthorized("this needs a token or a key")
        text = credentials.credentials
        if self.gate.is_owner(text):
            raise Forbidden(
                "the owner's token opens operations, and nothing of a user",
                hint="use a key of the user",
            )
        if text.startswith(OWNER_PREFIX):
            raise Unauthorized(
                "this is not the owner's token", hint="it is in the file serve.token of the home"
            )
        return (
            self.house.identity.verify(text)
            if text.startswith(PREFIX)
            else self.tokens.verify(text)
        )


def reception(request: Request) -> Reception:
    """Return the shared objects that routes work with."""
    shared: Reception = request.app.state.reception()
    return shared


def _admit_caller(request: Request, credentials: BearerCredentials) -> Principal:
    """Return the principal who calls, checked against the rate limit.

    A single dependency, because each dependency costs a change of threads.
    """
    desk = reception(request)
    who = desk.principal(credentials)
    if desk.options.per_minute:
        rate = Rate(desk.options.per_minute)
        room = desk.limiter.admit(who.name, rate)
        request.state.rate = (rate, room)
        if not room.is_admitted:
            raise TooManyRequests("too many requests by this key", retry_after_s=room.wait_s)
    return who


def _is_owner(request: Request, credentials: HTTPAuthorizationCredentials | None) -> bool:
    """Return whether the owner of the home calls, by the owner's token or from an open page.

    The owner has no rate limit.
    """
    gate = reception(request).gate
    if credentials is not None:
        return gate.is_owner(credentials.credentials)
    return gate.may_change(request.cookies.get(COOKIE, ""), request.headers.get(CHANGE_HEADER, ""))


def _require_owner(request: Request, credentials: OwnerCredentials) -> None:
    if not _is_owner(request, credentials):
        _admit_caller(request, credentials)  # which refuses who is nobody
        raise Forbidden(
            "this is for the owner of the memory",
            hint="send the token of the file serve.token in the home",
        )


def require_any_caller(
    request: Request, credentials: BearerCredentials, owner: OwnerCredentials
) -> None:
    """Raise Unauthorized unless the owner, a user or an operator calls."""
    if not _is_owner(request, owner):
        _admit_caller(request, credentials)


def _require_reader(
    request: Request, credentials: BearerCredentials, owner: OwnerCredentials
) -> None:
    """Admit a browser that `gieok open` let in, or any identified caller."""
    if not reception(request).gate.is_open(request.cookies.get(COOKIE, "")):
        require_any_caller(request, credentials, owner)


def _require_operator(
    request: Request, credentials: BearerCredentials, owner: OwnerCredentials
) -> None:
    if not _is_owner(request, owner):
        _require_admin(_admit_caller(request, credentials))


def _require_user(
    desk: Annotated[Reception, Depends(reception)],
    who: Annotated[Principal, Depends(_admit_caller)],
    time_zone: Annotated[
        str,
        Header(
            max_length=64,
            examples=["Asia/Seoul"],
            description="Zone of the user's days, kept where the account has none.",
        ),
    ] = "",
) -> Principal:
    if who.role is not KeyRole.USER:
        raise Forbidden(
            "this is a user's", hint="use a key or a token of the user: an admin key has no memory"
        )
    if time_zone:
        desk.house.keep_first_zone(who.user, time_zone)
    return who


def _require_admin(who: Annotated[Principal, Depends(_admit_caller)]) -> Principal:
    if who.role is not KeyRole.ADMIN:
        raise Forbidden("this needs an admin key")
    return who


def _find_desk_house(desk: Annotated[Reception, Depends(reception)]) -> House:
    return desk.house


async def refuse_unknown_query(request: Request) -> None:
    """Raise BadRequest for a query field that the route does not have.

    An ignored field would answer another question than the one that was asked.
    """
    if not request.query_params:
        return
    known = list(dict.fromkeys(_iter_query_names(request.scope["route"].dependant)))
    for name in request.query_params:
        if name not in known:
            raise BadRequest(
                "there is no query field {name!r} here",
                name=name[:80],
                known=", ".join(known) or "-",
                hint="fields: {known}",
            )


def _iter_query_names(dependant: Dependant) -> Iterator[str]:
    """Yield the names of the query fields of a route and of its dependencies."""
    yield from (field.alias for field in dependant.query_params)
    for inner in dependant.dependencies:
        yield from _iter_query_names(inner)


#: For a router whose routes take no other query fields than those described.
KNOWN_QUERY = [Depends(refuse_unknown_query)]
Desk = Annotated[Reception, Depends(reception)]
TheHouse = Annotated[House, Depends(_find_desk_house)]
#: The caller as a user, or as an admin.
User = Annotated[Principal, Depends(_require_user)]
Admin = Annotated[Principal, Depends(_require_admin)]
#: For a router whose routes need no principal.
ADMINS_ONLY = [Depends(_require_admin)]
#: Admits the owner of the home.
OWNERS_ONLY = [Depends(_require_owner)]
#: Admits an admin or the owner.
OPERATORS_ONLY = [Depends(_require_operator)]
#: Admits any caller who is identified.
ANYBODY = [Depends(require_any_caller)]
#: Admits a browser with an open page, or any caller who is identified.
READERS = [Depends(_require_reader)]
