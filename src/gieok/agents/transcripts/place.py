"""Places where agents keep conversations, and what of it is not read."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gieok.model.memory import Scope

#: How many unread files of a folder are named one by one.
_MOST_NAMED = 5


class Unread(NamedTuple):
    """Conversations that an agent keeps but Gieok does not read.

    `names` are patterns below the place, and `why` is the reason. Where a file `unless` stands
    beside such a file, that other file holds the same content and is read.
    """

    names: str
    why: str
    unless: str = ""

    def explain_files(self, folder: Path) -> Iterator[tuple[Path, str]]:
        """Yield the files below a folder, each with the reason why it is not read.

        Where the folder has more than a few such files, the folder is yielded instead.
        """
        paths = [
            path
            for path in sorted(folder.glob(self.names))
            if not (self.unless and (path.parent / self.unless).exists())
        ]
        if len(paths) > _MOST_NAMED:
            yield folder, f"{self.why} ({len(paths):,} files)"
            return
        for path in paths:
            if path.is_file() or any(path.iterdir()):
                yield path, self.why


class TranscriptPlace(NamedTuple):
    """Folder below which transcripts lie, with patterns for transcript files and databases.

    Several patterns are joined by spaces.
    """

    folder: Path
    files: str = ""
    databases: str = ""
    #: False where unrelated files change below the folder; hooks and the periodic rescan trigger
    #: reading instead.
    is_watched: bool = True
    #: Conversations of the agent that are not read.
    unread: tuple[Unread, ...] = ()
    #: Name of the agent that writes there; '' for a folder that the user named.
    agent: str = ""

    def find_scope(self, path: Path) -> Scope | None:
        """Return the scope of a transcript, by its path relative to the folder.

        None: the default scope, or the scope of the project in which the session works.
        """
        del path
        return None

    def is_silent(self, path: Path) -> bool:
        """Return whether no person takes part in a transcript."""
        del path
        return False

    def find_working_folder(self, path: Path) -> str:
        """Return the working folder of a file's session, for formats whose lines do not name it."""
        del path
        return ""
