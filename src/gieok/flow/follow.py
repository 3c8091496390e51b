"""Loop that follows files for every watcher: reads everything once, then each change.

All files are read again after `rescan_s` seconds without events, when folders were added, and after
a failed read, so that no change is lost between an event and its reader.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from gieok.ports.system import Watcher

_TICK_S = 1
_LONGEST_PAUSE_S = 300


class FollowedFolders(NamedTuple):
    """Folders to follow, which may grow, and the function that reads them.

    `read` takes the paths that changed; an empty set means: compare everything. It returns False
    when the read failed.
    """

    folders: Callable[[], Sequence[Path]]
    read: Callable[[set[Path]], bool]
    debounce_ms: int
    rescan_s: int
    #: Quiet time after which new folders (of an agent that runs for the first time, of another
    #: root) are looked for.
    folders_s: int = 60


def follow_files(
    watcher: Watcher, followed: FollowedFolders, is_stopped: Callable[[], bool] = lambda: False
) -> None:
    """Follow the folders until `is_stopped` returns True or the process is interrupted.

    `is_stopped` is called every second.
    """
    while not is_stopped() and _follow_folders(watcher, followed, is_stopped):
        pass


def _follow_folders(
    watcher: Watcher, followed: FollowedFolders, is_stopped: Callable[[], bool]
) -> bool:
    """Follow one fixed set of folders; return True when another set is to be watched."""
    folders = followed.folders()
    quiet_s, pause_s = 0, 1
    # The first answer means that events are on; what changed before it is read after it.
    has_missed = True
    for changed in watcher.changes(folders, followed.debounce_ms, _TICK_S):
        if is_stopped():
            return False
        quiet_s += 0 if changed else _TICK_S
        if (
            not changed
            and quiet_s % followed.folders_s == 0
            and set(followed.folders()) != set(folders)
        ):
            return True
        if changed or quiet_s % followed.rescan_s == 0 or (has_missed and quiet_s % pause_s == 0):
            has_missed = not followed.read(set() if has_missed else changed)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S) if has_missed else 1
            if is_stopped():
                return False
    return False
