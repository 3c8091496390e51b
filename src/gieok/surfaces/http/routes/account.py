"""Routes for the user's own account, and for the notices of a payment service."""

from itertools import chain
from typing import Annotated, Any

from fastapi import APIRouter, Header
from fastapi.responses import StreamingResponse
from pydantic import AfterValidator, BaseModel, Field
from pydantic_core import PydanticCustomError

from gieok.character.accounts.erasure import UserErased
from gieok.character.house import House
from gieok.character.zones import find_account_zone, zone_named
from gieok.errors import BadRequest
from gieok.model.accounts import Account
from gieok.surfaces.http.access import TheHouse, User
from gieok.surfaces.http.problems import ALWAYS, documented
from gieok.surfaces.http.shapes import Given, RawBody, UserText, build_answer_model
from gieok.text.catalogues import ENGLISH, list_languages
from gieok.zone import find_zone_name

router = APIRouter(tags=["account"])


def _check_language(lang: str) -> str:
    """Return a language that has a catalogue. Raises PydanticCustomError for another."""
    known = list_languages()
    if lang in known:
        return lang
    expected = " or ".join(map(repr, known))
    raise PydanticCustomError("literal_error", "Input should be {expected}", {"expected": expected})


#: A language of the account: English, or one that has a catalogue of messages.
Language = Annotated[
    str, AfterValidator(_check_language), Field(json_schema_extra={"enum": list_languages()})
]
_MAIL = r"^$|^[!#-+\--:=?A-~]{1,64}@[A-Za-z0-9.-]{1,189}$"


class AccountChange(Given):
    """Settings of the account that a user may change."""

    zone: str = Field(
        "",
        max_length=64,
        examples=["Asia/Seoul"],
        description="Of days: check-ins, plans; empty: the server's.",
    )
    lang: Language = ENGLISH
    mail: str = Field(
        "",
        pattern=_MAIL,
        examples=["min@example.org"],
        description="Warned here before memory is cleared.",
    )


class ShownAccount(AccountChange):
    """A user, and the zone in which their days are counted.

    `zone_from` is `account`, or `server` where the account has none; an empty `days_in` is a zone
    whose name the server's machine does not tell.
    """

    user: str = Field(examples=["min"])
    days_in: str = Field(examples=["Asia/Seoul"])
    zone_from: str = Field(examples=["server"])


@router.get("/api/account", responses=documented(*ALWAYS))
def account(house: TheHouse, who: User) -> ShownAccount:
    """Return the user's time zone, language and mail address."""
    found = house.accounts.account(who.user) or Account(who.user)
    return _build_shown_account(house, found)


@router.put("/api/account", responses=documented(*ALWAYS))
def change_account(house: TheHouse, who: User, change: AccountChange) -> ShownAccount:
    """Set the user's time zone, language and mail address."""
    zone_named(change.zone)
    changed = house.accounts.describe(
        who.user, change.zone, change.lang, change.mail, house.memory.clock.now()
    )
    return _build_shown_account(house, changed)


def _build_shown_account(house: House, account: Account) -> ShownAccount:
    return ShownAccount.model_construct(
        user=account.user,
        zone=account.zone,
        lang=account.lang,
        mail=account.mail,
        days_in=find_zone_name(find_account_zone(account, house.memory.zone)),
        zone_from="account" if account.zone else "server",
    )


class Farewell(Given):
    """Confirmation that the erasure is meant."""

    user: UserText = Field(examples=["min"], description="The user's own name, once more.")


_DOCUMENT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Account, points, keys, characters, memories and messages.",
        "content": {"application/json": {}},
    }
}


@router.get(
    "/api/export",
    response_class=StreamingResponse,
    responses={**_DOCUMENT, **documented(*ALWAYS, 404)},
)
def export(house: TheHouse, who: User) -> StreamingResponse:
    """Return all data of the user, as one JSON document."""
    pieces = house.takeout.written(who.user)
    first = next(pieces)  # what goes wrong, goes wrong before the answer begins
    headers = {"Content-Disposition": 'attachment; filename="gieok.json"'}
    return StreamingResponse(chain([first], pieces), media_type="application/json", headers=headers)


@router.post(
    "/api/erase", responses=documented(*ALWAYS), response_model=build_answer_model(UserErased)
)
def erase(house: TheHouse, who: User, meant: Farewell) -> UserErased:
    """Delete all data of the user for good: memories, messages, characters, points and keys."""
    if meant.user != who.user:
        raise BadRequest(
            "that is not your name: nothing was erased", hint="send your own name as `user`"
        )
    return house.erasing.erase(who.user)


class Paid(BaseModel):
    """What a payment came to; `is_new` is false where it had been taken before."""

    given: int
    is_new: bool


_PAYMENT = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["id", "user", "points"],
                "properties": {
                    "id": {"type": "string"},
                    "user": {"type": "string"},
                    "points": {"type": "integer"},
                    "note": {"type": "string"},
                },
            },
            "example": {"id": "pay_1", "user": "min", "points": 100},
        }
    },
}


@router.post(
    "/api/webhooks/points",
    responses=documented(400, 401, 403, 409, 413, 422, 500, 503),
    openapi_extra={"requestBody": _PAYMENT},
)
def payment(
    house: TheHouse,
    body: RawBody,
    signature: Annotated[str, Header(alias="Gieok-Signature", examples=["t=1795262400,v1=6f0c…"])],
) -> Paid:
    """Accept the signed message of a payment service (docs/serve.md).

    It counts once for its id, and needs no key.
    """
    posted = house.points.take_payment(body, signature)
    return Paid(given=posted.entry.posting.amount, is_new=posted.is_new)
