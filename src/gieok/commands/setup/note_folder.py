"""What is in a folder of notes: told to a person before anything of it is taken in."""

import os
import shlex
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from gieok.commands.moving.import_memory import recognise_export
from gieok.home.call import Call
from gieok.memory.files import read
from gieok.memory.files.roots import Root, is_skipped
from gieok.text.messages import Words

#: Kinds of files in which programs give a person their data.
_EXPORT_SUFFIXES = (".zip", ".json", ".jsonl")
#: Files of such a kind that are looked into.
_MOST_LOOKED_INTO = 50


class FoundExport(NamedTuple):
    """Export of another program: its file, and what it is."""

    file: Path
    label: Words


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
    """Return what is in a folder; of exports, the beginning is read."""
    root = Root(folder.name, folder)
    files = (path for path in read.list_note_candidates(root) if isinstance(path, Path))
    return NoteFolder(
        notes=Counter(file.suffix.lower() for file in files),
        exports=tuple(islice(_iter_exports(call, folder), _MOST_LOOKED_INTO)),
        unread=read.count_unread_documents(root),
    )


def _iter_exports(call: Call, folder: Path) -> Iterator[FoundExport]:
    for file in islice(_iter_export_candidates(folder), _MOST_LOOKED_INTO):
        label = recognise_export(call, file)
        if label is not None:
            yield FoundExport(file, label)


def _iter_export_candidates(folder: Path) -> Iterator[Path]:
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not is_skipped(name, Path(base).name))
        yield from (
            Path(base, name) for name in sorted(names) if name.lower().endswith(_EXPORT_SUFFIXES)
        )


def read_typed_path(text: str) -> str:
    """Return a path as a person types it, or drops it into a terminal.

    A terminal writes a dropped path in quotes, or with a backslash before each space.
    """
    text = text.strip()
    try:
        words = shlex.split(text) if os.name == "posix" else [text.strip('"')]
    except ValueError:  # an apostrophe in a name
        return text
    return words[0] if len(words) == 1 else text
