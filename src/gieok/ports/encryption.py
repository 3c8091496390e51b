"""Encryption at rest: what is encrypted, with which key, and what stays in the clear."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol


class SealedPlace(NamedTuple):
    """Kind of files, with the numbers of encrypted and of plain files."""

    name: str
    sealed: int
    clear: int


class EncryptionStatus(NamedTuple):
    """Encryption of a home.

    `key_file` is '' without encryption; `is_changing`: a change was begun and is not done.
    `can_files`, `can_databases`: the packages for it are installed. `in_clear` names what always
    stays unencrypted, and why.
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
    """Outcome of a change: the current key, the number of rewritten files, and the failures.

    Each failure in `wrong` is a line that names the path and the reason.
    """

    recipient: str
    key_file: str
    is_new_key: bool
    files: int
    wrong: Sequence[str]


class Encryption(Protocol):
    """Port through which commands read and change the encryption of a home."""

    def status(self) -> EncryptionStatus:
        """Return the state of the encryption. Raises BadConfig."""

    def on(
        self,
        key_file: Path | None = None,
        passphrase: "Callable[[], str] | None" = None,
        *,
        databases: bool = False,
    ) -> EncryptionChange:
        """Encrypt all existing and future files, or continue a change that was begun.

        `databases`: the home's databases are encrypted too. `key_file`: where the key is, or is to
        be made. `passphrase` asks for the passphrase that protects a new key. Raises BadConfig,
        BadRequest, WrongKey, MissingExtra.
        """

    def rotate(
        self, key_file: Path | None = None, passphrase: "Callable[[], str] | None" = None
    ) -> EncryptionChange:
        """Encrypt everything with another key, as `on` does; the previous key stays where it is."""

    def off(self) -> EncryptionChange:
        """Decrypt everything. The key stays where it is."""
