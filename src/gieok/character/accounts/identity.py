"""API keys of a service: issued once, stored hashed, verified at every request.

A key is `gk_ID_SECRET`. Its id encodes the owner, so that looking up a key names one scope, as
every statement does. The secret is 32 random bytes, which nobody can guess, so SHA-256 is enough
and fast enough for a request. A slow hash (scrypt) makes up for the few bits of a password that a
person chose; here it would add 50 ms to a request, and nothing to its safety.
"""

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random, SystemRandom
from typing import NamedTuple

from gieok.errors import BadRequest, NotFound, Unauthorized
from gieok.model.accounts import USER_PATTERN, IssuedKey, KeyRole
from gieok.ports.accounts import AccountKeys
from gieok.ports.system import Clock

PREFIX = "gk_"
_FORM = re.compile(r"gk_((?:a|u[a-z2-7]{2,205})\.[a-z2-7]{16})_([A-Za-z0-9_-]{43})")
#: Hash to compare with where the key does not exist, so that the check takes as long as for a wrong
#: secret.
_NOBODY = hashlib.sha256(b"").hexdigest()
_SECRET_BYTES, _ID_BYTES = 32, 10


class Principal(NamedTuple):
    """Caller: a user, or an admin (`user` is '').

    Rates are counted by `name`: a key's id, or a token's user.
    """

    user: str
    role: KeyRole
    name: str


def checked_user(user: str) -> str:
    """Return a user's name. Raises BadRequest where it cannot be one."""
    if not re.fullmatch(USER_PATTERN, user):
        raise BadRequest("not a name of a user", hint="1 to 128 letters, digits and `. _ @ -`")
    return user


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Issuer of keys that also verifies and revokes them. `random` makes their secrets."""

    keys: AccountKeys
    clock: Clock
    random: Random = field(default_factory=SystemRandom)

    def issue(
        self,
        user: str,
        role: KeyRole = KeyRole.USER,
        label: str = "",
        expires_at: datetime | None = None,
    ) -> tuple[IssuedKey, str]:
        """Add a key; return its stored form, and its text, which cannot be read again.

        Raises BadRequest.
        """
        if (role is KeyRole.ADMIN) == bool(user):
            raise BadRequest(
                "a key is a user's or an admin's", hint="name a user, or ask for an admin key"
            )
        now = self.clock.now()
        expires_at = _in_utc(expires_at)
        if expires_at is not None and expires_at <= now:
            raise BadRequest("the key would have expired already", hint="give a time to come")
        owner = "u" + _encode_base32(checked_user(user).encode()) if user else "a"
        identity = f"{owner}.{_encode_base32(self.random.randbytes(_ID_BYTES))}"
        secret = base64.urlsafe_b64encode(self.random.randbytes(_SECRET_BYTES)).decode().rstrip("=")
        key = IssuedKey(
            user=user,
            id=identity,
            secret_hash=_hash_key_secret(secret),
            role=role,
            label=label,
            created_at=now,
            expires_at=expires_at,
        )
        self.keys.keep_key(key)
        return key, f"{PREFIX}{identity}_{secret}"

    def verify(self, text: str) -> Principal:
        """Return the owner of a key. Raises Unauthorized, in the same words whatever is wrong."""
        form = _FORM.fullmatch(text)
        user = decode_key_owner(form[1]) if form else None
        key = self.keys.key(user, form[1]) if form and user is not None else None
        is_right = hmac.compare_digest(
            _hash_key_secret(form[2] if form else ""), key.secret_hash if key else _NOBODY
        )
        return self._require_in_force(key if is_right else None)

    def find_key_holder(self, identity: str) -> Principal:
        """Return the owner of a key by its id, which a session names. Raises Unauthorized.

        The session's signature stands for the secret; a key that was revoked since ends it.
        """
        user = decode_key_owner(identity)
        return self._require_in_force(self.keys.key(user, identity) if user is not None else None)

    def _require_in_force(self, key: IssuedKey | None) -> Principal:
        if (
            key is None
            or key.revoked_at is not None
            or (key.expires_at and key.expires_at <= self.clock.now())
        ):
            raise Unauthorized(
                "the key is not valid", hint="it may have expired or been revoked: ask for another"
            )
        return Principal(key.user, key.role, key.id)

    def revoke(self, user: str, identity: str) -> IssuedKey:
        """Revoke a key and return it; a second call is harmless. Raises NotFound."""
        key = self.keys.key(user, identity)
        if key is None:
            raise NotFound("there is no such key", hint="list the keys of this user")
        if key.revoked_at is None:
            key = key._replace(revoked_at=self.clock.now())
            self.keys.keep_key(key)
        return key


def _in_utc(moment: datetime | None) -> datetime | None:
    try:
        return moment and moment.astimezone(UTC)
    except (OverflowError, ValueError):
        raise BadRequest(
            "the time is in no year that can be kept", hint="leave it out for a key that lasts"
        ) from None


def _hash_key_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _encode_base32(data: bytes) -> str:
    return base64.b32encode(data).decode().rstrip("=").lower()


def decode_key_owner(identity: str) -> str | None:
    """Return the user whom a key's id names; None where it names no user."""
    text = identity.partition(".")[0][1:].upper()
    try:
        return base64.b32decode(text + "=" * (-len(text) % 8)).decode()
    except ValueError:
        return None
