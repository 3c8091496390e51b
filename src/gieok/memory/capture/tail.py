"""Reads new lines of a file that other processes append to, rename, truncate or rewrite.

A file is identified by device and inode, else by its contents: a file with the same beginning and
the same bytes before the cursor is the file that was read, copied or rewritten. Only whole lines
are read; a partial line waits.
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple

from gieok.agents.formats import LONGEST_LINE_BYTES
from gieok.model.conversation import Cursor, Reject

#: Bytes of lines in one portion, which is one transaction.
PORTION_BYTES = 1 << 20
_HEAD_BYTES = 1024
_TAIL_BYTES = 256
_HEX = 24
#: `rollout-2026-11-21T20-58-44-….jsonl`, and `2026/11/21/` above it.
_DATED_NAME = re.compile(r"(20\d\d)-(\d\d)-(\d\d)(?:[T_](\d\d)[-:](\d\d)(?:[-:](\d\d))?)?[^/]*$")
_DATED_FOLDER = re.compile(r"/(20\d\d)/(\d\d)/(\d\d)/[^/]*$")


class TailLine(NamedTuple):
    """A whole line: its 1-based number, its offset, and its bytes without the line end."""

    number: int
    offset: int
    data: bytes


class Portion(NamedTuple):
    """Whole lines, the rejected ones between them, and the cursor behind them."""

    lines: list[TailLine]
    rejects: list[Reject]
    cursor: Cursor
    is_last: bool


class NotAFile(OSError):
    """Error for a path that is a folder, a pipe or another special file."""


def open_transcript(path: Path) -> BinaryIO:
    """Open a regular file without blocking (a pipe waits for a writer). Raises OSError."""
    descriptor = os.open(
        path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotAFile("not a regular file")
    return os.fdopen(descriptor, "rb", buffering=0)


def looks(path: Path) -> tuple[int, ...]:
    """Return the status of a file, which changes whenever the file does. Raises OSError."""
    status = path.stat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def read_file_identity(file: BinaryIO) -> str:
    """Return a file's identity, which stays when the file is renamed."""
    file_facts = os.fstat(file.fileno())
    return f"{file_facts.st_dev}:{file_facts.st_ino}"


def find_write_time(file: BinaryIO, path: Path) -> datetime:
    """Return when a file was written.

    That is the day in its name or its folders, else the time of its last change.
    """
    changed = datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, UTC)
    for sign in (_DATED_NAME, _DATED_FOLDER):
        if match := sign.search(path.as_posix()):
            parts = [int(part or 0) for part in match.groups()]
            try:
                named = datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type,misc]
            except (ValueError, TypeError):
                continue
            return min(named, changed)
    return changed


def read_change_time(path: Path) -> datetime:
    """Return when a path was changed last; the beginning of time if the path does not exist."""
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError:
        return datetime.fromtimestamp(0, UTC)


def pass_whole(own: str, path: str, data: bytes) -> Cursor:
    """Return the cursor behind the end of a file that is read in one piece."""
    return Cursor(own, path, len(data), head=_hash_file_part(data), head_bytes=len(data))


def find_resume_cursor(
    file: BinaryIO, path: Path, known: Iterable[Cursor], *, skips_copies: bool
) -> Cursor:
    """Return where to resume: behind the lines read of this file, or at its beginning.

    A new or replaced file is read from its beginning. Lines that were read of a sibling with the
    same beginning are skipped only with `skips_copies`.
    """
    own, here = read_file_identity(file), str(path)
    candidates = sorted(
        (cursor for cursor in known if cursor.identity == own or _is_sibling(cursor.path, here)),
        # The cursor of the file's own identity does not go first: its inode may be reused for a
        # copy of a file that was read further.
        key=lambda cursor: (-cursor.offset, cursor.identity != own),
    )
    for cursor in candidates:
        if (cursor.identity == own or cursor.offset >= _HEAD_BYTES) and continues(file, cursor):
            is_copy = cursor.identity != own or any(
                _is_further(other, cursor) for other in candidates
            )
            return (
                cursor._replace(identity=own, path=here)
                if skips_copies or not is_copy
                else Cursor(own, here)
            )
    return Cursor(own, here)


def _is_further(other: Cursor, cursor: Cursor) -> bool:
    """Say whether another file with the same beginning was read further.

    The cursor's inode may have been reused for a copy of that file.
    """
    is_same_beginning = (other.head, other.head_bytes) == (cursor.head, cursor.head_bytes)
    return other.identity != cursor.identity and is_same_beginning and other.offset > cursor.offset


def _is_sibling(one: str, other: str) -> bool:
    """Say whether two paths differ only after `.jsonl`: `a.jsonl` and `a.jsonl.reset.2026-…`."""
    return strip_rotation_suffix(one) == strip_rotation_suffix(other)


