"""An index of rules by hint: each hint is searched for once."""

from collections.abc import Iterable, Iterator, Sequence

from gieok.text.redact.plain import plain
from gieok.text.redact.rule import Rule, compiled

#: No token is shorter, and most words are: prefixes of tokens are searched for in long words only.
_LONG = 20
#: A flag of a command line; programs that take a password behind one are looked for on such lines only.
_FLAG = r" --?[a-z]"
#: Bytes → their kind, by which rules without a hint are tried: digits, capitals.
_KINDS = bytes(48 if 48 <= n <= 57 else 65 if 65 <= n <= 90 else n for n in range(256))
#: What no token of a provider holds, `?` for all that is not ASCII.
_APART = bytes((*range(33), *b"\"'`(),;<=>{}[]|&*!#?\\", 127))
_SOLID = bytes(32 if n in _APART else 46 if n in b".:" else 120 for n in range(256))
#: Stands for any non-ASCII character as a sign.
_NO_ASCII = "가"
_Hints = dict[str, list[tuple[str, str, list[int]]]]


class Table:
    """An index of rules; those of `tokens` are looked for in long words only, those of `commands` on lines with a flag."""

    def __init__(self, rules: Sequence[Rule], tokens: frozenset[Rule], commands: frozenset[Rule] = frozenset()) -> None:
        self._rules = rules
        self._free: dict[tuple[bytes, ...], list[int]] = {}
        self._long: list[int] = []
        for order, rule in enumerate(rules):
            if rule.least:
                self._long.append(order)
            elif not rule.hints:
                self._free.setdefault(rule.needs, []).append(order)
        is_head = [rule in tokens and not any(" " in hint for hint in rule.hints) for rule in rules]
        is_word = [not is_head[n] and rule not in commands for n, rule in enumerate(rules)]
        self._words = _by_hint((n, rule) for n, rule in enumerate(rules) if is_word[n])
        self._programs = _by_hint((n, rule) for n, rule in enumerate(rules) if rule in commands)
        self._heads = _by_hint((n, rule) for n, rule in enumerate(rules) if is_head[n])

    def found(self, text: str, own: Sequence[Rule] = ()) -> list[tuple[int, int, str]]:
        """Return the spans of secrets; overlapping ones are joined under the name of the first rule."""
        read = plain(text)
        lower = lower_of(read.text)
        spans = self._spans(read.text, lower)
        spans += [(*span, len(self._rules) + n) for n, rule in enumerate(own) for span in rule.spans(read.text, lower)]
        names = [rule.name for rule in (*self._rules, *own)] if spans else []
        return [(*read.original(start, end), names[order]) for start, end, order in _merged(spans)]

    def _hinted(
        self, text: str, lower: str, hint: str, users: Sequence[int], places: list[int]
    ) -> Iterator[tuple[int, int, int]]:
        """Yield the spans of the rules of one hint that stands at `places`."""
        opened: dict[str, list[int]] = {"": places}
        for order in users:
            rule = self._rules[order]
            if rule.opens not in opened:
                match = compiled(rule.opens).match
                opened[rule.opens] = [at for at in places if match(text, at)]
            for span in rule.spans(text, lower, hint, opened[rule.opens]):
                yield (*span, order)

    def _spans(self, text: str, lower: str) -> list[tuple[int, int, int]]:
        spans: list[tuple[int, int, int]] = []
        data = text.encode("ascii", "replace")
        solid = data.translate(_SOLID)
        hints = list(_present(self._words, lower))
        words = _long_words(solid)
        if words:
            hints += _present(self._heads, "\n".join(lower[start:end] for start, end in words))
        if self._programs and (lines := _flagged_lines(lower)):
            hints += _present(self._programs, lines)
        far: dict[int, list[int]] = {}
        for hint, users in hints:
            places = _places(lower, hint)
            near = [order for order in users if self._rules[order].search is None]
            spans += self._hinted(text, lower, hint, near, places)
            for order in users:
                if self._rules[order].search is not None:
                    far.setdefault(order, []).extend(places)
        for order, places in far.items():
            spans += [(*span, order) for span in self._rules[order].spans(text, lower, hint, sorted(set(places)))]
        kinds = data.translate(_KINDS)
        for needs, orders in self._free.items():
            around = max(self._rules[order].before for order in orders)
            windows = _windows(kinds, needs, around)
            spans += [
                (*span, order)
                for order in orders
                for window in windows
                for span in self._rules[order].within(text, *window)
            ]
        for order in self._long:
            least = self._rules[order].least
            longest = [word for word in words if word[1] - word[0] >= least]
            spans += [(*span, order) for word in longest for span in self._rules[order].within(text, *word)]
        return spans


