"""A line of what users said that states something lasting, as it was judged."""

from typing import NamedTuple


class LastingLine(NamedTuple):
    """A line of a document of turns: its value, its time in Unix seconds, where it is, whether it is about the user.

    `check` is the sum of what it says, `places.line_check`. `rule`: whether it states a rule that binds (`RULE`), or lifts one.
    """

    value: float
    at: int
    key: str
    line: int
    is_about_user: bool
    check: int
    rule: int = 0
