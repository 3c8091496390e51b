"""Segments: what one device changed, as lines of an export with versions, compressed."""

import gzip
import io
import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from gieok.errors import BadRequest, Damaged, Phrase

VERSION = 2
#: Rows of a segment at most: a first synchronisation writes several.
MOST_ROWS = 5_000
#: Bytes of the lines of a segment at most.
_LARGEST_BYTES = 1 << 30
#: Fields that a row has to have as texts: each row, and each row of an item.
_OF_ROWS, _OF_ITEMS = ("is",), ("item", "scope")
#: What bytes raise that are no segment.
_DAMAGED = (
    OSError,
    EOFError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    zlib.error,
    RecursionError,
)
Row = Mapping[str, Any]


class Segment(NamedTuple):
    """Rows of a segment, its positions, and what of it is no row."""

    rows: list[dict[str, Any]]
    positions: dict[str, int]
    rejected: list[str]


def dump_segment(rows: Iterable[Row], positions: Mapping[str, int]) -> bytes:
    """Return a segment as bytes, the same for the same rows.

    `positions` say up to which message of each scope the device's messages are sent.
    """
    head = {"gieok": "segment", "version": VERSION, "positions": dict(positions)}
    lines = [json.dumps(row) for row in (head, *rows)]
    return gzip.compress("\n".join(lines).encode(), mtime=0)


def load_segment(data: bytes, what: str) -> Segment:
    """Return a segment; `what` is its name in errors.

    Raises Damaged, and BadRequest for the segment of a newer release.
    """
    try:
        lines = gzip.GzipFile(fileobj=io.BytesIO(data)).read(_LARGEST_BYTES).splitlines()
        head, *rows = map(json.loads, lines)
        version = int(head["version"])
        positions = {str(name): int(upto) for name, upto in head["positions"].items()}
    except _DAMAGED as error:
        raise Damaged("{what} is no segment of Gieok", what=Phrase(what)) from error
    if version > VERSION:
        raise BadRequest(
            "{what} was written by a newer Gieok (version {version})",
            what=Phrase(what),
            version=version,
            hint="update this one",
        )
    are_rows = [_is_row(row) for row in rows]
    return Segment(
        rows=[row for row, is_row in zip(rows, are_rows, strict=True) if is_row],
        positions=positions,
        rejected=[
            f"{what}: {line + 1}" for line, is_row in enumerate(are_rows, start=1) if not is_row
        ],
    )


def _is_row(row: object) -> bool:
    if not isinstance(row, dict):
        return False
    texts = (*_OF_ROWS, *(_OF_ITEMS if "item" in row or "scope" in row else ()))
    return all(isinstance(row.get(name), str) for name in texts)
