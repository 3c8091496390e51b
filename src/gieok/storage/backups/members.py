"""Files of a home that a backup holds: snapshots of its databases, and its other files."""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO

from gieok import fs
from gieok.errors import Phrase, StoreCorrupt, StoreError, find_os_reason
from gieok.storage.backups.bundle import BackupSource
from gieok.storage.sqlite import driver, readonly
from gieok.storage.sqlite.failures import translated

#: Left out: files that can be made again from backed-up files, files of a process or of this
#: machine alone, and other backups.
_LEFT_OUT = (
    "backups", "models", "resolved", "logs", "set-aside", "tools.json", "chroma", "lancedb",
    "cache", "locks", "reserve", "daemon.json", "daemon.renewal", "daemon.sock",
    "daemon.log", "daemon.log.1", "daemon.down", "serve.json", "serve.log", "serve.log.1",
    "serve.token", "web.secret", "web.used", "unfollowed",
)  # fmt: skip
#: Secrets: backed up only where a person asks for them (`.env`), or never (the key of an encrypted
#: home).
ENVIRONMENT = ".env"
KEYS = "keys"
_ENDS = (".lock", ".gieok.tmp", "-wal", "-shm", "-journal", ".renewed")
_STAGING = ".backup-"
_BUSY_S = 30.0


def list_home_databases(home: Path) -> list[Path]:
    """Return the SQLite files of a home, the journal last.

    So the journal's snapshot knows everything that the snapshots of stores and accounts hold.
    """
    database_files = sorted(
        file for file in home.glob("*.sqlite") if file.is_file() and not file.is_symlink()
    )
    return sorted(database_files, key=lambda file: file.name == "journal.sqlite")


def what(file: Path) -> str:
    """Return the kind of a database for messages; only a store can be made again."""
    return {"journal.sqlite": "journal", "accounts.sqlite": "file of accounts"}.get(
        file.name, "store"
    )


def verify_backup_database(file: Path, what: str) -> None:
    """Raise StoreCorrupt for a database that is damaged: a copy of it would be no backup."""
    with translated(file, what), closing(readonly.connect_readonly(str(file), _BUSY_S)) as db:
        wrong = [str(row[0]) for row in db.execute("PRAGMA quick_check(3)")]
    if wrong != ["ok"]:
        raise StoreCorrupt(
            "{what} {file!r} is damaged: {wrong}",
            what=Phrase(f"the {what}"),
            file=file,
            wrong=Phrase("; ".join(wrong)),
        )


@contextmanager
def staging(home: Path) -> Iterator[Path]:
    """Give a folder for copies, and remove it at the end.

    Folders of killed processes are removed too. Call it under the lock of backups.
    """
    for left in home.glob(f"{_STAGING}*"):
        shutil.rmtree(left, ignore_errors=True)
    folder = fs.make_private(home / f"{_STAGING}{os.urandom(4).hex()}")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def snapshot(file: Path, folder: Path) -> tuple[BackupSource, BinaryIO]:
    """Copy a database as it is at this moment, with SQLite's own backup.

    Others may write meanwhile. The caller closes the stream. The copy has no name from its first
    byte on, where the system allows it. Raises StoreError.
    """
    copy = folder / file.name
    with translated(file, "database"):
        fs.create_private(copy)
        with closing(driver.connect_sqlite(str(copy), of=str(file))) as target:
            target.execute("PRAGMA synchronous = OFF")
            target.execute("PRAGMA journal_mode = OFF")
            stream = copy.open("rb")
            try:
                if os.name == "posix":
                    copy.unlink()
                with closing(readonly.connect_readonly(str(file), _BUSY_S)) as source:
                    source.backup(target)  # in one step: one snapshot, and writers go on
            except BaseException:
                stream.close()
                raise
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    if not size:
        stream.close()
        raise StoreError("nothing of {file!r} could be copied", file=file)
    return BackupSource(f"home/{file.name}", file.stat().st_mtime, stream), stream


def iter_backup_sources(
    home: Path,
    left_out: list[tuple[str, str]],
    *,
    below: str = "",
    without: str = "",
    with_keys: bool = False,
) -> Iterator[BackupSource]:
    """Yield the other files of a home, sorted.

    Either those `below` one folder of the home, or those outside the folder `without`. Files that
    cannot be kept are added to `left_out`.
    """
    own = {file.name for file in list_home_databases(home)}
    for folder, folders, names in os.walk(home / below if below else home):
        is_top = Path(folder) == home
        folders[:] = sorted(
            name
            for name in folders
            if not (is_top and (name == without or _is_left_out(name, with_keys=with_keys)))
        )
        for name in sorted(names):
            if name.endswith(_ENDS) or (
                is_top and (name in own or _is_left_out(name, with_keys=with_keys))
            ):
                continue
            file = Path(folder, name)
            source = _open_backup_source(file, f"home/{file.relative_to(home).as_posix()}")
            if isinstance(source, str):
                left_out.append((str(file), source))
            elif source:
                yield source


def is_made_again(name: str) -> bool:
    """Say whether an entry at the top of a home is of a process, a cache or a lock."""
    return name in _LEFT_OUT or name.startswith(_STAGING) or name.endswith(_ENDS)


def keys_of_databases(home: Path) -> Iterator[BackupSource]:
    """Yield the files with the keys of the databases.

    For an encrypted backup, so that the backup's own key is enough.
    """
    for file in sorted((home / KEYS).glob("databases*.txt")):
        if file.is_file():
            yield BackupSource(
                f"home/{KEYS}/{file.name}",
                file.stat().st_mtime,
                file,
            )


def _is_left_out(name: str, *, with_keys: bool) -> bool:
    return is_made_again(name) or name == KEYS or (name == ENVIRONMENT and not with_keys)


def _open_backup_source(file: Path, name: str) -> BackupSource | str | None:
    """Return a file to put in.

    None where the file is gone by now; a reason in words where it cannot be kept.
    """
    try:
        status = file.lstat()
        if stat.S_ISLNK(status.st_mode):
            return "a link: what it points to is not the home's"
        if not stat.S_ISREG(status.st_mode):
            return None
        with file.open("rb"):
            return BackupSource(name, status.st_mtime, file)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(
            "cannot read {file!r}: {reason}",
            file=file,
            reason=find_os_reason(error),
            hint="make it readable, or move it away",
        ) from error
