"""File events by the `watchfiles` library.

The library wraps Rust's notify (inotify, FSEvents, ReadDirectoryChanges).
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import watchfiles

#: A file that never stops changing is reported after this long.
_LONGEST_WAIT_MS = 30_000
_TICK_S = 1


class FileWatcher:
    """`Watcher` on the operating system's events."""

    def changes(
        self, folders: Sequence[Path], debounce_ms: int, rescan_s: int
    ) -> Iterator[set[Path]]:
        """Yield the set of changed paths each time the folders become quiet.

        An empty set is yielded soon after the start, so that the caller looks for earlier changes.
        """
        quiet_s = 0
        for events in watchfiles.watch(
            *folders,
            watch_filter=None,
            # The library checks every `step` and yields after one step without events: the quiet
            # time lasts one to two steps.
            step=debounce_ms * 2 // 3,
            debounce=_LONGEST_WAIT_MS,
            rust_timeout=_TICK_S * 1000,
            yield_on_timeout=True,
            raise_interrupt=True,
        ):
            quiet_s += 0 if events else _TICK_S
            if events or quiet_s == _TICK_S or quiet_s % rescan_s == 0:
                yield {Path(path) for _, path in events}
