"""Where Gieok keeps its files (`gieok.places`, as paths).

`GIEOK_HOME` replaces `~/.gieok`. Folders are made 0700 and files 0600, because memory is private.
"""

import os
import stat
from pathlib import Path

from gieok import places


def home() -> Path:
    """Return Gieok's home folder; it may not exist yet."""
    return Path(places.home())


def database(root: Path) -> Path:
    """Return the default store's file under the home folder `root`."""
    return root / "memory.sqlite"


def journal(root: Path) -> Path:
    """Return the journal's file: raw messages, and what is being made of them."""
    return root / "journal.sqlite"


def notes(root: Path) -> Path:
    """Return the record of what was mirrored of the user's notes."""
    return root / "notes.json"


def redact_rules(root: Path) -> Path:
    """Return the copy of the user's own rules of redaction that the hook reads."""
    return root / "redact.json"


def spool(root: Path) -> Path:
    """Return the folder where hooks leave what they saw for the sidecar to take."""
    return root / "spool"


def active_memory(root: Path, scope: str) -> Path:
    """Return where active memory of a scope is written unless it is configured; `agent:main` has the plain name."""
    suffix = "" if scope == "agent:main" else "-" + "".join(c if c.isalnum() else "-" for c in scope)
    return root / f"active_memory{suffix}.md"


def aside(root: Path) -> Path:
    """Return the folder that damaged files are moved to."""
    return root / "set-aside"


def log(root: Path) -> Path:
    """Return the daemon's log."""
    return root / "daemon.log"


def models(root: Path) -> Path:
    """Return the folder that holds converted models."""
    return root / "models"


def user_config(root: Path) -> Path:
    """Return the user's configuration file."""
    return root / "config.yaml"


def private(root: Path) -> Path:
    """Return the file of secrets, which stands in for environment variables."""
    return root / ".env"


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
