"""Files with the texts of old messages: read by message number, a month at a time."""

import gzip
import os
import zlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, tzinfo
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from gieok.errors import ArchiveFailed, ArchiveMissing, GieokError
from gieok.model.conversation import Journalled
from gieok.ports.archive import PlainSealer, Sealer
from gieok.storage.archives.folder import FolderArchive
from gieok.text import talk

#: Number of months that are held in memory.
_MONTHS = 4
_ENDING = ".md.gz"
#: Level of compression. It takes a third of the time of the highest, for files that are a percent
#: larger.
_LEVEL = 6
#: Ending of encrypted files, looked for also where no key is configured any more.
_SEALED = ".age"

Said = Mapping[int, Journalled]


def list_plain_sealers() -> Sequence[Sealer]:
    """Return the sealers that leave files unencrypted."""
    return (PlainSealer(),)


class _HeldMonth(NamedTuple):
    """Cached month.

    Unless its file changes, the month is not read again for each message.
    """

    name: str
    file: str
    facts: tuple[int, int, int] | None
    revision: str
    said: Said


class TalkFiles:
    """Folder of months: `agent-main/2025-11.md.gz`, with the ending of the sealer.

    The first of `sealers` seals new files; each opens files with its ending.
    """

    def __init__(
        self,
        folder: Path,
        sealers: Callable[[], Sequence[Sealer]] = list_plain_sealers,
        zone: tzinfo = UTC,
    ) -> None:
        self.folder = folder
        #: Zone of the days and hours that a person reads in the files; it also decides which month
        #: a message is in.
        self.zone = zone
        self._archive = FolderArchive(folder)
        self._sealers = sealers
        self._held: OrderedDict[str, _HeldMonth] = OrderedDict()
        self._lock = Lock()
        #: The error of the last call of `text`: SQLite forgets the error that a function raised.
        self.failed: GieokError | None = None

    def text(self, place: str, seq: int) -> str:
        """Return the text of a message; '' where its file or its entry in the file is gone.

        For SQLite: an error is kept in `failed`.
        """
        try:
            journalled = self.read(place)[0].get(seq)
        except GieokError as error:
            self.failed = error
            raise
        return journalled.message.text if journalled else ""

    def bytes_of(self, place: str) -> int | None:
        """Return the size of the file of a month; None where the file is missing."""
        file = self._file(place)
        return (self.folder / file).stat().st_size if file else None

    def read(self, place: str) -> tuple[Said, str, str]:
        """Return the messages of a month, its file and its revision; '' where the file is missing.

        Raises ArchiveFailed.
        """
        with self._lock:
            held = self._held.get(place)
            if held is None or _read_file_facts(held.file) != held.facts:
                held = self._read(place)
                if held is None:
                    return {}, "", ""
                self._held[place] = held
                while len(self._held) > _MONTHS:
                    self._held.popitem(last=False)
            return held.said, held.name, held.revision

    def _read(self, place: str) -> "_HeldMonth | None":
        if not (name := self._file(place)):
            return None
        file = os.path.join(self.folder, name)  # noqa: PTH118 - looked at for each message
        facts = _read_file_facts(file)
        try:
            data, revision = self._archive.read(name)
        except ArchiveMissing:
            return None
        return _HeldMonth(
            name=name, file=file, facts=facts, revision=revision, said=self._parsed(name, data)
        )

    def write(self, scope: str, place: str, found: Sequence[Journalled]) -> None:
        """Replace the file of a month, and read it back; without messages, delete it.

        Raises ArchiveFailed.
        """
        _, file, revision = self.read(place)
        sealer = self._sealers()[0]
        target = f"{place}{_ENDING}{sealer.suffix}"
        if found:
            text = talk.format_month_talk(scope, place.rpartition("/")[2], found, self.zone)
            data = sealer.seal(
                gzip.compress(text.encode("utf-8", "surrogatepass"), _LEVEL, mtime=0)
            )
            self._archive.write(target, data, revision if file == target else None)
            written = self._parsed(target, self._archive.read(target)[0])
            # A file holds no number of the first version: that stays in the journal's row.
            read_back = {seq: journalled.message for seq, journalled in written.items()}
            if read_back != {journalled.seq: journalled.message for journalled in found}:
                raise ArchiveFailed(
                    "{target!r} in {folder} does not read as it was written",
                    target=target,
                    folder=self.folder,
                )
        for other in self._names(place):
            if not found or other != target:
                with suppress(ArchiveMissing):
                    self._archive.delete(other, self._archive.read(other)[1])

    def _file(self, place: str) -> str:
        """Return the file of a month, '' where it is missing.

        While a month is written anew with another seal, it has two files for a moment.
        """
        return next((name for name in self._names(place) if (self.folder / name).is_file()), "")

    def _names(self, place: str) -> list[str]:
        """Return every name that the file of a month may have, the current name first."""
        endings = dict.fromkeys([*(sealer.suffix for sealer in self._sealers()), "", _SEALED])
        return [f"{place}{_ENDING}{ending}" for ending in endings]

    def _parsed(self, file: str, data: bytes) -> Said:
        ending = file.rpartition(_ENDING)[2]
        opener = next(
            (sealer for sealer in self._sealers() if sealer.suffix == ending),
            None if ending else PlainSealer(),
        )
        if opener is None:
            raise ArchiveFailed(
                "{file!r} in {folder} is encrypted",
                file=file,
                folder=self.folder,
                hint="run `gieok encryption status`",
            )
        data = opener.open(data)
        try:
            return talk.parse_month_talk(gzip.decompress(data).decode("utf-8", "surrogatepass"))
        except (OSError, EOFError, ValueError, TypeError, zlib.error) as error:
            raise ArchiveFailed(
                "{file!r} in {folder} is damaged: {error}",
                file=file,
                folder=self.folder,
                error=error,
                hint="restore the file from a backup",
            ) from error


def _read_file_facts(file: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(file)  # noqa: PTH116 - as above
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
