"""Selects the lorebook entries for a conversation, by their keys and decorators."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from gieok.character.cards.bounded_pattern import compile_key_pattern, is_pattern_form
from gieok.character.cards.lorebook import Lorebook, LoreEntry, SecondaryLogic

#: Characters examined in each message and in all messages together: with these limits a book of
#: 20,000 keys is searched in 50 ms.
_MOST_CHARS, _MOST_TEXT = 2_000, 8_000
_MOST_ROUNDS = 3
#: Steps that all patterns of a book may take for one reply, at worst; then none is tried any more.
_MOST_STEPS = 12_000_000
_WORD = re.compile(r"[A-Za-z0-9]")


class Active(NamedTuple):
    """Entry that is told, and the reason: `constant`, or the key that was said."""

    entry: LoreEntry
    why: str


class LoreTalk(NamedTuple):
    """Recent messages, newest first, and how many replies the character gave; None for unknown."""

    texts: tuple[str, ...]
    replies: int | None = None


@dataclass(slots=True)
class _PatternBudget:
    """Steps that patterns may still take."""

    steps: int = _MOST_STEPS

    def takes(self, cost: int) -> bool:
        """Return whether a search of this cost may run, and count it."""
        if cost > self.steps:
            return False
        self.steps -= cost
        return True


def find_active_entries(book: Lorebook, talk: LoreTalk, random: Random) -> list[Active]:
    """Return the entries that belong to a conversation, in the order of the book.

    `random` decides about entries that are told now and then.
    """
    active_by_number: dict[int, Active] = {}
    missed = set[int]()
    texts, budget = [one[-_MOST_CHARS:] for one in talk.texts], _PatternBudget()
    more = ""
    for step in range(_MOST_ROUNDS if book.is_recursive else 1):
        fitting = [
            Active(entry, why)
            for entry in book.entries
            if entry.number not in active_by_number
            and entry.number not in missed
            and (entry.is_brought or not step)
            and _is_entry_due(entry, talk)
            and (why := _explain_active_entry(entry, book, texts, more, budget))
        ]
        fresh = [one for one in fitting if _is_drawn(one.entry, random)]
        active_by_number |= {one.entry.number: one for one in fresh}
        missed |= {one.entry.number for one in fitting} - active_by_number.keys()
        bringing = (one.entry.text[:_MOST_CHARS] for one in fresh if one.entry.may_bring)
        more = "\n".join(bringing)[:_MOST_TEXT]
        if not more:
            break
    return [active_by_number[number] for number in sorted(active_by_number)]


def may_be_recalled(entry: LoreEntry, talk: LoreTalk) -> bool:
    """Return whether an entry may be told because it is similar to what was said.

    Where its author set conditions, they alone decide.
    """
    return _is_entry_due(entry, talk) and not entry.has_conditions


def _is_drawn(entry: LoreEntry, random: Random) -> bool:
    return entry.probability >= 1 or random.random() < entry.probability


def _is_entry_due(entry: LoreEntry, talk: LoreTalk) -> bool:
    if not entry.is_enabled:
        return False
    if talk.replies is None:
        return True
    return talk.replies >= entry.after and not (entry.every and talk.replies % entry.every)


def _explain_active_entry(
    entry: LoreEntry, book: Lorebook, texts: Sequence[str], more: str, budget: _PatternBudget
) -> str:
    """Return why an entry is told, '' where it is not told."""
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

    def is_said(keys: Sequence[str]) -> bool:
        return any(_iter_said_keys(keys, text, haystack, entry, budget))

    key = next(_iter_said_keys(entry.keys, text, haystack, entry, budget), "")
    is_meant = (
        bool(key)
        and all(map(is_said, entry.also))
        and not is_said(entry.never)
        and _hold_secondary_keys(entry, [is_said((one,)) for one in entry.secondary])
    )
    return key if is_meant else ""


def _hold_secondary_keys(entry: LoreEntry, are_said: Sequence[bool]) -> bool:
    """Return whether the secondary keys are as the author wants them."""
    if not are_said:
        return True
    if entry.logic is SecondaryLogic.ANY_SAID:
        return any(are_said)
    if entry.logic is SecondaryLogic.ALL_SAID:
        return all(are_said)
    return not (any(are_said) if entry.logic is SecondaryLogic.NONE_SAID else all(are_said))


def _iter_said_keys(
    keys: Sequence[str], text: str, haystack: str, entry: LoreEntry, budget: _PatternBudget
) -> Iterator[str]:
    """Yield the keys that were said: a pattern in `text`, plain words in `haystack`."""
    for key in keys:
        found = compile_key_pattern(key, is_bare=entry.is_regex, has_case=entry.is_case_sensitive)
        if found is not None:
            if budget.takes(len(text) * found.ways) and found.pattern.search(text):
                yield key
        elif not is_pattern_form(key) and _is_word_said(key, haystack, entry):
            yield key


def _is_word_said(key: str, said: str, entry: LoreEntry) -> bool:
    """Return whether plain words were said.

    A key in Latin letters must stand alone, unless the author says otherwise; a Korean key may have
    an ending.
    """
    needle = key if entry.is_case_sensitive else key.casefold()
    place = said.find(needle)
    while place >= 0:
        if entry.is_whole_word is False or not (
            _is_word_joined(said, place, needle[0], -1)
            or _is_word_joined(said, place + len(needle) - 1, needle[-1], 1)
        ):
            return True
        place = said.find(needle, place + 1)
    return False


def _is_word_joined(said: str, place: int, edge: str, step: int) -> bool:
    """Return whether a word continues beyond the edge of a key."""
    beyond = said[place + step : place + step + 1] if place + step >= 0 else ""
    return bool(beyond) and _WORD.match(beyond) is not None and _WORD.match(edge) is not None
