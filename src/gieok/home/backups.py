"""Makes, checks and restores backups of a home."""

import hashlib
import io
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn, cast

from gieok import __version__, fs, paths, registry
from gieok.errors import (
    BadConfig,
    BadRequest,
    Damaged,
    GieokError,
    Phrase,
    StoreError,
    StoreFull,
    WrongKey,
    find_os_reason,
)
from gieok.home import backup_restore, file_sealers
from gieok.home.home import Home
from gieok.memory.talk import turns
from gieok.ports.backup import BackupFile, BackupReport, Restored
from gieok.storage.backups import bundle, members
from gieok.storage.backups.bundle import BackupSource, Bundled
from gieok.storage.backups.partial_backups import unfinished

if TYPE_CHECKING:  # `pyrage` is an extra
    from gieok.storage.sealers.age import AgeSealer

_NAME = re.compile(r"gieok-(\d{8}T\d{6})Z(?:-\d+)?\.tar\.gz(\.age)?")
_DATED = "%Y%m%dT%H%M%S"
#: Realm of the journal that stores other folders used for backups.
_FOLDERS = "backup.folders"
#: Locks of the journal that freeze the state on which stores and journal agree, in the order in
#: which other code takes them.
_HELD = ("archive", "rebuild", turns.LOCK, "deliver")
#: Parts of the replaced home that are carried over: files that are never in a backup, or would only
#: have to be made again.
_CARRIED = (members.ENVIRONMENT, members.KEYS, "models")


