"""Decoding of a note's bytes, whose encoding is guessed.

The encodings are UTF-8, UTF-16, UTF-32, CP949 (a superset of EUC-KR), Shift_JIS, EUC-JP and
Windows-1252.

A few bad bytes change no encoding: each encoding is tried with replacements, and judged by the
letters of the resulting text. Bytes that fit none are read as UTF-8 and reported as of an unknown
encoding.

Rejected, measured on 355 notes in CP949, from a word to a page (all decoded here, and none of 111
others mistaken for CP949): charset-normalizer 3.5 decodes 243, and 338 when limited to these
encodings; chardet 7.7 decodes 294, and takes broken UTF-8 for code pages of DOS.
"""

from collections.abc import Callable
from typing import NamedTuple

from gieok.text.late_pattern import defer_pattern

#: Byte order marks, longer ones first: that of UTF-32 begins with that of UTF-16.
_MARKS = (
    (b"\xff\xfe\0\0", "utf-32", "UTF-32"), (b"\0\0\xfe\xff", "utf-32", "UTF-32"),
    (b"\xff\xfe", "utf-16", "UTF-16"), (b"\xfe\xff", "utf-16", "UTF-16"),
)  # fmt: skip
_PROBE_BYTES = 8192
#: Least share of Hangul syllables among the non-ASCII letters of CP949 text; text of other
#: encodings, read as CP949, has fewer.
_LEAST_HANGUL = 0.6
#: Least share of the syllables of KS X 1001, those of ordinary words, among these; Shift_JIS read
#: as CP949 gives the rare syllables.
_LEAST_COMMON = 0.9
#: Least share of kana, and largest share of half-width kana, among the non-ASCII letters of
#: Japanese text.
_LEAST_KANA, _MOST_HALF_WIDE = 0.2, 0.1
#: Largest share of invalid bytes among the non-ASCII bytes.
_MOST_BAD = 0.2
#: Least share of accented letters that stand beside plain letters, in text of one byte a letter.
_LEAST_WITHIN = 0.75
#: Ratio of valid to invalid letters, or the other way round, that does not arise by chance.
_PAIRS_BY_CHANCE = 4
#: Least share of plain characters in UTF-16 text without a byte order mark.
_LEAST_PLAIN = 0.9
#: Least share of zero bytes at which bytes that are valid UTF-8 are taken for Latin letters in
#: UTF-16.
_LEAST_EMPTY = 0.3
#: Number of control characters that may be an accident; more are a program's, not a person's.
_FEW_CONTROLS = 2
_ACCIDENTAL, _MOST_CONTROLS = 0.25, 0.001
_CONTROL = defer_pattern("[\0-\x06\x0e-\x1a\x1c-\x1f]")
_WESTERN = defer_pattern(
    r"[A-Za-z][\u00c0-\u00ff\u0152\u0153\u0160\u0161\u017d\u017e]+"
    r"|[\u00c0-\u00ff\u0152\u0153]+[A-Za-z]"
)
#: Name of the encoding where none of the known ones fits.
UNKNOWN = "unknown"


class Decoded(NamedTuple):
    """A text, its encoding, and the offset of the first byte that was replaced (-1: none)."""

    text: str
    encoding: str
    first_replaced: int = -1

    @property
    def warning(self) -> str:
        """Return a warning for the person, '' for none."""
        if self.encoding == UNKNOWN:
            return (
                f"in an unknown encoding, read as UTF-8: from byte {self.first_replaced} on, "
                "what is invalid is replaced by "
                "\N{REPLACEMENT CHARACTER}; save it as UTF-8"
            )
        if self.first_replaced >= 0:
            return (
                f"invalid {self.encoding} at byte {self.first_replaced}: replaced by "
                f"\N{REPLACEMENT CHARACTER}"
            )
        return (
            ""
            if self.encoding == "UTF-8"
            else f"read as {self.encoding}; saved as UTF-8, no program has to guess"
        )


def decode_note_bytes(data: bytes) -> Decoded | None:
    """Return the decoded text of a file; None for a binary file."""
    for mark, codec, name in _MARKS:
        if data.startswith(mark):
            decoded = _decode_with_codec(data, codec, name)
            return (
                decoded if decoded.first_replaced < 0 or _is_mostly_readable(decoded.text) else None
            )
    if codec := _wide_codec(data[:_PROBE_BYTES]):
        decoded = _decode_with_codec(data, codec, codec.upper())
        if decoded.first_replaced < 0 and _is_mostly_readable(decoded.text):
            return decoded
    if _is_binary(data):
        return None
    decoded = _of_bytes(data)
    first = decoded.text.find("\0")
    if first < 0:
        return decoded
    at = (
        decoded.first_replaced
        if decoded.first_replaced >= 0
        else len(decoded.text[:first].encode())
    )
    return decoded._replace(
        text=decoded.text.replace("\0", "\N{REPLACEMENT CHARACTER}"), first_replaced=at
    )


def _wide_codec(probe: bytes) -> str:
    """Return the codec of UTF-16 without a byte order mark; '' for another encoding.

    The byte order follows from the zero bytes: all first or all second in their pairs.
    """
    if b"\0" not in probe:
        return ""
    even, odd = probe[::2].count(0), probe[1::2].count(0)
    is_utf8 = (
        even + odd < _LEAST_EMPTY * len(probe)
        and _decode_with_codec(probe, "utf-8", "").first_replaced < 0
    )
    if is_utf8 or bool(even) == bool(odd):
        return ""
    return "utf-16-be" if even else "utf-16-le"


