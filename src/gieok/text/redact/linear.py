"""Checks by its form that a pattern matches in linear time."""

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

#: The parse tree of `re` has no public name.
_codes: Any = import_module("re._constants")
_parse: Any = import_module("re._parser").parse
_SAMPLE = [chr(n) for n in range(128)] + ["é", "가", "힣", "→", "\u200b"]
_REPEATS = (_codes.MAX_REPEAT, _codes.MIN_REPEAT, _codes.POSSESSIVE_REPEAT)


def why_not(pattern: str) -> str:
    """Return why a pattern may be slow, '' where it is not. Raises re.error.

    An unbounded repeat is allowed only at the end of the pattern, where it never backtracks. A
    nested repeat must begin or end with a character that the inner repeat cannot match, so that
    each text matches in one way only.
    """
    return _explain_slow_sequence(_parse(pattern), is_last=True, is_repeated=False)


# Private types of `re`.
def _explain_slow_sequence(items: Any, *, is_last: bool, is_repeated: bool) -> str:  # noqa: ANN401
    parts = list(items)
    for n, (code, argument) in enumerate(parts):
        ends = is_last and n == len(parts) - 1
        if wrong := _explain_slow_part(code, argument, is_last=ends, is_repeated=is_repeated):
            return wrong
    return ""


def _explain_slow_part(code: Any, given: Any, *, is_last: bool, is_repeated: bool) -> str:  # noqa: ANN401
    if code in _REPEATS:
        _, most, body = given
        if most == _codes.MAXREPEAT and (not is_last or is_repeated):
            return "an unbounded repeat (`+`, `*`, `{n,}`) stands before its end; write `{1,200}`"
        if most > 1 and (wrong := _explain_slow_nesting(body)):
            return wrong
        return _explain_slow_sequence(body, is_last=is_last, is_repeated=is_repeated or most > 1)
    inner: list[Any] = []
    if code == _codes.SUBPATTERN:
        inner = [given[-1]]
    elif code == _codes.BRANCH:
        inner = given[1]
    elif code == _codes.ATOMIC_GROUP:
        inner = [given]
    elif code in (_codes.ASSERT, _codes.ASSERT_NOT):
        inner = [given[1]]
    return next(
        filter(
            None,
            (_explain_slow_sequence(i, is_last=is_last, is_repeated=is_repeated) for i in inner),
        ),
        "",
    )


def _explain_slow_nesting(body: Any) -> str:  # noqa: ANN401
    """Return why a repeated body with repeats of its own may be slow, else ''."""
    repeated = [set(_find_body_characters(inner)) for inner in _list_varying_repeats(body)]
    if not repeated:
        return ""
    for edge in (_find_first_characters(body), _find_first_characters(body, -1)):
        if edge is not None and not any(edge & letters for letters in repeated):
            return ""
    return "a nested repeat matches in many ways; begin its inner part with a character of its own"


def _list_varying_repeats(items: Any) -> list[Any]:  # noqa: ANN401
    """Return the bodies of repeats of varying length."""
    bodies = []
    for code, argument in items:
        if code in _REPEATS:
            least, most, body = argument
            bodies += [body] if most > 1 and most != least else _list_varying_repeats(body)
        elif code == _codes.SUBPATTERN:
            bodies += _list_varying_repeats(argument[-1])
        elif code == _codes.BRANCH:
            bodies += [body for branch in argument[1] for body in _list_varying_repeats(branch)]
    return bodies


def _find_first_characters(items: Any, step: int = 1) -> set[str] | None:  # noqa: ANN401
    """Return the characters that a body must begin (step -1: end) with; None where it may be empty
    or longer.
    """
    for code, argument in list(items)[::step]:
        if code in (_codes.ASSERT, _codes.ASSERT_NOT, _codes.AT):
            continue
        if code == _codes.SUBPATTERN:
            return _find_first_characters(argument[-1], step)
        if code in _REPEATS:
            return _find_first_characters(argument[2], step) if argument[0] else None
        if code == _codes.BRANCH:
            firsts = [_find_first_characters(branch, step) for branch in argument[1]]
            return None if None in firsts else set().union(*(f for f in firsts if f is not None))
        return _find_item_characters(code, argument)
    return None


def _find_body_characters(items: Any) -> set[str]:  # noqa: ANN401
    """Return the characters that a body may match."""
    letters: set[str] = set()
    for code, argument in items:
        if code in _REPEATS:
            letters |= _find_body_characters(argument[2])
        elif code == _codes.SUBPATTERN:
            letters |= _find_body_characters(argument[-1])
        elif code == _codes.BRANCH:
            letters |= set().union(*map(_find_body_characters, argument[1]))
        else:
            letters |= _find_item_characters(code, argument) or set()
    return letters


def _find_item_characters(code: Any, given: Any) -> set[str] | None:  # noqa: ANN401
    """Return the characters of the sample that one item matches."""
    tests: dict[Any, Callable[[str], bool]] = {
        _codes.LITERAL: lambda c: ord(c) == given,
        _codes.NOT_LITERAL: lambda c: ord(c) != given,
        _codes.ANY: lambda c: c != "\n",
        _codes.IN: lambda c: _is_in(c, given),
    }
    return {c for c in _SAMPLE if tests[code](c)} if code in tests else None


def _is_in(char: str, items: Any) -> bool:  # noqa: ANN401
    is_negated: bool = items[0][0] == _codes.NEGATE
    return is_negated != any(
        (code == _codes.LITERAL and ord(char) == argument)
        or (code == _codes.RANGE and argument[0] <= ord(char) <= argument[1])
        or (code == _codes.CATEGORY and re.match(_CATEGORIES[argument], char) is not None)
        for code, argument in items
    )


_CATEGORIES = {
    _codes.CATEGORY_DIGIT: r"\d",
    _codes.CATEGORY_NOT_DIGIT: r"\D",
    _codes.CATEGORY_SPACE: r"\s",
    _codes.CATEGORY_NOT_SPACE: r"\S",
    _codes.CATEGORY_WORD: r"\w",
    _codes.CATEGORY_NOT_WORD: r"\W",
}
