"""Routes for the user's points: the balance, the ledger, purchases."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import BaseModel, Field

from gieok.character.accounts.points import CheckedIn, PointsStanding, SlotPurchase
from gieok.model.accounts import LedgerEntry
from gieok.surfaces.http.access import TheHouse, User
from gieok.surfaces.http.problems import ALWAYS, documented
from gieok.surfaces.http.shapes import (
    Given,
    IdempotencyKey,
    Page,
    PageLimit,
    PageNumber,
    build_answer_model,
)

router = APIRouter(prefix="/api/points", tags=["points"], responses=documented(*ALWAYS))


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

    character_id: str = Field(
        min_length=1, max_length=128, pattern=r"^[^\x00-\x20/:]+$", examples=["mina"]
    )
    quantity: int = Field(ge=1, le=1000, examples=[10])


@router.get("", response_model=build_answer_model(PointsStanding))
def read_points_standing(house: TheHouse, who: User) -> PointsStanding:
    """Return what the user has."""
    return house.points.standing(who.user)


@router.post("/check-in", response_model=build_answer_model(CheckedIn))
def check_in_user(house: TheHouse, who: User) -> CheckedIn:
    """Give the points of today, once."""
    return house.points.check_in(who.user)


@router.get("/transactions")
def transactions(
    house: TheHouse, who: User, page: PageNumber = 1, limit: PageLimit = 20
) -> Transactions:
    """List what was given and spent, the newest first."""
    ledger = house.points.transactions(who.user, page, limit)
    return Transactions(
        total=ledger.total, page=page, limit=limit, items=list(map(transaction_of, ledger.entries))
    )


@router.post(
    "/purchase/memory-slots",
    responses=documented(402, 404, 409),
    response_model=build_answer_model(SlotPurchase),
)
def buy_slots(house: TheHouse, who: User, order: SlotOrder, key: IdempotencyKey) -> SlotPurchase:
    """Buy slots for memories of a character, once for a key."""
    character = house.roster.find(who.user, order.character_id)
    return house.points.buy_slots(who.user, character.id, order.quantity, key)


def transaction_of(entry: LedgerEntry) -> Transaction:
    """Return a ledger entry as the API shows it."""
    kind, amount, reference, note, character, slots = entry.posting
    return Transaction(
        number=entry.number,
        at=entry.at,
        kind=kind,
        amount=amount,
        reference=reference,
        note=note,
        character_id=character,
        slots=slots,
        balance=entry.balance,
    )
