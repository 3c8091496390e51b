"""Archives: folders and services that keep memories as files which people can read."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable


class ArchivedFile(NamedTuple):
    """File of an archive.

    `path` is relative, with `/`, in NFC; `revision` differs where the content does.
    """

    path: str
    revision: str
    size: int


class ArchiveChanges(NamedTuple):
    """Files that are new or changed since a cursor, deleted paths, and the next cursor."""

    files: Sequence[ArchivedFile]
    removed: Sequence[str]
    cursor: str


class Archive(Protocol):
    """Store of files by path.

    Paths that differ only in case or in Unicode normal form name one file. Raises ArchiveFailed
    where the archive cannot be reached, read or written, and for a path that leads out of it.
    """

    @property
    def location(self) -> str:
        """Place of the archive, as a person reads it."""

    def files(self) -> Iterator[ArchivedFile]:
        """Yield every file, sorted by path."""

    def read(self, path: str) -> tuple[bytes, str]:
        """Return the content of a file, and its revision. Raises ArchiveMissing."""

    def write(self, path: str, data: bytes, expected: str | None) -> str:
        """Write a file as a whole and return its revision; the file survives a crash.

        Raises ArchiveConflict, and writes nothing, where the file's revision is not `expected`
        (None: there must be no file).
        """

    def delete(self, path: str, expected: str) -> None:
        """Delete a file, and folders that are then empty; a missing file is no error.

        Raises ArchiveConflict.
        """

    def changes(self, cursor: str) -> ArchiveChanges:
        """Return what changed since a cursor ('': everything is new).

        An unknown cursor counts as ''.
        """


@runtime_checkable
class Tidying(Protocol):
    """An archive in which killed writers may leave parts of files."""

    def tidy(self) -> None:
        """Remove partial files. The caller holds the lock under which all write."""


class Sealer(Protocol):
    """Two-way conversion between a file's content and its stored form.

    `suffix` ends the names of such files.
    """

    suffix: str

    def seal(self, data: bytes) -> bytes:
        """Return the stored form of a content."""

    def open(self, data: bytes) -> bytes:
        """Return the content of a stored form.

        Raises ArchiveFailed where the form was sealed otherwise, or is damaged.
        """


@runtime_checkable
class KeyedSealer(Sealer, Protocol):
    """Sealer whose key may be changed: it also opens files sealed with the previous key."""

    def is_current(self, data: bytes) -> bool:
        """Return whether a file was sealed with the current key. Raises ArchiveFailed."""


class PlainSealer:
    """`Sealer` that keeps content as it is."""

    suffix = ""

    def seal(self, data: bytes) -> bytes:
        """Return the content."""
        return data

    def open(self, data: bytes) -> bytes:
        """Return the content."""
        return data
