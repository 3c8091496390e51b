"""Cheap check whether agents wrote anything since their transcripts were last read completely.

For commands where no daemon follows the transcripts. Only quickly imported parts of the standard
library are used: most searches and session starts find nothing new.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatch

from gieok import fs

_FILE = "taken-in.json"
#: Clocks of file systems are coarse: a file that changed this shortly before the mark is looked at
#: again.
_MARGIN_S = 2.0
_MOVES = ("HOME", "_DIR", "_PROFILE")


class Backlog:
    """Work that is left: transcripts to read and messages to make searchable, and documents made.

    `is_elsewhere`: another process is reading the transcripts, so that this one does not know what
    is left.
    """

    __slots__ = ("is_elsewhere", "made", "messages", "transcripts")

    def __init__(
        self, transcripts: int = 0, messages: int = 0, made: int = 0, *, is_elsewhere: bool = False
    ) -> None:
        self.transcripts, self.messages, self.made = transcripts, messages, made
        self.is_elsewhere = is_elsewhere

    def __bool__(self) -> bool:
        """Say whether any work is left, or may be left."""
        return bool(self.transcripts or self.messages or self.is_elsewhere)


def build_freshness_key(agents: str, folders: str, environment: Mapping[str, str]) -> str:
    """Return a key of everything that decides where transcripts are.

    That is the settings, and environment variables that move agents' folders.
    """
    moved = sorted(
        f"{name}={value}" for name, value in environment.items() if name.endswith(_MOVES)
    )
    return "\n".join((agents, folders, *moved))


def is_new(home: str, whose: str = "") -> bool:
    """Say whether a transcript was written after the last complete reading.

    If there is no mark of a complete reading, or a mark of another key, the answer is True. Without
    a key (`whose` ''), keys are not compared, and a missing mark means False.
    """
    try:
        with open(os.path.join(home, _FILE), encoding="utf-8") as file:
            row = json.load(file)
        since_s, patterns = float(row["at"]), list(row["patterns"])
    except (OSError, ValueError, KeyError, TypeError):
        return bool(whose)
    if whose and row.get("whose") != whose:
        return True
    return any(
        _changed_s(path) > since_s for pattern in patterns for path in _iter_pattern_paths(pattern)
    )


def store_freshness_mark(home: str, whose: str, patterns: Iterable[str], began_s: float) -> None:
    """Record that everything written before `began_s` was read; 0: something is left.

    Raises OSError.
    """
    row = {"whose": whose, "patterns": sorted(patterns), "at": began_s - _MARGIN_S}
    fs.replace_private(os.path.join(home, _FILE), json.dumps(row))


def _iter_pattern_paths(pattern: str) -> Iterator[str]:
    """Yield the paths that match a pattern of `*` and `**`.

    Importing `glob` takes longer than running this function.
    """
    fixed, star, _ = pattern.partition("*")
    folder = os.path.dirname(fixed)
    return (
        _iter_paths_below(folder, pattern[len(folder) + 1 :].split("/"))
        if star
        else iter((pattern,))
    )


def _iter_paths_below(folder: str, names: list[str]) -> Iterator[str]:
    name, *rest = names
    try:
        with os.scandir(folder) as listing:
            entries = [(entry.path, entry.name, entry.is_dir()) for entry in listing]
    except OSError:
        return
    if name == "**":
        yield from _iter_paths_below(folder, rest)
    for path, own, is_folder in entries:
        if name == "**":
            yield from _iter_paths_below(path, names) if is_folder else ()
        elif fnmatch(own, name):
            yield from (_iter_paths_below(path, rest) if is_folder else ()) if rest else (path,)


def _changed_s(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
