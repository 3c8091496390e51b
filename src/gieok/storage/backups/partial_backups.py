"""File without a name until it is complete, so that a killed process leaves nothing behind."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from gieok import fs

_PRIVATE = stat.S_IRUSR | stat.S_IWUSR


class Unfinished:
    """New file in a folder, unnamed until `publish`.

    The file is written through `stream` and read back through `reread`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._temporary: Path | None = None
        descriptor = _open_nameless_file(folder)
        if descriptor < 0:  # a system, or a file system, that has no such files
            self._temporary = _name_temporary_file(folder)
            descriptor = os.open(
                self._temporary,
                os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0),
                _PRIVATE,
            )
        self.stream: BinaryIO = os.fdopen(descriptor, "w+b")

    def reread(self) -> BinaryIO:
        """Return the stream at its beginning, with everything on the disk. Raises OSError."""
        self.stream.flush()
        os.fsync(self.stream.fileno())
        self.stream.seek(0)
        return self.stream

    def publish(self, name: str) -> Path:
        """Name the file without replacing another; a taken name gets a number.

        Raises OSError.
        """
        stem, dot, ends = name.partition(".")
        for number in range(1, 1000):
            target = self._folder / (name if number == 1 else f"{stem}-{number}{dot}{ends}")
            try:
                self._link(target)
            except FileExistsError:
                continue
            _sync_backup_folder(self._folder)
            return target
        raise FileExistsError(f"{name!r} is taken in {str(self._folder)!r}")

    def replace(self, target: Path) -> None:
        """Replace a file in the folder in one step.

        Raises OSError.
        """
        if self._temporary is None:
            self._temporary = _name_temporary_file(self._folder)
            self._link(self._temporary, is_nameless=True)
        self._temporary.replace(target)
        _sync_backup_folder(self._folder)

    def close(self) -> None:
        """Close the file; without `publish` it is gone."""
        self.stream.close()
        if self._temporary:
            self._temporary.unlink(missing_ok=True)

    def _link(self, target: Path, *, is_nameless: bool = False) -> None:
        if self._temporary and not is_nameless:
            os.link(self._temporary, target)
            return
        folder = os.open(self._folder, os.O_RDONLY)
        try:  # with a folder, Python calls `linkat`, which follows the link of /proc to the file
            os.link(
                f"/proc/self/fd/{self.stream.fileno()}",
                target,
                src_dir_fd=folder,
                follow_symlinks=True,
            )
        finally:
            os.close(folder)


@contextmanager
def unfinished(folder: Path) -> Iterator[Unfinished]:
    """Give a new unnamed file in a folder, which is made 0700 where it is missing.

    Raises OSError.
    """
    fs.make_private(folder)
    fresh = Unfinished(folder)
    try:
        yield fresh
    finally:
        fresh.close()


def _name_temporary_file(folder: Path) -> Path:
    """Return a name for a temporary file that `fs.sweep` removes."""
    return folder / f".{os.urandom(8).hex()}.gieok.tmp"


def _open_nameless_file(folder: Path) -> int:
    flag = getattr(os, "O_TMPFILE", 0)
    if not flag or not os.path.isdir("/proc/self/fd"):  # noqa: PTH112
        return -1
    try:
        return os.open(folder, flag | os.O_RDWR, _PRIVATE)
    except OSError:
        return -1


def _sync_backup_folder(folder: Path) -> None:
    with suppress(OSError):  # folders cannot be opened on Windows
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
