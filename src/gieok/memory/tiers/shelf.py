"""Shelf of a tier: an archive, the form of its files, and their sealers.

A file is named by its plain path (`2026-08-01.md`); the stored file may be packed and sealed, which
its name then says (`2026-08-01.md.gz.age`).
"""

import gzip
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import product
from typing import NamedTuple, Protocol

from gieok.errors import ArchiveFailed, ArchiveMissing
from gieok.model.archive import Place
from gieok.model.memory import Document, Entry, Scope, Tier
from gieok.ports.archive import Archive, PlainSealer, Sealer

#: A file that is larger is packed.
LARGE_BYTES = 1_000_000
_PACKED = ".gz"


class Written(NamedTuple):
    """Memory as a file holds it; `is_edited`: a person changed its text since the write."""

    entry: Entry
    is_edited: bool = False


class Contents(NamedTuple):
    """Contents of a file: memories, and a person's text beside them."""

    memories: tuple[Written, ...] = ()
    own: str = ""


class Form(Protocol):
    """Format of archive files: writes memories to text and reads them without loss."""

    def path(self, document: Document, day: date) -> str:
        """Return the plain path of the file that a memory of a day belongs to."""

    def render(self, scope: Scope, tier: Tier, path: str, contents: Contents) -> str:
        """Return the text of a file: the same for the same contents."""

    def parse(self, scope: Scope, text: str) -> Contents:
        """Return the contents of a file. Raises ValueError for a text of another form."""


class Held(NamedTuple):
    """File as it was read; `wrong` says what is damaged where `contents` could not be read."""

    data: bytes
    revision: str
    contents: Contents = Contents()
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Shelf:
    """Files of a tier.

    `archive` opens the archive of a scope; the first of `sealers` seals, each sealer opens the
    files with its suffix.
    """

    tier: Tier
    form: Form
    archive: Callable[[Scope], Archive]
    sealers: Sequence[Sealer] = (PlainSealer(),)

    def plain(self, path: str) -> str:
        """Return the plain path of a stored file name."""
        sealed = next((s.suffix for s in self.sealers if s.suffix and path.endswith(s.suffix)), "")
        return path.removesuffix(sealed).removesuffix(_PACKED)

    def spellings(self, path: str) -> list[str]:
        """Return every name that a stored file may have, given its plain path."""
        suffixes = dict.fromkeys(["", *(sealer.suffix for sealer in self.sealers)])
        return [f"{path}{packed}{sealed}" for sealed, packed in product(suffixes, ("", _PACKED))]

    def packed(self, path: str, text: str) -> tuple[str, bytes]:
        """Return the name and the content under which a text is stored."""
        data = text.encode("utf-8", "surrogatepass")
        if len(data) > LARGE_BYTES:
            path, data = path + _PACKED, gzip.compress(data, mtime=0)
        sealer = self.sealers[0]
        return path + sealer.suffix, sealer.seal(data)

    def read(self, place: Place) -> Held | None:
        """Read and decrypt an archived file of memories; return None where the archive has no such
        file.

        A file that cannot be parsed is returned with the reason in `wrong`. Raises ArchiveFailed,
        also for a file that no known key opens.
        """
        try:
            data, revision = self.archive(place.scope).read(place.path)
        except ArchiveMissing:
            return None
        content = self._opened(place.path, data)
        try:
            return Held(
                data,
                revision,
                self.form.parse(place.scope, content.decode("utf-8", "surrogatepass")),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return Held(data, revision, wrong=f"{type(error).__name__}: {error}")

    def text(self, path: str, data: bytes) -> str:
        """Return the text of a file's raw bytes.

        Raises ArchiveFailed for bytes that none of the sealers opens.
        """
        return self._opened(path, data).decode("utf-8", "replace")

    def _opened(self, path: str, data: bytes) -> bytes:
        sealer = next(
            (s for s in self.sealers if s.suffix and path.endswith(s.suffix)), PlainSealer()
        )
        try:
            content = sealer.open(data)
        except ArchiveFailed as error:
            raise ArchiveFailed(
                "{path!r}: {error}", path=path, error=error, hint=error.hint
            ) from error
        if not path.removesuffix(sealer.suffix).endswith(_PACKED):
            return content
        try:
            return gzip.decompress(content)
        except (OSError, EOFError, zlib.error):
            return b"\xff"  # damaged: no text

    def write(self, place: Place, data: bytes, expected: str | None) -> str:
        """Write a file and read it back; return its revision.

        Raises ArchiveFailed, ArchiveConflict.
        """
        archive = self.archive(place.scope)
        archive.write(place.path, data, expected)
        back, revision = archive.read(place.path)
        if back != data:
            raise ArchiveFailed(
                "{path!r} in {location} does not read as it was written",
                path=place.path,
                location=archive.location,
            )
        return revision
