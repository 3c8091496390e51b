"""Users of a service, their characters, keys and points."""

from datetime import date, datetime
from enum import StrEnum
from typing import NamedTuple

#: Pattern of a user's name, which becomes part of scopes and addresses.
USER_PATTERN = "[A-Za-z0-9._@-]{1,128}"


class Account(NamedTuple):
    """User of a service.

    `zone` is the name of their time zone ('': that of the home), `lang` the language of their
    mails. `seen_at` is the time of their last message, `stage` the stage of inactivity that they
    reached ('' for none), `staged_at` the time when they reached it.
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
    """Character of an owner ('': of the service, for all its users).

    `card` is its Character Card V3 as JSON; `package` is the file that it was imported from, so
    that what Gieok does not read survives an export, `package_type` its media type ('' for none).
    `model` is the model that answers for the character; '' for the service's model.
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
    """Role of an API key: which part of the service the key opens."""

    USER = "user"
    ADMIN = "admin"


class IssuedKey(NamedTuple):
    """API key as it is stored: `id` is public, `secret_hash` is the hash of the secret part.

    Only the holder has the secret part. `user` is the owner ('' for an admin). `expires_at` is None
    for a key that does not expire, `revoked_at` for a key that was not revoked.
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
    """Entry to add to a user's ledger: `amount` points, negative for a charge.

    A posting is added at most once for a `reference`. `slots` more episodes for `character` are
    added in the same step.
    """

    kind: str
    amount: int
    reference: str
    note: str = ""
    character: str = ""
    slots: int = 0


class LedgerEntry(NamedTuple):
    """Row of the ledger; `balance` is the sum of all rows up to this row; numbers grow."""

    number: int
    at: datetime
    posting: Posting
    balance: int


class Posted(NamedTuple):
    """Row of a posting; `is_new` is False where its reference was known and nothing was added."""

    entry: LedgerEntry
    is_new: bool


class Hold(NamedTuple):
    """Points reserved for work in progress: neither spent nor available otherwise."""

    user: str
    reference: str
    amount: int
    at: datetime
    #: Purpose of the hold, `character/message id`, for whoever has to find out how the work ended.
    purpose: str = ""


class CheckIn(NamedTuple):
    """Day, in the user's zone, on which points were given, with the number of such days in a
    row.
    """

    day: date
    streak: int
