"""Adds the date to relative days: `tomorrow` means nothing a week later."""

import re
from datetime import date, timedelta

from gieok.text.dates import find_span

#: Words that mean the same day relative to any day on which they are said.
_PAST = re.compile(
    r"어제|그제|그저께|엊그제|오늘|방금|아까|지난 ?(?:주|달|해|번 ?주)|저번 ?(?:주|달)|작년|올해"
    r"|\b(?:yesterday|today|this morning|last (?:night|week|weekend|month|year|\w+day)(?! of\b)"
    r"|\w+ (?:days?|weeks?|months?) ago)\b",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"(?P<tomorrow>(?<![가-힣])내일|\btomorrow\b(?! or))|(?P<after>(?<![가-힣])모레|\bday after tomorrow\b)"
    r"|다음 ?주 ?(?P<ko>[월화수목금토일])요일|\bnext week,? (?:on )?(?P<en>mon|tue|wed|thu|fri|sat|sun)\w*"
    r"|(?P<weekly>(?<![가-힣])다음 ?주|\bnext week\b)|(?P<monthly>다음 ?달|\bnext month\b)",
    re.IGNORECASE,
)
#: A bare weekday means the next one, in a statement of something due by that day.
_DUE = re.compile(
    r"(?:이번 ?주 ?)?(?P<ko>[월화수목금토일])요일(?:까지| ?전까지)|\b(?:by|due|due on|before|until|this|"
    r"this coming) (?P<en>mon|"
    r"tues|wednes|thurs|fri|satur|sun)day\b",
    re.IGNORECASE,
)
_DAYS = {
    name: n
    for names in ("월화수목금토일", "mon tue wed thu fri sat sun".split())
    for n, name in enumerate(names)
}


def dated(text: str, said: date) -> str:
    """Return a text with the day, or the first and the last, that its relative date means."""
    days = _find_days_ahead(text, said) or _find_due_day(text, said) or _find_past_days(text, said)
    if days is None:
        return text
    first, last = days
    shown = f"{first}" if first == last else f"{first} to {last}"
    return text if str(first) in text else f"{text} ({shown})"


def _find_days_ahead(text: str, said: date) -> tuple[date, date] | None:
    match = _AHEAD.search(text)
    if match is None:
        return None
    monday = said + timedelta(days=7 - said.weekday())
    if match["after"] or match["tomorrow"]:
        day = said + timedelta(days=2 if match["after"] else 1)
    elif match["weekly"]:
        return monday, monday + timedelta(days=6)
    elif match["monthly"]:
        first = (said.replace(day=1) + timedelta(days=32)).replace(day=1)
        return first, (first + timedelta(days=32)).replace(day=1) - timedelta(days=1)
    else:
        day = monday + timedelta(days=_DAYS[(match["ko"] or match["en"]).lower()])
    return day, day


def _find_due_day(text: str, said: date) -> tuple[date, date] | None:
    match = _DUE.search(text)
    if match is None:
        return None
    weekday = _DAYS[(match["ko"] or match["en"][:3]).lower()]
    day = said + timedelta(days=(weekday - said.weekday()) % 7)
    return day, day


def _find_past_days(text: str, said: date) -> tuple[date, date] | None:
    days = find_span(text, said) if _PAST.search(text) else None
    return (days.first, days.last) if days else None
