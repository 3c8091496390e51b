"""Watching of files: who tells of changes, how long a file rests, how often all is compared."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from gieok import registry
from gieok.flow.follow import FollowedFolders, follow_files
from gieok.ports.system import Watcher


class Watching(NamedTuple):
    """Quiet time of a file before it is read, and the interval of full comparisons."""

    debounce_ms: int
    rescan_s: int

    def open_watcher(self) -> Watcher:
        """Return a new watcher of files. Raises MissingExtra."""
        watcher: Watcher = registry.load_backend(registry.WATCHERS, "watchfiles")()
        return watcher

    def follow(
        self,
        folders: Callable[[], Sequence[Path]],
        read: Callable[[set[Path]], bool],
        *,
        debounce_ms: int = 0,
        folders_s: int = 60,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Follow files (`flow.follow.follow_files`) until `is_stopped`, or the process is
        interrupted.
        """
        followed = FollowedFolders(
            folders=folders,
            read=read,
            debounce_ms=debounce_ms or self.debounce_ms,
            rescan_s=self.rescan_s,
            folders_s=folders_s,
        )
        follow_files(self.open_watcher(), followed, is_stopped)
