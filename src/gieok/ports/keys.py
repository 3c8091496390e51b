"""Keys of services: which keys exist, where they are kept, and whether services accept them.

No value leaves this port.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol


class Verdict(StrEnum):
    """Outcome of a key's test at a service."""

    VALID = "valid"
    INVALID = "invalid"
    #: The service knows the key, and refuses for now: too many requests, or nothing is left to
    #: spend.
    QUOTA = "quota"
    UNREACHABLE = "unreachable"
    #: The service gave an invalid answer.
    FAILED = "failed"
    #: No key is set.
    MISSING = "missing"
    #: The package that would ask is not installed, or not set up.
    UNTRIED = "untried"


class KeyRow(NamedTuple):
    """Variable of a key, its service, the settings that use it, and its place: '' if not set."""

    variable: str
    names: tuple[str, ...]
    used_by: tuple[str, ...]
    place: str


class Trial(NamedTuple):
    """Answer of one service to a key; where the key is not valid, what to do next."""

    name: str
    variable: str
    verdict: Verdict
    said: str
    hint: str = ""


class Keys(Protocol):
    """The keys of a home."""

    def rows(self) -> Sequence[KeyRow]:
        """Return every possible key. Raises BadConfig."""

    def row(self, name: str) -> KeyRow:
        """Return the key of a service or a variable. Raises BadRequest."""

    def require_free(self, row: KeyRow) -> None:
        """Raise BadRequest where the environment sets a key, which wins over every other place."""

    def put(self, row: KeyRow, value: str) -> str:
        """Set a key permanently, in one step; return where it is kept.

        Raises BadRequest where another source would win, BadConfig.
        """

    def test(self, row: KeyRow, value: str = "") -> Sequence[Trial]:
        """Ask each service that uses a key once, with `value` or with the key that is set."""


class Secrets(Protocol):
    """Secrets by the variables that hold them."""

    def secret(self, variable: str, /) -> str:
        """Return a secret, '' for none; read anew, so that a replaced key takes effect at once."""


class SecretStore(Protocol):
    """The system's own place for secrets."""

    def read(self, name: str) -> str:
        """Return a secret, '' for none. Raises BadConfig."""

    def write(self, name: str, value: str) -> None:
        """Set a secret. Raises BadConfig."""
