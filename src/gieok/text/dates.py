"""Dates in words, Korean and English: the days that a question names, and the day in a note's file name."""

import re
from datetime import date
from typing import NamedTuple

from gieok.text.times.reading import read


class DateSpan(NamedTuple):
    """Days from `first` to `last`, both included, and the words of the question that name them."""

    first: date
    last: date
    words: str


def find_span(question: str, today: date) -> DateSpan | None:
    """Return the days that `question` names, seen from `today`; None without any, and where one is half understood."""
    times = read(question, today)
    if times.refused or not times.found:
        return None
    time = times.found[0]
    return DateSpan(*time.span, question[time.start : time.end])


def find_past_span(question: str, today: date) -> DateSpan | None:
    """Return the days that `question` names, where they have begun: nothing that was told is of next week."""
    span = find_span(question, today)
    return span if span and span.first <= today else None


def find_last_day(words: str, today: date) -> date | None:
    """Return the last day of a time ahead that is all of what `words` say: Friday, 다음 주까지, the end of March."""
    times = read(words, today, is_ahead=True)
    if times.refused or len(times.found) != 1:
        return None
    time = times.found[0]
    around = words[: time.start] + " " + words[time.end :]
    return None if re.sub(r"(?i)\b(?:until|till|through|the|up to)\b|까지|만|\W", "", around) else time.span.last


def refused_times(question: str, today: date) -> tuple[str, ...]:
    """Return the words of a question that look like a time and are not wholly understood."""
    return read(question, today).refused


_DAY_NAME = re.compile(r"(\d{4})[-_.]?(\d{2})[-_.]?(\d{2})(?!\d)")


def name_without_day(name: str) -> str:
    """Return a file name without the day that it begins with."""
    return _DAY_NAME.sub("", name).strip("-_. ") if day_in_name(name) else name


def day_in_name(name: str) -> date | None:
    """Return the day that a file name begins with (`2026-10-14-incident.md`, `2026_10_14`, `20261014`), or None."""
    found = _DAY_NAME.match(name)
    try:
        return date(int(found[1]), int(found[2]), int(found[3])) if found else None
    except ValueError:
        return None
