"""Files that are copies: what sync programs put beside a note, and what other programs keep of
earlier versions.

A file whose name says so is a copy only where its original stands beside it: without it, it is all
that is left of the note. A name that only looks like one (`plan (1).md`) must hold the same bytes
too.
"""

import re
from collections.abc import Callable, Collection
from typing import NamedTuple

#: Folders that programs keep copies, drafts and settings in: name → whose. With a `/`, below a
#: folder of that name alone.
KEPT_FOLDERS = {
    "logseq/bak": "Logseq",
    "logseq/.recycle": "Logseq",
    "logseq/version-files": "Logseq",
    ".obsidian": "Obsidian",
    ".trash": "Obsidian",
    ".smart-env": "Obsidian",
    ".stversions": "Syncthing",
    ".stfolder": "Syncthing",
    ".dropbox.cache": "Dropbox",
    ".tmp.drivedownload": "Google Drive",
    ".tmp.driveupload": "Google Drive",
    ".sync": "Resilio Sync",
    ".resilio": "Resilio Sync",
    "@eaDir": "Synology",
    "#recycle": "Synology",
    "#snapshot": "Synology",
    ".SynologyWorkingDirectory": "Synology",
    ".Trash": "the file manager",
    ".Trashes": "macOS",
    "$RECYCLE.BIN": "Windows",
    ".history": "an editor",
    ".joplin": "Joplin",
    ".zk": "zk",
}
# Patterns are strings, which `re` compiles on first use: a search has no time for them.
_TRASH = r"\.Trash-\d+"
#: What sync programs add to a name when two machines changed a note: Dropbox, Nextcloud, Obsidian,
#: iCloud, Syncthing, Seafile, Synology, pCloud, Resilio.
_CONFLICT = (
    r"(?i) ?\([^()]*(?:conflicted copy|conflict(?:ed)? copy|conflict(?:ing)? version|case "
    r"conflict|sfconflict|충돌)[^()]*\)$"
    r"|\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]+)?$"
    r"|[ _-]?\[conflict(?:ed)?[^\]]*\]$"
    r"|\.conflict(?:ed)?\d*$"
    r"|_[^_]+_[A-Z][a-z]{2}-\d\d-\d{6}-\d{4}_Conflict$"
    r"|[ _-]conflict(?:ed)?[ _-](?:copy[ _-]?)?(?:on[ _-])?\d[\d_.-]*\d$"
)
#: What file managers and downloads add; a person does so too.
_NUMBERED = (
    r"(?i) ?\((?:[1-9]\d?)\)$| [2-9]$| ?-? ?copy(?: ?\(?\d+\)?)?$| ?-? ?(?:복사본|사본)(?: "
    r"?\(?\d+\)?)?$"
)


class Copy(NamedTuple):
    """The name of the original beside it, and whether only equal bytes make it a copy."""

    original: str
    must_equal: bool


def copy_of(name: str, beside: Collection[str] | Callable[[str], bool]) -> Copy | None:
    """Return of which file beside it a file is a copy by its name; None where it is none, or stands
    alone.
    """
    stem, dot, suffix = name.rpartition(".")
    is_there = beside if callable(beside) else beside.__contains__
    for pattern, must_equal in ((_CONFLICT, False), (_NUMBERED, True)):
        base = re.sub(pattern, "", stem)
        if base and base != stem and is_there(f"{base}{dot}{suffix}"):
            return Copy(f"{base}{dot}{suffix}", must_equal)
    return None


def keeper_of(folder: str, above: str) -> str:
    """Return the program that keeps copies in a folder of this name below another; '' for a folder
    of notes.
    """
    found = KEPT_FOLDERS.get(folder) or KEPT_FOLDERS.get(f"{above.lower()}/{folder}", "")
    return found or ("the file manager" if re.fullmatch(_TRASH, folder) else "")


def is_kept_folder(parts: Collection[str]) -> bool:
    """Say whether a path leads through a folder of copies."""
    names = list(parts)
    return any(keeper_of(name, above) for above, name in zip(["", *names], names, strict=False))
