"""Zip archive whose end is missing, as a broken download leaves it.

The members are read one after another as far as they go. The list of members is at the end of an
archive; without it, each member's own header says what follows.
"""

import io
import struct
import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from gieok.errors import BadRequest
from gieok.machine.imports.folder import OpenedFiles

_HEADER = struct.Struct("<4sHHHHHIIIHH")
_DEFLATED, _STORED = 8, 0
_CHUNK = 1 << 18


class _CutMember(NamedTuple):
    """Member of the archive: the start of its data, its compression method and its packed size."""

    start: int
    method: int
    #: Packed size in bytes; 0 where only the packed data itself shows its end.
    size: int


class CutArchive(OpenedFiles):
    """`ImportFiles` of an archive whose end is missing."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._members = dict(self._scan())
        if not self._members:
            raise BadRequest(
                "{path!r} is no archive that can be read", path=path, hint="download it again"
            )

    def _scan(self) -> list[tuple[str, _CutMember]]:
        members: list[tuple[str, _CutMember]] = []
        with self.path.open("rb") as file:
            while len(head := file.read(_HEADER.size)) == _HEADER.size:
                mark, _, flags, method, _, _, _, packed, _, of_name, of_extra = _HEADER.unpack(head)
                if mark != b"PK\x03\x04" or flags & 0x1 or method not in (_DEFLATED, _STORED):
                    break
                name = file.read(of_name).decode("utf-8", "replace")
                file.seek(of_extra, io.SEEK_CUR)
                member = _CutMember(file.tell(), method, 0 if flags & 0x8 else packed)
                if not name.endswith("/"):
                    members.append((name, member))
                if member.size or not flags & 0x8:
                    file.seek(member.size, io.SEEK_CUR)
                elif not _skip_unsized_member(file):
                    break
        return members

    def names(self) -> list[str]:
        """Return the names of the members that begin before the archive breaks off."""
        return sorted(self._members)

    def open(self, name: str) -> BinaryIO:
        """Open a member; its bytes end where the archive breaks off."""
        return cast(
            "BinaryIO", io.BufferedReader(_Inflated(self.path, self._members[name]), _CHUNK)
        )

    def on_disk(self, name: str) -> Path | None:
        """Return None: a member is packed, and no file on disk."""
        del name
        return None

    def modified(self, name: str) -> datetime:
        """Return when the archive was written."""
        del name
        return datetime.fromtimestamp(self.path.stat().st_mtime, UTC)


def _skip_unsized_member(file: BinaryIO) -> bool:
    """Skip a member of unknown size and the sizes behind it; return False if the file ends
    first.
    """
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    while data := file.read(_CHUNK):
        try:
            while data:
                inflate.decompress(data, _CHUNK)
                data = inflate.unconsumed_tail
        except zlib.error:
            return False
        if inflate.eof:
            file.seek(-len(inflate.unused_data), io.SEEK_CUR)
            follows = file.read(4)
            file.seek(12 if follows == b"PK\x07\x08" else 8, io.SEEK_CUR)
            return True
    return False


class _Inflated(io.RawIOBase):
    """The bytes of a member, as many as there are."""

    def __init__(self, path: Path, member: _CutMember) -> None:
        self._file = path.open("rb")
        self._file.seek(member.start)
        self._left = member.size or -1
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS) if member.method == _DEFLATED else None
        self._data = b""

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()

    def readinto(self, buffer: "memoryview | bytearray") -> int:  # type: ignore[override]
        while not (chunk := self._some(len(buffer))):
            if not self._more():
                return 0
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def _some(self, most: int) -> bytes:
        if self._inflate is None:
            chunk, self._data = self._data[:most], self._data[most:]
            return chunk
        try:
            chunk = self._inflate.decompress(self._data, most)
        except zlib.error:
            chunk, self._left = b"", 0
        self._data = self._inflate.unconsumed_tail
        return chunk

    def _more(self) -> bool:
        if self._left == 0 or (self._inflate is not None and self._inflate.eof):
            return False
        self._data = self._file.read(_CHUNK if self._left < 0 else min(_CHUNK, self._left))
        if self._left > 0:
            self._left -= len(self._data)
        return bool(self._data)
