"""Spans of days in the calendar.

Weeks begin on Monday, winter in December. dateutil counts the months.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dateutil.relativedelta import relativedelta

DAY = timedelta(days=1)
_WEEK_DAYS = 7
#: Unit → number of its months.
MONTHS = {"month": 1, "quarter": 3, "season": 3, "half": 6, "year": 12, "decade": 120}
_DECEMBER = 12


class DaySpan(NamedTuple):
    """Days from `first` to `last`, both included."""

    first: date
    last: date

    @property
    def days(self) -> int:
        """Return the number of days."""
        return (self.last - self.first).days + 1

    def holds(self, other: "DaySpan") -> bool:
        """Return whether another span lies within this span."""
        return self.first <= other.first and other.last <= self.last


@cache
def _build_month_delta(months: int) -> "relativedelta":
    from dateutil.relativedelta import relativedelta

    return relativedelta(months=months)


def months_later(day: date, months: int) -> date:
    """Return the same day `months` months later, or the last day of a shorter month.

    Raises ValueError, OverflowError.
    """
    later: date = day + _build_month_delta(months)
    return later


def build_one_day(day: date) -> DaySpan:
    """Return a span of one day."""
    return DaySpan(day, day)


def months(first: date, count: int) -> DaySpan:
    """Return the span of `count` months that begins on `first`, a first day of a month."""
    return DaySpan(first, months_later(first, count) - DAY)


def year(number: int) -> DaySpan:
    """Return the span of a year."""
    return months(date(number, 1, 1), 12)


def month(of_year: int, number: int) -> DaySpan:
    """Return the span of a month in a year."""
    return months(date(of_year, number, 1), 1)


def week_with(day: date) -> DaySpan:
    """Return the week that contains a day."""
    monday = day - day.weekday() * DAY
    return DaySpan(monday, monday + 6 * DAY)


def build_calendar_period(unit: str, day: date, offset: int) -> DaySpan:
    """Return the period of a unit that contains a day, or the period `offset` units later."""
    if unit == "day":
        return build_one_day(day + offset * DAY)
    if unit == "week":
        return week_with(day + 7 * offset * DAY)
    if unit == "weekend":
        week = week_with(day + 7 * offset * DAY)
        return DaySpan(week.first + 5 * DAY, week.last)
    length = MONTHS[unit]
    index = (day.year * 12 + day.month - 1) // length * length
    return months(months_later(date(index // 12, index % 12 + 1, 1), length * offset), length)


def shifted(unit: str, day: date, count: int) -> date:
    """Return the day `count` units after a day."""
    if unit in ("day", "week"):
        return day + count * (_WEEK_DAYS if unit == "week" else 1) * DAY
    return months_later(day, count * MONTHS[unit])


def yearly(kind: str, number: int, of_year: int) -> DaySpan:
    """Return a period that comes once a year.

    `kind` is a month, a quarter or a half, with its number, a season with the number of the month
    in which it begins, or a holiday. A holiday's number is month and day (1225), or below 100 that
    of a movable holiday (see `_find_moving`).
    """
    if kind == "holiday":
        return build_one_day(
            _find_moving(number, of_year)
            if number < 100
            else date(of_year, number // 100, number % 100)
        )
    start = number if kind in ("month", "season") else (number - 1) * MONTHS[kind] + 1
    return months(date(of_year, start, 1), MONTHS[kind])


def _find_moving(number: int, of_year: int) -> date:
    """Return the day of a movable holiday.

    Easter (1), Good Friday (2), Thanksgiving (3, of the United States) or the Friday after it (4).
    """
    if number <= 2:
        from dateutil.easter import easter

        sunday: date = easter(of_year)
        return sunday - 2 * DAY * (number - 1)
    return weekdays(month(of_year, 11), 3)[3] + DAY * (number - 3)


def week_of(box: DaySpan, ordinal: int, *, is_row: bool = False) -> DaySpan:
    """Return a week of a month by its number; a negative number counts from the end.

    People count both days 1 to 7, 8 to 14 … and rows of the calendar: the span covers both. With
    `is_row` it is the row alone, which a weekday in that week needs.
    """
    row = week_with(box.first + 7 * (ordinal - 1) * DAY)
    if ordinal < 0:
        row = week_with(box.last + 7 * (ordinal + 1) * DAY)
        return (
            row
            if is_row
            else DaySpan(box.last + (7 * ordinal + 1) * DAY, box.last + 7 * (ordinal + 1) * DAY)
        )
    if is_row:
        return row
    start = box.first + 7 * (ordinal - 1) * DAY
    return DaySpan(max(box.first, min(start, row.first)), min(box.last, start + 6 * DAY))


def weekdays(box: DaySpan, number: int) -> list[date]:
    """Return the days of a span that fall on a weekday (0 for Monday)."""
    first = box.first + (number - box.first.weekday()) % 7 * DAY
    return (
        [first + 7 * n * DAY for n in range(((box.last - first).days // 7) + 1)]
        if first <= box.last
        else []
    )


def days_of_month(box: DaySpan, number: int) -> list[date]:
    """Return the days of a span with a number in their month."""
    days: list[date] = []
    at = box.first.replace(day=1)
    while at <= box.last:
        here = _with_day(at, number)
        if here and box.first <= here <= box.last:
            days.append(here)
        at = months_later(at, 1)
    return days


def _with_day(at: date, number: int) -> date | None:
    try:
        return at.replace(day=number)
    except ValueError:
        return None


def dates_near(today: date, number: int, *, is_ahead: bool) -> Iterator[date]:
    """Yield the days with a number in their month, from today onwards or backwards.

    Months without such a day are skipped.
    """
    for n in range(4):
        here = _with_day(months_later(today.replace(day=1), n if is_ahead else -n), number)
        if here and (here >= today if is_ahead else here <= today):
            yield here


#: First and last day of a part of a month; people round, so the parts meet or overlap.
_OF_MONTH = {1: (1, 10), 2: (10, 20), 3: (20, 31), 4: (21, 31), 5: (1, 15), 6: (16, 31)}
#: Length of a period in months → first and last month of each of its parts.
_OF_MONTHS = {
    12: {1: (1, 3), 2: (5, 8), 3: (10, 12), 4: (10, 12), 5: (1, 6), 6: (7, 12)},
    6: {1: (1, 2), 2: (3, 4), 3: (5, 6), 4: (5, 6), 5: (1, 3), 6: (4, 6)},
    3: {1: (1, 1), 2: (2, 2), 3: (3, 3), 4: (3, 3)},
    120: {1: (1, 48), 2: (37, 84), 3: (73, 120), 4: (85, 120), 5: (1, 60), 6: (61, 120)},
}
#: Part of a week → its first and last day, from 1 on.
_OF_WEEK = {1: (1, 2), 2: (2, 4), 3: (4, 7), 4: (5, 7)}


def select_period_part(box: DaySpan, number: int) -> DaySpan | None:
    """Return a part of a period; None for other spans.

    The parts are beginning (1), middle (2), late part (3), end (4), first and second half (5, 6).
    """
    if box.days == _WEEK_DAYS and number in _OF_WEEK:
        start, end = _OF_WEEK[number]
        return DaySpan(box.first + (start - 1) * DAY, box.first + (end - 1) * DAY)
    if box.first.day != 1 or (box.last + DAY).day != 1:
        return None
    length = (box.last.year - box.first.year) * 12 + box.last.month - box.first.month + 1
    if length == 1:
        start, end = _OF_MONTH[number]
        return DaySpan(box.first + (start - 1) * DAY, min(box.first + (end - 1) * DAY, box.last))
    if number not in _OF_MONTHS.get(length, {}):
        return None
    start, end = _OF_MONTHS[length][number]
    return months(months_later(box.first, start - 1), end - start + 1)
