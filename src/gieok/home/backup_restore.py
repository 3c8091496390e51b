"""Steps between reading a backup and putting the restored home in its place."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import BinaryIO

from gieok import fs, paths, registry
from gieok.errors import BadConfig, BadRequest
from gieok.flow import distil, durable
from gieok.home import file_sealers
from gieok.home.home import Home
from gieok.home.stores import adopt_old_store
from gieok.memory.talk import turns
from gieok.private import Privacy
from gieok.storage.backups import members

_DATED = "%Y%m%dT%H%M%S"
#: Parts of the replaced home that are carried over: files that are never in a backup, or would only
#: have to be made again.
_CARRIED = (members.ENVIRONMENT, members.KEYS, "models")


class Extraction:
    """Writer of a backup's files into a folder; see `bundle.Take`."""

    def __init__(self, folder: Path) -> None:
        self._folder = fs.make_private(folder)
        self._times: list[tuple[Path, float]] = []

    def __call__(self, name: str, mtime_s: float) -> BinaryIO | None:
        """Create a file (mode 0600) and return its stream."""
        side, _, path = name.partition("/")
        file = self._folder / path if side == "home" else self._folder / side / path
        fs.make_private(file.parent)
        fs.create_private(file)
        self._times.append((file, mtime_s))
        return file.open("wb")

    def set_times(self) -> None:
        """Set the files' former times; the time of a record is its day."""
        for file, mtime_s in self._times:
            os.utime(file, (mtime_s, mtime_s))


def is_used(folder: Path) -> bool:
    """Return whether a folder holds files that are neither regenerated nor carried over."""
    return folder.is_dir() and any(
        file.name not in _CARRIED and not members.is_made_again(file.name)
        for file in folder.iterdir()
    )


@contextmanager
def no_daemon(folder: Path) -> Iterator[None]:
    """Hold the daemon's lock, so that no daemon runs or starts. Raises BadRequest."""
    if not folder.exists():
        yield
        return
    with fs.exclusive(folder / "daemon.lock", wait=False) as is_free:
        if not is_free:
            raise BadRequest(
                "a daemon runs for {folder!r}", folder=folder, hint="`gieok down`, then again"
            )
        yield


def bring_key(home: Home, folder: Path, key_file: Path | None) -> None:
    """Copy the key that opened a backup into the restored home, where that home looks for keys."""
    home_key = file_sealers.read_sealing_state(folder).key
    own = file_sealers.read_sealing_state(home.settings.home)
    known = [key_file] if key_file else [key.file for key in (own.key, own.before) if key]
    if (
        home_key is None
        or home_key.file.exists()
        or not home_key.file.resolve().is_relative_to(folder.resolve())
    ):
        return
    for file in known:
        with suppress(BadConfig):
            if file_sealers.key_in(home, file).recipient == home_key.recipient:
                fs.replace_private(home_key.file, file.read_bytes())


def settle_restored_home(home: Home, folder: Path) -> tuple[int, int, int]:
    """Check a restored home's databases and upgrade them to this release.

    The store is brought in line with the journal.
    """
    for file in members.list_home_databases(folder):
        members.verify_backup_database(file, members.what(file))
    for name, row in registry.ACCOUNTS.items():
        if row.file and (folder / row.file).exists():
            registry.load_backend(registry.ACCOUNTS, name)(folder / row.file).close()
    if not paths.locate_journal(folder).exists():
        return 0, 0, 0
    journal = registry.load_backend(registry.JOURNALS, "sqlite")(
        paths.locate_journal(folder), sealers=partial(file_sealers.of_archives, home, folder)
    )
    documents = 0
    if paths.locate_database(folder).exists():
        store = registry.load_backend(registry.STORES, registry.LOCAL_STORE)(
            paths.locate_database(folder)
        )
        adopt_old_store(lambda: journal, store)  # of an older release, which kept more in the store
        distil.deliver(journal, store)
        for scope in sorted({*journal.made_scopes(), *durable.noted_scopes(journal)}):
            durable.restore_scope(journal, store, scope)
        if home.settings.flag("index.sessions"):
            turns.update_all(journal, store)
        documents = store.stats().documents
        store.close()
    entries = sum(len(journal.made(scope)) for scope in journal.made_scopes())
    messages = journal.stats().messages
    journal.close()
    return messages, entries, documents


def take_place(home: Home, staging: Path, folder: Path) -> Path | None:
    """Move the old home aside and the new home into its place; return where the old home is now."""
    if not folder.exists():
        staging.rename(folder)
        return None
    for name in _CARRIED:
        if (folder / name).exists():
            _copy_missing_files(folder / name, staging / name)
    # A pause that was set after the backup is kept: transcripts are read again from the point where
    # the backup ends.
    Privacy(str(staging)).take_over(Privacy(str(folder)))
    now = home.clock.now().astimezone(UTC)
    aside = folder.with_name(f"{folder.name}.before-{now:{_DATED}}Z")
    folder.rename(aside)
    try:
        staging.rename(folder)
    except OSError:
        aside.rename(folder)
        raise
    return aside


def _copy_missing_files(source: Path, target: Path) -> None:
    """Copy the files that the target lacks; keys of databases stay with the databases beside
    them.
    """
    if source.is_dir() and not source.is_symlink():
        fs.make_private(target)
        for child in source.iterdir():
            if not child.name.startswith("databases"):
                _copy_missing_files(child, target / child.name)
    elif not target.exists():
        shutil.copy2(source, target, follow_symlinks=False)
