"""The one loop that follows files, for everybody who watches: everything once, then what changes.

Everything is read again after `rescan_s` seconds without events, where folders were added, and
after a failure, so that nothing falls between an event and its reader.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from gieok.ports.system import Watcher

_TICK_S = 1
_LONGEST_PAUSE_S = 300


class FollowedFolders(NamedTuple):
    """What is followed: folders, which may grow, and who reads them.

    `read` takes the paths that changed, or an empty set: compare everything. It returns False where
    it failed.
    """

    folders: Callable[[], Sequence[Path]]
    read: Callable[[set[Path]], bool]
    debounce_ms: int
    rescan_s: int
    #: New folders (of an agent that runs for the first time, another root) are found within this
    #: time of quiet.
    folders_s: int = 60


def follow_files(
    watcher: Watcher, followed: FollowedFolders, is_stopped: Callable[[], bool] = lambda: False
) -> None:
    """Read until `is_stopped`, which is asked every second, or until the process is interrupted."""
    while not is_stopped() and _follow_folders(watcher, followed, is_stopped):
        pass


def _follow_folders(
    watcher: Watcher, followed: FollowedFolders, is_stopped: Callable[[], bool]
) -> bool:
    """Return True where other folders are to be watched."""
    folders = followed.folders()
    quiet_s, pause_s = 0, 1
    # the first answer says that the events are on: what changed before it is read then
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
