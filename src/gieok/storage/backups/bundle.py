"""Backup as one file: a gzipped tar with a manifest at its end.

The manifest names the size and the checksum of every file. A backup is streamed both ways: memory
does not grow with the home. `tar xzf` opens a backup too. The content is trusted only once the
whole file was read: the manifest comes last, and an encrypted file counts as cut off unless its
last block says that it is the last.
"""

import gzip
import hashlib
import io
import json
import os
import re
import tarfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple

from gieok.errors import Damaged, Phrase, ShapeMismatch, StoreError

#: Version of the format; it grows when an older gieok could not restore a newer backup.
FORMAT = 1
_ABOUT, _MANIFEST = "about.json", "manifest.json"
#: Pattern of a member's name: `home/` or `cold/`, then plain names. No `..`, no absolute path; on
#: Windows no drive.
_NAME = re.compile(
    r"(?:home|cold)(?:/(?!\.{1,2}(?:/|\Z))[^/\x00%s]+)+" % (r"\\:" if os.name == "nt" else "")
)
_CHUNK = 1 << 20
#: Level of compression. Of 250 MB of words in two languages, 6 takes 11 s and leaves 22 %, 4 takes
#: 4 s and leaves 24 %.
_LEVEL = 4
_MOST_ABOUT_BYTES = 1 << 20
_MOST_MANIFEST_BYTES = 1 << 28


class BackupSource(NamedTuple):
    """File to put into a backup.

    Its name in the backup, its time of change (Unix seconds), and its path or its open stream.
    """

    name: str
    mtime_s: float
    content: Path | BinaryIO

    def open(self) -> BinaryIO:
        """Return the stream to read. Raises OSError."""
        return self.content.open("rb") if isinstance(self.content, Path) else self.content


class Bundled(NamedTuple):
    """Content of a backup: its description of itself, and name → (size, SHA-256) of its files."""

    about: Mapping[str, object]
    files: Mapping[str, tuple[int, str]]

    @property
    def content_bytes(self) -> int:
        """Return the size of all files."""
        return sum(size for size, _ in self.files.values())


class _Counted:
    """Reader of a file for `tarfile` that computes its checksum.

    A file that shrinks meanwhile ends the backup.
    """

    def __init__(self, source: BackupSource, stream: BinaryIO) -> None:
        self._source, self._stream = source, stream
        self.sum = hashlib.sha256()

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        if len(data) < size:
            raise StoreError(
                "{name!r} changed while it was copied",
                name=self._source.name,
                hint="run `gieok backup` again",
            )
        self.sum.update(data)
        return data


