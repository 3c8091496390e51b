"""A rule of redaction: its data, and the search for its pattern."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

#: Returns the span of the secret in a match, None without one; an empty span: no secret begins
#: before its end either.
Cut = Callable[[re.Match[str]], tuple[int, int] | None]
#: Yields the spans of secrets of a text, given where the hints of a rule stand.
Search = Callable[[str, Sequence[int]], Iterator[tuple[int, int]]]
#: Characters after its hint that a match beginning before the hint may reach.
_BEHIND = 300
#: Characters of the longest head that a token has before its hint, or a number around its digits.
AROUND = 60
#: Characters before its name at which a secret may begin.
_BEFORE = 110


def cut_secret_group(found: re.Match[str]) -> tuple[int, int]:
    """Cut the group `secret`, or the whole match where there is none."""
    return found.span("secret" if "secret" in found.re.groupindex else 0)


class Rule(NamedTuple):
    """One kind of secret.

    `hints` are lower-case substrings at the beginning of a match, or at most `before` characters
    after it; the pattern is tried there only, because almost no text holds a secret and a substring
    search is a hundred times cheaper. Without hints the text is searched where one of `needs` is
    found in its kinds of characters: `0` a digit, `A` a capital; it is then searched `before`
    characters around. With `least`, words of at least that many characters are searched. `cut`
    returns the secret's span and may check further (check digits). `lead` finds a secret before its
    name: it ends where the match begins. `opens` is a pattern that several rules begin
    with: where it does not match at a hint, none of them is tried. `in_source` rules hold in source
    code too. `search` finds secrets that stand further away, given all the places of the hints,
    each of which is a beginning of `pattern`.
    """

    name: str
    hints: tuple[str, ...]
    pattern: str
    example: str
    counter_example: str
    before: int = 0
    cut: Cut = cut_secret_group
    in_source: bool = True
    needs: tuple[bytes, ...] = ()
    lead: str = ""
    opens: str = ""
    least: int = 0
    search: Search | None = None

    def spans(
        self, text: str, lower: str, hint: str = "", places: Sequence[int] = ()
    ) -> Iterator[tuple[int, int]]:
        """Yield the spans of secrets. `lower`: the text in lower case, of the same length;
        `places`: where its hint stands.
        """
        if not hint:
            return self._cut_each(compile_on_use(self.pattern).finditer(text))
        if self.search is not None:
            return self.search(
                text, [at for at in places if compile_on_use(self.pattern).match(text, at)]
            )
        return self._around(text, lower, hint, places[0]) if self.before else self._at(text, places)

    def _at(self, text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
        match = compile_on_use(self.pattern).match
        least = 0
        for at in places:
            if at < least:
                continue
            hit = match(text, at)
            if hit and self.lead:
                hit = compile_on_use(self.lead).search(text, max(0, at - _BEFORE), at)
            span = self.cut(hit) if hit else None
            if span:
                yield span
                least = span[1]

    def _around(self, text: str, lower: str, hint: str, at: int) -> Iterator[tuple[int, int]]:
        """Search around each hint, once where the spans overlap."""
        while at >= 0:
            start, end = max(0, at - self.before), at + len(hint)
            while 0 <= (at := lower.find(hint, end)) <= end + _BEHIND + self.before:
                end = at + len(hint)
            yield from self.within(text, start, end + _BEHIND)

    def within(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Return the spans of secrets between two offsets."""
        return self._cut_each(compile_on_use(self.pattern).finditer(text, start, end))

    def _cut_each(self, matches: Iterator[re.Match[str]]) -> Iterator[tuple[int, int]]:
        for match in matches:
            if span := self.cut(match):
                yield span


def compile_after_words(words: str, blank: str) -> str:
    """Return a pattern of a position right after one of the words, so that the pattern itself
    begins with a hint.
    """
    return "(?:" + "|".join(f"(?<={word})|(?<={word}{blank})" for word in words.split()) + ")"


@cache
def compile_on_use(pattern: str) -> re.Pattern[str]:
    """Compile a pattern on first use: all of them take 60 ms, and most processes meet no secret."""
    return re.compile(pattern)


#: Characters before a place in which the words are that say what stands there.
_MOST_BEFORE = 420


def search_before(pattern: re.Pattern[str], text: str, at: int) -> re.Match[str] | None:
    """Return the match of a pattern in what stands before a place; one that ends with `$` matches
    right before it.
    """
    return pattern.search(text, max(0, at - _MOST_BEFORE), at)


#: Characters of a line before a place that are read.
_MOST_LINE = 120


def line_before(text: str, at: int) -> str:
    """Return what stands on its line before a place."""
    return text[max(0, at - _MOST_LINE) : at].rpartition("\n")[2]
