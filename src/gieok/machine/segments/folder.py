"""Segments in a folder that another program synchronises, such as Dropbox or Syncthing."""

import json
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from gieok import fs
from gieok.errors import Damaged, Phrase, RemoteUnreachable, find_os_reason
from gieok.ports.sync import (
    DEVICE,
    LARGEST_BYTES,
    SegmentName,
    build_checksum,
    is_stray,
    parse_segment_path,
)


class SegmentFolder:
    """`SegmentRemote` in a folder.

    `checked` is a file on this device for what was read and is whole; one process at a time uses
    it.
    """

    def __init__(self, folder: Path, checked: Path) -> None:
        self._folder = folder
        self._checked = checked
        self._paths: list[str] = []

    def probe(self) -> None:
        """List the folder."""
        try:
            list(self._folder.iterdir())
        except OSError as error:
            raise self._build_error(error) from error

    def fetch(self) -> None:
        """List the folder. What other programs keep there, and links, are left alone."""
        try:
            self._paths = [
                f"{device.name}/{file.name}"
                for device in sorted(self._folder.iterdir())
                if DEVICE.fullmatch(device.name) and device.is_dir() and not device.is_symlink()
                for file in sorted(device.iterdir())
            ]
        except OSError as error:
            raise self._build_error(error) from error

    def list_segments(self) -> Sequence[SegmentName]:
        """Return the segments."""
        return sorted(filter(None, map(parse_segment_path, self._paths)))

    def list_strays(self) -> Sequence[str]:
        """Return the files with other names, such as "(conflicted copy)"."""
        return [path for path in self._paths if is_stray(path)]

    def read(self, name: SegmentName) -> bytes:
        """Return the bytes of a segment, as far as the folder's program has brought them."""
        try:
            data = fs.read_regular_file(self._folder / name.path, LARGEST_BYTES)
        except OSError as error:
            reason = Phrase(find_os_reason(error))
            raise Damaged("{path!r} cannot be read: {reason}", path=name.path, reason=reason) from (
                error
            )
        return name.check(data)

    def list_damaged(self, names: Collection[SegmentName]) -> Sequence[SegmentName]:
        """Read the files that have another size or time than when they were read before."""
        before = self._load_checked()
        stamps = {name.path: self._read_stamp(name) for name in names}
        damaged = [
            name
            for name in names
            if stamps[name.path] != before.get(name.path, []) and self._is_damaged(name)
        ]
        broken = {name.path for name in damaged}
        whole = {path: stamp for path, stamp in stamps.items() if stamp and path not in broken}
        if whole != before:
            fs.replace_private(self._checked, json.dumps(whole))
        return damaged

    def _load_checked(self) -> dict[str, list[int]]:
        try:
            whole = json.loads(self._checked.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return whole if isinstance(whole, dict) else {}

    def _read_stamp(self, name: SegmentName) -> list[int]:
        """Return size and time of a file; [] where it cannot be asked."""
        try:
            facts = (self._folder / name.path).stat()
        except OSError:
            return []
        return [facts.st_size, facts.st_mtime_ns]

    def _is_damaged(self, name: SegmentName) -> bool:
        try:
            data = fs.read_regular_file(self._folder / name.path, LARGEST_BYTES)
        except OSError:
            return False
        return build_checksum(data) != name.checksum

    def publish(self, segments: Mapping[SegmentName, bytes]) -> None:
        """Write each segment in one step."""
        for name, data in segments.items():
            file = self._folder / name.path
            try:
                if os.path.lexists(file):
                    continue
                fs.replace_private(file, data)
            except OSError as error:
                raise self._build_error(error) from error
            self._paths.append(name.path)

    def _build_error(self, error: OSError) -> RemoteUnreachable:
        return RemoteUnreachable(
            "the folder {folder!r} cannot be used: {reason}",
            folder=self._folder,
            reason=find_os_reason(error),
        )
