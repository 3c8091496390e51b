"""Access to databases that cannot be written: read-only mount, another user's home, full disk.

A database in WAL mode needs a shared-memory file, also for readers. Where that file cannot be
created, the database is opened as immutable; where its log holds data that the database file does
not, a copy of both is opened. Standard library without `pathlib`.
"""

import os
import sqlite3

from gieok import fs
from gieok.storage.sqlite import driver

_CANNOT = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
#: The second code: no room for the shared-memory file, which readers need too.
_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)


def is_read_only(file: str) -> bool:
    """Return whether a database at this path could not be written or created."""
    folder = os.path.dirname(os.path.abspath(file))
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    return not os.access(folder, os.W_OK) or (os.path.exists(file) and not os.access(file, os.W_OK))


def is_disk_full(error: BaseException) -> bool:
    """Return whether an error says that the disk, or the user's quota, has no room left."""
    if isinstance(error, OSError):
        return error.errno in fs.FULL
    return getattr(error, "sqlite_errorcode", 0) in _FULL


def connect_readonly(file: str, timeout_s: float, *, may_copy: bool = False) -> sqlite3.Connection:
    """Open a database to read. Raises sqlite3.Error, OSError."""
    try:
        return _open_readonly(file, "mode=ro", timeout_s)
    except driver.OPERATIONAL as error:
        is_shut = getattr(error, "sqlite_errorcode", 0) & 0xFF in _CANNOT
        if not (is_shut or is_disk_full(error)) or not os.path.exists(file):
            raise
        if not _measure_database_file(file + "-wal"):
            return _open_readonly(file, "immutable=1", timeout_s)
        if not (may_copy or is_disk_full(error)):
            raise
    db = copy_database_to_memory(file, timeout_s)
    db.execute("PRAGMA query_only = ON")
    return db


def _open_readonly(file: str, how: str, timeout_s: float) -> sqlite3.Connection:
    db = driver.connect_sqlite(file, how=how, timeout_s=timeout_s)
    try:
        db.execute("PRAGMA query_only = ON")
        db.execute("PRAGMA user_version").fetchone()  # the first that touches the file
    except BaseException:
        db.close()
        raise
    return db


def copy_database_to_memory(file: str, timeout_s: float) -> sqlite3.Connection:
    """Return a copy of a database in memory, its log included. Raises sqlite3.Error, OSError."""
    try:
        return _copied_files(file, timeout_s)
    except (OSError, *driver.ERRORS) as error:  # type: ignore[misc]
        if not is_disk_full(error):
            raise
    # A connection with exclusive locking needs no shared memory. No other process has the database
    # open, or a shared-memory file would exist.
    disk = driver.connect_sqlite(file, how="mode=rw", timeout_s=timeout_s)
    disk.execute("PRAGMA locking_mode = EXCLUSIVE")
    return _in_memory(disk, file)


def _copied_files(file: str, timeout_s: float) -> sqlite3.Connection:
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory(prefix="gieok-") as folder:
        copy = os.path.join(folder, "copy.sqlite")
        for end in ("", "-wal"):
            if os.path.exists(file + end):
                shutil.copyfile(file + end, copy + end)
                os.chmod(copy + end, 0o600)
        return _in_memory(driver.connect_sqlite(copy, of=file, timeout_s=timeout_s), file)


def _in_memory(disk: sqlite3.Connection, file: str) -> sqlite3.Connection:
    """Return an in-memory copy of an open database, and close the original."""
    db = driver.connect_sqlite(":memory:", of=file)
    try:
        disk.backup(db)
    except BaseException:
        db.close()
        raise
    finally:
        disk.close()
    return db


def _measure_database_file(file: str) -> int:
    try:
        return os.stat(file).st_size
    except OSError:
        return 0
