"""Files of an import in a folder, or one single file."""

import os
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from gieok.errors import BadRequest, find_os_reason

#: Folders that hold no memory.
_LEFT_OUT = frozenset((".git", "node_modules", ".venv", "__pycache__", ".obsidian", ".trash"))
_MOST_FILES = 200_000


class OpenedFiles:
    """`ImportFiles` of a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self) -> list[str]:
        """Return the names of the files."""
        return self._names

    @cached_property
    def _names(self) -> list[str]:
        names: list[str] = []
        for folder, below, files in os.walk(self.path):
            below[:] = sorted(name for name in below if name not in _LEFT_OUT)
            base = Path(folder).relative_to(self.path)
            names += ((base / name).as_posix() for name in files)
            if len(names) > _MOST_FILES:
                raise BadRequest(
                    "{path!r} holds more than {most:,} files",
                    path=self.path,
                    most=_MOST_FILES,
                    hint="name a folder in it",
                )
        return sorted(names)

    def open(self, name: str) -> BinaryIO:
        """Open a file."""
        try:
            return (self.path / name).open("rb")
        except OSError as error:
            raise BadRequest(
                "cannot read {path!r}: {reason}",
                path=self.place(name),
                reason=find_os_reason(error),
            ) from error

    def on_disk(self, name: str) -> Path | None:
        """Return the path of a file on disk."""
        return self.path / name

    def place(self, name: str) -> str:
        """Return the source that a memory from this file names."""
        return str(self.path / name)

    def modified(self, name: str) -> datetime:
        """Return when a file was written."""
        return datetime.fromtimestamp((self.path / name).stat().st_mtime, UTC)


class OneFile(OpenedFiles):
    """`ImportFiles` of one file."""

    def names(self) -> list[str]:
        """Return the name of the file."""
        return [self.path.name]

    def open(self, name: str) -> BinaryIO:
        """Open the file."""
        del name
        return self.path.open("rb")

    def on_disk(self, name: str) -> Path | None:
        """Return the path of the file."""
        del name
        return self.path

    def place(self, name: str) -> str:
        """Return the path of the file, as the source that a memory names."""
        del name
        return str(self.path)

    def modified(self, name: str) -> datetime:
        """Return when the file was written."""
        del name
        return datetime.fromtimestamp(self.path.stat().st_mtime, UTC)
