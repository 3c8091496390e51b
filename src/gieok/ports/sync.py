"""What devices of one user exchange: segments, numbered files that a device writes once."""

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from gieok.errors import Damaged

DEVICE = re.compile(r"[0-9a-f]{8}")
_NAME = re.compile(r"([0-9a-f]{8})/([0-9]{6}|[1-9][0-9]{6,17})-([0-9a-f]{16})(\.key)?\.age")
_CHECKSUM_SIGNS = 16
_USERINFO = re.compile(r"(?<=://)[^/@\s]*@")
#: Number that a name of a segment has room for.
LARGEST_NUMBER = 10**18 - 1
#: Bytes of a segment at most.
LARGEST_BYTES = 1 << 30


class SegmentName(NamedTuple):
    """Name of a segment: the device that wrote it, its number there from 1 on, and its checksum.

    Two copies of one home give one number to two segments: the checksum of the encrypted bytes
    keeps their names apart. `is_key` marks a segment that carries a key to some devices alone.
    """

    device: str
    number: int
    checksum: str
    is_key: bool = False

    @property
    def path(self) -> str:
        """Return the segment's path in the remote."""
        return f"{self.device}/{self.file}"

    @property
    def file(self) -> str:
        """Return the name of the segment's file."""
        return f"{self.number:06}-{self.checksum}{'.key' if self.is_key else ''}.age"

    def check(self, data: bytes) -> bytes:
        """Return the bytes of the segment. Raises Damaged where they are others."""
        if build_checksum(data) != self.checksum:
            raise Damaged("{path!r} is not whole", path=self.path)
        return data


def build_checksum(data: bytes) -> str:
    """Return the checksum in the name of a segment with these bytes."""
    return hashlib.sha256(data).hexdigest()[:_CHECKSUM_SIGNS]


def parse_segment_path(path: str) -> SegmentName | None:
    """Return the segment that a path in the remote names; None for other files."""
    matched = _NAME.fullmatch(path)
    if matched is None:
        return None
    return SegmentName(matched[1], int(matched[2]), matched[3], is_key=bool(matched[4]))


def is_stray(path: str) -> bool:
    """Say whether a path is a segment's but for its name: a program gave it, as to a conflict."""
    device, _, file = path.partition("/")
    is_meant = file.endswith(".age") and not file.startswith((".", "~")) and "/" not in file
    return bool(DEVICE.fullmatch(device)) and is_meant and parse_segment_path(path) is None


def hide_userinfo(text: str) -> str:
    """Return a text without the names and passwords that stand in its URLs."""
    return _USERINFO.sub("", text)


class SegmentRemote(Protocol):
    """Place of the user's own that all devices reach: a Git repository, or a synchronised folder.

    Raises `RemoteUnreachable`.
    """

    def probe(self) -> None:
        """Ask whether the place can be reached; safe while another process synchronises."""

    def fetch(self) -> None:
        """Look at what is there now."""

    def list_segments(self) -> Sequence[SegmentName]:
        """Return the segments that were there at the last `fetch`, by device and number."""

    def list_strays(self) -> Sequence[str]:
        """Return the paths that are segments but for their names."""

    def read(self, name: SegmentName) -> bytes:
        """Return the bytes of a segment. Raises Damaged where they are not whole."""

    def list_damaged(self, names: Collection[SegmentName]) -> Sequence[SegmentName]:
        """Return the segments that are there with other bytes than they were written with.

        One that cannot be read now is not told of.
        """

    def publish(self, segments: Mapping[SegmentName, bytes]) -> None:
        """Add segments that are not there yet; no file that is there is changed.

        A segment whose name is taken is left out: whether it is the same, `read` tells.
        """
