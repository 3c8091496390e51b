"""Adds the date to relative days: `tomorrow` means nothing a week later."""

import re
from datetime import date, timedelta

from gieok.text.dates import DateSpan, find_past_span, find_span
from gieok.text.late_pattern import defer_pattern
from gieok.text.times import ahead
from gieok.text.times.calendar import months, months_later, week_with

#: Days after which the same words are read again, to see whether they mean another day then.
_SOON, _LATER = timedelta(days=7), timedelta(days=400)
_AHEAD = defer_pattern(
    r"(?P<tomorrow>(?<![가-힣])내일|\btomorrow\b(?! or))|(?P<after>(?<![가-힣])모레|\bday after tomorrow\b)"
    r"|다음 ?주 ?(?P<ko>[월화수목금토일])요일|\bnext week,? (?:on )?(?P<en>mon|tue|wed|thu|fri|sat|sun)\w*"
    r"|(?P<weekly>(?<![가-힣])다음 ?주|\bnext week\b)|(?P<monthly>다음 ?달|\bnext month\b)",
    re.IGNORECASE,
)
#: A word that counts from the day on which it is said. Without one, weekdays, weekends and weeks
#: of a month are those of every week and year: "deploys Monday to Thursday", "화요일부터".
_POINTS = defer_pattern(
    r"\b(?:ago|last|past|this|previous|yesterday|today|tonight|tomorrow|next|earlier|recently"
    r"|(?:in|within|for|since|before) (?:the )?(?:\w+ )?\w+)\b"
    r"|\b(?:the other day|back)\b|(?<!오)[전뒤후](?!반)|지난|저번|요번|이번|다음|오는|어제|어젯|그제|그저께"
    r"|그끄저께|엊그제|간밤|아까|방금|최근|오늘|내일|모레|작년|재작년|올해|올 ?[봄여가겨]|내년|금[년주일]|이달|새해",
    re.IGNORECASE,
)
#: A bare weekday means the next one, in a statement of something due by that day.
_DUE = defer_pattern(
    r"(?:이번 ?주 ?)?(?P<ko>[월화수목금토일])요일(?:까지| ?전까지)|\b(?:by|due|due on|before|until|this|"
    r"this coming) (?P<en>mon|"
    r"tues|wednes|thurs|fri|satur|sun)day\b",
    re.IGNORECASE,
)
#: Before and behind the day on which something begins. What begins then has no end for that.
_BEGINS = defer_pattern(
    r"\b(?:from|since|starting|beginning|effective|as of)(?: on| in)? (?:the )?$", re.IGNORECASE
)
_BEGINS_KO = defer_pattern(r"\s*(?:쯤|경)?\s*부터")
#: The same in the words of a past time.
_BEGAN = defer_pattern(r"^since\b|(?:부터|이후|이래)$", re.IGNORECASE)
_DAYS = {
    name: n
    for names in ("월화수목금토일", "mon tue wed thu fri sat sun".split())
    for n, name in enumerate(names)
}


def dated(text: str, said: date) -> str:
    """Return a text with the day, or the first and the last, that its relative date means.

    A date that says since when something holds names its first day only.
    """
    began = _find_beginning(text, said)
    if began is not None:
        return text if str(began) in text else f"{text} (from {began})"
    days = _find_days_ahead(text, said) or _find_due_day(text, said) or _find_past_days(text, said)
    if days is None:
        return text
    first, last = days
    shown = f"{first}" if first == last else f"{first} to {last}"
    return text if str(first) in text else f"{text} ({shown})"


def _find_beginning(text: str, said: date) -> date | None:
    """Return the first day of what begins on a relative date: 다음 달부터, from next week."""
    for start, named in ahead.each(text, said):
        is_beginning = _BEGINS.search(text, 0, start) or _BEGINS_KO.match(
            text, start + len(named.words)
        )
        if is_beginning and _POINTS.search(named.words):
            return named.first
    past = _find_past_span(text, said)
    return past.first if past is not None and _BEGAN.search(past.words) else None


def _find_days_ahead(text: str, said: date) -> tuple[date, date] | None:
    match = _AHEAD.search(text)
    if match is None:
        return None
    next_week = week_with(said + timedelta(days=7))
    if match["after"] or match["tomorrow"]:
        day = said + timedelta(days=2 if match["after"] else 1)
    elif match["weekly"]:
        return next_week.first, next_week.last
    elif match["monthly"]:
        next_month = months(months_later(said.replace(day=1), 1), 1)
        return next_month.first, next_month.last
    else:
        day = next_week.first + timedelta(days=_DAYS[(match["ko"] or match["en"]).lower()])
    return day, day


def _find_due_day(text: str, said: date) -> tuple[date, date] | None:
    match = _DUE.search(text)
    if match is None:
        return None
    weekday = _DAYS[(match["ko"] or match["en"][:3]).lower()]
    day = said + timedelta(days=(weekday - said.weekday()) % 7)
    return day, day


def _find_past_days(text: str, said: date) -> tuple[date, date] | None:
    days = _find_past_span(text, said)
    return (days.first, days.last) if days is not None else None


def _find_past_span(text: str, said: date) -> DateSpan | None:
    """Return the past days that a relative time in a text means."""
    days = find_past_span(text, said)
    if (
        days is None
        or not _POINTS.search(days.words)
        or not _is_relative(text, said, days.first, days.last)
    ):
        return None
    return days


def _is_relative(text: str, said: date, first: date, last: date) -> bool:
    """Return whether the time in a text depends on the day on which it is said.

    A date without its year (March 5) means the same day all through a year and is not relative; a
    whole year that no number names (last year) is.
    """
    soon, later = find_span(text, said + _SOON), find_span(text, said + _LATER)
    if later is None or soon is None or (later.first, later.last) == (first, last):
        return False
    is_other_soon = (soon.first, soon.last) != (first, last)
    is_year = (first.month, first.day, last.month, last.day) == (1, 1, 12, 31)
    is_same_date = (later.first.month, later.first.day) == (first.month, first.day)
    return is_year or (not is_same_date and (is_other_soon or first.day == 1))
