"""Encryption at rest: what is encrypted, with which key, and what stays in the clear."""

from collections.abc import Sequence
from typing import NamedTuple


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