def strip_rotation_suffix(path: str) -> str:
    """Return a path up to `.jsonl`, which is the same for a rotated file."""
    return path.partition(".jsonl")[0]


def continues(file: BinaryIO, cursor: Cursor) -> bool:
    """Say whether a file has the head and tail that the cursor recorded."""
    if os.fstat(file.fileno()).st_size < cursor.offset:
        return False
    head = _hash_at(file, 0, cursor.head_bytes)
    return (
        head == cursor.head
        and _hash_at(file, cursor.offset - cursor.tail_bytes, cursor.tail_bytes) == cursor.tail
    )


def _hash_at(file: BinaryIO, offset: int, size: int) -> str:
    if not size:
        return ""
    file.seek(offset)
    return _hash_file_part(file.read(size))


def _hash_file_part(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_HEX]


def first_lines(file: BinaryIO, count: int) -> Iterator[bytes]:
    """Yield the first whole lines; a question mark stands for an overlong line."""
    cursor = Cursor("", "")
    while count > 0:
        portion = read_new_lines(file, cursor)
        yield from (line.data for line in portion.lines[:count])
        yield from (b"?" for _ in portion.rejects)
        if portion.cursor == cursor:
            return
        count -= len(portion.lines) + len(portion.rejects)
        cursor = portion.cursor


def bytes_before(file: BinaryIO, offset: int, most_bytes: int) -> bytes:
    """Return the whole lines within `most_bytes` before `offset`, which is a line end."""
    start = max(0, offset - most_bytes)
    file.seek(start)
    data = _read_all(file, offset - start)
    return data if start == 0 else data[data.find(b"\n") + 1 :]


def iter_lines_between(file: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    """Yield the whole lines from `start` to `end`, both line ends."""
    cursor = Cursor("", "", start)
    while cursor.offset < end:
        portion = read_new_lines(file, cursor)
        yield from (line.data for line in portion.lines if line.offset < end)
        if portion.cursor == cursor:
            return  # truncated in the meantime
        cursor = portion.cursor


def read_new_lines(file: BinaryIO, cursor: Cursor) -> Portion:
    """Return the next whole lines: about a megabyte, or one longer line."""
    file.seek(cursor.offset)
    data, size = _read_lines(file)
    if not size:
        return (
            _reject_long_line(file, cursor)
            if len(data) > LONGEST_LINE_BYTES
            else Portion([], [], cursor, True)
        )
    lines: list[TailLine] = []
    offset, number = cursor.offset, cursor.line
    for piece in bytes(memoryview(data)[: size - 1]).split(b"\n"):
        number += 1
        lines.append(TailLine(number, offset, piece))
        offset += len(piece) + 1
    return Portion(
        lines, [], _advance_cursor(file, cursor, offset, number), size == len(data) < PORTION_BYTES
    )


def _read_lines(file: BinaryIO) -> tuple[bytearray, int]:
    """Return bytes, and how many of them are whole lines; 0 for an overlong or partial line."""
    data = bytearray(file.read(PORTION_BYTES))
    size = data.rfind(b"\n") + 1
    while not size and len(data) <= LONGEST_LINE_BYTES and (more := file.read(PORTION_BYTES)):
        size = len(data) + more.rfind(b"\n") + 1 if b"\n" in more else 0
        data += more
    return data, size


def _read_all(file: BinaryIO, size: int) -> bytes:
    """Return the next `size` bytes, in several reads if needed.

    One read of an unbuffered file may return fewer bytes.
    """
    data = bytearray()
    while len(data) < size and (more := file.read(size - len(data))):
        data += more
    return bytes(data)


def _reject_long_line(file: BinaryIO, cursor: Cursor) -> Portion:
    """Skip an overlong line without holding it in memory; a partial line waits."""
    length = 0
    file.seek(cursor.offset)
    while piece := file.read(PORTION_BYTES):
        if (end := piece.find(b"\n")) >= 0:
            length += end + 1
            reject = Reject(
                path=cursor.path,
                line=cursor.line + 1,
                offset=cursor.offset,
                length=length,
                reason=f"longer than {LONGEST_LINE_BYTES:,} bytes",
            )
            return Portion(
                [],
                [reject],
                _advance_cursor(file, cursor, cursor.offset + length, cursor.line + 1),
                False,
            )
        length += len(piece)
    return Portion([], [], cursor, True)


def _advance_cursor(file: BinaryIO, cursor: Cursor, offset: int, line: int) -> Cursor:
    head, head_bytes = cursor.head, cursor.head_bytes
    if head_bytes < _HEAD_BYTES:
        head_bytes = min(offset, _HEAD_BYTES)
        head = _hash_at(file, 0, head_bytes)
    tail_bytes = min(offset, _TAIL_BYTES)
    tail = _hash_at(file, offset - tail_bytes, tail_bytes)
    return cursor._replace(
        offset=offset, line=line, head=head, head_bytes=head_bytes, tail=tail, tail_bytes=tail_bytes
    )
