"""The day that a plan names, Korean and English, seen from the day it was told: the next one, unless a year says otherwise."""

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

_DAY = timedelta(days=1)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    r"(?P<en_month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAYS = "mon tue wed thu fri sat sun".split()
_WEEKDAY = r"(?P<wd>mon|tue|wed|thu|fri|sat|sun)[a-z]*"
_KO_WEEKDAY = r"(?P<wd>[월화수목금토일])(?:요일|욜)"
_ORDINALS = {"첫": 1, "첫째": 1, "둘째": 2, "셋째": 3, "넷째": 4, "마지막": 5}
_AFTER_KO = {"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "일주일": 7, "열흘": 10, "보름": 15}
#: A day without a year this long ago is this year's, told late; longer ago, it is next year's.
_LATE_DAYS = 30


class NamedDay(NamedTuple):
    """A day, and where in the text it is named."""

    day: date
    start: int
    end: int


def _of_month(month: int, day: int, said: date, year: int = 0) -> date:
    if year:
        return date(year, month, day)
    found = date(said.year, month, day)
    return found if (said - found).days <= _LATE_DAYS else date(said.year + 1, month, day)


def _next_date(day: int, said: date) -> date:
    """Return the next such day of a month, today included."""
    month = said.replace(day=1)
    for _ in range(4):
        try:
            if (found := month.replace(day=day)) >= said:
                return found
        except ValueError:
            pass
        month = (month + 32 * _DAY).replace(day=1)
    raise ValueError(day)


def _in_month(day: int, said: date, months: int) -> date:
    first = said.replace(day=1)
    return ((first + 32 * _DAY).replace(day=1) if months else first).replace(day=day)


def _weekday(name: str) -> int:
    return _WEEKDAYS.index(name[:3].lower()) if name.isascii() else "월화수목금토일".index(name)


def _coming(name: str, said: date) -> date:
    return said + _DAY * ((_weekday(name) - said.weekday()) % 7 or 7)


def _in_week(name: str, said: date, weeks: int) -> date:
    return said - _DAY * said.weekday() + _DAY * (7 * weeks + _weekday(name))


def _ordinal_week(found: "re.Match[str]", said: date) -> date:
    first = _of_month(int(found["m"]), 1, said)
    monday = first - _DAY * first.weekday()
    return monday + _DAY * (7 * (_ORDINALS[found["nth"]] - 1) + _weekday(found["wd"]))


def _english(found: "re.Match[str]", said: date) -> date:
    return _of_month(_MONTHS.index(found["en_month"][:3].lower()) + 1, int(found["d"]), said, int(found["y"] or 0))


#: The first that matches counts, so the more exact come first; those that may be parts of others last.
_FORMS: tuple[tuple[str, Callable[["re.Match[str]", date], date]], ...] = (
    (r"(?P<y>20\d\d)-(?P<m>\d\d)-(?P<d>\d\d)", lambda f, s: date(int(f["y"]), int(f["m"]), int(f["d"]))),
    (r"(?:(?P<y>20\d\d)년 ?)?(?<!\d)(?P<m>\d{1,2})월 ?(?P<d>\d{1,2})일",
     lambda f, s: _of_month(int(f["m"]), int(f["d"]), s, int(f["y"] or 0))),
    (rf"\b{_MONTH}\.?,? (?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? (?P<y>20\d\d))?", _english),
    (rf"(?<!\d)(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH}\b(?: (?P<y>20\d\d))?", _english),
    (rf"(?P<m>\d{{1,2}})월 ?(?P<nth>첫째?|둘째|셋째|넷째|마지막) ?주[.,]? ?{_KO_WEEKDAY}", _ordinal_week),
    (rf"다다음 ?주 ?{_KO_WEEKDAY}", lambda f, s: _in_week(f["wd"], s, 2)),
    (rf"(?:다음|담) ?주 ?{_KO_WEEKDAY}", lambda f, s: _in_week(f["wd"], s, 1)),
    (rf"이번 ?주 ?{_KO_WEEKDAY}", lambda f, s: _in_week(f["wd"], s, 0)),
    (r"(?:다음|담) ?달 ?(?P<d>\d{1,2})일", lambda f, s: _in_month(int(f["d"]), s, 1)),
    (r"(?:이번|요번) ?달 ?(?P<d>\d{1,2})일", lambda f, s: _in_month(int(f["d"]), s, 0)),
    (r"(?<![\d월])(?P<d>\d{1,2})일 ?[월화수목금토일](?:요일|욜)", lambda f, s: _next_date(int(f["d"]), s)),
    (rf"\bnext week,? (?:on )?{_WEEKDAY}\b|\b(?:on )?{_WEEKDAY.replace('wd', 'wd2')} next week\b",
     lambda f, s: _in_week(f["wd"] or f["wd2"], s, 1)),
    (rf"\bnext {_WEEKDAY}\b",
     lambda f, s: _in_week(f["wd"], s, 1)),
    (rf"\b(?:this(?: coming)?|on|by|coming) {_WEEKDAY}\b", lambda f, s: _coming(f["wd"], s)),
    (r"(?<![가-힣])(?:글피)", lambda f, s: s + 3 * _DAY),
    (r"(?<![가-힣])(?:모레|낼모레)|\bday after tomorrow\b", lambda f, s: s + 2 * _DAY),
    (r"(?<![가-힣])(?:내일|낼)(?!(?!까지)[가-힣]{2})|\btomorrow\b", lambda f, s: s + _DAY),
    (r"(?<!\d)(?P<n>\d{1,2})일 ?(?:뒤|후)(?:에|$|[ .!])", lambda f, s: s + int(f["n"]) * _DAY),
    (r"(?P<n>하루|이틀|사흘|나흘|닷새|일주일|열흘|보름) ?(?:뒤|후)", lambda f, s: s + _AFTER_KO[f["n"]] * _DAY),
    (r"\bin (?P<n>\d{1,2}) (?P<u>day|week)s?\b", lambda f, s: s + int(f["n"]) * (7 if f["u"] == "week" else 1) * _DAY),
    (r"(?<![\d월.])(?P<d>\d{1,2})일(?=에|로|이|인|은|까지|부터|날|$|[ .,!?요])", lambda f, s: _next_date(int(f["d"]), s)),
    (r"\bthe (?P<d>\d{1,2})(?:st|nd|rd|th)\b", lambda f, s: _next_date(int(f["d"]), s)),
    (rf"(?<![가-힣]){_KO_WEEKDAY}(?=에|날|까지|$|[ .,!?])", lambda f, s: _coming(f["wd"], s)),
)  # fmt: skip


@cache
def _form(words: str) -> "re.Pattern[str]":
    return re.compile(words, re.IGNORECASE)


def day_ahead(text: str, said: date) -> NamedDay | None:
    """Return the day that a text names, seen from `said`; None without one (or for an impossible one)."""
    days = days_ahead(text, said)
    return days[0] if days else None


def days_ahead(text: str, said: date) -> list[NamedDay]:
    """Return the days that a text names, in its order; none overlaps another."""
    found, taken = list[NamedDay](), list[tuple[int, int]]()
    for form, meaning in _FORMS:
        for match in _form(form).finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            taken.append(match.span())  # an impossible day is no other day either
            try:
                found.append(NamedDay(meaning(match, said), match.start(), match.end()))
            except ValueError:
                continue
    return sorted(found, key=lambda one: one.start)
