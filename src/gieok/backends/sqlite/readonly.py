"""Opens a database that cannot be written: on a read-only mount, in another user's home. Standard library, without `pathlib`.

A database in WAL mode needs a shared-memory file, also for readers. Where none can be made, the file is opened as immutable;
where its log holds more than the file, a copy of both is opened.
"""

import os
import sqlite3

from gieok.backends.sqlite import driver

_CANNOT = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)


def is_read_only(file: str) -> bool:
    """Say whether a database in this place could not be written, or not be made."""
    folder = os.path.dirname(os.path.abspath(file))
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    return not os.access(folder, os.W_OK) or (os.path.exists(file) and not os.access(file, os.W_OK))


def connect(file: str, timeout_s: float, *, may_copy: bool = False) -> sqlite3.Connection:
    """Open a database to read. Raises sqlite3.Error, OSError."""
    try:
        return _opened(file, "mode=ro", timeout_s)
    except driver.OPERATIONAL as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _CANNOT or not os.path.exists(file):
            raise
        if not _size(file + "-wal"):
            return _opened(file, "immutable=1", timeout_s)
        if not may_copy:
            raise
    db = copied(file, timeout_s)
    db.execute("PRAGMA query_only = ON")
    return db


def _opened(file: str, how: str, timeout_s: float) -> sqlite3.Connection:
    db = driver.connect(file, how=how, timeout_s=timeout_s)
    try:
        db.execute("PRAGMA query_only = ON")
        db.execute("PRAGMA user_version").fetchone()  # the first that touches the file
    except BaseException:
        db.close()
        raise
    return db


def copied(file: str, timeout_s: float) -> sqlite3.Connection:
    """Return a copy of a database in memory, its log included. Raises sqlite3.Error, OSError."""
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory(prefix="gieok-") as folder:
        copy = os.path.join(folder, "copy.sqlite")
        for end in ("", "-wal"):
            if os.path.exists(file + end):
                shutil.copyfile(file + end, copy + end)
                os.chmod(copy + end, 0o600)
        disk = driver.connect(copy, of=file, timeout_s=timeout_s)
        db = driver.connect(":memory:", of=file)
        try:
            disk.backup(db)
        finally:
            disk.close()
    return db


def _size(file: str) -> int:
    try:
        return os.stat(file).st_size
    except OSError:
        return 0
