"""The user's own rules, in addition to the built-in ones: those of the process, or of the call that
a thread answers.
"""

import json
import re
from collections.abc import Mapping, Sequence
from contextvars import ContextVar

from gieok.text.redact.rule import Rule
from gieok.text.secrets.placeholder import PLACEHOLDER

_rules: tuple[Rule, ...] | None = None
#: Of a call in a process that answers several callers; one caller's rules never count for what the
#: process itself reads.
_of_call: ContextVar[tuple[Rule, ...] | None] = ContextVar("_of_call", default=None)
_KEYS = frozenset(("name", "pattern", "example", "counter_example"))


class BadRule(ValueError):
    """A rule cannot be used; the message says why."""


def list_own_rules() -> tuple[Rule, ...]:
    """Return the user's own rules."""
    of_call = _of_call.get()
    return (_rules or ()) if of_call is None else of_call


def use_own_rules(chosen: tuple[Rule, ...], *, in_call: bool = False) -> None:
    """Set the rules of the process, or, `in_call`, of this thread alone; a process without any
    takes those of its first call.
    """
    global _rules  # noqa: PLW0603 - every caller of redaction needs them
    _of_call.set(chosen if in_call else None)
    if not in_call or _rules is None:
        _rules = chosen


def parse_own_rules(text: str) -> tuple[Rule, ...]:
    """Return the rules that a setting holds, as JSON; none of ''. Raises ValueError."""
    return build_own_rules(json.loads(text)) if text else ()


def build_own_rules(given: object) -> tuple[Rule, ...]:
    """Return the rules of a settings list. Raises BadRule, which names the rule and its fault."""
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise BadRule(
            "it must be a list of rules, each with name, pattern, example and counter_example"
        )
    return tuple(_build_own_rule(n, row) for n, row in enumerate(given, 1))


def _build_own_rule(number: int, row: object) -> Rule:
    if (
        not isinstance(row, Mapping)
        or set(row) != _KEYS
        or not all(isinstance(text, str) for text in row.values())
    ):
        raise BadRule(
            f"rule {number} must have name, pattern, example and counter_example, all of them text"
        )
    name, pattern = row["name"], row["pattern"]
    if not PLACEHOLDER.fullmatch(f"[redacted:{name}]"):
        raise BadRule(
            f"rule {number} is named {name!r}; a name has lower-case letters, digits and hyphens"
        )
    from gieok.text.redact.linear import why_not  # few users have rules of their own

    try:
        wrong = why_not(pattern)
        expression = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise BadRule(f"the pattern of {name!r} is not a regular expression: {error}") from error
    if wrong:
        raise BadRule(f"the pattern of {name!r} may be slow: {wrong}")
    if expression.search("") or expression.search(f"[redacted:{name}]"):
        raise BadRule(f"the pattern of {name!r} matches the empty text or a placeholder")
    if not expression.search(row["example"]):
        raise BadRule(f"the pattern of {name!r} does not match its example {row['example']!r}")
    if expression.search(row["counter_example"]):
        raise BadRule(
            f"the pattern of {name!r} matches its counter_example {row['counter_example']!r}"
        )
    return Rule(
        name=name,
        hints=(),
        pattern=pattern,
        example=row["example"],
        counter_example=row["counter_example"],
    )
