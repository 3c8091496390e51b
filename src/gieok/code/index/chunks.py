"""Cut a source file where its symbols begin and end.

Passages are whole functions with the comments above them, class heads, and the rest.

Function-sized passages with the qualified name as context find code best (docs/code.md): .680 raw
nDCG@10 beside .630 for passages of even size. A passage over the limit is split between statements
of the least indentation.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from gieok.code.model.facts import DEFINITIONS, FUNCTIONS, SymbolFact, SymbolKind
from gieok.code.model.tuning import Chunking
from gieok.model.memory import Passage
from gieok.text.lines import measure_indent

_CHUNKING = Chunking()
#: How many characters of a passage are embedded. Whole passages find no more (gson: .915 beside
#: .912, words alone .901) at a third of the speed.
_HEAD_CHARS = 300
_LEAVES = DEFINITIONS | {SymbolKind.CONCEPT}
_COMMENT = re.compile(r"\s*(//|/\*|#[ !\[#]|#$|--)")


def cut(
    text: str, path: str, symbols: Sequence[SymbolFact], chunking: Chunking = _CHUNKING
) -> tuple[Passage, ...]:
    """Return passages that cover every line with text, in order, each inside of one symbol."""
    starts = _line_starts(text)
    out: list[Passage] = []
    for first, last, context in _assign_line_stretches(text, starts, path, symbols, chunking.tiny):
        for begin, end in _split_long_lines(text, starts, first, last, chunking.largest):
            inside = text[starts[begin - 1] : starts[end]]
            if inside.strip():  # what is cited begins with a line to read
                begins = begin + inside[: measure_indent(inside)].count("\n")
                out.append(
                    Passage(
                        start=starts[begins - 1],
                        end=starts[end],
                        start_line=begins,
                        end_line=end,
                        context=context,
                    )
                )
    return tuple(out)


def head(text: str) -> str:
    """Return the text that is embedded for a passage: its first lines.

    These are mostly the comment, the signature and the documentation.
    """
    if len(text) <= _HEAD_CHARS:
        return text
    end = text.rfind("\n", _HEAD_CHARS // 2, _HEAD_CHARS + 1)
    return text[: end if end > 0 else _HEAD_CHARS]


def _line_starts(text: str) -> list[int]:
    """Return the offset at which each line begins, and the offset at which the last line ends."""
    starts = [0]
    starts += [match.end() for match in re.finditer("\n", text)]
    if starts[-1] != len(text):
        starts.append(len(text))
    return starts


def _line_at(text: str, starts: Sequence[int], number: int) -> str:
    return text[starts[number - 1] : starts[number]]


def _assign_line_stretches(
    text: str, starts: Sequence[int], path: str, symbols: Sequence[SymbolFact], tiny_chars: int
) -> list[tuple[int, int, str]]:
    """Return (first line, last line, context) for each stretch of lines.

    Each line belongs to the innermost function or class around it.
    """
    lines = len(starts) - 1
    owner = [0] * lines
    for number, symbol in enumerate(symbols):
        if symbol.kind in _LEAVES and not _is_inside_function(symbol, symbols):
            first = (
                _with_comments(text, starts, symbol.start)
                if symbol.kind in DEFINITIONS
                else symbol.start
            )
            end = min(symbol.end, lines)
            owner[first - 1 : end] = [number] * (end - first + 1)
    stretches: list[_Stretch] = []
    last = 0
    for number, run in groupby(owner):
        first, last = last + 1, last + len(list(run))
        symbol = symbols[number]
        is_whole = symbol.kind in _LEAVES and first <= symbol.start and symbol.end <= last
        stretches.append(_Stretch(first, last, _build_chunk_context(path, symbol), is_whole))
    return _join_tiny_stretches(text, starts, stretches, tiny_chars)


class _Stretch(NamedTuple):
    first: int
    last: int
    context: str
    is_whole: bool


def _join_tiny_stretches(
    text: str, starts: Sequence[int], found: Sequence[_Stretch], tiny_chars: int
) -> list[tuple[int, int, str]]:
    """Join tiny stretches that are not whole symbols to the next one.

    At the end of the file they join the previous one.
    """
    out: list[tuple[int, int, str]] = []
    held = 0
    for number, (first, last, context, is_whole) in enumerate(found):
        begin = held or first
        held = 0
        if is_whole or len(text[starts[begin - 1] : starts[last]].strip()) >= tiny_chars:
            out.append((begin, last, context))
        elif number + 1 < len(found):
            held = begin
        elif out:
            out[-1] = (out[-1][0], last, out[-1][2])
        else:
            out.append((begin, last, context))
    return out


def _with_comments(text: str, starts: Sequence[int], first: int) -> int:
    """Return the first line of the comment directly above a line, at the same indentation."""
    indent = measure_indent(_line_at(text, starts, first))
    line = first
    while line > 1:
        above = _block_start(text, starts, line - 1)
        shown = _line_at(text, starts, above)
        if not _COMMENT.match(shown) or measure_indent(shown) != indent:
            break
        line = above
    return line


def _block_start(text: str, starts: Sequence[int], line: int) -> int:
    """Return the line where the block comment that ends in `line` begins.

    Returns `line` where no block comment ends there.
    """
    if _line_at(text, starts, line).rstrip().endswith("*/"):
        return bisect_right(starts, text.rfind("/*", 0, starts[line])) or line
    return line


def _is_inside_function(symbol: SymbolFact, symbols: Sequence[SymbolFact]) -> bool:
    parent = symbol.parent
    while parent > 0:
        if symbols[parent].kind in FUNCTIONS:
            return True
        parent = symbols[parent].parent
    return False


def _build_chunk_context(path: str, symbol: SymbolFact) -> str:
    return (
        _format_path_words(path)
        if symbol.kind == SymbolKind.MODULE
        else f"{_format_path_words(path)} {symbol.qualified}"
    )


def symbol_key(path: str, context: str) -> str:
    """Return the key of the symbol that a passage was cut from; '' for text between symbols."""
    qualified = find_qualified_name(path, context)
    return f"{path}::{qualified}" if qualified else ""


def find_qualified_name(path: str, context: str) -> str:
    """Return the qualified name of that symbol; '' for text between symbols."""
    qualified = context.removeprefix(f"{_format_path_words(path)} ")
    return qualified if qualified != context else ""


def _format_path_words(path: str) -> str:
    return path.rpartition(".")[0].replace("/", " ")


def _split_long_lines(
    text: str, starts: Sequence[int], first: int, last: int, most_chars: int
) -> list[tuple[int, int]]:
    """Cut lines into runs of at most so many characters.

    Each cut is before the line of least indentation in the second half of a run.
    """
    runs = []
    while starts[last] - starts[first - 1] > most_chars and first < last:
        end = first
        while starts[end + 1] - starts[first - 1] <= most_chars:
            end += 1
        half = first + max(1, (end - first) // 2)
        cut_line = (
            min(
                range(half, end + 1),
                key=lambda n: (_rate_cut_line(_line_at(text, starts, n + 1)), -n),
            )
            if half <= end
            else end
        )
        runs.append((first, cut_line))
        first = cut_line + 1
    runs.append((first, last))
    return runs


def _rate_cut_line(line: str) -> int:
    stripped = line.lstrip()
    return len(line) - len(stripped) if stripped and stripped[0] not in ")]}" else 1000
