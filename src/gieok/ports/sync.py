"""What devices of one user exchange: segments, numbered files that a device writes once."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

_NAME = re.compile(r"([0-9a-f]{8})/([0-9]{6})\.age")


class SegmentName(NamedTuple):
    """Name of a segment: the device that wrote it, and its number there, from 1 on."""

    device: str
    number: int

    @property
    def path(self) -> str:
        """Return the segment's path in the remote."""
        return f"{self.device}/{self.number:06}.age"


def parse_segment_path(path: str) -> SegmentName | None:
    """Return the segment that a path in the remote names; None for other files."""
    matched = _NAME.fullmatch(path)
    return SegmentName(matched[1], int(matched[2])) if matched else None


class SegmentRemote(Protocol):
    """Place of the user's own that all devices reach: a Git repository, or a synchronised folder.

    Raises `RemoteUnreachable`.
    """

    def fetch(self) -> None:
        """Look at what is there now."""

    def list_segments(self) -> Sequence[SegmentName]:
        """Return the segments that were there at the last `fetch`, by device and number."""

    def read(self, name: SegmentName) -> bytes:
        """Return the bytes of a segment."""

    def publish(self, segments: Mapping[SegmentName, bytes]) -> None:
        """Add segments that are not there yet; no file that is there is changed.

        A segment whose name is taken is left out. Returns once all are there to be read.
        """
