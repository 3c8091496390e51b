"""Imports of another program's memory: the pieces that readers yield, and their files."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

from gieok.model.conversation import Message, Reject


class ImportedFact(NamedTuple):
    """Statement that the other program kept.

    `id` is stable in that program; the text is one line. `category` and `priority` are those of an
    observation, '' where the words decide. A statement that no longer holds has `until`, and in
    `replaced_by` the id of the statement that replaced it. `project` is a folder, or a folder's
    name; '' for none.
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
    """Conversation, or a part of a conversation, in order.

    `known_as` names an agent whose transcripts may already have brought this conversation to Gieok.
    """

    messages: tuple[Message, ...]
    project: str = ""
    known_as: str = ""


#: Piece that a reader yields; `Reject` names something unreadable, and the rest goes on.
ImportPiece = ImportedFact | ImportedTalk | Reject


class ImportFiles(Protocol):
    """Files at a path: the members of a folder or of a zip archive, or one file.

    Names are relative, with `/`. Raises BadRequest for what cannot be read.
    """

    path: Path

    def names(self) -> list[str]:
        """Return the names of the files, sorted."""

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading its bytes in order."""

    def on_disk(self, name: str) -> Path | None:
        """Return where a file is; None inside an archive."""

    def place(self, name: str) -> str:
        """Return the source name of a file for memories made of it: a path below the given path."""

    def modified(self, name: str) -> datetime:
        """Return when a file was written."""


class ImportReader(Protocol):
    """Reader of one program's files.

    Reading twice yields the same pieces in the same order.
    """

    def recognises(self, files: ImportFiles) -> bool:
        """Return whether the files are of this program, by a look at their beginning."""

    def read(self, files: ImportFiles) -> Iterator[ImportPiece]:
        """Yield the pieces; a few pieces are in memory at a time."""
