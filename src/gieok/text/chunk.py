"""Cuts Markdown into passages: whole lines, exact ranges, the heading path as context.

A passage holds up to `budget_tokens`; the next one repeats up to `overlap_tokens` of its last
lines, except across a heading. A heading starts a new passage once the current one holds a quarter
of the budget, so that a passage has one topic. Fenced code that fits a passage is kept whole. A
line longer than a passage is cut at spaces.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from gieok.model.memory import Passage
from gieok.text.markdown import heading_text

#: Stored with the data: raise it whenever the passages of any text would change.
VERSION = 2

_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
#: A fence and its info string; backticks followed by another backtick are inline code.
_FENCE = re.compile(r" {0,3}(```++(?!.*`)|~~~++)(.*)")
_SECTION_SHARE = 4
_CUT_BACK = 80
#: Measured with the multilingual-e5 tokenizer: 4.1 Latin characters and 1.6 Hangul syllables a
#: token, rounded up. Separate from `gieok.text.tokens`, because a change here means that all files
#: are cut and embedded again.
_CHARS_PER_TOKEN = 4.0
_TOKENS_PER_WIDE_CHAR = 0.8


class _Unit(NamedTuple):
    """An indivisible piece: a line, a part of a very long line, or a fenced block."""

    start: int
    end: int
    start_line: int
    end_line: int
    tokens: int
    path: tuple[str, ...]
    is_heading: bool = False


def chunk(
    text: str,
    *,
    budget_tokens: int = 400,
    overlap_tokens: int = 80,
    start: int = 0,
    start_line: int = 1,
    context: str = "",
) -> tuple[Passage, ...]:
    """Cut `text[start:]` into passages; blank passages are left out.

    `start_line` is the number of the first line. `context` (the title, say) precedes every heading
    path.
    """
    lines = _iter_line_units(text, start, start_line)
    units = [
        piece
        for unit in _join_fences(lines, budget_tokens)
        for piece in _cut_long(text, unit, budget_tokens)
    ]
    runs = _fill_passages(units, budget_tokens, overlap_tokens)
    return tuple(
        _build_passage(run, context)
        for run in (_trim_blank_units(text, run) for run in runs)
        if run
    )


def _estimate_chunk_tokens(text: str) -> int:
    if text.isascii():
        return -int(-len(text) // _CHARS_PER_TOKEN)
    # A character beyond U+07FF takes at least three bytes in UTF-8, two more than a Latin
    # character.
    wide = (len(text.encode("utf-8", "surrogatepass")) - len(text)) / 2
    narrow = max(len(text) - wide, 0)
    return max(1, round(narrow / _CHARS_PER_TOKEN + wide * _TOKENS_PER_WIDE_CHAR))


def _iter_line_units(text: str, start: int, line: int) -> Iterator[tuple[_Unit, str]]:
    """Yield each line as a unit, with the fence that encloses the line ('' outside of code)."""
    path: list[tuple[int, str]] = []
    fence = ""
    for content in text[start:].split("\n"):
        end = start + len(content)
        marker = _FENCE.match(content) if "```" in content or "~~~" in content else None
        heading = (
            _HEADING.match(content)
            if content.startswith("#") and not fence and not marker
            else None
        )
        if heading:
            level = len(heading[1])
            path = [(depth, title) for depth, title in path if depth < level]
        names = tuple(title for _, title in path)
        inside = fence or (marker[1] if marker else "")
        yield (
            _Unit(
                start=start,
                end=end,
                start_line=line,
                end_line=line,
                tokens=_estimate_chunk_tokens(content) + 1,
                path=names,
                is_heading=bool(heading),
            ),
            inside,
        )
        if heading:
            path.append((len(heading[1]), heading_text(heading[2])))
        if marker:
            fence = _next_fence(fence, marker[1], is_bare=not marker[2].strip())
        start, line = end + 1, line + 1


def _next_fence(current: str, marker: str, *, is_bare: bool) -> str:
    if not current:
        return marker
    return "" if is_bare and marker.startswith(current) else current


def _join_fences(lines: Iterator[tuple[_Unit, str]], budget: int) -> Iterator[_Unit]:
    block: list[_Unit] = []
    for unit, fence in lines:
        if block and not fence:
            yield from _join_block_units(block, budget)
            block = []
        if fence:
            block.append(unit)
        else:
            yield unit
    yield from _join_block_units(block, budget)


def _join_block_units(block: list[_Unit], budget: int) -> list[_Unit]:
    tokens = sum(unit.tokens for unit in block)
    if len(block) < 2 or tokens > budget:
        return block
    first, last = block[0], block[-1]
    return [
        _Unit(
            start=first.start,
            end=last.end,
            start_line=first.start_line,
            end_line=last.end_line,
            tokens=tokens,
            path=first.path,
        )
    ]


def _cut_long(text: str, unit: _Unit, budget: int) -> Iterator[_Unit]:
    start = unit.start
    # A piece of four times the budget in characters never fits; counting the whole rest each time
    # would be quadratic.
    while (
        unit.tokens > budget
        and _estimate_chunk_tokens(text[start : min(unit.end, start + 4 * budget + 4)]) > budget
    ):
        end = _cut_place(text, start, unit.end, budget)
        yield _Unit(
            start=start,
            end=end,
            start_line=unit.start_line,
            end_line=unit.end_line,
            tokens=budget,
            path=unit.path,
        )
        start = end
    if start == unit.start:
        yield unit
    else:
        yield _Unit(
            start=start,
            end=unit.end,
            start_line=unit.start_line,
            end_line=unit.end_line,
            tokens=_estimate_chunk_tokens(text[start : unit.end]) + 1,
            path=unit.path,
        )


def _cut_place(text: str, start: int, end: int, budget: int) -> int:
    """Return where a piece of at most `budget` tokens ends, at a space if one is near."""
    low, high = start + 1, min(end, start + budget * 4)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high)
            if _estimate_chunk_tokens(text[start:middle]) < budget
            else (low, middle - 1)
        )
    space = text.rfind(" ", max(low - _CUT_BACK, start + 1), low)
    return space + 1 if space > 0 else low


def _fill_passages(units: list[_Unit], budget: int, overlap: int) -> Iterator[list[_Unit]]:
    current: list[_Unit] = []
    tokens = 0
    for unit in units:
        if unit.is_heading and tokens * _SECTION_SHARE >= budget:
            yield current
            current, tokens = [], 0
        elif current and tokens + unit.tokens > budget:
            yield current
            current = _select_overlap_units(current, min(overlap, budget - unit.tokens))
            tokens = sum(carried.tokens for carried in current)
        current.append(unit)
        tokens += unit.tokens
    if current:
        yield current


def _select_overlap_units(run: list[_Unit], limit: int) -> list[_Unit]:
    """Return the last units of `run` that fit in `limit` tokens, never all of them."""
    overlap: list[_Unit] = []
    for unit in reversed(run[1:]):
        limit -= unit.tokens
        if limit < 0:
            break
        overlap.insert(0, unit)
    return overlap


def _trim_blank_units(text: str, run: list[_Unit]) -> list[_Unit]:
    """Return the run without trailing blank lines, so that a citation ends at text."""
    while run and not text[run[-1].start : run[-1].end].strip():
        run = run[:-1]
    return run


def _build_passage(run: list[_Unit], context: str) -> Passage:
    first, last = run[0], run[-1]
    names = [context, *(name for name in first.path if name not in context.split(" > "))]
    return Passage(
        start=first.start,
        end=last.end,
        start_line=first.start_line,
        end_line=last.end_line,
        context=" > ".join(filter(None, names)),
    )
