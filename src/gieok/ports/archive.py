"""Archives: folders and services that keep memories as files which people can read."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable


class ArchivedFile(NamedTuple):
    """A file of an archive. `path` is relative, with `/`, in NFC; `revision` differs where the
    content does.
    """

    path: str
    revision: str
    size: int


class ArchiveChanges(NamedTuple):
    """What is new or changed since a cursor, what is gone, and the cursor to go on from."""

    files: Sequence[ArchivedFile]
    removed: Sequence[str]
    cursor: str


class Archive(Protocol):
    """Keeps files by path. Paths that differ in case or in Unicode's normal form alone name one
    file.

    Raises ArchiveFailed where it cannot be reached, read or written, and for a path that leads out
    of it.
    """

    @property
    def location(self) -> str:
        """Where it is, as a person reads it."""

    def files(self) -> Iterator[ArchivedFile]:
        """Yield every file, sorted by path."""

    def read(self, path: str) -> tuple[bytes, str]:
        """Return the content of a file, and its revision. Raises ArchiveMissing."""

    def write(self, path: str, data: bytes, expected: str | None) -> str:
        """Write a file as a whole and return its revision; it survives a crash.

        Raises ArchiveConflict, and nothing is written, where its revision is not `expected` (None:
        there must be no file).
        """

    def delete(self, path: str, expected: str) -> None:
        """Delete a file, and folders that are empty then; a missing file is no error. Raises
        ArchiveConflict.
        """

    def changes(self, cursor: str) -> ArchiveChanges:
        """Return what has changed since a cursor ('': everything is new). An unknown cursor is as
        ''.
        """


@runtime_checkable
class Tidying(Protocol):
    """An archive in which killed writers may leave parts of files."""

    def tidy(self) -> None:
        """Remove such parts. The caller holds the lock under which all write."""


class Sealer(Protocol):
    """Turns the content of a file into what is kept, and back. `suffix` ends the names of such
    files.
    """

    suffix: str

    def seal(self, data: bytes) -> bytes:
        """Return what is kept."""

    def open(self, data: bytes) -> bytes:
        """Return the content. Raises ArchiveFailed where it was sealed otherwise, or is damaged."""


@runtime_checkable
class KeyedSealer(Sealer, Protocol):
    """A sealer whose key may be changed: it opens what was sealed with the one before, too."""

    def is_current(self, data: bytes) -> bool:
        """Say whether a file was sealed with the key that seals now. Raises ArchiveFailed."""


class PlainSealer:
    """`Sealer` that keeps content as it is."""

    suffix = ""

    def seal(self, data: bytes) -> bytes:
        """Return the content."""
        return data

    def open(self, data: bytes) -> bytes:
        """Return the content."""
        return data
