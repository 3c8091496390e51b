"""Writes files so that a kill or a full disk leaves the old text or the new one; locks between processes.

Folders are made 0700 and files 0600, because memory is private. Locks are the operating system's: they are released when
their holder dies. Standard library only.
"""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def make_private(folder: Path) -> Path:
    """Create `folder` with mode 0700, missing parents too; an existing folder keeps its mode."""
    for missing in reversed([f for f in (folder, *folder.parents) if not f.exists()]):
        missing.mkdir(mode=stat.S_IRWXU, exist_ok=True)
    return folder


def replace_private(file: Path, content: str | bytes) -> None:
    """Write a file with mode 0600 in one step that survives a crash: it holds the old text or the new one."""
    file = file.resolve()  # what a link points to changes, not the link
    make_private(file.parent)
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    with os.fdopen(os.open(fresh, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, stat.S_IRUSR | stat.S_IWUSR), "wb") as out:
        out.write(content if isinstance(content, bytes) else content.encode("utf-8"))
        out.flush()
        os.fsync(out.fileno())
    fresh.replace(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def database_files(file: Path) -> list[Path]:
    """Return an SQLite file with what SQLite keeps beside it, the file last."""
    return [*(file.with_name(file.name + end) for end in ("-shm", "-wal", "-journal")), file]


def remove_database(file: Path) -> None:
    """Remove an SQLite file that nobody uses."""
    for one in database_files(file):
        one.unlink(missing_ok=True)


def set_aside(file: Path, folder: Path) -> None:
    """Move a damaged SQLite file into a folder. What lies beside it goes first: it is no part of the next one."""
    make_private(folder)
    for one in database_files(file):
        if one.exists():
            one.replace(folder / one.name)


def create_private(file: Path) -> None:
    """Create an empty file with mode 0600 unless it exists, so that it is never world-readable, not even briefly.

    An existing file is not opened: closing it would drop the locks that this process holds on it (POSIX), and another
    process would soon damage a database whose locks are gone.
    """
    make_private(file.parent)
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, stat.S_IRUSR | stat.S_IWUSR))
    except FileExistsError:
        if not file.is_file():
            raise


@contextmanager
def exclusive(file: Path, *, wait: bool = True) -> Iterator[bool]:
    """Hold the lock of a file; yield False where it is taken and `wait` is off. Threads of one process count as others."""
    make_private(file.parent)
    descriptor = os.open(file, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        yield _acquire(descriptor, wait=wait)
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _acquire(descriptor: int, *, wait: bool) -> bool:
        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
            except OSError:
                if not wait:
                    return False
                continue  # LK_LOCK gives up after ten tries
            return True
else:
    import fcntl

    def _acquire(descriptor: int, *, wait: bool) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
