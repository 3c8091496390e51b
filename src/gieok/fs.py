"""Write files so that a kill or a full disk leaves the old content or the new one; locks between
processes.

Folders are made 0700 and files 0600, because memory is private. Locks are the operating system's:
they are released when their holder dies. Standard library without `pathlib` and `contextlib`, whose
import is too slow for the prompt hook.
"""

import errno
import os
import stat
import sys
import zlib
from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import TypeVar

    AnyPath = str | Path
    FolderT = TypeVar("FolderT", str, Path)

PRIVATE = stat.S_IRUSR | stat.S_IWUSR
#: A disk, or a user's share of it, has no room left.
FULL = (errno.ENOSPC, errno.EDQUOT)
#: What is put aside in the home folder, so that there is room to forget something on a full disk:
#: deleting is journaled, too.
RESERVE = "reserve"
_RESERVE_BYTES = 1 << 20
#: With less on the disk nothing is put aside.
_AMPLE_BYTES = 64 << 20
#: Logs of before, which nobody misses when there is no room.
_EXPENDABLE = (
    "daemon.log.1",
    os.path.join("logs", "hook.log.1"),
    os.path.join("hook", "calls.jsonl.1"),
)
_UNWRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS, *FULL)
#: Ending of a file that is being written. Its name says nothing of the target's, which may have the
#: longest name allowed.
_TEMPORARY = ".gieok.tmp"


def make_private(folder: "FolderT") -> "FolderT":
    """Create `folder` with mode 0700, missing parents too; an existing folder keeps its mode."""
    if not os.path.isdir(folder):
        if parent := os.path.dirname(folder):
            make_private(parent)
        try:
            os.mkdir(folder, stat.S_IRWXU)
        except FileExistsError:
            if not os.path.isdir(folder):
                raise
    return folder


def replace_private(file: "AnyPath", content: str | bytes) -> None:
    """Write a file with mode 0600 in one step that survives a crash; missing folders are created
    with mode 0700.
    """
    make_private(os.path.dirname(os.path.realpath(file)))
    replace(file, content, PRIVATE)


def replace(file: "AnyPath", content: str | bytes, mode: int | None = None) -> None:
    """Write a file in one step that survives a crash; its folder exists. A link stays, and what it
    points to changes.

    `mode` None: an existing file keeps its mode, a new one is private.
    """
    target = os.path.realpath(file)
    if mode is None:
        mode = stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else PRIVATE
    _place_temporary_file(
        os.path.dirname(target), content, mode, lambda fresh: os.replace(fresh, target)
    )


def create_new_file(file: "AnyPath", content: str | bytes, mode: int = PRIVATE) -> bool:
    """Create a file exclusively, with its content, in one step that survives a crash; False where
    the name is taken.
    """
    try:
        # Unlike a rename, a link never replaces.
        _place_temporary_file(
            os.path.dirname(os.path.abspath(file)),
            content,
            mode,
            lambda fresh: os.link(fresh, file),
        )
    except FileExistsError:
        return False
    return True


def _place_temporary_file(
    folder: str, content: str | bytes, mode: int, place: Callable[[str], None]
) -> None:
    fresh = os.path.join(folder, f".{os.urandom(8).hex()}{_TEMPORARY}")
    descriptor = os.open(
        fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), PRIVATE
    )
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(content.encode("utf-8") if isinstance(content, str) else content)
            out.flush()
            os.fsync(out.fileno())
        if mode != PRIVATE:
            os.chmod(fresh, mode)
        place(fresh)
    except OSError as error:
        error.filename = error.filename or folder  # those of a full disk name no file
        raise
    finally:
        _unlink_if_present(fresh)
    _sync_folder(folder)


def _sync_folder(folder: str) -> None:
    if sys.platform == "win32":  # folders cannot be opened there
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unlink_if_present(file: str) -> None:
    try:  # noqa: SIM105 - see the module
        os.unlink(file)
    except FileNotFoundError:
        pass


def sweep_temporary_files(folder: "AnyPath") -> None:
    """Remove temporary files that killed writers left in a folder; call it under the lock that all
    its writers take.
    """
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if name.startswith(".") and name.endswith(_TEMPORARY):
            _unlink_if_present(os.path.join(folder, name))


def is_volume_full(folder: "AnyPath") -> bool:
    """Say whether the disk of a folder has no room for anything new."""
    try:
        disk_facts = os.statvfs(folder)
    except (AttributeError, OSError):  # Windows; no such folder
        return False
    return disk_facts.f_bavail * disk_facts.f_frsize < _RESERVE_BYTES // 4


def keep_reserve(home: "AnyPath") -> None:
    """Put space aside where there is ample; see `make_room`. Errors of the file system are
    ignored.
    """
    file = os.path.join(home, RESERVE)
    try:
        if not os.path.exists(file):
            found = os.statvfs(home)
            if found.f_bavail * found.f_frsize >= _AMPLE_BYTES:
                # nothing that a file system could make smaller
                replace_private(file, os.urandom(_RESERVE_BYTES))
    except (AttributeError, OSError):
        return


