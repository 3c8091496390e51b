"""What is in a folder of notes: told to a person before anything of it is taken in."""

import os
import shlex
import stat
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

from gieok.commands.moving.import_memory import RecognisedExport, recognise_export
from gieok.home.call import Call
from gieok.home.caller import Caller
from gieok.memory.files import read
from gieok.memory.files.roots import Root, is_skipped

#: Kinds of files in which programs give a person their data.
_EXPORT_SUFFIXES = (".zip", ".json", ".jsonl")
#: Files of such a kind that are looked into.
_MOST_LOOKED_INTO = 50
_FILE_ADDRESS = "file:///"


class FoundExport(NamedTuple):
    """Export of another program: its file, and what it is."""

    file: Path
    export: RecognisedExport


class NoteFolder(NamedTuple):
    """Survey of a folder: notes and documents that are not read, both by suffix, and exports."""

    notes: Counter[str]
    exports: tuple[FoundExport, ...]
    unread: Counter[str]

    @property
    def is_empty(self) -> bool:
        """Return whether nothing in the folder can be taken in."""
        return not (self.notes or self.exports)


def survey_note_folder(call: Call, folder: Path) -> NoteFolder:
    """Return what is in a folder; of exports, the first conversations are read."""
    root = Root(folder.name, folder)
    files = (path for path in read.list_note_candidates(root) if isinstance(path, Path))
    return NoteFolder(
        notes=Counter(file.suffix.lower() for file in files),
        exports=tuple(_iter_exports(call, folder)),
        unread=read.count_unread_documents(root),
    )


def _iter_exports(call: Call, folder: Path) -> Iterator[FoundExport]:
    for file in islice(_iter_export_candidates(folder), _MOST_LOOKED_INTO):
        export = recognise_export(call, file)
        if export is not None:
            yield FoundExport(file, export)


def _iter_export_candidates(folder: Path) -> Iterator[Path]:
    """Yield the files that may be exports, without links that lead out of the folder."""
    inside = folder.resolve()
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not is_skipped(name, Path(base).name))
        files = (Path(base, name) for name in sorted(names))
        yield from (
            file
            for file in files
            if file.name.lower().endswith(_EXPORT_SUFFIXES) and _is_file_inside(file, inside)
        )


def _is_file_inside(file: Path, folder: Path) -> bool:
    """Say whether a path is of a regular file below a folder: to open a pipe would wait for ever."""
    try:
        is_regular = stat.S_ISREG(file.stat().st_mode)
        return is_regular and file.resolve().is_relative_to(folder)
    except (OSError, RuntimeError):  # gone meanwhile, not to be looked at, or a ring of links
        return False


def read_typed_path(caller: Caller, text: str) -> Path:
    """Return the path that a person typed, or dropped into a terminal.

    A terminal writes a dropped path in quotes, with a backslash before each space, or as an address
    of a file. What is there as it was typed is taken as it is.
    """
    text = text.strip()
    typed = caller.path(text)
    if typed.exists():
        return typed
    try:
        words = shlex.split(text) if os.name == "posix" else [text.strip('"')]
    except ValueError:  # an apostrophe in a name
        words = [text]
    if len(words) != 1:
        return typed
    if words[0].startswith(_FILE_ADDRESS):
        return Path(url2pathname(urlsplit(words[0]).path))
    return caller.path(words[0])
