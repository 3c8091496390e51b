"""What another program remembered, as it is taken in: what its readers yield, and the files that
they read.
"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

from gieok.model.conversation import Message, Reject


class ImportedFact(NamedTuple):
    """A statement that the other program kept. `id` is stable there; the text is one line.

    `category` and `priority` are those of an observation, '' where the words decide. A statement
    that holds no more has `until`, and in `replaced_by` the id of the one in its place. `project`
    is a folder, or a folder's name; '' for none.
    """

    id: str
    text: str
    at: datetime
    category: str = ""
    priority: str = ""
    is_done: bool = False
    until: datetime | None = None
    replaced_by: str = ""
    place: str = ""
    line: int = 0
    project: str = ""


class ImportedTalk(NamedTuple):
    """A conversation, or a part of one, in order. `known_as` names an agent that may have told it
    to Gieok already.
    """

    messages: tuple[Message, ...]
    project: str = ""
    known_as: str = ""


#: What a reader yields; `Reject` names something that it could not read, and the rest goes on.
ImportPiece = ImportedFact | ImportedTalk | Reject


class ImportFiles(Protocol):
    """What lies at a path: the members of a folder or of a zip archive, or one file. Names are
    relative, with `/`.

    Raises BadRequest for what cannot be read.
    """

    path: Path

    def names(self) -> list[str]:
        """Return the names of the files, sorted."""

    def open(self, name: str) -> BinaryIO:
        """Open a file to read its bytes, one after another."""

    def on_disk(self, name: str) -> Path | None:
        """Return where a file is; None inside an archive."""

    def place(self, name: str) -> str:
        """Return what a memory of this file names as its source: below the path that was given."""

    def modified(self, name: str) -> datetime:
        """Return when a file was written."""


class ImportReader(Protocol):
    """Reads what one program left behind. Reading twice yields the same pieces in the same
    order.
    """

    def recognises(self, files: ImportFiles) -> bool:
        """Say whether this is it, by a look at the beginning."""

    def read(self, files: ImportFiles) -> Iterator[ImportPiece]:
        """Yield the pieces; a few of them are in memory at a time."""
