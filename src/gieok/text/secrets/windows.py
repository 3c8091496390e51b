"""Windows of a text that are read for secrets: lines with a cue and the lines around them."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from gieok.text.secrets.cues import announces_secret

#: Characters of a line that are read in one; a longer line counts as several.
_MOST_LINE = 200
_SENTENCE_END = re.compile(r"[.!?。]\s+")
_BLANK = re.compile(r"\s+")
#: Lines before that of a cue which are read with it, and behind it: of talk, and of documents.
_SAID, _DOCUMENT = (2, 5), (1, 2)


class CueWindow(NamedTuple):
    """Consecutive lines of a text: the place of each, and its characters."""

    starts: tuple[int, ...]
    lines: tuple[str, ...]

    def find_place(self, start: int, end: int) -> tuple[int, int]:
        """Return where characters of one of the lines, joined by line breaks, stand in the text."""
        for begin, line in zip(self.starts[:-1], self.lines[:-1], strict=True):
            if end <= len(line):
                return begin + start, begin + end
            start, end = start - len(line) - 1, end - len(line) - 1
        return self.starts[-1] + start, self.starts[-1] + end


def list_windows(
    text: str, *, is_said: bool, measure: Callable[[str], int], room: int
) -> Iterator[CueWindow]:
    """Yield the windows around the cues of a text, in order; they may share lines.

    `is_said` as in `announces_secret`; `measure` says how much of the `room` of a window a line
    takes. The line of a cue comes first, then those that follow it, then those before it.
    """
    lines = list(_split_lines(text))
    most_before, most_behind = _SAID if is_said else _DOCUMENT
    read_to = 0
    for number, (_, line) in enumerate(lines):
        if number < read_to or not announces_secret(line, is_said=is_said):
            continue
        left = room - measure(line)
        first, last = number, number + 1
        while last < min(len(lines), number + 1 + most_behind):
            size = measure(lines[last][1])
            if size > left:
                break
            left -= size
            last += 1
        # A cue in the last lines opens a window of its own: it lacks what follows.
        read_to = last if last == len(lines) else max(number + 1, last - most_before)
        while first > max(0, number - most_before):
            size = measure(lines[first - 1][1])
            if size > left:
                break
            left -= size
            first -= 1
        yield _build_window(lines[first:last])


def _build_window(lines: Sequence[tuple[int, str]]) -> CueWindow:
    return CueWindow(tuple(at for at, _ in lines), tuple(line for _, line in lines))


def _split_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the place and the characters of each line; a long one is cut between sentences, else
    between words.
    """
    at = 0
    for line in text.split("\n"):
        start = 0
        while len(line) - start > _MOST_LINE:
            size = _find_cut(line[start : start + _MOST_LINE])
            yield at + start, line[start : start + size]
            start += size
        yield at + start, line[start:]
        at += len(line) + 1


def _find_cut(part: str) -> int:
    """Return where a part of a line ends: behind its last sentence in its second half, else behind
    its last word.
    """
    for pattern in (_SENTENCE_END, _BLANK):
        ends = [match.end() for match in pattern.finditer(part) if match.end() > len(part) // 2]
        if ends:
            return ends[-1]
    return len(part)
