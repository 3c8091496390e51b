"""Backups of a home: their description, and the port that makes, checks and restores them."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol


class BackupFile(NamedTuple):
    """Backup file: its path, when it was begun, and its size."""

    path: Path
    made_at: datetime
    size_bytes: int
    is_encrypted: bool


class BackupReport(NamedTuple):
    """Report on a backup that was made or read.

    `members` is the number of files in the backup, and `content_bytes` is their total size before
    compression. `gieok` is the version of Gieok that made the backup. `left_out` holds pairs (what,
    why).
    """

    file: BackupFile
    members: int
    content_bytes: int
    gieok: str
    left_out: Sequence[tuple[str, str]] = ()
    #: Older backups that were deleted, because `backup.keep` newer backups exist.
    pruned: Sequence[BackupFile] = ()


class Restored(NamedTuple):
    """Restored home: its folder, its counts, and where the previous home is kept ('': none)."""

    report: BackupReport
    home: Path
    messages: int
    memories: int
    documents: int
    kept_aside: str = ""


class StreamSealer(Protocol):
    """Encryption of data that is too large for memory."""

    #: Suffix of the files that the sealer makes.
    suffix: str

    def sealing(self, out: BinaryIO) -> AbstractContextManager[BinaryIO]:
        """Return a stream that encrypts what is written to it into `out`, all of it at the end.

        Raises GieokError.
        """

    def opening(self, source: BinaryIO) -> AbstractContextManager[BinaryIO]:
        """Return a stream that reads encrypted data.

        Raises WrongKey, Damaged.
        """


class Backups(Protocol):
    """The backups of a home. A folder None is the configured one."""

    def folder(self, to: Path | None = None) -> Path:
        """Return where backups are put."""

    def create(
        self, to: Path | None = None, *, encrypt: bool = False, with_keys: bool = False
    ) -> BackupReport:
        """Make a backup, read it back, and delete the oldest.

        Killed at any moment, there is a whole backup, or none.
        """

    def listed(self, folder: Path | None = None) -> Sequence[BackupFile]:
        """Return the existing backups, newest first."""

    def verify(self, file: Path, key_file: Path | None = None) -> BackupReport:
        """Read every byte of a backup. Raises Damaged, WrongKey."""

    def restore(
        self, file: Path, home: Path, *, replace: bool = False, key_file: Path | None = None
    ) -> Restored:
        """Replace a home by a backup; nothing is touched before the whole backup is verified.

        Raises BadRequest where the home is in use and `replace` is off, Damaged, WrongKey.
        """

    def prune(self, keep: int, folder: Path | None = None) -> Sequence[BackupFile]:
        """Remove all but the newest `keep` backups; return the removed ones."""
