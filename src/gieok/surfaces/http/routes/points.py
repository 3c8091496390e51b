"""Routes for the user's points: the balance, the ledger, purchases."""

from fastapi import APIRouter
from pydantic import Field, model_validator

from gieok.character.accounts.points import CheckedIn, PointsStanding, SlotPurchase
from gieok.character.memory.service import Bond
from gieok.surfaces.http.access import TheHouse, User
from gieok.surfaces.http.ledger_rows import LedgerRows, build_ledger_row
from gieok.surfaces.http.problems import ALWAYS, documented
from gieok.surfaces.http.shapes import (
    CharacterName,
    Given,
    OptionalIdempotencyKey,
    PageLimit,
    PageNumber,
    build_answer_model,
    choose_named,
)

router = APIRouter(prefix="/api/points", tags=["points"], responses=documented(*ALWAYS))


class SlotOrder(Given):
    """How many slots for whom; `characterId` is another name of `character_id`."""

    character_id: CharacterName | None = Field(None, examples=["mina"])
    character: CharacterName | None = Field(
        None, alias="characterId", description="Another name of `character_id`."
    )
    quantity: int = Field(ge=1, le=1000, examples=[10])

    @model_validator(mode="after")
    def _needs_character(self) -> "SlotOrder":
        if not (self.character_id or self.character):
            raise ValueError("`character_id` is missing")
        return self


@router.get("", response_model=build_answer_model(PointsStanding))
def read_points_standing(house: TheHouse, who: User) -> PointsStanding:
    """Return the user's points."""
    return house.points.standing(who.user)


@router.post("/check-in", response_model=build_answer_model(CheckedIn))
def check_in_user(house: TheHouse, who: User) -> CheckedIn:
    """Give the user the points of today's check-in, once a day."""
    return house.points.check_in(who.user)


@router.get("/transactions", response_model=build_answer_model(LedgerRows))
def transactions(
    house: TheHouse, who: User, page: PageNumber = 1, limit: PageLimit = 20
) -> LedgerRows:
    """List the points that the user got and spent, the newest first."""
    ledger = house.points.transactions(who.user, page, limit)
    return LedgerRows(ledger.total, page, limit, tuple(map(build_ledger_row, ledger.entries)))


@router.post(
    "/purchase/memory-slots",
    responses=documented(402, 404, 409),
    response_model=build_answer_model(SlotPurchase),
)
def buy_slots(
    house: TheHouse, who: User, order: SlotOrder, key: OptionalIdempotencyKey = None
) -> SlotPurchase:
    """Buy room for more memories of a character.

    Requests with the same key buy once; without a key, each request buys.
    """
    named = choose_named("character_id", order.character_id, "characterId", order.character)
    character = house.roster.find(who.user, named or "")
    bought = house.points.buy_slots(
        who.user, character.id, order.quantity, key or house.turns.new_id()
    )
    return bought._replace(room=house.memory.slots(Bond(who.user, character.id)))
