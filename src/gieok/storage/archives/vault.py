"""Gieok's notes in a person's own folder of notes, such as an Obsidian vault.

The person's own notes are never changed, and Gieok's notes may lie anywhere in the folder. A note
of Gieok's that was moved out of Gieok's subfolder is found by its mark. A person's own note is read
once, to look for that mark; only a hash of its path, its size and its time are kept.
"""

import contextlib
import hashlib
import json
import os
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gieok.errors import ArchiveConflict, ArchiveFailed, ArchiveMissing, find_os_reason
from gieok.opening import ArchiveOpening
from gieok.ports.archive import ArchiveChanges, ArchivedFile
from gieok.storage.archives.folder import FolderArchive

_ENDINGS = (".md", ".md.age")
#: Mark in the head or the comment of a note of Gieok's.
_MARKS = (b"\ngieok:", b"<!-- gieok {")
#: Size from which a file is taken for no note.
_MOST_BYTES = 5_000_000


class VaultArchive:
    """`Archive` of Gieok's notes in `folder`, and of all files in its subfolder `own`.

    `mark` names a folder that a vault has. Raises ArchiveFailed where the folder is missing, or
    empty though it `has_memories`: an unmounted disk is no deletion.
    """

    def __init__(
        self,
        folder: Path,
        own: str,
        mark: str = "",
        has_memories: Callable[[], bool] = lambda: True,
    ) -> None:
        self._folder = folder
        self._has_memories = has_memories
        self._own = f"{own.strip('/')}/" if own.strip("/") else ""
        self._mark = mark
        self._files = FolderArchive(folder)

    @property
    def location(self) -> str:
        """Return the path of the folder with Gieok's subfolder."""
        return str(self._folder / self._own) if self._own else str(self._folder)

    def files(self) -> Iterator[ArchivedFile]:
        """Yield every note of Gieok's, sorted by path."""
        yield from sorted(self.changes("").files, key=lambda one: one.path)

    def read(self, path: str) -> tuple[bytes, str]:
        """Return the content of a file, and its revision."""
        self._expect()
        return self._files.read(path)

    def write(self, path: str, data: bytes, expected: str | None) -> str:
        """Write a file as a whole."""
        self._expect()
        return self._files.write(path, data, expected)

    def delete(self, path: str, expected: str) -> None:
        """Delete a file, and those of Gieok's folders that are left empty.

        A person's folders stay.
        """
        self._expect()
        if path.startswith(self._own):
            FolderArchive(self._folder / self._own).delete(path.removeprefix(self._own), expected)
            return
        with contextlib.suppress(ArchiveMissing, FileNotFoundError):
            if self._files.read(path)[1] != expected:
                raise ArchiveConflict(
                    "{path!r} in {location} was changed meanwhile",
                    path=path,
                    location=self.location,
                )
            (self._folder / path).unlink()

    def changes(self, cursor: str) -> ArchiveChanges:
        """Return the differences between the notes and their state in the cursor.

        Only notes with another size or time are read.
        """
        self._expect()
        before = _parse_vault_cursor(cursor)
        now: dict[str, list[Any]] = {}
        changed: list[ArchivedFile] = []
        for path, file in self._walk():
            name = _name_in_vault_cursor(path, is_ours=True)
            try:
                facts = file.stat()
            except FileNotFoundError:  # gone since it was listed
                continue
            size_and_time = [facts.st_size, facts.st_mtime_ns]
            old = before.get(name) or before.get(
                other := _name_in_vault_cursor(path, is_ours=False)
            )
            if old and old[:2] == size_and_time:
                now[name if name in before else other] = old
                continue
            row = self._row(path, facts.st_size)
            now[name if row else other] = [*size_and_time, *row]
            if row and (old is None or old[2:] != row):
                changed.append(ArchivedFile(path, row[0], facts.st_size))
        gone = sorted(name for name in before.keys() - now.keys() if not name.startswith("#"))
        return ArchiveChanges(
            changed, gone, json.dumps(now, ensure_ascii=False, separators=(",", ":"))
        )

    def _row(self, path: str, size: int) -> list[str]:
        """Return the revision of a note that is or may be Gieok's; [] for other notes."""
        if size > _MOST_BYTES:
            return []
        data, revision = self._files.read(path)
        is_ours = path.startswith(self._own) or any(mark in data for mark in _MARKS)
        return [revision] if is_ours else []

    def _expect(self) -> None:
        """Raise ArchiveFailed where the folder is missing or no vault: its disk is not mounted."""
        try:
            with os.scandir(self._folder) as entries:
                is_there = next(entries, None) is not None or not self._has_memories()
            is_there = is_there and (not self._mark or (self._folder / self._mark).is_dir())
        except OSError:
            is_there = False
        if not is_there:
            raise ArchiveFailed(
                "{folder!r} is not there, or empty",
                folder=self._folder,
                hint="mount its disk, or set `archive.folder`. Nothing was changed",
            )

    def _walk(self) -> Iterator[tuple[str, Path]]:
        for base, folders, names in os.walk(self._folder, onerror=_raise_unreadable_vault):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                file = Path(base, name)
                if (
                    name.lower().endswith(_ENDINGS)
                    and not name.startswith(".")
                    and _is_plain_note_file(file)
                ):
                    yield (
                        unicodedata.normalize("NFC", file.relative_to(self._folder).as_posix()),
                        file,
                    )


def open_vault_archive(opening: ArchiveOpening) -> VaultArchive:
    """Return the archive of the notes of all scopes in a vault."""
    return VaultArchive(opening.folder, opening.own, opening.mark, opening.has_memories)


def _name_in_vault_cursor(path: str, *, is_ours: bool) -> str:
    """Return the name of a path in a cursor.

    For a person's own notes, the name is a hash that tells nothing.
    """
    return (
        path
        if is_ours
        else f"#{hashlib.sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
    )


def _parse_vault_cursor(cursor: str) -> dict[str, list[Any]]:
    try:
        entries = json.loads(cursor or "{}")
    except ValueError:
        return {}
    return entries if isinstance(entries, dict) else {}


def _is_plain_note_file(file: Path) -> bool:
    return file.is_file() and not file.is_symlink()


def _raise_unreadable_vault(error: OSError) -> None:
    raise ArchiveFailed(
        "{path!r} cannot be read: {reason}", path=error.filename, reason=find_os_reason(error)
    ) from error