class HomeBackups:
    """Backups of a caller's home. A folder None is the configured one."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._folder = home.settings.home

    def folder(self, to: Path | None = None) -> Path:
        """Return the folder for backups."""
        configured = self._home.settings.text("backup.folder")
        return to or (
            self._home.caller.path(configured) if configured else paths.locate_backups(self._folder)
        )

    def listed(self, folder: Path | None = None) -> Sequence[BackupFile]:
        """Return the backups in a folder, or in every folder ever used for backups, newest
        first.
        """
        folders = {folder} if folder else {self.folder(), *self._others()}
        files = (file for there in folders if there.is_dir() for file in there.iterdir())
        backups = [one for file in files if (one := _parse_backup_file(file))]
        return sorted(backups, key=lambda one: (one.made_at, one.path.name), reverse=True)

    def _others(self) -> Sequence[Path]:
        """Return the other folders used for backups; none while the journal cannot be read."""
        try:
            return [Path(name) for name in self._home.stores.journal().kept(_FOLDERS)]
        except GieokError:
            return ()

    def create(
        self, to: Path | None = None, *, encrypt: bool = False, with_keys: bool = False
    ) -> BackupReport:
        """Make a backup, read it back, and remove the oldest backups.

        Killed at any moment, there is a whole backup, or none.
        """
        folder, seal = self.folder(to), file_sealers.in_use(self._home)
        if encrypt and seal is None:
            raise BadRequest(
                "there is no key to encrypt with", hint="`gieok encryption on` makes one"
            )
        if with_keys and seal is None:
            raise BadRequest(
                "keys are put only into a backup that is encrypted",
                hint="`gieok encryption on`, then again",
            )
        if folder.resolve().is_relative_to(self._folder.resolve()):
            raise BadRequest(
                "{folder!r} is in the home that is backed up",
                folder=folder,
                hint="give `--to` another folder",
            )
        if not self._folder.is_dir():
            raise BadRequest(
                "there is nothing to back up in {folder!r}",
                folder=self._folder,
                hint="set GIEOK_HOME to a home",
            )
        with (
            _translate_disk_errors(folder),
            fs.exclusive(self._folder / "backup.lock"),
            unfinished(folder) as fresh,
        ):
            fs.sweep_temporary_files(folder)
            left_out: list[tuple[str, str]] = []
            now = self._home.clock.now().astimezone(UTC)
            summed = _Summed(fresh.stream)
            plain = cast("BinaryIO", summed)
            with seal.sealing(plain) if seal else nullcontext(plain) as out, ExitStack() as held:
                sources = self._sources(
                    held, left_out, with_keys=with_keys, is_sealed=seal is not None
                )
                bundled = bundle.write_bundle(
                    out, {"gieok": __version__, "made_at": now.isoformat()}, sources
                )
            name = f"gieok-{now:{_DATED}}Z.tar.gz{seal.suffix if seal else ''}"
            _verify_written(fresh.reread(), str(folder / name), seal, summed, bundled)
            file = _parse_backup_file(fresh.publish(name))
            if folder != self.folder():
                self._home.stores.journal().keep(_FOLDERS, {str(folder.resolve()): now.isoformat()})
        keep = self._home.settings.integer("backup.keep")
        pruned = self.prune(keep, folder) if keep else ()
        assert file is not None
        return BackupReport(
            file=file,
            members=len(bundled.files),
            content_bytes=bundled.content_bytes,
            gieok=__version__,
            left_out=tuple(left_out),
            pruned=pruned,
        )

    def _sources(
        self, held: ExitStack, left_out: list[tuple[str, str]], *, with_keys: bool, is_sealed: bool
    ) -> Iterator[BackupSource]:
        """Yield the files to back up.

        Stores and journal are copied at one moment: what one has handed over, the other has.
        """
        journal = self._home.stores.journal()
        folder = held.enter_context(members.staging(self._folder))
        copies: list[BackupSource] = []
        if registry.STORES[self._home.stores.name].is_remote:
            left_out.append(
                (
                    f"store: {self._home.stores.name}",
                    "it is on a server; `gieok rebuild` makes it again",
                )
            )
        if not registry.local_journal(str(self._folder), self._home.stores.journal_name):
            left_out.append(
                (
                    journal.location,
                    "it is on a server: there `pg_dump -n gieok_journal -n gieok_accounts`",
                )
            )
        archive = held.enter_context(ExitStack())
        archive.enter_context(journal.exclusive(_HELD[0]))
        with ExitStack() as still:
            for lock in _HELD[1:]:
                still.enter_context(journal.exclusive(lock))
            for file in members.list_home_databases(self._folder):
                what = members.what(file)
                try:
                    members.verify_backup_database(file, what)
                    source, stream = members.snapshot(file, folder)
                except StoreError as error:
                    if what != "store":
                        raise
                    left_out.append((str(file), f"{error}; it can be made again: `gieok rebuild`"))
                else:
                    held.enter_context(stream)
                    copies.append(source)
        yield from copies
        # Nothing may move between the tiers until the archive files are copied which, by the
        # journal, hold memories.
        yield from members.iter_backup_sources(self._folder, left_out, below="archive")
        archive.close()
        yield from members.iter_backup_sources(
            self._folder, left_out, without="archive", with_keys=with_keys
        )
        if is_sealed:
            yield from members.keys_of_databases(self._folder)

    def verify(self, file: Path, key_file: Path | None = None) -> BackupReport:
        """Read every byte of a backup and return its report. Raises Damaged, WrongKey."""
        backup = _find_existing_backup(file)
        with file.open("rb") as source:
            read = _read_back(source, str(file), self._opener(backup, key_file))
        return _build_backup_report(backup, read)

    def _opener(self, found: BackupFile, key_file: Path | None) -> "AgeSealer | None":
        """Return the opener of an encrypted backup: by the given key, else by the keys of this
        home.
        """
        if not found.is_encrypted:
            return None
        if key_file:
            return file_sealers.sealer(self._home, file_sealers.key_in(self._home, key_file))
        if (opener := file_sealers.opening(self._home)) is not None:
            return opener
        raise BadRequest(
            "{path!r} is encrypted, and this home has no key",
            path=found.path,
            hint="give the key: `--key-file FILE`",
        )

    def reseal(self, one: BackupFile) -> int:
        """Rewrite a backup with the current seal, and remove the former file.

        Return 1 where that was needed, else 0.
        """
        seal, opener = file_sealers.in_use(self._home), self._opener(one, None)
        if seal is None and opener is None:
            return 0
        folder, what = one.path.parent, Phrase("the backup {path!r}", path=one.path)
        if (
            seal
            and opener
            and _is_sealed_with_key(
                one.path,
                file_sealers.sealer(
                    self._home, *_select_current_key(file_sealers.read_sealing_state(self._folder))
                ),
            )
        ):
            return 0
        with (
            _translate_disk_errors(folder),
            fs.exclusive(self._folder / "backup.lock"),
            unfinished(folder) as fresh,
        ):
            fs.sweep_temporary_files(folder)
            with (
                one.path.open("rb") as source,
                opener.opening(source, what) if opener else nullcontext(source) as plain,
                seal.sealing(fresh.stream) if seal else nullcontext(fresh.stream) as out,
            ):
                shutil.copyfileobj(plain, out, 1 << 20)
            with one.path.open("rb") as source:
                original = _read_back(source, str(one.path), opener)
            if _read_back(fresh.reread(), what, seal) != original:
                raise StoreError(
                    "{what} is not what was written",
                    what=Phrase(what),
                    hint="the disk may be failing",
                )
            target = folder / (one.path.name.removesuffix(".age") + (seal.suffix if seal else ""))
            fresh.replace(target)
            if target != one.path:
                one.path.unlink()
        return 1

    def prune(self, keep: int, folder: Path | None = None) -> Sequence[BackupFile]:
        """Remove all but the newest backups; return the removed ones."""
        old = self.listed(folder)[max(keep, 0) :]
        for backup in old:
            backup.path.unlink(missing_ok=True)
        return old

    def restore(
        self, file: Path, folder: Path, *, replace: bool = False, key_file: Path | None = None
    ) -> Restored:
        """Restore a backup as a home.

        All of the backup is read into a folder beside the home and brought up to date; only then
        does that folder take the home's place. Raises BadRequest where the home is in use and
        `replace` is off, Damaged, WrongKey.
        """
        backup, folder = _find_existing_backup(file), folder.resolve()
        opener = self._opener(backup, key_file)
        used = backup_restore.is_used(folder)
        if used and not replace:
            hint = (
                "`--to FOLDER` restores elsewhere; `--replace` takes its place, and keeps it aside"
            )
            raise BadRequest("{folder!r} holds memories already", folder=folder, hint=hint)
        staging = folder.with_name(f".{folder.name}.restoring")
        with (
            _translate_disk_errors(folder),
            fs.exclusive(
                folder.with_name(f".{folder.name}.restoring.lock"), wait=False
            ) as is_alone,
        ):
            if not is_alone:
                raise BadRequest(
                    "another process restores {folder!r}", folder=folder, hint="wait for its end"
                )
            shutil.rmtree(staging, ignore_errors=True)
            try:
                extraction = backup_restore.Extraction(staging)
                with file.open("rb") as source:
                    read = _read_back(source, str(file), opener, extraction)
                extraction.set_times()
                backup_restore.bring_key(self._home, staging, key_file)
                counts = backup_restore.settle_restored_home(self._home, staging)
                with backup_restore.no_daemon(folder):
                    aside = backup_restore.take_place(self._home, staging, folder)
            finally:
                shutil.rmtree(staging, ignore_errors=True)
        folder.with_name(f".{folder.name}.restoring.lock").unlink(missing_ok=True)
        if aside and not used:
            shutil.rmtree(aside, ignore_errors=True)
        return Restored(
            _build_backup_report(backup, read),
            folder,
            *counts,
            kept_aside=str(aside) if aside and used else "",
        )


class _Summed(io.RawIOBase):
    """Stream that computes the checksum of the bytes written to a file."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self.sum = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: "bytes | memoryview") -> int:  # type: ignore[override]
        self.sum.update(data)
        return self._out.write(data)

    def flush(self) -> None:
        self._out.flush()


