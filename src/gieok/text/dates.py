"""Dates in words, Korean and English: the days that a question names."""

import re
from datetime import date
from typing import NamedTuple

from gieok.text.times.meant import asks_what_was
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


def find_asked_span(question: str, today: date) -> DateSpan | None:
    """Return the days that a question about memory names, if they have begun.

    A day without its year (12월 4일) is the nearest one, unless the question asks what was: a diary
    holds days to come too, and last year's must not hide the line that names the coming one.
    """
    span = find_past_span(question, today)
    if span is None or asks_what_was(question):
        return span
    times = read_times(question, today, is_ahead=True).found
    coming = times[0].span if times else span
    is_nearer = today < coming.first and coming.first - today <= today - span.last
    return None if is_nearer and times[0].grain in ("date", "month") else span


def name_past_year(question: str, span: DateSpan | None, today: date) -> str:
    """Return a question with the number of a past year in place of words for it: 작년, last year.

    Who holds the question against a line has no calendar, and the line names its year by number. A
    question is returned as it is where it names no whole past year, or names it by its number. The
    current year is left, because a line of this year calls it 올해 too.
    """
    if span is None or span.first.year >= today.year or re.search(r"\d", span.words):
        return question
    year = span.first.year
    if (span.first, span.last) != (date(year, 1, 1), date(year, 12, 31)):
        return question
    number = f"{year}년" if re.search(r"[가-힣]", span.words) else str(year)
    return question.replace(span.words, number, 1)


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
