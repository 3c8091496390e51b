"""Says cheaply whether agents wrote anything since all that they wrote was taken in, for commands
where no daemon follows.

Standard library that is quick to import: most searches and session starts find nothing new.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatch

from gieok import fs

_FILE = "taken-in.json"
#: Clocks of file systems are coarse: what changed so shortly before is looked at again.
_MARGIN_S = 2.0
_MOVES = ("HOME", "_DIR", "_PROFILE")


class Backlog:
    """What is left: transcripts to read, messages to make searchable; and how many documents were
    made.

    `is_elsewhere`: another process takes in what there is, so that nobody here knows what is left.
    """

    __slots__ = ("is_elsewhere", "made", "messages", "transcripts")

    def __init__(
        self, transcripts: int = 0, messages: int = 0, made: int = 0, *, is_elsewhere: bool = False
    ) -> None:
        self.transcripts, self.messages, self.made = transcripts, messages, made
        self.is_elsewhere = is_elsewhere

    def __bool__(self) -> bool:
        """Say whether anything is left, or may be."""
        return bool(self.transcripts or self.messages or self.is_elsewhere)


def build_freshness_key(agents: str, folders: str, environment: Mapping[str, str]) -> str:
    """Return what decides where transcripts are: settings, and variables that move agents'
    folders.
    """
    moved = sorted(
        f"{name}={value}" for name, value in environment.items() if name.endswith(_MOVES)
    )
    return "\n".join((agents, folders, *moved))


def is_new(home: str, whose: str = "") -> bool:
    """Say whether a transcript is younger than what was taken in.

    Where nothing is known of that by this key, it is; without a key only a file counts.
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
    """Remember that all was taken in that was written before `began_s`; 0: something is left.
    Raises OSError.
    """
    row = {"whose": whose, "patterns": sorted(patterns), "at": began_s - _MARGIN_S}
    fs.replace_private(os.path.join(home, _FILE), json.dumps(row))


def _iter_pattern_paths(pattern: str) -> Iterator[str]:
    """Yield the paths that a pattern of `*` and `**` names; `glob` takes longer to import than this
    to run.
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
        with os.scandir(folder) as found:
            entries = [(entry.path, entry.name, entry.is_dir()) for entry in found]
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
