"""Crash-safe file writes (a kill or full disk leaves the old or the new content) and locks.

Folders are made 0700 and files 0600, because memory is private. Locks between processes are the
operating system's: they are released when their holder dies. The module uses the standard library
without `pathlib` and `contextlib`, whose import is too slow for the prompt hook.
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
#: Errors that mean: no room left on the disk or in the user's quota.
FULL = (errno.ENOSPC, errno.EDQUOT)
#: Reserve file in the home folder, so that memory can be forgotten on a full disk: a deletion is
#: journaled, too.
RESERVE = "reserve"
_RESERVE_BYTES = 1 << 20
#: With less free space than this on the disk, no reserve is written.
_AMPLE_BYTES = 64 << 20
#: Rotated logs, which nobody misses when there is no room.
_EXPENDABLE = (
    "daemon.log.1",
    os.path.join("logs", "hook.log.1"),
    os.path.join("hook", "calls.jsonl.1"),
)
_UNWRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS, *FULL)
#: Suffix of a file that is being written. The name contains nothing of the target's name, which may
#: have the maximal length.
_TEMPORARY = ".gieok.tmp"


def make_private(folder: "FolderT") -> "FolderT":
    """Create `folder` and its missing parents with mode 0700; an existing folder keeps its mode."""
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
    """Write a file with mode 0600 in one step that survives a crash.

    Missing folders are created with mode 0700.
    """
    make_private(os.path.dirname(os.path.realpath(file)))
    replace(file, content, PRIVATE)


def replace(file: "AnyPath", content: str | bytes, mode: int | None = None) -> None:
    """Write a file in one step that survives a crash; its folder must exist.

    A symbolic link stays, and its target changes. `mode` None: an existing file keeps its mode, a
    new file is private.
    """
    target = os.path.realpath(file)
    if mode is None:
        mode = stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else PRIVATE
    _place_temporary_file(
        os.path.dirname(target), content, mode, lambda fresh: os.replace(fresh, target)
    )


def create_new_file(file: "AnyPath", content: str | bytes, mode: int = PRIVATE) -> bool:
    """Create a file with its content in one crash-safe step; return False if the name is taken."""
    try:
        # Unlike a rename, a link never replaces an existing file.
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


def read_regular_file(file: "AnyPath", most_bytes: int) -> bytes:
    """Return the content of a file that somebody else may have made. Raises OSError.

    A link, a pipe and a device are refused: they may lead out of the folder, wait for ever, or
    never end. So is a file of more than `most_bytes`.
    """
    # O_NONBLOCK: opening a pipe would wait for its writer.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if not stat.S_ISREG(os.lstat(file).st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(file))
    descriptor = os.open(file, flags | getattr(os, "O_NOFOLLOW", 0))
    with open(descriptor, "rb") as opened:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(file))
        if status.st_size > most_bytes:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(file))
        data = opened.read(most_bytes + 1)  # it may grow meanwhile
    if len(data) > most_bytes:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(file))
    return data


def sweep_temporary_files(folder: "AnyPath") -> None:
    """Remove temporary files that killed writers left in a folder.

    Call it under the lock that all writers of the folder take.
    """
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if name.startswith(".") and name.endswith(_TEMPORARY):
            _unlink_if_present(os.path.join(folder, name))


def is_volume_full(folder: "AnyPath") -> bool:
    """Say whether the volume of a folder has no room for new data."""
    try:
        disk_facts = os.statvfs(folder)
    except (AttributeError, OSError):  # Windows; no such folder
        return False
    return disk_facts.f_bavail * disk_facts.f_frsize < _RESERVE_BYTES // 4


def keep_reserve(home: "AnyPath") -> None:
    """Write the reserve file when the disk has ample room; see `make_room`.

    Errors of the file system are ignored.
    """
    file = os.path.join(home, RESERVE)
    try:
        if not os.path.exists(file):
            disk = os.statvfs(home)
            if disk.f_bavail * disk.f_frsize >= _AMPLE_BYTES:
                # Random bytes, which no file system can compress.
                replace_private(file, os.urandom(_RESERVE_BYTES))
    except (AttributeError, OSError):
        return


def make_room(home: "AnyPath") -> None:
    """Delete the reserve file and then old logs on a full disk, until a deletion can be
    journaled.
    """
    for name in (RESERVE, *_EXPENDABLE):
        if _has_room(home):
            return
        _unlink_if_present(os.path.join(home, name))


def _has_room(home: "AnyPath") -> bool:
    """Say whether half of the reserve can be written.

    A user's quota may be used up although the disk is not full.
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