def _verify_written(
    source: BinaryIO, what: str, seal: "AgeSealer | None", summed: _Summed, made: Bundled
) -> None:
    """Raise StoreError unless a file holds the bytes that were written to it.

    Where the key is at hand, the file must also read back as the intended content.
    """
    total = hashlib.sha256()
    while data := source.read(1 << 20):
        total.update(data)
    is_intact = total.digest() == summed.sum.digest()
    source.seek(0)
    with suppress(BadConfig):  # a passphrase that nobody gave: writing needs no key
        is_intact = is_intact and _read_back(source, what, seal) == made
    if not is_intact:
        raise StoreError(
            "{what!r} is not what was written",
            what=what,
            hint="the disk may be failing: try another folder",
        )


def _read_back(
    source: BinaryIO,
    what: str,
    opener: "AgeSealer | None",
    take: Callable[[str, float], BinaryIO | None] = lambda name, mtime_s: None,
) -> Bundled:
    with (
        opener.opening(source, f"the backup {what!r}") if opener else nullcontext(source) as stream
    ):
        return bundle.read_bundle(stream, what, take)


def _parse_backup_file(file: Path) -> BackupFile | None:
    """Return the backup that a file name stands for; None for other files."""
    named = _NAME.fullmatch(file.name)
    if not named or not file.is_file() or file.is_symlink():
        return None
    made_at = datetime.strptime(named[1], _DATED).replace(tzinfo=UTC)
    return BackupFile(file, made_at, file.stat().st_size, is_encrypted=bool(named[2]))


