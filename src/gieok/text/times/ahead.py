"""The days that a statement names ahead of the day on which it was said."""

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from gieok.text.times.reading import Time, read_times

#: Periods which "until next" may or may not include.
_PERIODS = ("week", "month", "quarter", "half", "season", "year", "decade")
_ARTICLE = "the "


class NamedDays(NamedTuple):
    """Days that are named, and the words that name them.

    `is_period`: the words name a whole period (a week, a month). `is_current`: the period is the
    current one.
    """

    first: date
    last: date
    words: str
    is_period: bool = False
    is_current: bool = False


def at_start(text: str, said_on: date) -> NamedDays | None:
    """Return the days that the beginning of a text names; None for none."""
    article = _ARTICLE if text.lower().startswith(_ARTICLE) else ""
    return next((named for start, named in each(text, said_on) if start <= len(article)), None)


def each(text: str, said_on: date) -> Iterator[tuple[int, NamedDays]]:
    """Yield the days that a text names, with the offset of the words."""
    for time in read_times(text, said_on, is_ahead=True).found:
        if not time.looks_back:
            yield time.start, _build_named_days(time, text)


def _build_named_days(time: Time, text: str) -> NamedDays:
    words = text[time.start : time.end]
    return NamedDays(
        *time.span, words, is_period=time.grain in _PERIODS, is_current=time.is_current
    )