def append_private_text(
    file: "AnyPath", text: str, most_bytes: float = float("inf"), *, wait: bool = True
) -> None:
    """Append to a private file in one write, so that lines of several processes do not mix.

    A file larger than `most_bytes` is rotated; see `rotate_log_file`. With `wait` off, nothing is
    written to a file that is being rewritten.
    """
    make_private(os.path.dirname(file))
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE)
    try:
        if not _acquire(descriptor, wait=wait):  # see `rewrite_lines`
            return
        os.write(descriptor, text.encode("utf-8", "backslashreplace"))
    finally:
        os.close(descriptor)
    rotate_log_file(file, most_bytes)


def rewrite_lines(file: "AnyPath", change: Callable[[str], str]) -> bool:
    """Change the lines of a log in place; say whether the text differs.

    In place, because other processes may hold the file open. Lines that `append_private_text` adds
    meanwhile wait, and follow the changed text.
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


def rotate_log_file(log: "AnyPath", most_bytes: float, keep: int = 1) -> None:
    """Rename a log larger than `most_bytes` to `LOG.1`, the previous `LOG.1` to `LOG.2` and so on.

    `keep` earlier logs stay.
    """
    try:
        if os.stat(log).st_size <= most_bytes:
            return
        with exclusive(f"{os.fspath(log)}.lock"):
            # Of two processes, the slower one would rename the new log.
            if os.stat(log).st_size > most_bytes:
                folder, name = os.path.split(os.path.abspath(log))
                ends = [
                    entry[len(name) + 1 :]
                    for entry in os.listdir(folder)
                    if entry.startswith(f"{name}.")
                ]
                numbers = [int(end) for end in ends if end.isascii() and end.isdigit()]
                for number in sorted(numbers, reverse=True):
                    if 0 < number < keep:
                        os.replace(f"{log}.{number}", f"{log}.{number + 1}")
                os.replace(log, f"{log}.1")
    except FileNotFoundError:
        return


def database_files(file: "Path") -> "list[Path]":
    """Return an SQLite file and the files that SQLite keeps beside it; the database is last."""
    return [*(file.with_name(file.name + end) for end in ("-shm", "-wal", "-journal")), file]


def remove_database(file: "Path") -> None:
    """Remove an SQLite file that nobody uses."""
    for path in database_files(file):
        path.unlink(missing_ok=True)


def set_aside(file: "Path", folder: "Path") -> None:
    """Move a damaged SQLite file into a folder.

    Its `-shm`, `-wal` and `-journal` files are moved first: a new database of that name must not
    take them for its own.
    """
    make_private(folder)
    for path in database_files(file):
        if path.exists():
            path.replace(folder / path.name)


def create_private(file: "AnyPath") -> None:
    """Create an empty file with mode 0600 unless it exists.

    The file is never world-readable, not even briefly. An existing file is not opened: closing it
    would drop the locks that this process holds on it (POSIX), and another process would soon
    damage a database whose locks are gone.
    """
    make_private(os.path.dirname(os.path.abspath(file)))
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, PRIVATE))
    except FileExistsError:
        if not os.path.isfile(file):
            raise


class exclusive:  # noqa: N801 - used as `with fs.exclusive(file):`
    """Context manager that holds the lock of a file; False if the lock is taken and `wait` is off.

    Threads of one process compete like processes. With `must` off, a lock file that cannot be made
    (read-only folder, full disk) is skipped: the block runs without a lock.
    """

    def __init__(self, file: "AnyPath", *, wait: bool = True, must: bool = True) -> None:
        self._file = file
        self._wait = wait
        self._must = must
        self._descriptor = -1

    def __enter__(self) -> bool:
        """Create the lock file if it is missing, and take its lock. Raises OSError."""
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


def lock_resource(home: "AnyPath", path: "AnyPath", *, wait: bool = True) -> exclusive:
    """Return the lock of the resource at a path; with `wait` off, it is False where it is taken.

    Whoever reads the resource and then writes it holds the lock over both steps. A resource is a
    file, or a folder whose files are read together; links to a resource share its lock. The lock
    files are in the home folder, because a resource may lie in a repository; in a read-only home
    there is no lock. The lock is held for milliseconds, never while a person or a model is asked.
    Order of several locks: locks of the journal, then this lock, then the lock of trust.
    """
    name = os.path.realpath(path).encode("utf-8", "surrogateescape")
    file = os.path.join(home, "locks", f"{zlib.crc32(name):08x}{zlib.adler32(name):08x}.lock")
    return exclusive(file, wait=wait, must=False)


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