def _windows(kinds: bytes, needs: Sequence[bytes], around: int) -> list[tuple[int, int]]:
    """Return the stretches of a text around what rules without a hint need, overlapping ones joined."""
    places: list[int] = []
    for need in needs:
        at = kinds.find(need)
        while at >= 0:
            places.append(at)
            at = kinds.find(need, at + 1)
    places.sort()
    windows: list[tuple[int, int]] = []
    for at in places:
        start, end = max(0, at - around), min(len(kinds), at + around)
        if windows and start <= windows[-1][1]:
            start, _ = windows.pop()
        windows.append((start, end))
    return windows


def _places(lower: str, hint: str) -> list[int]:
    """Return where a hint stands."""
    places = []
    at = lower.find(hint)
    while at >= 0:
        places.append(at)
        at = lower.find(hint, at + 1)
    return places


def lower_of(text: str) -> str:
    """Return the text with its ASCII letters in lower case, of the same length: a few other letters are longer in lower case."""
    if text.isascii():
        return text.lower()
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def _long_words(solid: bytes) -> list[tuple[int, int]]:
    """Return the spans of words with a row of at least `_LONG` characters.

    `solid`: x for each character that a token may hold, a dot for those that divide one, a blank for others.
    """
    words: list[tuple[int, int]] = []
    long = b"x" * _LONG
    at = solid.find(long)
    while at >= 0:
        end = solid.find(b" ", at + _LONG)
        end = len(solid) if end < 0 else end
        words.append((solid.rfind(b" ", 0, at) + 1, end))
        at = solid.find(long, end)
    return words


def _flagged_lines(lower: str) -> str:
    """Return the lines with a flag."""
    lines: list[str] = []
    at = 0
    search = compiled(_FLAG).search
    while found := search(lower, at):
        end = lower.find("\n", found.end())
        end = len(lower) if end < 0 else end
        lines.append(lower[lower.rfind("\n", 0, found.start()) + 1 : end])
        at = end
    return "\n".join(lines)


def _by_hint(rules: Iterable[tuple[int, Rule]]) -> _Hints:
    """Return sign → hints, each with a hint that is part of it and with its rules.

    A hint is searched for where its rarest sign occurs and the hint within it, if there is one: most lines have none.
    """
    users: dict[tuple[bool, str], list[int]] = {}
    for order, rule in rules:
        is_korean = any("가" <= char <= "힣" for char in rule.opens)  # its hints in English count in Korean texts only
        for hint in rule.hints:
            users.setdefault((is_korean or not hint.isascii(), hint), []).append(order)
    hints: _Hints = {}
    for is_korean, hint in sorted(users, key=lambda key: len(key[1])):
        sign = _NO_ASCII if is_korean else min((c for c in hint if not c.isalnum() and c != " "), default="")
        within = next((other for _, other in users if other in hint and other != hint), "")
        hints.setdefault(sign, []).append((hint, within, users[is_korean, hint]))
    return hints


def _has_hangul(text: str) -> bool:
    """Say whether a text has Hangul syllables, by the first byte that each of them has in UTF-8."""
    return not text.isascii() and any(
        byte in text.encode("utf-8", "surrogatepass") for byte in (b"\xea", b"\xeb", b"\xec", b"\xed")
    )


def _present(hints: _Hints, lower: str) -> Iterator[tuple[str, list[int]]]:
    """Yield the hints that a text holds, with their rules."""
    seen: dict[str, bool] = {"": True}
    for sign, rows in hints.items():
        if _has_hangul(lower) if sign == _NO_ASCII else sign in lower:
            for hint, within, users in rows:
                if within not in seen:
                    seen[within] = within in lower
                if hint not in seen:
                    seen[hint] = seen[within] and hint in lower
                if seen[hint]:
                    yield hint, users


def _merged(spans: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Return the spans in order, overlapping ones joined."""
    merged: list[tuple[int, int, int]] = []
    for start, end, order in sorted(spans, key=lambda span: (span[0], span[2])):
        if start == end:
            continue
        if merged and start < merged[-1][1]:
            first, last, known = merged[-1]
            merged[-1] = (first, max(last, end), known)
        else:
            merged.append((start, end, order))
    return merged
