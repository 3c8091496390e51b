"""Archive in a folder: of the home, of a vault, of a disk that is plugged in.

Names are compared as the strictest file systems compare them (macOS and Windows: in any case, in
any normal form of Unicode), so that an archive that was written here stays valid when it is copied
there. Links and hidden files are ignored.
"""

import contextlib
import hashlib
import json
import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gieok import fs
from gieok.errors import ArchiveConflict, ArchiveFailed, ArchiveMissing, find_os_reason
from gieok.ports.archive import ArchiveChanges, ArchivedFile
from gieok.text.filenames import fold_file_name

_LONGEST_BYTES = 1 << 30


class _Known(NamedTuple):
    """State of a file at its last read.

    Unless size and time differ, the file is not read again.
    """

    revision: str
    size: int
    at_ns: int


class FolderArchive:
    """`Archive` in a folder; the first write makes the folder.

    Files are 0600 and folders 0700.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def location(self) -> str:
        """Return the folder."""
        return str(self._folder)

    def files(self) -> Iterator[ArchivedFile]:
        """Yield every file, sorted by path."""
        for path, file in self._walk():
            with contextlib.suppress(FileNotFoundError):  # gone since it was listed
                data = self._data(path, file)
                yield ArchivedFile(path, _hash_revision(data), len(data))

    def read(self, path: str) -> tuple[bytes, str]:
        """Return the content of a file, and its revision."""
        data = self._held(path)
        if data is None:
            raise ArchiveMissing("{path!r} is not in {location}", path=path, location=self.location)
        return data, _hash_revision(data)

    def write(self, path: str, data: bytes, expected: str | None) -> str:
        """Write a file as a whole."""
        self._expect(path, expected)
        file = self._find(path)
        with self._failing(path):
            if expected is not None:
                fs.replace(file, data)
            else:
                fs.make_private(file.parent)
                if not _create_archive_file(file, data):
                    raise ArchiveConflict(
                        "{path!r} is in {location} already", path=path, location=self.location
                    )
        return _hash_revision(data)

    def delete(self, path: str, expected: str) -> None:
        """Delete a file, and the folders that its deletion leaves empty."""
        if self._held(path) is None:
            return
        self._expect(path, expected)
        file = self._find(path)
        with self._failing(path):
            file.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # not empty
            while (file := file.parent) != self._folder:
                file.rmdir()

    def changes(self, cursor: str) -> ArchiveChanges:
        """Return the differences between the files and their state in the cursor."""
        before, now = _parse_folder_cursor(cursor), dict[str, _Known]()
        for path, file in self._walk():
            with contextlib.suppress(FileNotFoundError):
                facts, old = file.stat(), before.get(path)
                is_same = old is not None and (old.size, old.at_ns) == (
                    facts.st_size,
                    facts.st_mtime_ns,
                )
                revision = (
                    old.revision if old and is_same else _hash_revision(self._data(path, file))
                )
                now[path] = _Known(revision, facts.st_size, facts.st_mtime_ns)
        changed = [
            ArchivedFile(path, state.revision, state.size)
            for path, state in now.items()
            if path not in before or before[path].revision != state.revision
        ]
        return ArchiveChanges(changed, sorted(before.keys() - now.keys()), json.dumps(now))

    def tidy(self) -> None:
        """Remove temporary files of killed writers."""
        for folder, _, _ in os.walk(self._folder):
            fs.sweep_temporary_files(folder)

    def _walk(self) -> Iterator[tuple[str, Path]]:
        entries = []
        for folder, below, names in os.walk(self._folder, onerror=self._unreadable):
            below[:] = [name for name in below if not name.startswith(".")]
            base = Path(folder)
            files = (base / name for name in names if not name.startswith("."))
            entries += [
                (_normalise_archive_path(file.relative_to(self._folder).as_posix()), file)
                for file in files
                if _is_plain_archive_file(file)
            ]
        return iter(sorted(entries))

    def _unreadable(self, error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            raise ArchiveFailed(
                "{location} cannot be read: {reason}",
                location=self.location,
                reason=find_os_reason(error),
            ) from error

    def _data(self, path: str, file: Path) -> bytes:
        try:
            if file.stat().st_size > _LONGEST_BYTES:
                raise ArchiveFailed(
                    "{path!r} in {location} has more than {most:,} bytes",
                    path=path,
                    location=self.location,
                    most=_LONGEST_BYTES,
                )
            return file.read_bytes()
        except FileNotFoundError:
            raise
        except OSError as error:
            raise ArchiveFailed(
                "{path!r} in {location} cannot be read: {reason}",
                path=path,
                location=self.location,
                reason=find_os_reason(error),
            ) from error

    def _held(self, path: str) -> bytes | None:
        """Return the content of a file; None where the file is missing."""
        file = self._find(path)
        if not _is_plain_archive_file(file):
            return None
        try:
            return self._data(path, file)
        except FileNotFoundError:
            return None

    def _expect(self, path: str, expected: str | None) -> None:
        """Raise ArchiveConflict where a file does not have the expected revision."""
        held = self._held(path)
        if held is None and (expected is not None or os.path.lexists(self._find(path))):
            raise ArchiveConflict(
                "{path!r} in {location} is gone, or no plain file",
                path=path,
                location=self.location,
            )
        if held is not None and _hash_revision(held) != expected:
            raise ArchiveConflict(
                "{path!r} in {location} was changed meanwhile", path=path, location=self.location
            )

    def _find(self, path: str) -> Path:
        """Return the file of a path, in the spelling of the existing names.

        The file may not exist. Raises ArchiveFailed.
        """
        parts = path.split("/")
        if any(
            part in ("", ".", "..") or part.startswith(".") or "\0" in part or "\\" in part
            for part in parts
        ):
            raise ArchiveFailed("{path!r} is no path in an archive", path=path)
        file = self._folder
        for part in parts:
            if file.is_symlink() and file != self._folder:
                raise ArchiveFailed(
                    "{path!r} leads out of {location} by a link", path=path, location=self.location
                )
            file = _find_spelling_in_folder(file, part)
        return file

    @contextlib.contextmanager
    def _failing(self, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ArchiveFailed(
                "{path!r} in {location} cannot be written: {reason}",
                path=path,
                location=self.location,
                reason=find_os_reason(error),
                hint="free space, or rights to write",
            ) from error


def _find_spelling_in_folder(folder: Path, name: str) -> Path:
    """Return the entry of a folder with this name in any spelling.

    Spellings that differ in case or Unicode normal form are the same name.
    """
    exact = folder / name
    if os.path.lexists(exact):
        return exact
    try:
        with os.scandir(folder) as there:
            names = [one.name for one in there]
    except OSError:
        return exact
    folded = fold_file_name(name)
    spellings = [
        one for one in names if (one.lower() if one.isascii() else fold_file_name(one)) == folded
    ]
    return folder / min(spellings, default=name)


def _create_archive_file(file: Path, data: bytes) -> bool:
    try:
        return fs.create_new_file(file, data)
    except FileNotFoundError:
        raise
    except OSError:  # a file system without hard links
        if os.path.lexists(file):
            return False
        fs.replace(file, data, fs.PRIVATE)
        return True


def _is_plain_archive_file(file: Path) -> bool:
    return file.is_file() and not file.is_symlink()


def _normalise_archive_path(path: str) -> str:
    return unicodedata.normalize("NFC", path)


def _hash_revision(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _parse_folder_cursor(cursor: str) -> dict[str, _Known]:
    try:
        return {path: _Known(*row) for path, row in json.loads(cursor or "{}").items()}
    except (ValueError, TypeError, AttributeError):
        return {}
