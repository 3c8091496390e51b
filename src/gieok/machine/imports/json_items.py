"""Streaming reader of a JSON array or of JSON lines: an export may be larger than the memory.

A value ends with its closing bracket, so that a damaged value does not take the next one with it.
"""

import codecs
import json
import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from gieok.errors import GieokError
from gieok.model.conversation import Reject
from gieok.ports.imports import ImportFiles

_CHUNK_BYTES = 1 << 18
_BRACKET = re.compile(r'["\[\]{}]')
_STRING = re.compile(r'["\\]')
#: A longer value is left out: each value is held in memory whole.
LONGEST_CHARS = 200_000_000


class JsonItem(NamedTuple):
    """Value, its number from 1, and the number of characters before it."""

    number: int
    offset: int
    value: object


def items(
    files: ImportFiles, name: str, longest: int = LONGEST_CHARS
) -> Iterator[JsonItem | Reject]:
    """Yield the objects and arrays of a file: the elements of its array, or the top-level values.

    A file that breaks off, or cannot be opened, ends with a reject that says so.
    """
    place, reached = files.place(name), JsonItem(0, 0, None)
    try:
        with files.open(name) as stream:
            for item in _parse_json_items(stream, place, longest):
                reached = item if isinstance(item, JsonItem) else reached
                yield item
    except (OSError, GieokError) as error:
        yield Reject(
            path=place, line=reached.number + 1, offset=reached.offset, length=0, reason=str(error)
        )


def _parse_json_items(stream: BinaryIO, place: str, longest: int) -> Iterator[JsonItem | Reject]:
    for number, (offset, length, text) in enumerate(_split_raw_values(stream, longest), start=1):
        if text is None:
            yield Reject(
                path=place,
                line=number,
                offset=offset,
                length=length,
                reason=f"longer than {longest:,} characters",
            )
            continue
        try:
            yield JsonItem(number, offset, json.loads(text))
        except (ValueError, RecursionError) as error:
            yield Reject(
                path=place, line=number, offset=offset, length=length, reason=f"no JSON: {error}"
            )


class _Scan:
    """State of a scan. `base` is the depth at which values begin, -1 while it is unknown."""

    def __init__(self) -> None:
        self.base, self.depth = -1, 0
        self.is_string = self.is_escaped = False

    def begins(self, sign: str) -> bool:
        """Go into a bracket; say whether a value begins there."""
        if self.base < 0:
            self.base = 1 if sign == "[" else 0
        self.depth += 1
        return self.depth == self.base + 1

    def ends(self) -> bool:
        """Leave a bracket; say whether a value ends there."""
        was, self.depth = self.depth, max(self.depth - 1, 0)
        return was == self.base + 1


def _split_raw_values(stream: BinaryIO, longest: int) -> Iterator[tuple[int, int, str | None]]:
    """Yield (offset, length, text) of each value.

    The text of a value that is too long is None; a value that is cut off comes last.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    scan, before, start, held, length = _Scan(), 0, -1, list[str](), 0
    while data := stream.read(_CHUNK_BYTES):
        chunk = decoder.decode(data)
        begun = 0
        for is_begin, at in _find_value_edges(scan, chunk):
            if is_begin:
                start, begun, held, length = before + at, at, [], 0
            else:
                length += at - begun
                held.append(chunk[begun:at])
                yield start, length, "".join(held) if length <= longest else None
                start, held = -1, []
        if start >= 0:
            length += len(chunk) - begun
            held = [*held, chunk[begun:]] if length <= longest else []
        before += len(chunk)
    if start >= 0:
        yield start, length, "".join(held) if length <= longest else None


def _find_value_edges(scan: _Scan, chunk: str) -> Iterator[tuple[bool, int]]:
    """Yield the places in a chunk where values begin and end."""
    at = 0
    while at < len(chunk):
        if scan.is_escaped:
            scan.is_escaped, at = False, at + 1
            continue
        match = (_STRING if scan.is_string else _BRACKET).search(chunk, at)
        if not match:
            return
        sign, at = match[0], match.end()
        if sign == '"':
            scan.is_string = not scan.is_string
        elif sign == "\\":
            scan.is_escaped = True
        elif (is_begin := sign in "[{") and scan.begins(sign):
            yield True, at - 1
        elif not is_begin and scan.ends():
            yield False, at
