"""Find words of a question that stand together in code, as those of a message that a program wrote.

Who asks for a message pastes it, with values in it where the code has placeholders: "Justfile does
not contain recipe `tset`".
"""

import re
from collections.abc import Sequence

_WORD = re.compile(r"[^\W_]+")
#: Words that must stand together. Three are found by chance, as in "for each of".
_LEAST_WORDS = 4


def read_phrase(text: str) -> tuple[str, ...]:
    """Return the words of a question in order, in lower case; () where they are too few."""
    words = tuple(match[0].lower() for match in _WORD.finditer(text))
    return words if len(words) >= _LEAST_WORDS else ()


def measure_phrase(phrase: Sequence[str], code: str) -> float:
    """Return the share of a question's words that stand together in a line of code, 0 to 1.

    0 where fewer than four do. Signs between the words do not count.
    """
    if not phrase:
        return 0.0
    known = set(phrase)
    longest = 0
    for line in code.splitlines():
        words = [match[0].lower() for match in _WORD.finditer(line)]
        if len(known.intersection(words)) >= _LEAST_WORDS:
            longest = max(longest, _count_longest_run(phrase, words))
    return longest / len(phrase) if longest >= _LEAST_WORDS else 0.0


def _count_longest_run(phrase: Sequence[str], words: Sequence[str]) -> int:
    """Return the length of the longest run of words that both have."""
    longest = 0
    ends_before = [0] * (len(words) + 1)
    for word in phrase:
        ends = [0] * (len(words) + 1)
        for place, other in enumerate(words):
            if word == other:
                ends[place + 1] = ends_before[place] + 1
        longest = max(longest, *ends)
        ends_before = ends
    return longest
