"""Keys of services: which there are, where they are kept, and whether a service takes them. No
value leaves this port.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol


class Verdict(StrEnum):
    """What a service makes of a key."""

    VALID = "valid"
    INVALID = "invalid"
    #: It knows the key, and does nothing for it now: too much was asked, or nothing is left to
    #: spend.
    QUOTA = "quota"
    UNREACHABLE = "unreachable"
    #: It answered, and not as it must.
    FAILED = "failed"
    #: There is no key.
    MISSING = "missing"
    #: What would ask is not installed, or not set up.
    UNTRIED = "untried"


class KeyRow(NamedTuple):
    """A variable that holds a key, whose it is, the settings that use it, and where it is set: ''
    where it is not.
    """

    variable: str
    names: tuple[str, ...]
    used_by: tuple[str, ...]
    place: str


class Trial(NamedTuple):
    """What one service said of a key; where it is not valid, what to do next."""

    name: str
    variable: str
    verdict: Verdict
    said: str
    hint: str = ""


class Keys(Protocol):
    """The keys of a home."""

    def rows(self) -> Sequence[KeyRow]:
        """Return every key that there may be. Raises BadConfig."""

    def row(self, name: str) -> KeyRow:
        """Return the key of a service or a variable. Raises BadRequest."""

    def require_free(self, row: KeyRow) -> None:
        """Raise BadRequest where the environment sets a key, which wins over every other place."""

    def put(self, row: KeyRow, value: str) -> str:
        """Set a key for good, in one step; return where. Raises BadRequest where another source
        would win, BadConfig.
        """

    def test(self, row: KeyRow, value: str = "") -> Sequence[Trial]:
        """Ask each service that uses a key once, with `value` or with the key that is set."""


class SecretStore(Protocol):
    """The system's own place for secrets."""

    def read(self, name: str) -> str:
        """Return a secret, '' for none. Raises BadConfig."""

    def write(self, name: str, value: str) -> None:
        """Set a secret. Raises BadConfig."""
