"""Backups of a home: what one is, and what makes, checks and restores them."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol


class BackupFile(NamedTuple):
    """A backup: where it is, when it was begun, how large it is."""

    path: Path
    made_at: datetime
    size_bytes: int
    is_encrypted: bool


class BackupReport(NamedTuple):
    """What a backup holds: number and size of its files, and what was left out of it and why."""

    file: BackupFile
    members: int
    content_bytes: int
    gieok: str
    left_out: Sequence[tuple[str, str]] = ()
    #: Older ones that went, because `backup.keep` newer ones are there.
    pruned: Sequence[BackupFile] = ()


class Restored(NamedTuple):
    """A home that was restored: where it is, what was counted in it, and where the one before it is
    kept ('': none).
    """

    report: BackupReport
    home: Path
    messages: int
    memories: int
    documents: int
    kept_aside: str = ""


class StreamSealer(Protocol):
    """Encrypts and decrypts what is too large for memory."""

    #: Ends the name of a file that it made.
    suffix: str

    def sealing(self, out: BinaryIO) -> AbstractContextManager[BinaryIO]:
        """Give a stream; what is written to it arrives in `out` encrypted, all of it at the end.
        Raises GieokError.
        """

    def opening(self, source: BinaryIO) -> AbstractContextManager[BinaryIO]:
        """Give a stream that reads what was encrypted. Raises WrongKey, Damaged."""


class Backups(Protocol):
    """The backups of a home. A folder None is the configured one."""

    def folder(self, to: Path | None = None) -> Path:
        """Return where backups are put."""

    def create(
        self, to: Path | None = None, *, encrypt: bool = False, with_keys: bool = False
    ) -> BackupReport:
        """Make a backup, read it back, and let the oldest go. Killed at any moment there is a whole
        one, or none.
        """

    def listed(self, folder: Path | None = None) -> Sequence[BackupFile]:
        """Return what is there, the newest first."""

    def verify(self, file: Path, key_file: Path | None = None) -> BackupReport:
        """Read every byte of a backup. Raises Damaged, WrongKey."""

    def restore(
        self, file: Path, home: Path, *, replace: bool = False, key_file: Path | None = None
    ) -> Restored:
        """Put a backup in the place of a home; nothing is touched before all of it is verified.

        Raises BadRequest where the home is in use and `replace` is off, Damaged, WrongKey.
        """

    def prune(self, keep: int, folder: Path | None = None) -> Sequence[BackupFile]:
        """Remove all but the newest; return what went."""
