"""An index of rules by hint: each hint is searched for once."""

from collections.abc import Iterable, Iterator, Sequence

from gieok.text.redact.plain import plain
from gieok.text.redact.rule import Rule, compiled

#: No token is shorter, and most words are: prefixes of tokens are searched for in long words only.
_LONG_WORD = r"(?<!\S)\S{20,}"
#: Stands for any non-ASCII character as a sign.
_NO_ASCII = "가"
_Hints = dict[str, dict[str, list[int]]]


class Table:
    """An index of rules; those of `tokens` are looked for in long words only."""

    def __init__(self, rules: Sequence[Rule], tokens: frozenset[Rule]) -> None:
        self._rules = rules
        self._free: dict[str, list[int]] = {}
        for order, rule in enumerate(rules):
            if not rule.hints:
                self._free.setdefault(rule.needs, []).append(order)
        is_head = [rule in tokens and not any(" " in hint for hint in rule.hints) for rule in rules]
        self._words = _by_hint((n, rule) for n, rule in enumerate(rules) if not is_head[n])
        self._heads = _by_hint((n, rule) for n, rule in enumerate(rules) if is_head[n])

    def found(self, text: str, own: Sequence[Rule] = ()) -> list[tuple[int, int, str]]:
        """Return the spans of secrets; overlapping ones are joined under the name of the first rule."""
        read = plain(text)
        lower = read.text.lower()
        if len(lower) != len(read.text):  # a few letters are longer in lower case
            lower = "".join(char.lower() if char.isascii() else char for char in read.text)
        spans = self._spans(read.text, lower)
        spans += [(*span, len(self._rules) + n) for n, rule in enumerate(own) for span in rule.spans(read.text, lower)]
        names = [rule.name for rule in (*self._rules, *own)] if spans else []
        return [(*read.original(start, end), names[order]) for start, end, order in _merged(spans)]

    def _spans(self, text: str, lower: str) -> list[tuple[int, int, int]]:
        spans: list[tuple[int, int, int]] = []
        hints = list(_present(self._words, lower))
        if long_words := compiled(_LONG_WORD).findall(lower):
            hints += _present(self._heads, "\n".join(long_words))
        for hint, users in hints:
            at = lower.find(hint)
            spans += [(*span, order) for order in users for span in self._rules[order].spans(text, lower, hint, at)]
        for needs, orders in self._free.items():
            if compiled(needs).search(text):
                spans += [(*span, order) for order in orders for span in self._rules[order].spans(text, lower)]
        return spans


def _by_hint(rules: Iterable[tuple[int, Rule]]) -> _Hints:
    """Return sign → hint → rules: a hint is searched for where its rarest sign occurs, and most lines have none."""
    users: dict[str, list[int]] = {}
    for order, rule in rules:
        for hint in rule.hints:
            users.setdefault(hint, []).append(order)
    hints: _Hints = {}
    for hint, orders in users.items():
        sign = min((c for c in hint if not c.isalnum() and c != " "), default="") if hint.isascii() else _NO_ASCII
        hints.setdefault(sign, {})[hint] = orders
    return hints


def _present(hints: _Hints, lower: str) -> Iterator[tuple[str, list[int]]]:
    for sign, words in hints.items():
        if not lower.isascii() if sign == _NO_ASCII else sign in lower:
            for word, orders in words.items():
                if word in lower:
                    yield word, orders


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
