"""Encryption at rest: what is encrypted, with which key, and what stays in the clear."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol


class SealedPlace(NamedTuple):
    """Files of a kind: how many are encrypted, and how many are in the clear."""

    name: str
    sealed: int
    clear: int


class EncryptionStatus(NamedTuple):
    """How a home is encrypted. `key_file` '' where it is not; `is_changing`: a change was begun and
    is not done.

    `can_files`, `can_databases`: what is needed for it is installed. `in_clear` names what always
    stays so, and why.
    """

    recipient: str
    key_file: str
    has_passphrase: bool
    is_changing: bool
    places: Sequence[SealedPlace]
    databases: Sequence[SealedPlace]
    can_files: bool
    can_databases: bool
    in_clear: Sequence[tuple[str, str]]

    @property
    def is_on(self) -> bool:
        """Say whether new files are encrypted."""
        return bool(self.key_file)


class EncryptionChange(NamedTuple):
    """What a change did: the key now in use, files written anew, and what could not be (path,
    why).
    """

    recipient: str
    key_file: str
    is_new_key: bool
    files: int
    wrong: Sequence[str]


class Encryption(Protocol):
    """The encryption of a home."""

    def status(self) -> EncryptionStatus:
        """Return how it is encrypted. Raises BadConfig."""

    def on(
        self,
        key_file: Path | None = None,
        passphrase: "Callable[[], str] | None" = None,
        *,
        databases: bool = False,
    ) -> EncryptionChange:
        """Encrypt everything that is there, and what is to come; go on with what was begun.
        `databases`: those of the home too.

        `key_file`: where the key is, or is to be made. `passphrase` asks for the one that protects
        a new key. Raises BadConfig, BadRequest, WrongKey, MissingExtra.
        """

    def rotate(
        self, key_file: Path | None = None, passphrase: "Callable[[], str] | None" = None
    ) -> EncryptionChange:
        """Encrypt everything with another key, as `on` does. The key before stays where it is."""

    def off(self) -> EncryptionChange:
        """Decrypt everything. The key stays where it is."""
