"""Opens a path to be imported: a folder, a zip archive (read without unpacking), or one file."""

import io
import zipfile
import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, cast

from gieok.errors import BadRequest, find_os_reason
from gieok.machine.imports.cut_archive import CutArchive
from gieok.machine.imports.folder import OneFile, OpenedFiles

_CHUNK_BYTES = 1 << 18
_BEGINS = b"PK\x03\x04"
#: A member is refused if its unpacked size is this large and this many times its packed size.
_BOMB_BYTES, _BOMB_RATIO = 1 << 29, 300


def open_import_files(path: Path) -> OpenedFiles:
    """Open the files at a path. Raises BadRequest."""
    if not path.exists():
        raise BadRequest("there is nothing at {path!r}", path=path, hint="give a file or a folder")
    try:
        if path.is_dir():
            return OpenedFiles(path)
        if zipfile.is_zipfile(path):
            return _Archive(path)
        with path.open("rb") as file:
            is_cut = file.read(len(_BEGINS)) == _BEGINS
        return CutArchive(path) if is_cut else OneFile(path)
    except OSError as error:
        raise BadRequest(
            "cannot read {path!r}: {reason}", path=path, reason=find_os_reason(error)
        ) from error


class _Archive(OpenedFiles):
    """Zip archive. Names that lead out of it are harmless, because nothing is unpacked."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
            raise BadRequest(
                "{path!r} is no archive that can be read: {error}", path=path, error=error
            ) from error

    def names(self) -> list[str]:
        return sorted(info.filename for info in self._zip.infolist() if not info.is_dir())

    def open(self, name: str) -> BinaryIO:
        info = self._zip.getinfo(name)
        if info.flag_bits & 0x1:
            raise BadRequest(
                "{path!r} is encrypted",
                path=self.place(name),
                hint="unpack it, and import the folder",
            )
        if info.file_size > _BOMB_BYTES and info.file_size > _BOMB_RATIO * max(
            info.compress_size, 1
        ):
            raise BadRequest(
                (
                    "{path!r} would be {file_size:,} bytes out of {compress_size:,}: that is "
                    "no export"
                ),
                path=self.place(name),
                file_size=info.file_size,
                compress_size=info.compress_size,
                hint="unpack it by hand if you know better, and import the folder",
            )
        return cast("BinaryIO", io.BufferedReader(_Unpacked(self._zip, info), _CHUNK_BYTES))

    def on_disk(self, name: str) -> Path | None:
        del name
        return None

    def modified(self, name: str) -> datetime:
        return datetime(*self._zip.getinfo(name).date_time, tzinfo=UTC)


class _Unpacked(io.RawIOBase):
    """Unpacked bytes of a member. A damaged member raises OSError, as every other file does."""

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
