"""Values of a line that may be a secret: words, quoted parts, and what follows a sign or a verb."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gieok.text.secrets.cues import is_replaced


class LineValue(NamedTuple):
    """Part of a line that may be a secret.

    `form` says how it was cut: `t` a word, `s` behind a sign, `h` before one, `u` between signs of
    a word, `q` in quotation marks, `r` behind a verb or a sign up to a break, `l` from the start of
    the line, `b` behind a break; `e` without an ending, `p` with the stops behind it, `w` cut after
    some words.
    """

    start: int
    end: int
    form: str


_OPENING = "\"'`([{<“‘「『*_"
_CLOSING = "\"'`)]}>”’」』*_,.;:!?…~"
#: Stops that may belong to a password.
_STOPS = "!?*~_."
_LEAST, _MOST, _LONGEST_PART = 2, 120, 80
_MOST_WORDS, _MOST_BREAKS = 6, 3
_QUOTED = re.compile(
    r"\"([^\"\n]{2,80})\"|'([^'\n]{2,80})'|`([^`\n]{2,80})`|“([^”\n]{2,80})”|‘([^’\n]{2,80})’"
    r"|「([^」\n]{2,80})」|『([^』\n]{2,80})』|<<([^>\n]{2,80})>>"
)
_WORD = re.compile(r"\S+")
_SIGN = re.compile(r"=>|->|→|⇒|=|:(?!//)|\||\t|,|[<>&%]")
_INNER = re.compile(r"[^/@;'\"()#]+")
_INNER_SIGNS = "/@;'\"()#"
#: Korean particles and endings that stand behind a value.
_ENDING = re.compile(
    r"(이었던|였던|이었는데|였는데|이었어요|였어요|이었어|였어|이래요|이래|래요|이라고|라고|이라는"
    r"|라는|이라서|라서|이라|이거든요|거든요|이거든|거든|이잖아|잖아|이니까|니까|인데요|인데|이지요"
    r"|이죠|이지|이에요|예요|에요|이야|입니다|입니당|이다|이고요|이고|구요|이구|임|이며|이랑|랑|으로"
    r"|로|에서|에다|에|까지|부터|보다|처럼|만|도|을|를|은|는|이|가|과|와|의|야|요|고|다|죠|지|네요"
    r"|네|라|던데|이던데|하나|뿐|쓰면|치면)$"
)
BREAK = re.compile(r"[,;()\[\]{}·•]|[.!?。](?=\s|$)|\s[-–—|/]\s|\s#\s|\s//\s")
_VERB = re.compile(
    r"(?:(?<=\s)(?:is|was|be|are|to|=|:|as|says|use|used|set|now|still|called|enter|type|try|with"
    r"|word|phrase|answer|password|passphrase|code|pin|key|it's|its|it’s)"
    r"|[:=→>|]|[가-힣](?:은|는|이|가|도|로|을|를|번|호|드|면|데|어|고|라|키|문|구|답))(?=\s)"
)
_BULLET = re.compile(r"\s*(?:[-*•▶☎※■○●·]|\d+[.)]|[①-⑨])\s*")


def list_values(line: str) -> list[LineValue]:
    """Return the values of a line, each place once."""
    forms: dict[tuple[int, int], str] = {}
    for match in _QUOTED.finditer(line):
        group = match.lastindex or 0
        forms.setdefault(match.span(group), "q")
    words = [match.span() for match in _WORD.finditer(line)]
    for start, end, form in (*_cut_words(line, words), *_cut_parts(line, words)):
        for value in _trim_value(line, start, end, form):
            forms.setdefault((value.start, value.end), value.form)
    return [
        LineValue(start, end, form)
        for (start, end), form in forms.items()
        if not is_replaced(line, start, end)
    ]


def iter_placed_values(lines: Sequence[str]) -> Iterator[tuple[int, int, LineValue]]:
    """Yield the values of lines: the line's number, where it starts once all are joined by line
    breaks, and the value.
    """
    at = 0
    for row, line in enumerate(lines):
        for value in list_values(line):
            yield row, at, value
        at += len(line) + 1


def _cut_words(line: str, words: Sequence[tuple[int, int]]) -> Iterator[LineValue]:
    """Yield each word, and what stands between the signs inside of it."""
    for start, end in words:
        yield LineValue(start, end, "t")
        word = line[start:end]
        signs = [match.span() for match in _SIGN.finditer(word)]
        for number, (before, behind) in enumerate(signs):
            yield LineValue(start + behind, end, "s")
            if number + 1 < len(signs):
                yield LineValue(start + behind, start + signs[number + 1][0], "s")
            if before > 1:
                yield LineValue(start, start + before, "h")
        if any(sign in word[1:-1] for sign in _INNER_SIGNS):
            for part in _INNER.finditer(word):
                yield LineValue(start + part.start(), start + part.end(), "u")


def _cut_parts(line: str, words: Sequence[tuple[int, int]]) -> Iterator[LineValue]:
    """Yield what begins behind a verb, a sign, a bullet or a break, and ends at a break or after
    some words.
    """
    breaks = [match.start() for match in BREAK.finditer(line)] + [len(line)]
    starts = [(match.end(), "r") for match in _VERB.finditer(line)]
    starts += [(0, "l"), *((match.end(), "r") for match in _SIGN.finditer(line))]
    if bullet := _BULLET.match(line):
        starts.append((bullet.end(), "l"))
    starts += [(match.end(), "b") for match in BREAK.finditer(line)]
    for start, form in starts:
        ends = [end for end in breaks if end > start][:_MOST_BREAKS]
        for end in (*ends, len(line)):
            if end - start <= _LONGEST_PART:
                yield LineValue(start, end, form)
        following = [word for word in words if word[0] >= start][:_MOST_WORDS]
        for first, last in following[1:]:
            if any(start < at < first for at in breaks):
                break
            yield LineValue(start, last, form + "w")


def _trim_value(line: str, start: int, end: int, form: str) -> Iterator[LineValue]:
    """Yield a value without the signs around it, with the stops behind it, and without endings."""
    while start < end and (line[start].isspace() or line[start] in _OPENING):
        start += 1
    while end > start and line[end - 1].isspace():
        end -= 1
    if not _LEAST <= end - start <= _MOST:
        return
    bare = end
    while bare > start and line[bare - 1] in _CLOSING:
        bare -= 1
    if bare - start < _LEAST:
        return
    yield LineValue(start, bare, form)
    stopped = bare
    while stopped < end and line[stopped] in _STOPS:
        stopped += 1
    if stopped > bare:
        yield LineValue(start, stopped, form + "p")
    for suffix in ("e", "ee"):
        ending = _ENDING.search(line[start:bare])
        if ending is None or ending.start() < _LEAST:
            return
        bare = start + len(line[start : start + ending.start()].rstrip())
        yield LineValue(start, bare, form + suffix)
