"""Segments: what one device changed, as lines of an export with versions, compressed."""

import gzip
import json
from collections.abc import Iterable, Mapping
from typing import Any

from gieok.errors import BadRequest, Damaged, Phrase

VERSION = 1
#: Rows of a segment at most: a first synchronisation writes several.
MOST_ROWS = 5_000
Row = Mapping[str, Any]


def dump_segment(rows: Iterable[Row], positions: Mapping[str, int]) -> bytes:
    """Return a segment as bytes, the same for the same rows.

    `positions` say up to which message of each scope the device's messages are sent.
    """
    head = {"gieok": "segment", "version": VERSION, "positions": dict(positions)}
    lines = [json.dumps(row) for row in (head, *rows)]
    return gzip.compress("\n".join(lines).encode(), mtime=0)


def load_segment(data: bytes, what: str) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Return the rows of a segment and its positions; `what` is its name in errors.

    Raises Damaged, and BadRequest for the segment of a newer release.
    """
    try:
        head, *rows = (json.loads(line) for line in gzip.decompress(data).splitlines())
        version, positions = int(head["version"]), dict(head["positions"])
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise Damaged("{what} is no segment of Gieok", what=Phrase(what)) from error
    if version > VERSION:
        raise BadRequest(
            "{what} was written by a newer Gieok (version {version})",
            what=Phrase(what),
            version=version,
            hint="update this one",
        )
    return rows, positions
