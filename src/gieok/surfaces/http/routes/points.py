"""Points of the user: what there is, what they were given for, what they buy."""

from datetime import date, datetime

from fastapi import APIRouter
from pydantic import BaseModel, Field

from gieok.errors import NotFound
from gieok.model.accounts import LedgerEntry
from gieok.surfaces.http.access import TheHouse, User
from gieok.surfaces.http.problems import ALWAYS, documented
from gieok.surfaces.http.shapes import Given, IdempotencyKey, Page, PageLimit, PageNumber

router = APIRouter(prefix="/api/points", tags=["points"], responses=documented(*ALWAYS))


class Standing(BaseModel):
    """What a user has. `day` is today where they are; `streak` the days in a row of check-ins."""

    balance: int = Field(examples=[37])
    day: date
    has_checked_in: bool
    streak: int = Field(examples=[3])


class CheckIn(BaseModel):
    """A check-in; `is_new` is false where today had one: nothing was given again."""

    day: date
    streak: int
    given: int = Field(examples=[10])
    balance: int
    is_new: bool


class Transaction(BaseModel):
    """A row of the ledger; `balance` is the sum up to it."""

    number: int
    at: datetime
    kind: str = Field(examples=["reply"])
    amount: int = Field(description="Negative for a charge.", examples=[-1])
    reference: str
    note: str
    character_id: str = Field(description="'' for none.")
    slots: int
    balance: int


class Transactions(Page):
    """A page of the ledger, the newest first."""

    items: list[Transaction]


class SlotOrder(Given):
    """How many slots for whom."""

    character_id: str = Field(min_length=1, max_length=128, pattern=r"^[^\x00-\x20/:]+$", examples=["mina"])
    quantity: int = Field(ge=1, le=1000, examples=[10])


class Slots(BaseModel):
    """What was bought; `slots` is how many were bought for the character up to now."""

    slots: int
    spent: int
    balance: int
    is_new: bool = Field(description="False where the key had been used: nothing was bought again.")


@router.get("")
def points(house: TheHouse, who: User) -> Standing:
    """Return what the user has."""
    return Standing(**house.points.standing(who.user)._asdict())


@router.post("/check-in")
def check_in(house: TheHouse, who: User) -> CheckIn:
    """Give the points of today."""
    return CheckIn(**house.points.check_in(who.user)._asdict())


@router.get("/transactions")
def transactions(house: TheHouse, who: User, page: PageNumber = 1, limit: PageLimit = 20) -> Transactions:
    """List what was given and spent, the newest first."""
    found = house.points.transactions(who.user, page, limit)
    return Transactions(total=found.total, page=page, limit=limit, items=list(map(transaction_of, found.entries)))


@router.post("/purchase/memory-slots", responses=documented(402, 404, 409))
def buy_slots(house: TheHouse, who: User, order: SlotOrder, key: IdempotencyKey) -> Slots:
    """Buy slots for memories of a character, once for a key."""
    if not any(house.accounts.character(owner, order.character_id) for owner in (who.user, "")):
        raise NotFound(f"there is no character {order.character_id!r}")
    return Slots(**house.points.buy_slots(who.user, order.character_id, order.quantity, key)._asdict())


def transaction_of(entry: LedgerEntry) -> Transaction:
    """Return a row as it is shown."""
    kind, amount, reference, note, character, slots = entry.posting
    return Transaction(
        number=entry.number, at=entry.at, kind=kind, amount=amount, reference=reference, note=note,
        character_id=character, slots=slots, balance=entry.balance,
    )  # fmt: skip
