"""Finds the hints of all rules in a text by one scan.

The first short texts of a process are looked through for each hint by itself, because to prepare
the scan takes 20 ms: the hook before a tool redacts one command. From then on, looking for each of
some hundred hints by itself reads the text a hundred times. Here one pattern finds a *seed* of
each, which is a hint that holds no other one. The pattern is tried at the rarest sign of each seed
only (`k` of `token`, `w` of `pw`), so it looks closely at few places, and there alone for the hints
that hold the seed. Seeds without a rare sign are looked for by themselves, which is faster for
them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gieok.text.redact.rule import Rule, compile_on_use

#: Signs from the most frequent one in texts; any other is rarer still.
_FREQUENT = " etaoinsrhldcumfpgwybvkxjqz"
_RANKS = {sign: rank for rank, sign in enumerate(_FREQUENT)}
#: The place in `_FREQUENT` from which a sign is rare.
_RARE = _FREQUENT.index("c")
#: Characters of a short text, and how many of these are looked through without the scan.
_SHORT, _SHORT_TEXTS = 2_000, 4


class _Row(NamedTuple):
    """A hint with its rules; `seed_at`: where in it its seed stands."""

    hint: str
    orders: list[int]
    in_korean: bool
    seed_at: int


class Hints:
    """The hints of some rules, each with the places of its rules in their table."""

    def __init__(self, rules: Iterable[tuple[int, Rule]]) -> None:
        self._users: dict[tuple[bool, str], list[int]] = {}
        for order, rule in rules:
            # The English hints of a Korean rule count in Korean texts only.
            is_korean = has_hangul(rule.opens)
            for hint in rule.hints:
                self._users.setdefault((is_korean or has_hangul(hint), hint), []).append(order)
        self._short_left = _SHORT_TEXTS
        self._scan: _HintScan | None = None

    def present(self, lower: str) -> Iterator[tuple[str, list[int], list[int]]]:
        """Yield the hints that a text in lower case holds, with their rules and all their
        places.
        """
        if self._scan is None and self._short_left and len(lower) <= _SHORT:
            self._short_left -= 1
            return self._find_each(lower)
        if self._scan is None:
            self._scan = _HintScan(self._users)
        return self._scan.find_hints(lower)

    def _find_each(self, lower: str) -> Iterator[tuple[str, list[int], list[int]]]:
        is_korean = has_hangul(lower)
        for (in_korean, hint), orders in self._users.items():
            if hint in lower and (is_korean or not in_korean):
                yield hint, orders, places_of(lower, hint)


class _HintScan:
    """The scan of a text for many hints at once."""

    def __init__(self, users: Mapping[tuple[bool, str], list[int]]) -> None:
        seeds = _seeds_of({hint for _, hint in users})
        self._ascii = _pattern_of(seed for seed in seeds if seed.isascii())
        self._korean = _pattern_of(seeds)
        #: Sign → the seeds that are found by it, each with the place of the sign in it.
        self._signs: dict[str, list[tuple[str, int]]] = {}
        for seed in seeds:
            at = _sign_at(seed)
            self._signs.setdefault(seed[at], []).append((seed, at))
        self._by_seed: dict[str, list[_Row]] = {seed: [] for seed in seeds}
        self._others: list[_Row] = []
        for (is_korean, hint), orders in users.items():
            seed = next((seed for seed in seeds if seed in hint), "")
            rows = self._by_seed[seed] if seed else self._others
            rows.append(_Row(hint, orders, is_korean, hint.index(seed)))

    def find_hints(self, lower: str) -> Iterator[tuple[str, list[int], list[int]]]:
        """Yield the hints as `Hints.present` does."""
        is_korean = has_hangul(lower)
        at_seeds: dict[str, list[int]] = {}
        for match in compile_on_use(self._korean if is_korean else self._ascii).finditer(lower):
            at = match.start()
            for seed, sign_at in self._signs[lower[at]]:
                if at >= sign_at and lower.startswith(seed, at - sign_at):
                    at_seeds.setdefault(seed, []).append(at - sign_at)
        for seed, places in at_seeds.items():
            for row in self._by_seed[seed]:
                if row.in_korean and not is_korean:
                    continue
                starts = places if row.hint == seed else _find_hint_starts(lower, row, places)
                if starts:
                    yield row.hint, row.orders, starts
        for row in self._others:
            if row.hint in lower and (is_korean or not row.in_korean):
                yield row.hint, row.orders, places_of(lower, row.hint)


def _find_hint_starts(lower: str, row: _Row, seeds: Sequence[int]) -> list[int]:
    """Return where a hint stands, given all the places of its seed."""
    starts = (at - row.seed_at for at in seeds if at >= row.seed_at)
    return [at for at in starts if lower.startswith(row.hint, at)]


def places_of(lower: str, hint: str) -> list[int]:
    """Return where a hint stands."""
    places = []
    at = lower.find(hint)
    while at >= 0:
        places.append(at)
        at = lower.find(hint, at + 1)
    return places


def has_hangul(text: str) -> bool:
    """Say whether a text has Hangul syllables, by the first byte that each has in UTF-8."""
    if text.isascii():
        return False
    data = text.encode("utf-8", "surrogatepass")
    return any(byte in data for byte in (b"\xea", b"\xeb", b"\xec", b"\xed"))


def _seeds_of(hints: set[str]) -> list[str]:
    """Return the hints that hold no other hint, of those in English and Korean with a rare sign."""
    seeds = [hint for hint in hints if not _holds_another(hint, hints)]
    readable = [seed for seed in seeds if seed.isascii() or has_hangul(seed)]
    return [seed for seed in readable if _rank_sign_rarity(seed[_sign_at(seed)]) >= _RARE]


def _holds_another(hint: str, hints: set[str]) -> bool:
    """Say whether a hint holds another one; looks up its parts, of which a short text has few."""
    size = len(hint)
    return any(
        hint[start:end] in hints
        for start in range(size)
        for end in range(start + 1, size + 1)
        if end - start < size
    )


def _pattern_of(seeds: Iterable[str]) -> str:
    """Return the pattern that finds each seed at its rarest sign; one that finds nothing without
    any.
    """
    branches: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for seed in sorted(seeds):
        at = _sign_at(seed)
        groups = branches.setdefault(seed[at], {})
        groups.setdefault(seed[at - 1 : at], []).append((seed[:at], seed[at + 1 :]))
    parts = (
        re.escape(sign)
        + "(?:"
        + "|".join(_compile_sign_pairs(sign, *group) for group in groups.items())
        + ")"
        for sign, groups in sorted(branches.items())
    )
    return "|".join(parts) or r"(?!)"


def _compile_sign_pairs(sign: str, last: str, pairs: Sequence[tuple[str, str]]) -> str:
    """Return the alternatives for what is beside a sign, tried only where the sign before is
    `last`.
    """
    if not last:
        return "(?=" + "|".join(re.escape(behind) for _, behind in pairs) + ")"
    within = "|".join(
        f"(?<={re.escape(before + sign)})" + (f"(?={re.escape(behind)})" if behind else "")
        for before, behind in pairs
    )
    return within if len(pairs) == 1 else f"(?<={re.escape(last + sign)})(?:{within})"


def _sign_at(seed: str) -> int:
    """Return where the rarest sign of a seed stands."""
    return max(range(len(seed)), key=lambda n: _rank_sign_rarity(seed[n]))


def _rank_sign_rarity(sign: str) -> int:
    return _RANKS.get(sign, len(_FREQUENT))
