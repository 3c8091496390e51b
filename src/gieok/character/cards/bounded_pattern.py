"""Regular expressions of strangers, with a bound on what a search with one can cost.

Python's patterns have no time limit. So an unbounded repeat is read as one of at most 64 times, and
the number of ways in which the rest can match is estimated from the parsed pattern: a search takes
at most that many steps for each character.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

_LONGEST = 200
#: What an unbounded repeat is read as.
_MOST_TIMES = 64
#: A pattern with more ways is not searched for at all.
_MOST_WAYS = 8_192
_FORM = re.compile(r"/(.+)/([a-z]*)", re.DOTALL)
#: A key without slashes is a pattern where it has one of these signs; else it is plain words.
_SIGNS = re.compile(r"[\\\[\](){}|*+?^$]")
_FLAGS = {"i": re.IGNORECASE, "s": re.DOTALL, "m": re.MULTILINE}
_REPEAT = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(\d*),(\d*)\}|[*+]", re.DOTALL)


class BoundedPattern(NamedTuple):
    """Pattern, and the most steps that a search takes for each character of a text."""

    pattern: re.Pattern[str]
    ways: int


@lru_cache(maxsize=1024)
def compile_key_pattern(key: str, *, is_bare: bool, has_case: bool) -> BoundedPattern | None:
    """Return the pattern of a key; None where the key is plain words, or no pattern that ends soon.

    A pattern is `/…/flags`, or with `is_bare` any key with the signs of one. Without flags,
    `has_case` says whether case counts.
    """
    form = _FORM.fullmatch(key)
    if not form and not (is_bare and _SIGNS.search(key)):
        return None
    body = form[1] if form else key
    flags = 0 if has_case or form else re.IGNORECASE
    for letter in form[2] if form else "":
        flags |= _FLAGS.get(letter, 0)
    if len(body) > _LONGEST:
        return None
    try:
        bounded = _REPEAT.sub(_bound_repeat, body)
        ways = _count_ways(parser.parse(bounded, flags))
        return BoundedPattern(re.compile(bounded, flags), ways) if ways <= _MOST_WAYS else None
    except (re.error, OverflowError, RecursionError):
        return None


def is_pattern_form(key: str) -> bool:
    """Return whether a key is written as a pattern, between slashes."""
    return _FORM.fullmatch(key) is not None


def _bound_repeat(found: re.Match[str]) -> str:
    """Return a repeat with an upper bound; escapes and classes as they are."""
    text = found[0]
    if text in ("*", "+"):
        return f"{{{int(text == '+')},{_MOST_TIMES}}}"
    if found[1] is None or text[0] != "{" or not (found[1] or found[2]):
        return text
    least = min(int(found[1] or 0), _MOST_TIMES)
    most = min(int(found[2]) if found[2] else least + _MOST_TIMES, least + _MOST_TIMES)
    return f"{{{least},{max(least, most)}}}"


def _count_ways(parsed: Iterable[Any]) -> int:
    """Return in how many ways a parsed pattern can match at one place; more than counted is cut."""
    ways = 1
    for operation, argument in parsed:
        ways = min(ways * _count_operation_ways(str(operation), argument), _MOST_WAYS + 1)
    return ways


def _count_operation_ways(operation: str, argument: Any) -> int:  # noqa: ANN401 - of `re`
    if operation in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return _count_repeat_ways(*argument)
    if operation == "BRANCH":
        return sum(map(_count_ways, argument[1]))
    if operation == "GROUPREF_EXISTS":
        return _count_ways(argument[1]) + _count_ways(argument[2] or ())
    if operation in ("SUBPATTERN", "ASSERT", "ASSERT_NOT"):
        return _count_ways(argument[-1])
    return _count_ways(argument) if operation == "ATOMIC_GROUP" else 1


def _count_repeat_ways(least: int, most: int, inner: Iterable[Any]) -> int:
    """Return in how many ways a repeat can match."""
    most = min(int(most), _MOST_TIMES)
    times = max(most - min(int(least), most) + 1, 1)
    once = _count_ways(inner)
    # 2 ** 14 is more than is allowed already.
    return times if once == 1 else times * min(once ** min(most, 14), _MOST_WAYS + 1)