def make_room(home: "AnyPath") -> None:
    """Give up, on a full disk, what was put aside, then old logs, until there is room for the
    journal of a deletion.
    """
    for name in (RESERVE, *_EXPENDABLE):
        if _has_room(home):
            return
        _unlink_if_present(os.path.join(home, name))


def _has_room(home: "AnyPath") -> bool:
    """Say whether half of the reserve can be written: a user's share may be used up where the disk
    is not.
    """
    probe = os.path.join(home, f".{os.urandom(8).hex()}{_TEMPORARY}")
    try:
        with open(probe, "wb") as opened:
            opened.write(bytes(_RESERVE_BYTES // 2))
    except OSError as error:
        return error.errno not in FULL
    finally:
        _unlink_if_present(probe)
    return True


def append_private_text(file: "AnyPath", text: str, most_bytes: float = float("inf")) -> None:
    """Append to a private file in one write, so that lines of several processes do not mix; see
    `rotate`.
    """
    make_private(os.path.dirname(file))
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE)
    try:
        _acquire(descriptor, wait=True)  # see `rewrite_lines`
        os.write(descriptor, text.encode("utf-8", "backslashreplace"))
    finally:
        os.close(descriptor)
    rotate_log_file(file, most_bytes)


def rewrite_lines(file: "AnyPath", change: Callable[[str], str]) -> bool:
    """Change the lines of a log in place, because others may hold it open; say whether it differs.

    What `append` adds meanwhile waits, and stands behind.
    """
    descriptor = os.open(file, os.O_RDWR | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "r+b") as log:
        _acquire(descriptor, wait=True)
        text = log.read().decode("utf-8", "surrogateescape")
        fresh = "".join(map(change, text.splitlines(keepends=True)))
        if fresh == text:
            return False
        log.seek(0)
        log.write(fresh.encode("utf-8", "surrogateescape"))
        log.truncate()
    return True


def rotate_log_file(log: "AnyPath", most_bytes: float) -> None:
    """Rename a log that is larger than `most_bytes` to `LOG.1`, which is replaced."""
    try:
        if os.stat(log).st_size <= most_bytes:
            return
        with exclusive(f"{os.fspath(log)}.lock"):
            # of two processes the slower one would rename the new log
            if os.stat(log).st_size > most_bytes:
                os.replace(log, f"{os.fspath(log)}.1")
    except FileNotFoundError:
        return


def database_files(file: "Path") -> "list[Path]":
    """Return an SQLite file with what SQLite keeps beside it, the file last."""
    return [*(file.with_name(file.name + end) for end in ("-shm", "-wal", "-journal")), file]


def remove_database(file: "Path") -> None:
    """Remove an SQLite file that nobody uses."""
    for one in database_files(file):
        one.unlink(missing_ok=True)


def set_aside(file: "Path", folder: "Path") -> None:
    """Move a damaged SQLite file into a folder. What lies beside it goes first: it is no part of
    the next one.
    """
    make_private(folder)
    for one in database_files(file):
        if one.exists():
            one.replace(folder / one.name)


def create_private(file: "AnyPath") -> None:
    """Create an empty file with mode 0600 unless it exists, so that it is never world-readable, not
    even briefly.

    An existing file is not opened: closing it would drop the locks that this process holds on it
    (POSIX), and another process would soon damage a database whose locks are gone.
    """
    make_private(os.path.dirname(os.path.abspath(file)))
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, PRIVATE))
    except FileExistsError:
        if not os.path.isfile(file):
            raise


class exclusive:  # noqa: N801 - used as `with fs.exclusive(file):`
    """Hold the lock of a file; False where it is taken and `wait` is off. Threads of one process
    count as others.

    `must` off: where the file cannot be made, because its folder is read-only or the disk full, go
    on without a lock.
    """

    def __init__(self, file: "AnyPath", *, wait: bool = True, must: bool = True) -> None:
        self._file = file
        self._wait = wait
        self._must = must
        self._descriptor = -1

    def __enter__(self) -> bool:
        """Create the file where it is missing, and take its lock. Raises OSError."""
        try:
            make_private(os.path.dirname(os.path.abspath(self._file)))
            self._descriptor = os.open(self._file, os.O_CREAT | os.O_RDWR, PRIVATE)
        except OSError as error:
            if self._must or error.errno not in _UNWRITABLE:
                raise
            return True
        try:
            return _acquire(self._descriptor, wait=self._wait)
        except BaseException:
            os.close(self._descriptor)
            raise

    def __exit__(self, *_: object) -> None:
        """Release the lock."""
        if self._descriptor >= 0:
            os.close(self._descriptor)


def lock_resource(home: "AnyPath", path: "AnyPath") -> exclusive:
    """Return the lock of what lies at a path: whoever looks at it and then writes holds this over
    both.

    A resource is a file, or a folder whose files are looked at together; links to it share its
    lock. The lock files are in the home folder, because a resource may lie in a repository; where
    that is read-only there is none. Held for milliseconds, never while a person or a model is
    asked. Order, where several are held: locks of the journal, this one, then the one of trust.
    """
    name = os.path.realpath(path).encode("utf-8", "surrogateescape")
    file = os.path.join(home, "locks", f"{zlib.crc32(name):08x}{zlib.adler32(name):08x}.lock")
    return exclusive(file, must=False)


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
