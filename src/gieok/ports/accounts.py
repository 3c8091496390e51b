"""Users of a service, their characters, keys and points, durable. Every row is of one user (or of
the service, user '').
"""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Protocol

from gieok.model.accounts import (
    Account,
    CheckIn,
    Hold,
    IssuedKey,
    LedgerEntry,
    Posted,
    Posting,
    StoredCharacter,
)
from gieok.ports.journal_rows import CopiedJournal


class Users(Protocol):
    """Who uses the service. Every method that writes is one transaction. Raises as Store does."""

    def account(self, user: str) -> Account | None:
        """Return a user; None for one who never came."""

    def keep_account(self, account: Account) -> None:
        """Add a user, or replace what is known of them."""

    def describe(self, user: str, zone: str, lang: str, mail: str, at: datetime) -> Account:
        """Keep what a user says of themselves, and nothing else; they are added if new."""

    def seen(self, user: str, at: datetime) -> Account:
        """Say that a user said something, who is added if new; return them as they were before.
        Never goes back in time.

        How far inactivity went is forgotten with it.
        """

    def stage(self, account: Account, stage: str, at: datetime) -> bool:
        """Say how far inactivity went; False, and nothing is done, where they were seen or staged
        since.
        """

    def accounts_unseen_since(self, before: datetime, after_user: str, limit: int) -> list[Account]:
        """Return users last seen before a time, sorted by name from `after_user` (exclusive) on."""

    def erase_account(self, user: str) -> dict[str, int]:
        """Remove everything of a user, the ledger too; return how many rows of each kind."""


class Points(Protocol):
    """Points: an append-only ledger whose sum is the balance; what is held of it; days of check-in;
    slots.
    """

    def balance(self, user: str) -> int:
        """Return the points that may be spent: the sum of the ledger without what is held."""

    def post(self, user: str, posting: Posting, at: datetime) -> Posted:
        """Add a row, with its slots. A known reference with the same posting adds nothing.

        Raises NotEnoughPoints where the balance would fall below zero, Conflict where the reference
        is of another posting.
        """

    def ledger(self, user: str, offset: int, limit: int) -> tuple[int, list[LedgerEntry]]:
        """Return how many rows there are, and rows, the newest first."""

    def posted(self, user: str, reference: str) -> LedgerEntry | None:
        """Return the row of a reference; None where nothing was posted under it."""

    def hold(self, user: str, amount: int, reference: str, at: datetime, purpose: str) -> bool:
        """Set points aside; False where the reference is held or was posted before. Raises
        NotEnoughPoints.
        """

    def settle(self, user: str, reference: str, posting: Posting, at: datetime) -> Posted | None:
        """Turn what is held into a row, in one step; None where nothing is held under that
        reference.
        """

    def release(self, user: str, reference: str) -> bool:
        """Let go of what is held; False where nothing is."""

    def holds(self, before: datetime, limit: int) -> list[Hold]:
        """Return what has been held since before a time, of all users, oldest first."""

    def holds_of(self, user: str) -> list[Hold]:
        """Return what is held of a user, oldest first."""

    def check_in(self, user: str, day: date, amount: int, at: datetime) -> tuple[CheckIn, Posted]:
        """Give points for a day, once; the streak is one more than that of the day before."""

    def last_check_in(self, user: str) -> CheckIn | None:
        """Return the last one."""

    def slots(self, user: str, character: str) -> int:
        """Return the slots that were bought for a character."""


class Cast(Protocol):
    """Characters by owner."""

    def character(
        self, owner: str, identity: str, *, with_file: bool = True
    ) -> StoredCharacter | None:
        """Return a character of this owner, and of no other; `with_file`: with what it was imported
        from, up to 16 MB.
        """

    def characters(self, owner: str, offset: int, limit: int) -> tuple[int, list[StoredCharacter]]:
        """Return how many there are, and some of them by id, without their packages."""

    def keep_character(self, character: StoredCharacter, *, is_new: bool) -> bool:
        """Add (`is_new`) or replace one; False, and nothing is done, where there is one already, or
        none to replace.
        """

    def drop_character(self, owner: str, identity: str) -> bool:
        """Remove one; False where there is none."""


class Keys(Protocol):
    """API keys, hashed."""

    def key(self, user: str, identity: str) -> IssuedKey | None:
        """Return a key, revoked ones too."""

    def keys(self, user: str) -> list[IssuedKey]:
        """Return the keys of a user, oldest first."""

    def keep_key(self, key: IssuedKey) -> None:
        """Add or replace a key."""


class Accounts(Users, Points, Cast, Keys, CopiedJournal, Protocol):
    """All of it; as rows, its scopes are users, and what belongs to none is the service's."""

    @property
    def location(self) -> str:
        """Return the file, or the address of a server, without secrets."""

    def users(self, after: str, limit: int) -> Sequence[str]:
        """Return names of users from one (exclusive) on, sorted."""

    def check(self) -> list[str]:
        """Return what is wrong: sums that are not those of their rows. Reads everything."""

    def scrub(self) -> list[str]:
        """Leave nothing of what was removed in files; return what could not be done, and why."""

    def close(self) -> None:
        """Release everything."""
