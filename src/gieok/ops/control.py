"""The processes of a home: the daemon, and the server of its pages. How operations start, ask and
stop them.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol


class DaemonStatus(NamedTuple):
    """A daemon that runs: its process, when it was started, and what each of its parts is doing."""

    pid: int
    started_at: str
    version: str
    parts: Mapping[str, str]


class ServerStatus(NamedTuple):
    """A server that answers over HTTP: where, its process, and who started it (`serve`, `open`,
    `daemon`).
    """

    url: str
    pid: int
    by: str
    started_at: str
    version: str


class RecalledPrompt(NamedTuple):
    """A memory that the daemon puts before a prompt: its handle, where it stands (`path#L4`),
    probability, shown in full.
    """

    handle: str
    citation: str
    score: float
    is_sure: bool


class DaemonControl(Protocol):
    """Starts and stops the one daemon of a home folder, and the server of its pages."""

    def start(self) -> tuple[DaemonStatus, bool]:
        """Return the daemon that runs, and whether it was started now. Raises GieokError."""

    def stop(self) -> bool:
        """Stop it and a server that `serve` started, and return once they are gone; False where
        none ran.
        """

    def status(self) -> DaemonStatus | None:
        """Return what it says of itself; None where none runs."""

    def recalled(
        self,
        prompt: str,
        scopes: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        within_s: float,
    ) -> Sequence[RecalledPrompt] | None:
        """Return what it puts before a prompt, asked as the prompt's hook asks; None where it does
        not answer in time.
        """

    def serve(self) -> tuple[ServerStatus, bool]:
        """Return a server that is ready, and whether it was started now. Raises GieokError."""

    def server(self) -> ServerStatus | None:
        """Return the server that runs; None where none does."""
