"""Description of backups of a home."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple


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