def _find_existing_backup(file: Path) -> BackupFile:
    """Return the backup in an existing file of any name."""
    try:
        with file.open("rb") as opened:
            is_encrypted = opened.read(len(file_sealers.MAGIC)) == file_sealers.MAGIC
        backup, size = _parse_backup_file(file), file.stat()
    except OSError as error:
        raise BadRequest(
            "cannot read {file!r}: {reason}",
            file=file,
            reason=find_os_reason(error),
            hint="`gieok backup list`",
        ) from error
    made_at = backup.made_at if backup else datetime.fromtimestamp(size.st_mtime, UTC)
    return BackupFile(file, made_at, size.st_size, is_encrypted)


def _select_current_key(state: file_sealers.SealingState) -> tuple[file_sealers.SealingKey, ...]:
    return (state.key,) if state.key else ()


class _Enough(Exception):
    """Raised to leave a stream whose rest does not matter."""


def _read_first_byte(stream: BinaryIO) -> NoReturn:
    stream.read(1)
    raise _Enough


def _is_sealed_with_key(file: Path, sealer: "AgeSealer") -> bool:
    """Return whether a backup was sealed with a key, judged by its beginning."""
    try:
        with file.open("rb") as source, sealer.opening(source) as stream:
            _read_first_byte(stream)
    except _Enough:
        return True
    except WrongKey:
        return False
    except Damaged:  # further on: whoever reads it all says so
        return True


def _build_backup_report(found: BackupFile, read: Bundled) -> BackupReport:
    return BackupReport(
        found, len(read.files), read.content_bytes, str(read.about.get("gieok", ""))
    )


@contextmanager
def _translate_disk_errors(folder: Path) -> Iterator[None]:
    """Turn a full disk and an unwritable folder into Gieok's errors."""
    try:
        yield
    except OSError as error:
        if error.errno in (28, 122):
            raise StoreFull(
                "no space left in {folder!r} for this",
                folder=folder,
                hint="free some, or give another folder; nothing was left behind",
            ) from error
        if error.filename is None and not error.errno:
            raise
        raise StoreError(
            "{path!r}: {reason}",
            path=error.filename or str(folder),
            reason=find_os_reason(error),
            hint="give a folder that can be written",
        ) from error
