"""Handles: short names of memories, and checksums by which a line is found again.

Imported by the hook: see `gieok.hook`.
"""

import zlib

#: Pattern of a typed handle: the first digits are enough if no other memory has them; `.3` is the
#: third line of the memory.
HANDLE_PATTERN = r"([0-9a-f]{4,8})(?:\.([1-9]\d{0,5}))?"


def build_handle(scope: str, key: str, line: int = 0) -> str:
    """Return the short name of a document, such as `3fa9c01e`, or of one of its lines.

    Lines count from 1: `3fa9c01e.4`. A handle follows from scope and key alone, so nothing is
    stored for it. CRC-32 is used rather than a hash of `hashlib`, which costs the hook a
    millisecond to import: two of 10,000 documents share a handle in 1 % of all memories. Code that
    resolves a handle names every document that fits.
    """
    digits = f"{zlib.crc32(f'{scope}{chr(0)}{key}'.encode('utf-8', 'surrogatepass')):08x}"
    return f"{digits}.{line}" if line else digits


def line_check(text: str) -> int:
    """Return the checksum that is kept with a line number, to recognise the line again.

    Another line with the same number has another checksum.
    """
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))
