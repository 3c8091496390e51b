"""Durable users of a service, with their characters, keys and points.

Every row belongs to one user, or to the service (user '').
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
    """Users of the service.

    Every method that writes is one transaction. Every method may raise the errors of
    `gieok.ports.store.Store`.
    """

    def account(self, user: str) -> Account | None:
        """Return a user's account; None for an unknown user."""

    def keep_account(self, account: Account) -> None:
        """Add a user, or replace the user's account."""

    def describe(self, user: str, zone: str, lang: str, mail: str, at: datetime) -> Account:
        """Store what a user says of themselves, and nothing else; a new user is added."""

    def fill_account(self, user: str, zone: str, lang: str, at: datetime) -> None:
        """Add a new user with a zone and a language.

        A known user gets the zone where none is set; what is set, even by another process a moment
        ago, stays.
        """

    def seen(self, user: str, at: datetime) -> Account:
        """Record that a user said something; return the account as it was before.

        A new user is added. The time never goes back. The user's stage of inactivity is reset.
        """

    def stage(self, account: Account, stage: str, at: datetime) -> bool:
        """Record a user's stage of inactivity.

        Returns False, and does nothing, where the user was seen or staged since.
        """

    def accounts_unseen_since(self, before: datetime, after_user: str, limit: int) -> list[Account]:
        """Return users last seen before a time, sorted by name from `after_user` (exclusive) on."""

    def erase_account(self, user: str) -> dict[str, int]:
        """Remove everything of a user, the ledger too; return the number of rows of each kind."""


class Points(Protocol):
    """Points of users: an append-only ledger whose sum is the balance, holds, check-ins and
    slots.
    """

    def balance(self, user: str) -> int:
        """Return the points that may be spent: the sum of the ledger minus the holds."""

    def post(self, user: str, posting: Posting, at: datetime) -> Posted:
        """Add a row with its slots to the ledger; a repeated posting adds nothing.

        A posting is repeated if a row has the same reference and the same posting. Raises
        NotEnoughPoints where the balance would fall below zero, Conflict where the reference
        belongs to another posting.
        """

    def ledger(self, user: str, offset: int, limit: int) -> tuple[int, list[LedgerEntry]]:
        """Return the number of rows, and a page of rows, newest first."""

    def posted(self, user: str, reference: str) -> LedgerEntry | None:
        """Return the row of a reference; None where nothing was posted under it."""

    def hold(self, user: str, amount: int, reference: str, at: datetime, purpose: str) -> bool:
        """Set points aside; return False where the reference is held or was posted before.

        The user counts as `seen`. Raises NotEnoughPoints, and then nothing is recorded.
        """

    def settle(self, user: str, reference: str, posting: Posting, at: datetime) -> Posted | None:
        """Turn a hold into a ledger row, in one step.

        Returns None where no hold has that reference.
        """

    def release(self, user: str, reference: str) -> bool:
        """Release a hold; return False where no hold has that reference."""

    def holds(self, before: datetime, limit: int) -> list[Hold]:
        """Return the holds of all users from before a time, oldest first."""

    def holds_of(self, user: str) -> list[Hold]:
        """Return the holds of a user, oldest first."""

    def check_in(self, user: str, day: date, amount: int, at: datetime) -> tuple[CheckIn, Posted]:
        """Give points for a day, once; the streak is one more than that of the day before."""

    def last_check_in(self, user: str) -> CheckIn | None:
        """Return the user's last check-in."""

    def slots(self, user: str, character: str) -> int:
        """Return the slots that were bought for a character."""


class Cast(Protocol):
    """Characters by owner."""

    def character(
        self, owner: str, identity: str, *, with_file: bool = True
    ) -> StoredCharacter | None:
        """Return a character of this owner, and of no other owner.

        `with_file`: with the file that the character was imported from, up to 16 MB.
        """

    def characters(self, owner: str, offset: int, limit: int) -> tuple[int, list[StoredCharacter]]:
        """Return the number of characters, and a page of them by id, without their packages."""

    def keep_character(self, character: StoredCharacter, *, is_new: bool) -> bool:
        """Add (`is_new`) or replace a character.

        Returns False, and does nothing, where the character exists already, or does not exist to be
        replaced.
        """

    def drop_character(self, owner: str, identity: str) -> bool:
        """Remove a character; return False where there is none."""


class AccountKeys(Protocol):
    """API keys, hashed."""

    def key(self, user: str, identity: str) -> IssuedKey | None:
        """Return a key, even a revoked key."""

    def keys(self, user: str) -> list[IssuedKey]:
        """Return the keys of a user, oldest first."""

    def keep_key(self, key: IssuedKey) -> None:
        """Add or replace a key."""


class Accounts(Users, Points, Cast, AccountKeys, CopiedJournal, Protocol):
    """Store of users, points, characters and keys.

    As a copied journal, its scopes are users, and rows of no scope are the service's.
    """

    @property
    def location(self) -> str:
        """Return the file, or the address of a server, without secrets."""

    def talkers(self, user: str, identity: str) -> tuple[list[StoredCharacter], Account | None]:
        """Return the characters with an id that are the user's or the service's, in this order and
        without files, and the user's account, from one snapshot.
        """

    def users(self, after: str, limit: int) -> Sequence[str]:
        """Return names of users after a name (exclusive), sorted."""

    def check(self) -> list[str]:
        """Return integrity errors: sums that differ from those of their rows. Reads everything."""

    def scrub(self) -> list[str]:
        """Scrub removed data from files; return what could not be done, and why."""

    def close(self) -> None:
        """Release all resources."""
