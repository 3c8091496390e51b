"""Segments in a folder that another program synchronises, such as Dropbox or Syncthing."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from gieok import fs
from gieok.errors import RemoteUnreachable, find_os_reason
from gieok.ports.sync import SegmentName, parse_segment_path

_LARGEST_BYTES = 1 << 30


class SegmentFolder:
    """`SegmentRemote` in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: list[SegmentName] = []

    def fetch(self) -> None:
        """List the folder."""
        try:
            self._names = sorted(
                name
                for device in self._folder.iterdir()
                if device.is_dir()
                for file in device.iterdir()
                if (name := parse_segment_path(f"{device.name}/{file.name}"))
            )
        except OSError as error:
            raise self._build_error(error) from error

    def list_segments(self) -> Sequence[SegmentName]:
        """Return the segments."""
        return self._names

    def read(self, name: SegmentName) -> bytes:
        """Return the bytes of a segment, as far as the folder's program has brought them."""
        try:
            return fs.read_regular_file(self._folder / name.path, _LARGEST_BYTES)
        except OSError as error:
            raise self._build_error(error) from error

    def publish(self, segments: Mapping[SegmentName, bytes]) -> None:
        """Write each segment in one step, and read it back."""
        for name, data in segments.items():
            file = self._folder / name.path
            try:
                if file.exists():
                    continue
                fs.replace_private(file, data)
                is_whole = file.read_bytes() == data
            except OSError as error:
                raise self._build_error(error) from error
            if not is_whole:
                raise RemoteUnreachable("{file!r} does not read as it was written", file=file)

    def _build_error(self, error: OSError) -> RemoteUnreachable:
        return RemoteUnreachable(
            "the folder {folder!r} cannot be used: {reason}",
            folder=self._folder,
            reason=find_os_reason(error),
        )
