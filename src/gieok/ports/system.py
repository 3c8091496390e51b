"""Ports of the system: clock, file events, notifications."""

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
        """Yield the changed paths, once all have been quiet for `debounce_ms`.

        Yields an empty set when a rescan (`rescan_s`) is due. Ends when the process is interrupted.
        """


class Unseen(str):
    """Result of a check of a channel that cannot be tried without notifying somebody."""

    __slots__ = ()


class Channel(Protocol):
    """Channel by which a person is notified."""

    def send(self, title: str, text: str) -> str:
        """Send texts without secrets, once; return what happened. Raises NotifierFailed."""

    def check(self) -> str:
        """Return the result of a check, else `Unseen`; nobody is notified. Raises
        NotifierFailed.
        """


class Letters(Protocol):
    """Mails to other people than the owner of the home."""

    def send(self, address: str, title: str, text: str) -> str:
        """Send a text without secrets, once; return what happened.

        Raises NotifierFailed, BadConfig.
        """
