"""Who calls: what a route depends on. A user sees their own scopes, and nothing of another's is named anywhere."""

from dataclasses import dataclass
from typing import Annotated

from anyio import CapacityLimiter
from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from gieok.capabilities.character.house import House
from gieok.capabilities.character.identity import PREFIX, Principal
from gieok.capabilities.character.turn import CUT, FAILED, Reply
from gieok.errors import Forbidden, TooManyRequests, Unauthorized
from gieok.model.accounts import KeyRole
from gieok.ports.limits import Rate, RateLimiter
from gieok.surfaces.http.metrics import Metrics
from gieok.surfaces.http.options import HttpOptions
from gieok.surfaces.http.tokens import Tokens

_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="bearer",
    description="A signed token (JWT, HS256 or RS256; `sub` is the user) or an API key (`gk_…`).",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reception:
    """What routes work with."""

    house: House
    options: HttpOptions
    tokens: Tokens
    metrics: Metrics
    limiter: RateLimiter
    #: Threads that wait for the next piece of a reply.
    streams: CapacityLimiter

    def count(self, reply: Reply) -> None:
        """Count a turn that is over."""
        outcome = reply.finish if reply.finish in (CUT, FAILED) else "delivered"
        self.metrics.turn(outcome, reply.points)

    def principal(self, credentials: HTTPAuthorizationCredentials | None) -> Principal:
        """Return who calls. Raises Unauthorized, TooManyRequests."""
        if credentials is None:
            raise Unauthorized("this needs a token or a key")
        text = credentials.credentials
        return self.house.identity.verify(text) if text.startswith(PREFIX) else self.tokens.verify(text)


def reception(request: Request) -> Reception:
    """Return what routes work with."""
    found: Reception = request.app.state.reception()
    return found


def _caller(
    request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> Principal:
    """Return who calls, once it is known and within its rate. One step: each costs a change of threads."""
    desk = reception(request)
    who = desk.principal(credentials)
    if desk.options.per_minute:
        rate = Rate(desk.options.per_minute)
        room = desk.limiter.admit(who.name, rate)
        request.state.rate = (rate, room)
        if not room.is_admitted:
            raise TooManyRequests("too many requests by this key", retry_after_s=room.wait_s)
    return who


def _user(who: Annotated[Principal, Depends(_caller)]) -> Principal:
    if who.role is not KeyRole.USER:
        raise Forbidden("this is a user's", hint="use a key or a token of the user: an admin key has no memory")
    return who


def _admin(who: Annotated[Principal, Depends(_caller)]) -> Principal:
    if who.role is not KeyRole.ADMIN:
        raise Forbidden("this needs an admin key")
    return who


def _house(desk: Annotated[Reception, Depends(reception)]) -> House:
    return desk.house


Desk = Annotated[Reception, Depends(reception)]
TheHouse = Annotated[House, Depends(_house)]
#: Anybody who is known, a user, an admin.
AnyCaller = Annotated[Principal, Depends(_caller)]
User = Annotated[Principal, Depends(_user)]
Admin = Annotated[Principal, Depends(_admin)]
#: Of a router: its routes have no use for who it is.
ADMINS_ONLY = [Depends(_admin)]
