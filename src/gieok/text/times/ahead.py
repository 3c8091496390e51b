"""Days that a statement names ahead of the day on which it was said."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

from gieok.text.day_ahead import days_ahead

_DAY = timedelta(days=1)
_UNITS = {"week": "week", "주": "week", "month": "month", "달": "month", "quarter": "quarter", "분기": "quarter"}
_UNITS |= {"year": "year", "해": "year", "weekend": "week", "주말": "week", "day": "day"}
_FORMS = re.compile(
    r"\b(?P<end>(?:the )?(?:very )?end of )?(?:(?P<q>this|next|the) )?(?P<u>weekend|week|month|quarter|year|day)\b"
    r"|(?<![가-힣])(?P<kq>이번|다음|다다음)\s*(?P<ku>주말|주|달|분기|해)\s*(?P<kend>말)?"
    r"|(?<![가-힣])(?P<word>오늘|올해|내년|연말|월말)|\b(?P<today>today|tonight)\b",
    re.IGNORECASE,
)


class NamedDays(NamedTuple):
    """Days that are named, the words, whether a whole period is (a week, a month), and whether it is one that runs now."""

    first: date
    last: date
    words: str
    is_period: bool = False
    is_current: bool = False


def at_start(text: str, said_on: date) -> NamedDays | None:
    """Return the days that a text begins with."""
    if re.match(r"(?:next )?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", text, re.IGNORECASE):
        day = days_ahead(f"on {text}", said_on)[0]
        return NamedDays(day.day, day.day, text[: day.end - 3])
    lead = re.match(r"(?:the )?", text, re.IGNORECASE)
    return next((named for start, named in each(text, said_on) if start in (0, lead.end() if lead else 0)), None)


def each(text: str, said_on: date) -> Iterator[tuple[int, NamedDays]]:
    """Yield the days that a text names, with where the words stand."""
    for day in days_ahead(text, said_on):
        yield day.start, NamedDays(day.day, day.day, text[day.start : day.end])
    for found in _FORMS.finditer(text):
        if days := _read(found, said_on):
            yield found.start(), days


def _read(found: re.Match[str], said: date) -> NamedDays | None:
    word = (found["word"] or found["today"] or "").lower()
    if word in ("오늘", "today", "tonight"):
        return NamedDays(said, said, found[0], is_current=True)
    count = {"next": 1, "다음": 1, "다다음": 2, "내년": 1}.get((found["q"] or found["kq"] or word).lower(), 0)
    unit = {"올해": "year", "내년": "year", "연말": "year", "월말": "month"}.get(word) or _UNITS[
        (found["u"] or found["ku"]).lower()
    ]
    if not (word or found["q"] or found["kq"] or found["end"]) or (found["q"] == "the" and not found["end"]):
        return None
    first, last = _period(said, unit, count)
    is_end = bool(found["end"])
    return NamedDays(
        first, last, found[0], is_period=not is_end and unit != "day", is_current=count == 0 and not is_end
    )


def _period(said: date, unit: str, count: int) -> tuple[date, date]:
    if unit == "day":
        return said, said
    if unit == "week":
        monday = said - said.weekday() * _DAY + 7 * count * _DAY
        return monday, monday + 6 * _DAY
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    index = said.year * 12 + said.month - 1
    index = index // months * months + count * months
    after = index + months
    return date(index // 12, index % 12 + 1, 1), date(after // 12, after % 12 + 1, 1) - _DAY
