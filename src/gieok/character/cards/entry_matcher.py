"""Selects the lorebook entries for a conversation, by their keys and decorators."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from gieok.character.cards.lorebook import Lorebook, LoreEntry

#: Characters examined in each message and in all messages together: with these limits a book of
#: 20,000 keys is searched in 50 ms.
_MOST_CHARS, _MOST_TEXT = 2_000, 8_000
_MOST_ROUNDS = 3
_MOST_REGEXES, _LONGEST_REGEX = 200, 200
#: Signs of a pattern that may backtrack over a text for ever: such a pattern never matches here.
_UNBOUNDED = re.compile(r"[*+{]|\\[1-9]|\(\?(?!:)")
_MOST_OPTIONAL, _MOST_GROUPS = 3, 2
_WORD = re.compile(r"[A-Za-z0-9]")


class Active(NamedTuple):
    """Entry that is told, and the reason: `constant`, or the key that was said."""

    entry: LoreEntry
    why: str


class LoreTalk(NamedTuple):
    """Recent messages, newest first, and how many replies the character gave; None for unknown."""

    texts: tuple[str, ...]
    replies: int | None = None


def find_active_entries(book: Lorebook, talk: LoreTalk) -> list[Active]:
    """Return the entries that belong to a conversation, in the order of the book."""
    active_by_number: dict[int, Active] = {}
    texts, regexes = [one[-_MOST_CHARS:] for one in talk.texts], [_MOST_REGEXES]
    more = ""
    for _ in range(_MOST_ROUNDS if book.is_recursive else 1):
        fresh = [
            Active(entry, why)
            for entry in book.entries
            if entry.number not in active_by_number
            and _is_entry_due(entry, talk)
            and (why := _explain_active_entry(entry, book, texts, more, regexes))
        ]
        active_by_number |= {one.entry.number: one for one in fresh}
        more = "\n".join(one.entry.text[:_MOST_CHARS] for one in fresh)[:_MOST_TEXT]
        if not more:
            break
    return [active_by_number[number] for number in sorted(active_by_number)]


def may(entry: LoreEntry, talk: LoreTalk) -> bool:
    """Return whether an entry may be told for another reason than its keys.

    The entry must be due, and nothing that rules it out was said.
    """
    text = "\n".join(talk.texts)[:_MOST_TEXT]
    return _is_entry_due(entry, talk) and not any(
        _iter_said_keys(entry.never, text if entry.is_case_sensitive else text.casefold(), entry)
    )


def _is_entry_due(entry: LoreEntry, talk: LoreTalk) -> bool:
    if not entry.is_enabled:
        return False
    if talk.replies is None:
        return True
    return talk.replies >= entry.after and not (entry.every and talk.replies % entry.every)


def _explain_active_entry(
    entry: LoreEntry, book: Lorebook, texts: Sequence[str], more: str, regexes: list[int]
) -> str:
    """Return why an entry is told, '' where it is not told.

    `regexes` counts down how many patterns may still be tried.
    """
    if entry.is_constant:
        return "constant"
    depth = (
        len(texts)
        if entry.is_kept
        else book.scan_depth
        if entry.scan_depth is None
        else entry.scan_depth
    )
    text = "\n".join((*texts[:depth], more))[:_MOST_TEXT]
    haystack = text if entry.is_case_sensitive else text.casefold()
    if entry.is_regex:
        return next(_iter_matched_patterns(entry, text, regexes), "")
    key = next(_iter_said_keys(entry.keys, haystack, entry), "")
    is_meant = all(any(_iter_said_keys(keys, haystack, entry)) for keys in entry.also) and not any(
        _iter_said_keys(entry.never, haystack, entry)
    )
    return key if key and is_meant else ""


def _iter_said_keys(keys: Sequence[str], said: str, entry: LoreEntry) -> Iterator[str]:
    """Yield the keys that were said.

    A key in Latin letters must stand alone; a Korean key may have an ending.
    """
    for key in keys:
        needle = key if entry.is_case_sensitive else key.casefold()
        place = said.find(needle)
        while place >= 0:
            if not (
                _is_word_joined(said, place, needle[0], -1)
                or _is_word_joined(said, place + len(needle) - 1, needle[-1], 1)
            ):
                yield key
                break
            place = said.find(needle, place + 1)


def _is_word_joined(said: str, place: int, edge: str, step: int) -> bool:
    """Return whether a word continues beyond the edge of a key."""
    beyond = said[place + step : place + step + 1] if place + step >= 0 else ""
    return bool(beyond) and _WORD.match(beyond) is not None and _WORD.match(edge) is not None


def _iter_matched_patterns(entry: LoreEntry, text: str, regexes: list[int]) -> Iterator[str]:
    for key in entry.keys:
        regexes[0] -= 1
        pattern = (
            _compile_bounded_pattern(key, entry.is_case_sensitive) if regexes[0] >= 0 else None
        )
        if pattern is not None and pattern.search(text):
            yield key


@lru_cache(maxsize=512)
def _compile_bounded_pattern(key: str, is_case_sensitive: bool) -> re.Pattern[str] | None:
    """Return the pattern of a key if it ends soon on every text; None otherwise."""
    form = re.fullmatch(r"/(.*)/([a-z]*)", key, re.DOTALL)
    body, flags = (form[1], form[2]) if form else (key, "" if is_case_sensitive else "i")
    signs = re.sub(r"\\[^1-9]|\[[^\]]*\]", "", body).replace("(?:", "(")
    is_bounded = (
        len(body) <= _LONGEST_REGEX
        and not _UNBOUNDED.search(signs)
        and signs.count("?") <= _MOST_OPTIONAL
        and signs.count("(") <= _MOST_GROUPS
    )
    try:
        return re.compile(body, re.IGNORECASE if "i" in flags else 0) if is_bounded else None
    except (re.error, OverflowError, RecursionError):
        return None
