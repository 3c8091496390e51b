"""Catalogues of messages: a file of gettext for each language but English.

`locale/LANG/LC_MESSAGES/gieok.po` is what a translator edits; `make docs` compiles it to
`gieok.mo`, which is read here. The hook before a tool imports this module: standard library alone,
and of it only what imports fast.
"""

import os
import struct
from functools import cache

ENGLISH = "en"
DOMAIN = "gieok"
LOCALES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "locale")
#: Where a compiled file says how many messages it has, where their table is and that of what they
#: are in the language, and how long a row of a table is.
_HEAD, _HEAD_AT = struct.Struct("<3I"), 8
_ROW = struct.Struct("<2I")
#: Stands between the use of a message and the message.
_USE_END = b"\x04"


class MessageFile:
    """Compiled messages of a language, each looked up where it stands in the file.

    The file is in the order in which Babel writes it: by the message, then by its use. To read all
    of it takes 10 ms, and most commands show a few messages.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._count, self._messages_at, self._said_at = (
            _HEAD.unpack_from(data, _HEAD_AT) if data else (0, 0, 0)
        )

    def find_translation(self, text: str, about: str = "") -> str:
        """Return a message in the language; the message where it has no translation."""
        wanted = (text.encode("utf-8", "surrogatepass"), about.encode())
        low, high = 0, self._count
        while low < high:
            middle = (low + high) // 2
            if self._read_message(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        if low == self._count or self._read_message(low) != wanted:
            return text
        return self._read_text(self._said_at, low).decode()

    def _read_message(self, place: int) -> tuple[bytes, bytes]:
        use, mark, text = self._read_text(self._messages_at, place).rpartition(_USE_END)
        return (text, use if mark else b"")

    def _read_text(self, table_at: int, place: int) -> bytes:
        size, start = _ROW.unpack_from(self._data, table_at + place * _ROW.size)
        return self._data[start : start + size]


def list_languages() -> list[str]:
    """Return the languages that a person can choose: English, and each that has a catalogue."""
    return [ENGLISH, *_find_catalogues()]


@cache
def _find_catalogues() -> tuple[str, ...]:
    """Return the languages with a catalogue; a command asks several times, the disk once."""
    return tuple(lang for lang in sorted(os.listdir(LOCALES)) if os.path.exists(_build_path(lang)))


def _build_path(lang: str) -> str:
    return os.path.join(LOCALES, lang, "LC_MESSAGES", f"{DOMAIN}.mo")


@cache
def load_catalogue(lang: str) -> MessageFile:
    """Return the catalogue of a language; one that translates nothing where there is none."""
    try:
        with open(_build_path(lang), "rb") as file:
            return MessageFile(file.read())
    except OSError:
        return MessageFile(b"")


def list_translations(lang: str) -> dict[str, str]:
    """Return message → translation of a language, without those that are told apart by a use."""
    import gettext  # with all messages 10 ms, which few commands pay

    found = gettext.translation(DOMAIN, LOCALES, [lang], fallback=True)
    rows: dict[str, str] = getattr(found, "_catalog", {})
    return {
        text: translation for text, translation in rows.items() if text and "\x04" not in str(text)
    }
