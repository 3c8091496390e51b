"""Dates in words, Korean and English: the days that a question names."""

import re
from datetime import date
from typing import NamedTuple

from gieok.text.times.reading import read_times


class DateSpan(NamedTuple):
    """Days from `first` to `last`, both included, and the words of the question that name them."""

    first: date
    last: date
    words: str


def find_span(question: str, today: date) -> DateSpan | None:
    """Return the days that `question` names, seen from `today`.

    None where it names none, and where a date in it is only partly understood.
    """
    times = read_times(question, today)
    if times.refused or not times.found:
        return None
    time = times.found[0]
    return DateSpan(*time.span, question[time.start : time.end])


def find_past_span(question: str, today: date) -> DateSpan | None:
    """Return the days that `question` names, if they have begun.

    Memory holds nothing of days to come, so next week is no span to search.
    """
    span = find_span(question, today)
    return span if span and span.first <= today else None


def find_last_day(words: str, today: date) -> date | None:
    """Return the last day of a time ahead; None where `words` say anything more than that time.

    Examples: Friday, 다음 주까지, the end of March.
    """
    times = read_times(words, today, is_ahead=True)
    if times.refused or len(times.found) != 1:
        return None
    time = times.found[0]
    around = words[: time.start] + " " + words[time.end :]
    return (
        None
        if re.sub(r"(?i)\b(?:until|till|through|the|up to)\b|까지|만|\W", "", around)
        else time.span.last
    )


def refused_times(question: str, today: date) -> tuple[str, ...]:
    """Return the words of a question that look like a time and are not wholly understood."""
    return read_times(question, today).refused
