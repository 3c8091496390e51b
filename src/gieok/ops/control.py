"""Control of a home's processes: the daemon, and the server of its pages.

Operations start, ask and stop them through it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol


class DaemonStatus(NamedTuple):
    """Running daemon: its process, its start time, and the activity of each of its parts."""

    pid: int
    started_at: str
    version: str
    parts: Mapping[str, str]


class ServerStatus(NamedTuple):
    """Running HTTP server: its address, its process, and its starter (`serve`, `open`,
    `daemon`).
    """

    url: str
    pid: int
    by: str
    started_at: str
    version: str


class RecalledPrompt(NamedTuple):
    """Memory that the daemon puts before a prompt.

    Its handle, its place (`path#L4`), its probability, and whether it is shown in full.
    """

    handle: str
    citation: str
    score: float
    is_sure: bool


class DaemonControl(Protocol):
    """Starter and stopper of a home folder's one daemon, and of the server of its pages."""

    def start(self) -> tuple[DaemonStatus, bool]:
        """Return the running daemon, and whether this call started it. Raises GieokError."""

    def stop(self) -> bool:
        """Stop the daemon and a server that `serve` started; return False where none ran.

        Returns once the processes are gone.
        """

    def status(self) -> DaemonStatus | None:
        """Return the daemon's own status; None where no daemon runs."""

    def recalled(
        self,
        prompt: str,
        scopes: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        within_s: float,
    ) -> Sequence[RecalledPrompt] | None:
        """Return the memories that the daemon puts before a prompt; None where it is late.

        The daemon is asked the same way as by the prompt's hook.
        """

    def serve(self) -> tuple[ServerStatus, bool]:
        """Return a server that is ready, and whether this call started it. Raises GieokError."""

    def server(self) -> ServerStatus | None:
        """Return the running server; None where no server runs."""