def _of_bytes(data: bytes) -> Decoded:
    """Return the text of bytes that are not UTF-16 or UTF-32."""
    utf8 = _decode_with_codec(data, "utf-8-sig", "UTF-8")
    if utf8.first_replaced < 0 or _is_mostly_utf8(utf8.text):
        return utf8
    candidates: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
        ("cp949", "CP949", _is_mostly_korean),
        ("cp932", "Shift_JIS", _is_japanese),
        ("euc_jp", "EUC-JP", _is_japanese),
        ("cp1252", "Windows-1252", _is_western),
    )
    for codec, name, fits in candidates:
        decoded = _decode_with_codec(data, codec, name)
        if fits(decoded.text) and _has_few_bad(decoded.text):
            return decoded
    return utf8._replace(encoding=UNKNOWN) if _is_all_bad(utf8.text) else utf8


def _decode_with_codec(data: bytes, codec: str, name: str) -> Decoded:
    """Return the bytes decoded with one codec; invalid bytes are replaced."""
    try:
        return Decoded(data.decode(codec), name)
    except UnicodeDecodeError as error:
        # The offsets of `utf-8-sig` count from behind the byte order mark.
        start = error.start + (
            3 if codec == "utf-8-sig" and data.startswith(b"\xef\xbb\xbf") else 0
        )
        return Decoded(data.decode(codec, "replace"), name, start)


def _is_binary(data: bytes) -> bool:
    """Return whether bytes are a program's data.

    They hold more control characters that no keyboard types than accidents explain.
    """
    probe = data[:_PROBE_BYTES]
    if b"\0" not in probe:
        return False
    controls = len(_CONTROL.findall(probe.decode("latin-1")))
    few = min(_FEW_CONTROLS, _ACCIDENTAL * len(probe))
    return controls > max(few, _MOST_CONTROLS * len(probe))


def _is_mostly_utf8(text: str) -> bool:
    """Return whether a text read as UTF-8 has more valid letters than replaced bytes.

    In other encodings some pairs of bytes are valid UTF-8 by chance, but next to no triples, which
    Asian letters take.
    """
    bad = text.count("\N{REPLACEMENT CHARACTER}")
    wide = sum(1 for char in text if char >= "\u0800") - bad
    pairs = sum(1 for char in text if "\x7f" < char < "\u0800")
    is_cut = bad == 1 and text.endswith("\N{REPLACEMENT CHARACTER}")
    return wide >= bad or pairs >= _PAIRS_BY_CHANCE * bad or is_cut


def _is_all_bad(text: str) -> bool:
    """Return whether a text has hardly an Asian letter in valid UTF-8, and many invalid bytes.

    The invalid bytes are more than an accident explains.
    """
    bad = text.count("\N{REPLACEMENT CHARACTER}")
    wide = sum(1 for char in text if char >= "\u0800") - bad
    return bad > max(_FEW_CONTROLS, wide * _PAIRS_BY_CHANCE)


def _has_few_bad(text: str) -> bool:
    bad = text.count("\N{REPLACEMENT CHARACTER}")
    return bad <= max(_FEW_CONTROLS, _MOST_BAD * sum(1 for char in text if char > "\x7f"))


def _is_mostly_readable(text: str) -> bool:
    plain = sum(" " <= c <= "~" or c in "\t\r\n" or _is_syllable(c) or _is_eastern(c) for c in text)
    return plain >= _LEAST_PLAIN * len(text)


def _list_non_ascii_letters(text: str) -> list[str]:
    return [c for c in text if c > "\x7f" and c.isalpha()]


def _is_mostly_korean(text: str) -> bool:
    letters = _list_non_ascii_letters(text)
    syllables = [c for c in letters if _is_syllable(c)]
    common = sum(len(c.encode("euc_kr", "ignore")) == 2 for c in syllables)
    return (
        bool(letters)
        and len(syllables) >= _LEAST_HANGUL * len(letters)
        and common >= _LEAST_COMMON * len(syllables)
    )


def _is_japanese(text: str) -> bool:
    letters = _list_non_ascii_letters(text)
    kana = sum("\u3041" <= c <= "\u30ff" for c in letters)
    half_wide = sum("\uff66" <= c <= "\uff9f" for c in letters)
    eastern = sum(map(_is_eastern, letters))
    return (
        bool(letters)
        and kana >= _LEAST_KANA * len(letters)
        and half_wide <= _MOST_HALF_WIDE * len(letters)
        and eastern >= _LEAST_PLAIN * len(letters)
    )


def _is_western(text: str) -> bool:
    """Return whether accented letters stand inside of words, as in encodings of one byte a
    letter.
    """
    beyond = [c for c in text if c > "\x7f"]
    within = sum(len([c for c in word if c > "\x7f"]) for word in _WESTERN.findall(text))
    marks = sum(
        c
        in (
            "\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u20ac\u00a0\u00ab\u00bb\u00b0\u00a7\u00bf"
            "\u00a1"
        )
        for c in beyond
    )
    return bool(within) and within + marks >= _LEAST_WITHIN * len(beyond)


def _is_eastern(letter: str) -> bool:
    return (
        "\u3001" <= letter <= "\u30ff"
        or "\u4e00" <= letter <= "\u9fff"
        or "\uff01" <= letter <= "\uff60"
    )


def _is_syllable(letter: str) -> bool:
    return "가" <= letter <= "힣"


def convert_line_ends(text: str) -> str:
    """Return `text` with Unix line ends, so that lines count as in every editor."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
