"""Card in a PNG or APNG, in the text chunks `ccv3` (which wins) and `chara`, compressed or not.

Every other byte of the picture stays.
"""

import binascii
import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from gieok.character.cards.bounded_json import MOST_BYTES
from gieok.errors import BadRequest

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HINT = "copy or download the picture again"
_HEAD = struct.Struct(">I4s")
_AROUND = 12
_MOST_CHUNKS = 50_000
_NEW, _OLD = b"ccv3", b"chara"
#: Kinds of text chunks: plain, compressed, international.
_TEXTS = _PLAIN, _COMPRESSED, _INTERNATIONAL = b"tEXt", b"zTXt", b"iTXt"
#: Base64 takes a third more than the JSON in it.
_MOST_TEXT = MOST_BYTES * 4 // 3 + 4


class PngChunk(NamedTuple):
    """Chunk with its place in the file, length and checksum included; `body` is its content."""

    kind: bytes
    start: int
    end: int
    body: memoryview

    @property
    def keyword(self) -> bytes:
        """Return the keyword of a text chunk, in lower case; empty for another chunk."""
        return bytes(self.body[:80]).partition(b"\0")[0].lower() if self.kind in _TEXTS else b""

    @property
    def is_card(self) -> bool:
        """Return whether the chunk holds a card."""
        return self.keyword in (_NEW, _OLD)


def chunks(data: bytes) -> Iterator[PngChunk]:
    """Yield the chunks up to the last. Raises BadRequest for a truncated or damaged picture."""
    place, view = len(SIGNATURE), memoryview(data)
    for _ in range(_MOST_CHUNKS):
        if place + _AROUND > len(data):
            raise BadRequest("the picture is cut off at byte {place:,}", place=place, hint=_HINT)
        length, kind = _HEAD.unpack_from(data, place)
        end = place + _AROUND + length
        if end > len(data):
            raise BadRequest(
                "the picture is cut off: its chunk at byte {place:,} says {length:,} bytes",
                place=place,
                length=length,
                hint=_HINT,
            )
        if zlib.crc32(view[place + 4 : end - 4]) != int.from_bytes(view[end - 4 : end], "big"):
            raise BadRequest(
                "the picture is damaged: wrong checksum at byte {place:,}", place=place, hint=_HINT
            )
        yield PngChunk(kind, place, end, view[place + 8 : end - 4])
        if kind == b"IEND":
            return
        place = end
    raise BadRequest("the picture has more than {most:,} chunks", most=_MOST_CHUNKS, hint=_HINT)


def card_in(data: bytes) -> bytes | None:
    """Return the JSON of the card in a picture; None where there is none. Raises BadRequest."""
    held = {
        chunk.keyword: chunk
        for chunk in reversed([candidate for candidate in chunks(data) if candidate.is_card])
    }
    chunk = held.get(_NEW, held.get(_OLD))
    return None if chunk is None else _decode_card_chunk(_read_chunk_text(chunk))


def with_card(data: bytes, newest: str, older: str) -> bytes:
    """Return a picture with a card as `ccv3` and as `chara`.

    The card replaces earlier cards; without any, it stands before the end.
    """
    return _replace_card_chunks(data, _text_chunk(_OLD, older) + _text_chunk(_NEW, newest))


def without_card(data: bytes) -> bytes:
    """Return a picture without its cards."""
    return _replace_card_chunks(data, b"")


def blank(width: int = 400, height: int = 600) -> bytes:
    """Return a plain picture, for a card without a picture."""
    rows = (b"\0" + b"\x60" * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        SIGNATURE
        + _build_png_chunk(b"IHDR", head)
        + _build_png_chunk(b"IDAT", zlib.compress(rows, 9))
        + _build_png_chunk(b"IEND", b"")
    )


def _replace_card_chunks(data: bytes, added: bytes) -> bytes:
    pieces, place = [data[: len(SIGNATURE)]], len(SIGNATURE)
    for chunk in chunks(data):
        if chunk.is_card or chunk.kind == b"IEND":
            pieces.append(added)
            added = b""
        if not chunk.is_card:
            pieces.append(data[chunk.start : chunk.end])
        place = chunk.end
    return b"".join([*pieces, data[place:]])


def _read_chunk_text(chunk: PngChunk) -> bytes:
    """Return the text of a text chunk. Raises BadRequest for one that is damaged or too large."""
    text = bytes(chunk.body).partition(b"\0")[2]
    if chunk.kind == _PLAIN:
        return text
    is_compressed = chunk.kind == _COMPRESSED
    if chunk.kind == _INTERNATIONAL:
        is_compressed = text[:1] == b"\1"
        *_, text = text[2:].split(b"\0", 2)  # behind the language and the translated keyword
    else:
        text = text[1:]  # behind the method, of which there is one
    return _inflate_chunk(text) if is_compressed else text


def _inflate_chunk(data: bytes) -> bytes:
    inflating = zlib.decompressobj()
    try:
        text = inflating.decompress(data, _MOST_TEXT)
    except zlib.error as error:
        raise BadRequest(
            "the card in the picture cannot be unpacked: {error}", error=error, hint=_HINT
        ) from error
    if inflating.unconsumed_tail:
        raise BadRequest(
            "the card in the picture unpacks to more than {most:,} bytes",
            most=_MOST_TEXT,
            hint=_HINT,
        )
    return text


def _decode_card_chunk(text: bytes) -> bytes:
    if text.lstrip().startswith(b"{"):
        return text  # some programs leave out base64 in a compressed chunk
    text = b"".join(text.split())
    try:
        return binascii.a2b_base64(text + b"=" * (-len(text) % 4), strict_mode=True)
    except binascii.Error as error:
        raise BadRequest(
            "the card in the picture is no base64: {error}", error=error, hint=_HINT
        ) from error


def _text_chunk(keyword: bytes, text: str) -> bytes:
    return _build_png_chunk(
        b"tEXt", keyword + b"\0" + binascii.b2a_base64(text.encode(), newline=False)
    )


def _build_png_chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
