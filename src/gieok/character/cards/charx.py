"""Card in a CHARX archive: `card.json` and its assets.

Members that are not read stay as they are, packed. `zipfile` is not used: it trusts what an archive
says of itself, copies no member without unpacking it, and raises many errors.
"""

import stat
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from gieok.errors import BadRequest, Phrase

CARD = "card.json"
_HINT = "export the character again; as PNG or JSON it needs no archive"
_END = struct.Struct("<4sHHHHIIH")
_ROW = struct.Struct("<4sHHHHHHIIIHHHHHII")
_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_END_MARK, _ROW_MARK, _LOCAL_MARK = b"PK\x05\x06", b"PK\x01\x02", b"PK\x03\x04"
_LONGEST_COMMENT = 0xFFFF
#: Where a row of the central directory holds the offset of its member.
_OFFSET_AT = 42
_STORED, _DEFLATED = 0, 8
_ENCRYPTED, _UTF8 = 0x1, 0x800
_MOST_MEMBERS = 10_000
_MOST_UNPACKED = 64 << 20
#: How many times larger than packed a member may be, beyond its first bytes.
_MOST_RATIO, _FREE_BYTES = 100, 1 << 20
_STEP = 1 << 16


class CharxMember(NamedTuple):
    """Member of an archive.

    The fields say where its header and its packed bytes stand, and hold its original row in the
    central directory.
    """

    name: str
    row: bytes
    method: int
    crc: int
    packed: int
    size: int
    header: int
    start: int


class Charx(NamedTuple):
    """Archive that was checked.

    `front` holds the bytes before the first member: a picture, or nothing. `end` is where the
    central directory begins; `shift` is how many bytes in front the offsets in that directory do
    not count.
    """

    data: bytes
    members: tuple[CharxMember, ...]
    front: bytes
    comment: bytes
    end: int
    shift: int


def is_archive(data: bytes) -> bool:
    """Return whether bytes end as an archive does."""
    return data.rfind(_END_MARK, max(len(data) - _END.size - _LONGEST_COMMENT, 0)) >= 0


def open_charx(data: bytes) -> Charx:
    """Check an archive: every member's place, name, bounds and bytes. Raises BadRequest."""
    place = data.rfind(_END_MARK, max(len(data) - _END.size - _LONGEST_COMMENT, 0))
    if place < 0 or place + _END.size > len(data):
        raise BadRequest("the archive is cut off: it has no end", hint=_HINT)
    _, disk, first, here, count, size, offset, length = _END.unpack_from(data, place)
    begin = place - size
    _require_sound_archive(
        disk == first == 0 and here == count, "the archive is in several parts, or too large"
    )
    _require_sound_archive(
        count <= _MOST_MEMBERS,
        Phrase("the archive has more than {most:,} members", most=_MOST_MEMBERS),
    )
    _require_sound_archive(
        len(data) == place + _END.size + length, "something follows the archive's end"
    )
    _require_sound_archive(0 <= offset <= begin, "the archive's list of members is damaged")
    members = sorted(
        _read_charx_members(data, begin, place, count, begin - offset), key=lambda one: one.header
    )
    _check_charx_members(data, members, begin)
    front = data[: members[0].header] if members else b""
    return Charx(
        data=data,
        members=tuple(members),
        front=front,
        comment=data[place + _END.size :],
        end=begin,
        shift=begin - offset,
    )


def member(archive: Charx, name: str) -> bytes | None:
    """Return the bytes of a member; None where there is none."""
    entry = next((candidate for candidate in archive.members if candidate.name == name), None)
    return None if entry is None else _unpack_member(archive.data, entry)


def with_member(archive: Charx, name: str, content: bytes) -> bytes:
    """Return an archive in which a member has new bytes and stands last.

    Every other member stays as it is, packed.
    """
    ends = [*(entry.header for entry in archive.members[1:]), archive.end]
    pieces = [
        (archive.data[entry.header : end], entry.row)
        for entry, end in zip(archive.members, ends, strict=True)
        if entry.name != name
    ]
    return _pack_charx(archive, [*pieces, _pack_new_member(name, content)])


def build_charx(files: Sequence[tuple[str, bytes]]) -> bytes:
    """Return a new archive of files."""
    return _pack_charx(
        Charx(data=b"", members=(), front=b"", comment=b"", end=0, shift=0),
        [_pack_new_member(name, content) for name, content in files],
    )


def _pack_charx(archive: Charx, pieces: Sequence[tuple[bytes, bytes]]) -> bytes:
    body, rows, place = [archive.front], list[bytes](), len(archive.front) - archive.shift
    for piece, row in pieces:
        body.append(piece)
        rows.append(row[:_OFFSET_AT] + struct.pack("<I", place) + row[_ROW.size :])
        place += len(piece)
    end_fields = (0, 0, len(rows), len(rows), sum(map(len, rows)), place, len(archive.comment))
    return b"".join([*body, *rows, _END.pack(_END_MARK, *end_fields), archive.comment])


def _require_sound_archive(holds: bool, what: str) -> None:
    if not holds:
        raise BadRequest(what, hint=_HINT)


