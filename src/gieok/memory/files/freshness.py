"""Finds the files of an indexed folder that changed since the last look, without reading any.

A change of content, a new name and an arrival from elsewhere all move a file's or a folder's own
times, including the inode change time, which nobody sets back. The mark is the newest time that was
seen, so no clock takes part. A file with exactly the time of the mark is taken for changed, because
file systems count in ticks.
"""

import json
import os
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from gieok.memory.files.roots import Root, file_key, is_away, is_memory_file, is_skipped

#: Name of the note of marks: root → the newest time that was seen, in nanoseconds.
NOTE = "~files.looked"
#: A folder with more entries is left to the daemon and to `gieok index`: a search has no time for
#: it.
MOST_ENTRIES = 20_000


class FolderLook(NamedTuple):
    """Files that changed, appeared or are gone, and the newest time that was seen."""

    changed: frozenset[Path]
    newest_ns: int


def read_marks(note: str) -> dict[str, int]:
    """Return the marks in the text of a scope's note."""
    try:
        marks = json.loads(note or "{}")
    except ValueError:
        return {}
    return (
        {name: at for name, at in marks.items() if isinstance(at, int)}
        if isinstance(marks, dict)
        else {}
    )


def write_marks(marks: Mapping[str, int]) -> str:
    """Return the text of the note for some marks."""
    return json.dumps(dict(sorted(marks.items())))


def find_folder_changes(root: Root, since_ns: int, known: Collection[str]) -> FolderLook | None:
    """Return the changes since a mark; `known` are the keys of the scope.

    None for a folder that is away, or too large.
    """
    newest, files, folders, count = since_ns, set[Path](), set[str](), 0
    if is_away(root, known):
        return None
    for path, is_folder, at_ns in _iter_folder_entries(root):
        count += 1
        if count > MOST_ENTRIES:
            return None
        newest = max(newest, at_ns)
        if at_ns < since_ns:
            continue
        if is_folder:
            folders.add(path)
        elif root.is_file or is_memory_file(Path(path).relative_to(root.path)):
            files.add(Path(path))
    return FolderLook(frozenset(files | set(_iter_gone_files(root, folders, known))), newest)


def _iter_folder_entries(root: Root) -> Iterator[tuple[str, bool, int]]:
    """Yield every file and folder at and below a root.

    Each is given as its path, whether it is a folder, and its newest time.
    """
    waiting = [str(path) for path in root.starts()]
    visited: set[tuple[int, int]] = set()
    while waiting:
        path = waiting.pop()
        try:
            facts = os.stat(path)  # noqa: PTH116 - a search has no time for Path
        except OSError:
            continue
        is_folder = stat.S_ISDIR(facts.st_mode)
        yield path, is_folder, max(facts.st_mtime_ns, facts.st_ctime_ns)
        if not is_folder or (facts.st_dev, facts.st_ino) in visited:
            continue
        visited.add((facts.st_dev, facts.st_ino))
        try:
            names = os.listdir(path)  # noqa: PTH208 - as above
        except OSError:
            continue
        above = os.path.basename(path)  # noqa: PTH119 - as above
        waiting += [os.path.join(path, name) for name in names if not is_skipped(name, above)]  # noqa: PTH118


def _iter_gone_files(
    root: Root, folders: Collection[str], known: Collection[str]
) -> Iterator[Path]:
    """Yield the files of documents that no longer exist below changed folders.

    A file that goes changes its folder, and a folder that goes is not there itself.
    """
    if not folders or root.is_file:
        return
    by_folder: dict[str, list[str]] = {}
    for key in known:
        if root.owns(key):
            # strings: a search of ten thousand notes has no time for as many Paths
            name = os.path.join(root.path, file_key(key.partition("/")[2]))  # noqa: PTH118
            by_folder.setdefault(os.path.dirname(name), []).append(key)  # noqa: PTH120
    for folder, keys in by_folder.items():
        if folder in folders or not os.path.isdir(folder):  # noqa: PTH112 - as above
            for key in keys:
                file = root.file(key.partition("/")[2])
                if not file.exists() and root.key_of(file) == file_key(key):
                    yield file
