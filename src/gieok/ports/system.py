"""The clock, file events, notifications."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol


class Clock(Protocol):
    """Source of the current time."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""


class Watcher(Protocol):
    """Reports what changed below folders."""

    def changes(
        self, folders: Sequence[Path], debounce_ms: int, rescan_s: int
    ) -> Iterator[set[Path]]:
        """Yield the paths that changed, once all have been quiet for `debounce_ms`; an empty set
        when a rescan is due.

        Ends when the process is interrupted.
        """


class Unseen(str):
    """What a look at a way shows where nothing of it can be tried without telling somebody
    something.
    """

    __slots__ = ()


class Channel(Protocol):
    """One way to reach a person."""

    def send(self, title: str, text: str) -> str:
        """Send texts without secrets, once; return what happened. Raises NotifierFailed."""

    def check(self) -> str:
        """Return what a trial of the way shows, else `Unseen`; nobody is told anything. Raises
        NotifierFailed.
        """


class Notifier(Protocol):
    """Notifies a person of something that waits for them."""

    def notify(self, title: str, text: str) -> None:
        """Notify, once. Never raises: failures are logged."""
