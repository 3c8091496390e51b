"""Keys of services: which keys exist, where they are kept, and whether services accept them."""

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
