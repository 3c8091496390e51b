"""Files of an import: a folder, a zip archive that is read without unpacking it, or one file."""

import io
import os
import zipfile
import zlib
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, cast

from gieok.errors import BadRequest

#: Folders that hold no memory.
_LEFT_OUT = frozenset((".git", "node_modules", ".venv", "__pycache__", ".obsidian", ".trash"))
_MOST_FILES = 200_000
_CHUNK_BYTES = 1 << 18
#: An archive's member is refused where it is large and so many times larger than what was packed.
_BOMB_BYTES, _BOMB_RATIO = 1 << 29, 300


def opened(path: Path) -> "OpenedFiles":
    """Open what lies at a path. Raises BadRequest."""
    if not path.exists():
        raise BadRequest(f"there is nothing at {str(path)!r}", hint="give a file or a folder")
    try:
        if path.is_dir():
            return OpenedFiles(path)
        return _Archive(path) if zipfile.is_zipfile(path) else _cut_archive(path) or _OneFile(path)
    except OSError as error:
        raise BadRequest(f"cannot read {str(path)!r}: {error.strerror}") from error


def _cut_archive(path: Path) -> "OpenedFiles | None":
    with path.open("rb") as file:
        if file.read(4) != b"PK\x03\x04":
            return None
    from gieok.backends.imports.cut_archive import CutArchive

    return CutArchive(path)


class OpenedFiles:
    """`ImportFiles` of a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self) -> list[str]:
        """Return the names of the files."""
        return self._names

    @cached_property
    def _names(self) -> list[str]:
        found: list[str] = []
        for folder, below, files in os.walk(self.path):
            below[:] = sorted(name for name in below if name not in _LEFT_OUT)
            base = Path(folder).relative_to(self.path)
            found += ((base / name).as_posix() for name in files)
            if len(found) > _MOST_FILES:
                raise BadRequest(
                    f"{str(self.path)!r} holds more than {_MOST_FILES:,} files", hint="name a folder in it"
                )
        return sorted(found)

    def open(self, name: str) -> BinaryIO:
        """Open a file."""
        try:
            return (self.path / name).open("rb")
        except OSError as error:
            raise BadRequest(f"cannot read {self.place(name)!r}: {error.strerror}") from error

    def on_disk(self, name: str) -> Path | None:
        """Return where a file is."""
        return self.path / name

    def place(self, name: str) -> str:
        """Return what a memory of this file names as its source."""
        return str(self.path / name)

    def modified(self, name: str) -> datetime:
        """Return when a file was written."""
        return datetime.fromtimestamp((self.path / name).stat().st_mtime, UTC)


class _OneFile(OpenedFiles):
    def names(self) -> list[str]:
        return [self.path.name]

    def open(self, name: str) -> BinaryIO:
        del name
        return self.path.open("rb")

    def on_disk(self, name: str) -> Path | None:
        del name
        return self.path

    def place(self, name: str) -> str:
        del name
        return str(self.path)

    def modified(self, name: str) -> datetime:
        del name
        return datetime.fromtimestamp(self.path.stat().st_mtime, UTC)


class _Archive(OpenedFiles):
    """A zip archive; names that lead out of it are no files of ours, because nothing is unpacked."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
            raise BadRequest(f"{str(path)!r} is no archive that can be read: {error}") from error

    def names(self) -> list[str]:
        return sorted(info.filename for info in self._zip.infolist() if not info.is_dir())

    def open(self, name: str) -> BinaryIO:
        info = self._zip.getinfo(name)
        if info.flag_bits & 0x1:
            raise BadRequest(f"{self.place(name)!r} is encrypted", hint="unpack it, and import the folder")
        if info.file_size > _BOMB_BYTES and info.file_size > _BOMB_RATIO * max(info.compress_size, 1):
            raise BadRequest(
                f"{self.place(name)!r} would be {info.file_size:,} bytes out of {info.compress_size:,}: that is no export",
                hint="unpack it by hand if you know better, and import the folder",
            )
        return cast("BinaryIO", io.BufferedReader(_Unpacked(self._zip, info), _CHUNK_BYTES))

    def on_disk(self, name: str) -> Path | None:
        del name
        return None

    def modified(self, name: str) -> datetime:
        return datetime(*self._zip.getinfo(name).date_time, tzinfo=UTC)


class _Unpacked(io.RawIOBase):
    """The bytes of a member. A damaged one raises OSError, as every other file does."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
        try:
            self._stream = archive.open(info)
        except (zipfile.BadZipFile, NotImplementedError) as error:
            raise OSError(f"damaged: {error}") from error

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview | bytearray") -> int:  # type: ignore[override]
        try:
            data = self._stream.read(len(buffer))
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise OSError(f"damaged: {error}") from error
        buffer[: len(data)] = data
        return len(data)
