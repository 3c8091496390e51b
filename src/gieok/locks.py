"""Locks between processes that the operating system lets go of when their holder dies. Standard library only."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gieok import paths


@contextmanager
def exclusive(file: Path, *, wait: bool = True) -> Iterator[bool]:
    """Hold the lock of a file; yield False where it is taken and `wait` is off. Threads of one process count as others."""
    paths.make_private(file.parent)
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
