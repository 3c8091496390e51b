"""Detection of copies: files of sync programs beside a note, and backups of other programs.

A file whose name marks it as a copy is a copy only if its original is beside it: without the
original, the file is all that is left of the note. A name that only resembles a copy's (`plan
(1).md`) must hold the same bytes as the original, too.
"""

import re
from collections.abc import Callable, Collection
from typing import NamedTuple

#: Folders in which programs keep copies, drafts and settings: name → program. A name with `/`
#: means: only below a parent folder of that name.
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
#: What file managers and downloads add to a name; a person may add the same.
_NUMBERED = (
    r"(?i) ?\((?:[1-9]\d?)\)$| [2-9]$| ?-? ?copy(?: ?\(?\d+\)?)?$| ?-? ?(?:복사본|사본)(?: "
    r"?\(?\d+\)?)?$"
)


class Copy(NamedTuple):
    """Name of the original beside a copy, and whether only equal bytes make the file a copy."""

    original: str
    must_equal: bool


def copy_of(name: str, beside: Collection[str] | Callable[[str], bool]) -> Copy | None:
    """Return the original of which a file is a copy by its name.

    None for a file that is no copy, or whose original is not beside it.
    """
    stem, dot, suffix = name.rpartition(".")
    is_there = beside if callable(beside) else beside.__contains__
    for pattern, must_equal in ((_CONFLICT, False), (_NUMBERED, True)):
        base = re.sub(pattern, "", stem)
        if base and base != stem and is_there(f"{base}{dot}{suffix}"):
            return Copy(f"{base}{dot}{suffix}", must_equal)
    return None


def keeper_of(folder: str, above: str) -> str:
    """Return the program that keeps copies in a folder of this name; '' for a folder of notes.

    `above` is the name of the parent folder.
    """
    keeper = KEPT_FOLDERS.get(folder) or KEPT_FOLDERS.get(f"{above.lower()}/{folder}", "")
    return keeper or ("the file manager" if re.fullmatch(_TRASH, folder) else "")


def is_kept_folder(parts: Collection[str]) -> bool:
    """Say whether a path leads through a folder of copies."""
    names = list(parts)
    return any(keeper_of(name, above) for above, name in zip(["", *names], names, strict=False))
