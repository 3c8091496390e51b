"""File names for Windows, macOS, Linux and Obsidian alike, made from a person's text."""

import re
import unicodedata

from gieok.text.late_pattern import defer_pattern

#: The last four cannot stand in links of Obsidian.
_FORBIDDEN = defer_pattern(r'[\\/:*?"<>|#^\[\]]')
_RESERVED = defer_pattern(
    r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?", re.IGNORECASE
)
_SPACES = defer_pattern(r"\s+")
#: Control characters, invisible characters (direction marks, joiners at an end), surrogates,
#: unassigned code points.
_UNSEEN = frozenset(("Cc", "Cs", "Cn", "Co", "Zl", "Zp"))
_DIRECTIONS = defer_pattern("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


def legal(title: str, most_bytes: int) -> str:
    """Return a readable name of at most `most_bytes` in UTF-8; '' where nothing is left.

    The name is in NFC, and cut between words.
    """
    text = _DIRECTIONS.sub("", unicodedata.normalize("NFC", title))
    text = "".join(" " if unicodedata.category(letter) in _UNSEEN else letter for letter in text)
    text = _trim_filename(_SPACES.sub(" ", _FORBIDDEN.sub(" ", text)))
    cut = _cut_filename(text, most_bytes)
    return f"_{cut}" if _RESERVED.fullmatch(cut) else cut


def _cut_filename(text: str, most_bytes: int) -> str:
    if len(text.encode()) <= most_bytes:
        return text
    part = text.encode()[:most_bytes].decode(errors="ignore")
    while part and (
        unicodedata.combining(text[len(part)])
        or text[len(part)] in "\u200d\ufe0f"
        or part[-1] == "\u200d"
    ):
        part = part[:-1]  # half of an emoji, or a letter without its mark
    head, space, _ = part.rpartition(" ")
    is_between = text[len(part) : len(part) + 1] == " "
    return _trim_filename(head if space and not is_between and len(head) > len(part) // 2 else part)


def _trim_filename(text: str) -> str:
    """Return a name without dots and spaces at its ends.

    Windows drops those at the end; a dot at the beginning hides the file.
    """
    return text.strip(" .\u200d\ufe0f").strip(" .")


def fold_file_name(name: str) -> str:
    """Return a key that is equal for names of the same file on any file system."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
