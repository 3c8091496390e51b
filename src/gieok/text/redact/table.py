"""An index of rules by hint: one scan of a text finds the hints that it holds."""

from collections.abc import Iterator, Sequence

from gieok.text.redact.hints import Hints, places_of
from gieok.text.redact.plain import normalise_plain_text
from gieok.text.redact.rule import Rule, compile_on_use

#: No token is shorter, and most words are: prefixes of tokens are searched for in long words only.
_LONG = 20
#: A flag of a command line; programs that take a password behind one are looked for on such lines
#: only.
_FLAG = r" --?[a-z]"
#: Bytes → their kind, by which rules without a hint are tried: digits, capitals.
_KINDS = bytes(48 if 48 <= n <= 57 else 65 if 65 <= n <= 90 else n for n in range(256))
#: What no token of a provider holds, `?` for all that is not ASCII.
_APART = bytes((*range(33), *b"\"'`(),;<=>{}[]|&*!#?\\", 127))
_SOLID = bytes(32 if n in _APART else 46 if n in b".:" else 120 for n in range(256))


class Table:
    """An index of rules; those of `tokens` are looked for in long words only, those of `commands`
    on lines with a flag.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        tokens: frozenset[Rule],
        commands: frozenset[Rule] = frozenset(),
    ) -> None:
        self._rules = rules
        self._free: dict[tuple[bytes, ...], list[int]] = {}
        self._long: list[int] = []
        for order, rule in enumerate(rules):
            if rule.least:
                self._long.append(order)
            elif not rule.hints:
                self._free.setdefault(rule.needs, []).append(order)
        heads: list[tuple[int, Rule]] = []
        words: list[tuple[int, Rule]] = []
        programs: list[tuple[int, Rule]] = []
        for order, rule in enumerate(rules):
            is_head = rule in tokens and not any(" " in hint for hint in rule.hints)
            part = heads if is_head else programs if rule in commands else words
            part.append((order, rule))
        self._words = Hints(words)
        self._heads = Hints(heads)
        self._programs = Hints(programs) if programs else None

    def found(self, text: str, own: Sequence[Rule] = ()) -> list[tuple[int, int, str]]:
        """Return the spans of secrets; overlapping ones are joined under the name of the first
        rule.
        """
        read = normalise_plain_text(text)
        lower = lower_of(read.text)
        spans = self._spans(read.text, lower)
        spans += [
            (*span, len(self._rules) + n)
            for n, rule in enumerate(own)
            for span in rule.spans(read.text, lower)
        ]
        names = [rule.name for rule in (*self._rules, *own)] if spans else []
        return [
            (*read.original(start, end), names[order]) for start, end, order in _merge_spans(spans)
        ]

    def _hinted(
        self, text: str, lower: str, hint: str, users: Sequence[int], places: list[int]
    ) -> Iterator[tuple[int, int, int]]:
        """Yield the spans of the rules of one hint that stands at `places`."""
        opened: dict[str, list[int]] = {"": places}
        for order in users:
            rule = self._rules[order]
            if rule.opens not in opened:
                match = compile_on_use(rule.opens).match
                opened[rule.opens] = [at for at in places if match(text, at)]
            for span in rule.spans(text, lower, hint, opened[rule.opens]):
                yield (*span, order)

    def _spans(self, text: str, lower: str) -> list[tuple[int, int, int]]:
        spans: list[tuple[int, int, int]] = []
        data = text.encode("ascii", "replace")
        solid = data.translate(_SOLID)
        hits = list(self._words.present(lower))
        words = _long_words(solid)
        if words:
            lines = "\n".join(lower[start:end] for start, end in words)
            hits += _iter_hint_places(lower, self._heads.present(lines))
        if self._programs and (lines := _flagged_lines(lower)):
            hits += _iter_hint_places(lower, self._programs.present(lines))
        far: dict[int, list[int]] = {}
        for hint, users, places in hits:
            near = [order for order in users if self._rules[order].search is None]
            spans += self._hinted(text, lower, hint, near, places)
            for order in users:
                if self._rules[order].search is not None:
                    far.setdefault(order, []).extend(places)
        for order, places in far.items():
            spans += [
                (*span, order)
                for span in self._rules[order].spans(text, lower, "far", sorted(set(places)))
            ]
        kinds = data.translate(_KINDS)
        for needs, orders in self._free.items():
            around = max(self._rules[order].before for order in orders)
            windows = _list_search_windows(kinds, needs, around)
            spans += [
                (*span, order)
                for order in orders
                for window in windows
                for span in self._rules[order].within(text, *window)
            ]
        for order in self._long:
            least = self._rules[order].least
            longest = [word for word in words if word[1] - word[0] >= least]
            spans += [
                (*span, order)
                for word in longest
                for span in self._rules[order].within(text, *word)
            ]
        return spans


def _list_search_windows(
    kinds: bytes, needs: Sequence[bytes], around: int
) -> list[tuple[int, int]]:
    """Return the stretches of a text around what rules without a hint need, overlapping ones
    joined.
    """
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


def _iter_hint_places(
    lower: str, present: Iterator[tuple[str, list[int], list[int]]]
) -> Iterator[tuple[str, list[int], list[int]]]:
    """Yield hints that a part of a text holds, with their places in all of it."""
    for hint, users, _ in present:
        yield hint, users, places_of(lower, hint)


def lower_of(text: str) -> str:
    """Return the text with its ASCII letters in lower case, of the same length: a few other letters
    are longer in lower case.
    """
    if text.isascii():
        return text.lower()
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def _long_words(solid: bytes) -> list[tuple[int, int]]:
    """Return the spans of words with a row of at least `_LONG` characters.

    `solid`: x for each character that a token may hold, a dot for those that divide one, a blank
    for others.
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
    search = compile_on_use(_FLAG).search
    while flag := search(lower, at):
        end = lower.find("\n", flag.end())
        end = len(lower) if end < 0 else end
        lines.append(lower[lower.rfind("\n", 0, flag.start()) + 1 : end])
        at = end
    return "\n".join(lines)


def _merge_spans(spans: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
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
