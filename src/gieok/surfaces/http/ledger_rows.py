"""Rows of the ledger of points, as the API shows them."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from gieok.character.accounts.points import CHECK_IN, REPLY, SLOTS
from gieok.character.memory.memory_pages import Pagination
from gieok.model.accounts import LedgerEntry

#: Kind of a row → its name in the original design; other kinds have the same name in both.
_DESIGN_TYPES: Mapping[str, str] = {
    CHECK_IN: "check_in",
    REPLY: "chat",
    SLOTS: "slot_purchase",
}


class LedgerRow(NamedTuple):
    """Row of the ledger; `balance` is the sum up to it.

    `amount` is negative for a charge, `character_id` '' for none.
    """

    number: int
    at: datetime
    kind: str
    amount: int
    reference: str
    note: str
    character_id: str
    slots: int
    balance: int

    @property
    def transaction_type(self) -> str:
        """Return the kind in the words of the original design."""
        return _DESIGN_TYPES.get(self.kind, self.kind)


class LedgerRows(NamedTuple):
    """Page of the ledger, the newest row first."""

    total: int
    page: int
    limit: int
    items: tuple[LedgerRow, ...]

    @property
    def pagination(self) -> Pagination:
        """Return the place of the page as one object."""
        return Pagination(self.total, self.page, self.limit)


def build_ledger_row(entry: LedgerEntry) -> LedgerRow:
    """Return a ledger entry as the API shows it."""
    kind, amount, reference, note, character, slots = entry.posting
    return LedgerRow(
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
