"""The files of what was said long ago: read by number, a month at a time."""

import gzip
import zlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock

from gieok.backends.archives.folder import FolderArchive
from gieok.errors import ArchiveFailed, ArchiveMissing, GieokError
from gieok.model.conversation import Journalled
from gieok.ports.archive import PlainSealer, Sealer
from gieok.text import talk

#: Months that are held in memory: a megabyte of text is forty milliseconds of reading.
_MONTHS = 4
_ENDING = ".md.gz"


class TalkFiles:
    """A folder of months: `agent-main/2025-11.md.gz`."""

    def __init__(self, folder: Path, sealer: Sealer | None = None) -> None:
        self.folder = folder
        self._archive = FolderArchive(folder)
        self._sealer = sealer or PlainSealer()
        self._held: OrderedDict[tuple[str, str], Mapping[int, Journalled]] = OrderedDict()
        self._lock = Lock()
        #: Why the last text could not be given: SQLite forgets what a function raised.
        self.failed: GieokError | None = None

    def text(self, place: str, seq: int) -> str:
        """Return what a message said; '' where its file is gone, or has it no more. For SQLite: keeps what it raises."""
        try:
            found = self.read(place)[0].get(seq)
        except GieokError as error:
            self.failed = error
            raise
        return found.message.text if found else ""

    def is_there(self, place: str) -> bool:
        """Say whether the file of a month exists."""
        return (self.folder / self._path(place)).is_file()

    def read(self, place: str) -> tuple[Mapping[int, Journalled], str | None]:
        """Return the messages of a month, and the revision of its file; None where there is none. Raises ArchiveFailed."""
        try:
            data, revision = self._archive.read(self._path(place))
        except ArchiveMissing:
            return {}, None
        with self._lock:
            held = self._held.get((place, revision))
            if held is None:
                held = self._held[place, revision] = self._parsed(place, data)
                while len(self._held) > _MONTHS:
                    self._held.popitem(last=False)
            return held, revision

    def write(self, scope: str, place: str, found: Sequence[Journalled], revision: str | None) -> None:
        """Write a month in the place of a revision, and read it back; without messages, delete it. Raises ArchiveFailed."""
        if not found:
            if revision:
                self._archive.delete(self._path(place), revision)
            return
        text = talk.write(scope, place.rpartition("/")[2], found)
        data = self._sealer.seal(gzip.compress(text.encode("utf-8", "surrogatepass"), mtime=0))
        self._archive.write(self._path(place), data, revision)
        if self.read(place)[0] != {one.seq: one for one in found}:
            raise ArchiveFailed(f"{self._path(place)!r} in {self.folder} was not written as it should be")

    def _parsed(self, place: str, data: bytes) -> Mapping[int, Journalled]:
        try:
            return talk.read(gzip.decompress(self._sealer.open(data)).decode("utf-8", "surrogatepass"))
        except (OSError, EOFError, ValueError, KeyError, zlib.error) as error:
            raise ArchiveFailed(
                f"{str(self.folder / self._path(place))!r} is damaged: {error}", hint="restore the file from a backup"
            ) from error

    def _path(self, place: str) -> str:
        return f"{place}{_ENDING}{self._sealer.suffix}"
