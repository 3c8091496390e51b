"""Users of a service, their characters, keys and points."""

from datetime import date, datetime
from enum import StrEnum
from typing import NamedTuple

#: What a user may be called; it goes into scopes and addresses.
USER_PATTERN = "[A-Za-z0-9._@-]{1,128}"


class Account(NamedTuple):
    """A user. `zone` is the name of their time zone ('': that of the home), `lang` what mails are
    written in.

    `seen_at` is when they last said something, `stage` is how far inactivity went ('': not at all),
    `staged_at` since when.
    """

    user: str
    zone: str = ""
    lang: str = "en"
    mail: str = ""
    created_at: datetime | None = None
    seen_at: datetime | None = None
    stage: str = ""
    staged_at: datetime | None = None


class StoredCharacter(NamedTuple):
    """A character of an owner ('': of the service, for all its users).

    `card` is its Character Card V3 as JSON; `package` is the file that it was imported from, so
    that what Gieok does not read survives an export, `package_type` its media type ('' for none).
    `model` answers for it; '' for the service's.
    """

    owner: str
    id: str
    name: str
    card: str
    created_at: datetime
    updated_at: datetime
    model: str = ""
    package: bytes = b""
    package_type: str = ""


class KeyRole(StrEnum):
    """What a key opens."""

    USER = "user"
    ADMIN = "admin"


class IssuedKey(NamedTuple):
    """An API key as it is stored: `id` is public, `secret_hash` is of the part that only its holder
    has.

    `user` is whose it is ('' for an admin). `expires_at`, `revoked_at`: None where it does not, or
    was not.
    """

    user: str
    id: str
    secret_hash: str
    role: KeyRole
    label: str
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None


class Posting(NamedTuple):
    """What is to be added to a user's ledger: `amount` points, negative for a charge, at most once
    for a `reference`.

    `slots` more episodes for `character` come with it, in the same step.
    """

    kind: str
    amount: int
    reference: str
    note: str = ""
    character: str = ""
    slots: int = 0


class LedgerEntry(NamedTuple):
    """A row of the ledger. `balance` is the sum of all rows up to this one; numbers grow."""

    number: int
    at: datetime
    posting: Posting
    balance: int


class Posted(NamedTuple):
    """The row of a posting. `is_new` is False where its reference was known: nothing was added
    then.
    """

    entry: LedgerEntry
    is_new: bool


class Hold(NamedTuple):
    """Points that are set aside for something that is under way: neither spent nor to be spent
    otherwise.
    """

    user: str
    reference: str
    amount: int
    at: datetime
    #: What it is for, for who has to find out how it went: `character/message id`.
    purpose: str = ""


class CheckIn(NamedTuple):
    """A day, in the user's zone, on which points were given, and how many days in a row that
    makes.
    """

    day: date
    streak: int