def _read_charx_members(
    data: bytes, place: int, end: int, count: int, shift: int
) -> list[CharxMember]:
    """Return the members that the central directory names.

    `shift`: bytes in front of the archive that its offsets do not count.
    """
    archive_members = []
    for _ in range(count):
        _require_sound_archive(place + _ROW.size <= end, "the archive's list of members is cut off")
        row = _ROW.unpack_from(data, place)
        after = place + _ROW.size + sum(row[10:13])
        _require_sound_archive(
            row[0] == _ROW_MARK and after <= end, "the archive's list of members is damaged"
        )
        name = _decode_member_name(data[place + _ROW.size : place + _ROW.size + row[10]], row[3])
        _require_sound_archive(
            not row[3] & _ENCRYPTED, Phrase("{name!r} in the archive is encrypted", name=name)
        )
        _require_sound_archive(
            row[4] in (_STORED, _DEFLATED),
            Phrase("{name!r} is packed in a way that is not read", name=name),
        )
        _require_sound_archive(
            not stat.S_ISLNK(row[15] >> 16), Phrase("{name!r} in the archive is a link", name=name)
        )
        header = row[16] + shift
        start = _content_start(data, header, place, name)
        archive_members.append(
            CharxMember(
                name=name,
                row=data[place:after],
                method=row[4],
                crc=row[7],
                packed=row[8],
                size=row[9],
                header=header,
                start=start,
            )
        )
        place = after
    _require_sound_archive(place == end, "the archive's list of members is damaged")
    return archive_members


def _decode_member_name(raw: bytes, flags: int) -> str:
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError:
        _require_sound_archive(not flags & _UTF8, "a name in the archive is no UTF-8")
        name = raw.decode("cp437")
    parts = name.replace("\\", "/").split("/")
    is_inside = (
        bool(name)
        and ".." not in parts
        and parts[0] != ""
        and not parts[0].endswith(":")
        and "\0" not in name
    )
    _require_sound_archive(is_inside, Phrase("{name!r} leads out of the archive", name=name[:80]))
    return name


def _content_start(data: bytes, header: int, end: int, name: str) -> int:
    _require_sound_archive(
        header + _LOCAL.size <= end, Phrase("{name!r} is not where the archive says", name=name)
    )
    local = _LOCAL.unpack_from(data, header)
    own = data[header + _LOCAL.size : header + _LOCAL.size + local[9]]
    _require_sound_archive(
        local[0] == _LOCAL_MARK and _decode_member_name(own, local[2]) == name,
        Phrase("{name!r} is not where the archive says", name=name),
    )
    start: int = header + _LOCAL.size + local[9] + local[10]
    return start


def _check_charx_members(data: bytes, members: Sequence[CharxMember], end: int) -> None:
    """Unpack every member in steps, keeping nothing, to verify it.

    The stored archive is then sound, and no zip bomb for its recipients.
    """
    _require_sound_archive(
        len({entry.name.replace("\\", "/") for entry in members}) == len(members),
        "a member is in the archive twice",
    )
    _require_sound_archive(
        sum(entry.size for entry in members) <= _MOST_UNPACKED,
        Phrase("the archive unpacks to over {most:,} bytes", most=_MOST_UNPACKED),
    )
    for entry, after in zip(members, [*(entry.header for entry in members[1:]), end], strict=True):
        _require_sound_archive(
            entry.start + entry.packed <= after,
            Phrase("{name!r} overlaps what follows it", name=entry.name),
        )
        _require_sound_archive(
            entry.size <= max(_FREE_BYTES, entry.packed * _MOST_RATIO),
            Phrase(
                "{name!r} would be {size:,} bytes out of {packed:,}",
                name=entry.name,
                size=entry.size,
                packed=entry.packed,
            ),
        )
        crc, size = 0, 0
        for piece in _iter_member_pieces(data, entry):
            crc, size = zlib.crc32(piece, crc), size + len(piece)
            _require_sound_archive(
                size <= entry.size,
                Phrase("{name!r} is larger than the archive says", name=entry.name),
            )
        _require_sound_archive(
            size == entry.size and crc == entry.crc,
            Phrase("{name!r} in the archive is damaged", name=entry.name),
        )


def _iter_member_pieces(data: bytes, one: CharxMember) -> Iterable[bytes]:
    packed = memoryview(data)[one.start : one.start + one.packed]
    return [bytes(packed)] if one.method == _STORED else _inflate_member(packed, one.name)


def _inflate_member(packed: memoryview, name: str) -> Iterator[bytes]:
    """Yield the content of a packed member in bounded pieces. Raises BadRequest."""
    inflate, place = zlib.decompressobj(-zlib.MAX_WBITS), 0
    while not inflate.eof:
        packed_chunk = inflate.unconsumed_tail
        if not packed_chunk:
            packed_chunk, place = bytes(packed[place : place + _STEP]), place + _STEP
        try:
            inflated_chunk = inflate.decompress(packed_chunk, _STEP)
        except zlib.error as error:
            raise BadRequest(
                "{name!r} in the archive is damaged: {error}", name=name, error=error, hint=_HINT
            ) from error
        _require_sound_archive(
            bool(packed_chunk or inflated_chunk or inflate.eof),
            Phrase("{name!r} in the archive is cut off", name=name),
        )
        yield inflated_chunk


def _unpack_member(data: bytes, one: CharxMember) -> bytes:
    return b"".join(_iter_member_pieces(data, one))


def _pack_new_member(name: str, content: bytes) -> tuple[bytes, bytes]:
    """Return a member with its header, and its central directory row for an archive with it at
    0.
    """
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed, raw, crc = (
        deflate.compress(content) + deflate.flush(),
        name.encode(),
        zlib.crc32(content),
    )
    method = (
        _DEFLATED
        if len(packed) < len(content) and len(content) <= len(packed) * _MOST_RATIO
        else _STORED
    )
    packed = packed if method == _DEFLATED else content
    fields = (20, _UTF8, method, 0, 0x21, crc, len(packed), len(content), len(raw), 0)
    local = _LOCAL.pack(_LOCAL_MARK, *fields) + raw + packed
    return local, _ROW.pack(_ROW_MARK, 20, *fields, 0, 0, 0, 0, 0) + raw
