"""Recognition of degenerate answers, in which a model repeats itself, by three tests.

The tests complement each other.
"""

import zlib
from collections import Counter

#: Shorter answers repeat by chance.
_SHORTEST_CHARS = 400
_COUNTED_LINE_CHARS = 12
_LEAST_LINES = 8
_MOST_DUPLICATE = 0.5
#: Observations in Korean and English compress to 0.3-0.5 at this length; a block repeated 20 times
#: to 0.05.
_LEAST_COMPRESSED = 0.12
_WINDOW_CHARS = 120


def is_degenerate(text: str) -> bool:
    """Return whether lines, windows of text or the text as a whole repeat too much."""
    if len(text) < _SHORTEST_CHARS:
        return False
    return _repeats_lines(text) or _repeats_windows(text) or _is_highly_compressible(text)


def _repeats_lines(text: str) -> bool:
    lines = [line.strip() for line in text.splitlines() if len(line.strip()) >= _COUNTED_LINE_CHARS]
    return len(lines) >= _LEAST_LINES and 1 - len(set(lines)) / len(lines) > _MOST_DUPLICATE


def _repeats_windows(text: str) -> bool:
    """Return whether a text repeats inside one line: `and then and then and then …`."""
    joined = " ".join(text.split())
    windows = Counter(
        joined[start : start + _WINDOW_CHARS] for start in range(0, len(joined) - _WINDOW_CHARS, 10)
    )
    return sum(count - 1 for count in windows.values()) > _MOST_DUPLICATE * windows.total() > 0


def _is_highly_compressible(text: str) -> bool:
    data = text.encode("utf-8", "replace")
    return len(zlib.compress(data, 6)) < _LEAST_COMPRESSED * len(data)
