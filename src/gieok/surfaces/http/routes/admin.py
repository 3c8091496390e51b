"""Routes for the operator of the service: keys, and points of users."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from gieok.character.accounts.points import PointsStanding
from gieok.character.house import House
from gieok.model.accounts import KeyRole
from gieok.surfaces.http.access import ADMINS_ONLY, TheHouse
from gieok.surfaces.http.problems import ALWAYS, documented
from gieok.surfaces.http.shapes import (
    Given,
    IdempotencyKey,
    Line,
    UserName,
    Word,
    build_answer_model,
)

router = APIRouter(
    prefix="/api/admin", tags=["admin"], responses=documented(*ALWAYS), dependencies=ADMINS_ONLY
)


class KeyOrder(Given):
    """A key to be created."""

    label: Line = Field("", examples=["SillyTavern at home"])
    expires_at: AwareDatetime | None = Field(None, examples=["2030-01-01T00:00:00Z"])


class Key(BaseModel):
    """A key, without its secret."""

    model_config = ConfigDict(from_attributes=True)

    id: str = Field(examples=["unvuw4.k3jq2s5tq7zd4c2a"])
    user: str = Field(description="'' for an admin's.", examples=["min"])
    role: KeyRole
    label: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


class NewKey(Key):
    """A key with its text, which is shown this once."""

    key: str = Field(examples=["gk_unvuw4.k3jq2s5tq7zd4c2a_…"])


class KeyList(BaseModel):
    """Keys, the oldest first."""

    items: list[Key]


class Credit(Given):
    """Points to be given."""

    points: int = Field(ge=1, le=1_000_000_000, examples=[100])
    note: Line = ""


class Credited(BaseModel):
    """Points that were given, and the new balance; `is_new` is false where the key had been
    used.
    """

    given: int
    balance: int
    is_new: bool


@router.get("/keys")
def admin_keys(house: TheHouse) -> KeyList:
    """List the keys of admins."""
    return _list_issued_keys(house, "")


@router.post("/keys", status_code=201)
def issue_admin_key(house: TheHouse, order: KeyOrder) -> NewKey:
    """Create a key for an admin."""
    return _issue_new_key(house, "", order)


@router.delete("/keys/{key_id}", responses=documented(404))
def revoke_admin_key(house: TheHouse, key_id: Word) -> Key:
    """Revoke an admin's key."""
    return Key.model_validate(house.identity.revoke("", key_id))


@router.get("/users/{user}/keys")
def list_user_keys(house: TheHouse, user: UserName) -> KeyList:
    """List the keys of a user."""
    return _list_issued_keys(house, user)


@router.post("/users/{user}/keys", status_code=201)
def issue_key(house: TheHouse, user: UserName, order: KeyOrder) -> NewKey:
    """Create a key for a user. The user need not exist yet."""
    return _issue_new_key(house, user, order)


@router.delete("/users/{user}/keys/{key_id}", responses=documented(404))
def revoke_key(house: TheHouse, user: UserName, key_id: Word) -> Key:
    """Revoke a user's key."""
    return Key.model_validate(house.identity.revoke(user, key_id))


@router.get("/users/{user}/points", response_model=build_answer_model(PointsStanding))
def read_user_points(house: TheHouse, user: UserName) -> PointsStanding:
    """Return a user's points."""
    return house.points.standing(user)


@router.post("/users/{user}/points", responses=documented(409))
def credit(house: TheHouse, user: UserName, given: Credit, key: IdempotencyKey) -> Credited:
    """Give a user points, once for each idempotency key."""
    posted = house.points.credit(user, given.points, key, given.note)
    return Credited(given=given.points, balance=house.accounts.balance(user), is_new=posted.is_new)


def _list_issued_keys(house: House, user: str) -> KeyList:
    return KeyList(items=list(map(Key.model_validate, house.accounts.keys(user))))


def _issue_new_key(house: House, user: str, order: KeyOrder) -> NewKey:
    role = KeyRole.USER if user else KeyRole.ADMIN
    key, text = house.identity.issue(user, role, order.label, order.expires_at)
    return NewKey(**Key.model_validate(key).model_dump(), key=text)