def write_bundle(
    out: BinaryIO, about: Mapping[str, object], sources: Iterable[BackupSource]
) -> Bundled:
    """Write a backup. Raises OSError, StoreError."""
    files: dict[str, tuple[int, str]] = {}
    about = {"format": FORMAT, **about}
    with (
        gzip.GzipFile(fileobj=out, mode="wb", compresslevel=_LEVEL, filename="", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        _add_tar_member(tar, _ABOUT, json.dumps(about).encode())
        for source in sources:
            if not _NAME.fullmatch(source.name) or source.name in files:
                raise StoreError(
                    "{name!r} cannot be kept under this name in a backup",
                    name=source.name,
                    hint="rename it",
                )
            if size_and_sum := _put_source(tar, source):
                files[source.name] = size_and_sum
        rows = {
            "files": {
                name: {"bytes": size, "sha256": total} for name, (size, total) in files.items()
            }
        }
        _add_tar_member(tar, _MANIFEST, json.dumps(rows).encode())
    return Bundled(about, files)


def _put_source(tar: tarfile.TarFile, source: BackupSource) -> tuple[int, str] | None:
    """Put a file into the tar; None where the file is gone."""
    try:
        stream = source.open()
    except FileNotFoundError:
        return None
    with stream:
        # The size of the open file: the name may stand for another file by now.
        size = os.fstat(stream.fileno()).st_size
        counted = _Counted(source, stream)
        tar.addfile(_build_tar_info(source.name, size, source.mtime_s), counted)  # type: ignore[arg-type]
    return size, counted.sum.hexdigest()


def _build_tar_info(name: str, size: int, mtime_s: float = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mtime, info.mode = size, int(mtime_s), 0o600
    return info


def _add_tar_member(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    tar.addfile(_build_tar_info(name, len(data)), io.BytesIO(data))


#: Function of a file's name and its time of change that returns the stream for the content; None:
#: the file is only read.
Take = Callable[[str, float], BinaryIO | None]


def read_bundle(source: BinaryIO, what: str, take: Take = lambda name, mtime: None) -> Bundled:
    """Read a whole backup; `what` is its name in errors.

    Raises Damaged, ShapeMismatch; OSError from `take`.
    """
    try:
        with gzip.GzipFile(fileobj=source, mode="rb") as packed:
            bundled = _read_tar_members(packed, what, take)
            while packed.read(_CHUNK):  # so that its own sum is compared too
                pass
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError) as error:
        raise _build_bundle_error(what, str(error) or type(error).__name__) from error
    while source.read(_CHUNK):  # an encrypted one is whole only where its end was read
        pass
    return bundled


def _read_tar_members(packed: gzip.GzipFile, what: str, take: Take) -> Bundled:
    about: dict[str, object] | None = None
    files: dict[str, tuple[int, str]] = {}
    with tarfile.open(fileobj=packed, mode="r|") as tar:
        while (info := tar.next()) is not None:
            tar.members = []  # type: ignore[attr-defined]  # else it keeps every one
            stream = tar.extractfile(info) if info.isreg() else None
            if stream is None:
                raise _build_bundle_error(
                    what, Phrase("{name!r} in it is no plain file", name=info.name)
                )
            if about is None:
                about = _read_bundle_header(what, info, stream)
            elif info.name == _MANIFEST:
                _compare_bundle_manifest(
                    what, _read_bundle_json(what, info, stream, _MOST_MANIFEST_BYTES), files
                )
                return Bundled(about, files)
            elif not _NAME.fullmatch(info.name) or info.name in files:
                raise _build_bundle_error(
                    what,
                    Phrase(
                        "{name!r} in it would be written outside the home, or twice", name=info.name
                    ),
                )
            else:
                files[info.name] = _copy_tar_member(stream, take(info.name, info.mtime))
    raise _build_bundle_error(what, "it is cut off")


def _copy_tar_member(stream: IO[bytes], out: BinaryIO | None) -> tuple[int, str]:
    total, size = hashlib.sha256(), 0
    try:
        while data := stream.read(_CHUNK):
            total.update(data)
            size += len(data)
            if out:
                out.write(data)
    finally:
        if out:
            out.close()
    return size, total.hexdigest()


def _read_bundle_header(what: str, info: tarfile.TarInfo, stream: IO[bytes]) -> dict[str, object]:
    if info.name != _ABOUT:
        raise _build_bundle_error(what, "it was not made by `gieok backup`")
    about = _read_bundle_json(what, info, stream, _MOST_ABOUT_BYTES)
    version = about.get("format")
    if not isinstance(version, int) or version < 1:
        raise _build_bundle_error(what, "it was not made by `gieok backup`")
    if version > FORMAT:
        raise ShapeMismatch(
            "the backup {what!r} has format {version}, this gieok reads {newest}",
            what=what,
            version=version,
            newest=FORMAT,
            hint="update gieok",
        )
    return about


def _read_bundle_json(
    what: str, info: tarfile.TarInfo, stream: IO[bytes], most: int
) -> dict[str, object]:
    try:
        row = json.loads(stream.read(most))
    except ValueError as error:
        raise _build_bundle_error(
            what, Phrase("{name!r} in it cannot be read", name=info.name)
        ) from error
    if not isinstance(row, dict):
        raise _build_bundle_error(what, Phrase("{name!r} in it cannot be read", name=info.name))
    return row


def _compare_bundle_manifest(
    what: str, manifest: Mapping[str, object], files: Mapping[str, tuple[int, str]]
) -> None:
    listed = manifest.get("files")
    if not isinstance(listed, dict) or listed.keys() != files.keys():
        raise _build_bundle_error(what, "its files are not those of its manifest")
    for name, (size, total) in files.items():
        if listed[name] != {"bytes": size, "sha256": total}:
            raise _build_bundle_error(
                what, Phrase("{name!r} in it is not what was backed up", name=name)
            )


def _build_bundle_error(what: str, why: str) -> Damaged:
    return Damaged(
        "the backup {what!r} is damaged: {why}",
        what=what,
        why=Phrase(why),
        hint="`gieok backup list` names others; `gieok backup verify FILE` tries one",
    )
