"""The day that a plan names, Korean and English, seen from the day it was told.

It is the next such day, unless a year says otherwise.
"""

import re
from datetime import date
from typing import NamedTuple

from gieok.text.times.reading import Time, read_times

#: Words before a bare weekday, or a bare day of the month, that make it the day of a plan.
_BEFORE = re.compile(
    (
        r"(?:\b(?:on|by|this|coming|until|till|through|before|due|from|for|is|to|at|and|the)"
        r"|[,(:])\s*(?:the )?$"
    ),
    re.IGNORECASE,
)
#: A bare weekday that ends its clause is the day of a plan: "i start Thursday".
_ENDS_EN = re.compile(r"\s*(?:[.,!;]|$)")
#: What makes an ordinal a day of a month.
_COUNTS = re.compile(r"\d|일|날")
#: How long something lasts, which names no day of its own: "on the 14th for three weeks".
_LASTS = re.compile(
    r"\bfor (?:(?:an?|the|another|about|only|just|next|over|few|couple|of|\d+|one|two|three|four"
    r"|five|six|seven"
    r"|eight|nine|ten|twelve) )+(?:night|day|week|month|fortnight|year)s?\b"
    r"|(?<![가-힣\d월])(?:\d+|[한두세네일이삼사오]) ?(?:일|주|주일|달|개월)(?: ?동안|간)(?![가-힣])",
    re.IGNORECASE,
)
_BEHIND_KO = re.compile(r"에|로|으로|이|인|은|까지|부터|날|야|임|$|[\s.,!?요)]")


class NamedDay(NamedTuple):
    """A day, and where in the text it is named."""

    day: date
    start: int
    end: int


def day_ahead(text: str, said: date) -> NamedDay | None:
    """Return the first day that a text names, seen from the day `said`.

    None where the text names no day, or an impossible one.
    """
    days = days_ahead(text, said)
    return days[0] if days else None


def days_ahead(text: str, said: date) -> list[NamedDay]:
    """Return the days that a text names, in order and without overlap."""
    text = _LASTS.sub(lambda found: " " * len(found[0]), text)
    times = read_times(text, said, is_ahead=True).found
    return [
        NamedDay(time.span.first, time.start, time.end)
        for time in times
        if _is_day_of_a_plan(time, text)
    ]


def _is_day_of_a_plan(time: Time, text: str) -> bool:
    # A text with "today" tells of a current activity, not of a plan.
    if time.span.first != time.span.last or time.looks_back or time.is_current:
        return False
    words, before, after = text[time.start : time.end], text[: time.start], text[time.end :]
    is_bare = not re.search(r"[\s/-]", words) and time.grain in ("weekday", "date")
    if not is_bare:
        return True
    if time.grain == "date" and not _COUNTS.search(words) and not _ENDS_EN.match(after):
        return False  # the third person, 넷째 낳았다: an order, and no day
    if words.isascii():
        is_apart = not before.strip() or _ENDS_EN.match(after) is not None
        return bool(_BEFORE.search(before)) or (time.grain == "weekday" and is_apart)
    return bool(_BEHIND_KO.match(after))
