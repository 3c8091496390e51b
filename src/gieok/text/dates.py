"""Dates in words, Korean and English: the days that a question names, and the day in a note's file name.

A table of patterns: the phrases are few, and a general date parser takes ordinary words ("may", "sun") for dates. All
arithmetic is on calendar days of the asker's zone.
"""

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

_DAY = timedelta(days=1)


class DateSpan(NamedTuple):
    """Days from `first` to `last`, both included, and the words of the question that name them."""

    first: date
    last: date
    words: str


_MONTHS = "january february march april may june july august september october november december".split()
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_WEEKDAYS_KO = "월화수목금토일"
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1}
_ORDINALS_KO = {"첫": 1, "둘": 2, "두": 2, "셋": 3, "세": 3, "넷": 4, "네": 4, "다섯": 5, "마지막": -1}
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "couple of": 2, "few": 3}
_NUMBERS_KO = {"한": 1, "두": 2, "세": 3, "네": 4, "일": 1, "이": 2, "삼": 3}

_DAYS_KO = {"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "일주일": 7, "보름": 15}

_MONTH = "(" + "|".join(f"{m}|{m[:3]}" for m in _MONTHS) + r")\.?"
#: The same without the verb "may": a month is written May, or follows in, on, of.
_CLEAR_MONTH = _MONTH.replace("may|may", r"(?-i:May|MAY)|(?<=\bin )may|(?<=\bon )may|(?<=\bof )may")
_WEEKDAY = "(" + "|".join(_WEEKDAYS) + ")"
_COUNT = r"(\d{1,3}|" + "|".join(_NUMBERS) + ")"
_COUNT_KO = r"(?<![가-힣\d])(\d{1,3}|" + "|".join(_NUMBERS_KO) + ")"
#: A Korean time word takes particles only: 지난주에는, not 지난 주문 or 단어제한.
_BEGIN_KO = r"(?<![가-힣])"
_END_KO = (
    r"(?=(?:에|서|의|은|는|이|가|을|를|도|만|엔|부터|까지|쯤|간|초|중|말|내|동안|처럼|보다|로|과|와|랑|치|아침|오전|낮|오후|저녁|밤|새벽){0,3}"
    r"(?![가-힣]))"
)
#: Not a day in the past: 매주 화요일, 다음 주 화요일.
_PAST_KO = r"(?<!매주)(?<!매주\s)(?<!다음)(?<!다음\s)(?<!다음주\s)(?<!다음\s주\s)"

Found = re.Match[str]


def find_span(question: str, today: date) -> DateSpan | None:
    """Return the days that `question` names, seen from `today`; None without any (or for an impossible date)."""
    if not _HINT.search(question):
        return None
    for pattern, meaning in _patterns():
        found = pattern.search(question)
        if found:
            try:
                first, last = meaning(found, today)
            except (ValueError, OverflowError, StopIteration):  # 2월 31일
                continue
            return DateSpan(first, last, found[0])
    return None


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


def _month(year: int, month: int) -> tuple[date, date]:
    next_month = date(year + month // 12, month % 12 + 1, 1)
    return date(year, month, 1), next_month - _DAY


def _latest_month(month: int, today: date) -> tuple[date, date]:
    """Return the most recent such month, the current one included: memory is about the past."""
    return _month(today.year if month <= today.month else today.year - 1, month)


def _months_back(today: date, count: int) -> tuple[date, date]:
    index = today.year * 12 + today.month - 1 - count
    return _month(index // 12, index % 12 + 1)


def _weeks_back(today: date, count: int) -> tuple[date, date]:
    monday = today - timedelta(days=today.weekday() + 7 * count)
    return monday, monday + timedelta(days=6)


def _year(year: int) -> tuple[date, date]:
    return date(year, 1, 1), date(year, 12, 31)


def _one(day: date) -> tuple[date, date]:
    return day, day


def _latest_day(month: int, day: int, today: date) -> tuple[date, date]:
    """Return the most recent such day, up to eight years back (the longest gap between two 29 February)."""
    years = (year for year in range(today.year, today.year - 9, -1) if day <= _month(year, month)[1].day)
    return _one(next(found for year in years if (found := date(year, month, day)) <= today))


def _latest_weekday(weekday: int, today: date) -> tuple[date, date]:
    return _one(today - timedelta(days=(today.weekday() - weekday) % 7 or 7))


def _week_of(month: tuple[date, date], ordinal: int) -> tuple[date, date]:
    """Return a week of a month. People count both days 1–7, 8–14 … and rows of the calendar: the span covers both."""
    first, last = month
    if ordinal < 0:
        return last - timedelta(days=6), last
    start = first + timedelta(days=7 * (ordinal - 1))
    row = start - timedelta(days=first.weekday())
    return max(first, min(start, row)), min(last, start + timedelta(days=6))


def _month_number(name: str) -> int:
    return [m[:3] for m in _MONTHS].index(name.lower()[:3]) + 1


def _number(word: str) -> int:
    lower = word.lower()
    return int(lower) if lower.isdigit() else _NUMBERS.get(lower, _NUMBERS_KO.get(lower, 0))


def _ago(count: int, unit: str, today: date) -> tuple[date, date]:
    unit = unit.lower()
    if unit in ("day", "일"):
        return _one(today - timedelta(days=count))
    if unit in ("week", "주", "주일"):
        return _weeks_back(today, count)
    if unit in ("month", "달", "개월"):
        return _months_back(today, count)
    return _year(today.year - count)


def _past(count: int, unit: str, today: date) -> tuple[date, date]:
    """Return the running span `past 3 weeks`, today included."""
    days = {"day": 1, "일": 1, "week": 7, "주": 7, "month": 31, "달": 31, "개월": 31, "year": 366, "년": 366}
    return today - timedelta(days=days[unit.lower()] * count), today


#: A prefilter: every phrase below contains one of these, and most questions none.
_HINT = re.compile(
    r"\d|월|요일|주|달|해|년|일|어제|오늘|그저께|그제|어젯밤|하루|이틀|사흘|나흘|보름|days?\b|\bweek|\bmonth|\byear|\bnight|\bago\b"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|january|february|march|april|june|july|august|september"
    r"|october|november|december)\b",
    re.IGNORECASE,
)

Meaning = Callable[[Found, date], tuple[date, date]]


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Meaning], ...]:
    return tuple((re.compile(expression, re.IGNORECASE), meaning) for expression, meaning in _TABLE)


#: The first match wins, so exact phrases precede vague ones.
_TABLE: tuple[tuple[str, Meaning], ...] = (
    (r"(?<!\d)(\d{4})[-./](\d{1,2})[-./](\d{1,2})(?!\d)", lambda m, _: _one(date(int(m[1]), int(m[2]), int(m[3])))),
    (r"(\d{4})년\s*(\d{1,2})월\s*(\d{1,2})일", lambda m, _: _one(date(int(m[1]), int(m[2]), int(m[3])))),
    (rf"\b{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b",
     lambda m, _: _one(date(int(m[3]), _month_number(m[1]), int(m[2])))),
    (rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+(\d{{4}})\b",
     lambda m, _: _one(date(int(m[3]), _month_number(m[2]), int(m[1])))),
    (rf"(?:(\d{{4}})년\s*)?(\d{{1,2}})월\s*(?:의\s*)?(첫|둘|두|셋|세|넷|네|다섯|마지막)\s*(?:째|번째)?\s*주{_END_KO}",
     lambda m, t: _week_of(_month(int(m[1]), int(m[2])) if m[1] else _latest_month(int(m[2]), t), _ORDINALS_KO[m[3]])),
    (rf"\b(first|second|third|fourth|last) week (?:of|in) {_MONTH}(?:\s+(\d{{4}}))?\b",
     lambda m, t: _week_of(_month(int(m[3]), _month_number(m[2])) if m[3] else _latest_month(_month_number(m[2]), t),
                           _ORDINALS[m[1].lower()])),
    (r"(\d{4})년\s*(\d{1,2})월", lambda m, _: _month(int(m[1]), int(m[2]))),
    (rf"\b{_CLEAR_MONTH},?\s+((?:19|20)\d\d)\b", lambda m, _: _month(int(m[2]), _month_number(m[1]))),
    (r"(\d{1,2})월\s*(\d{1,2})일", lambda m, t: _latest_day(int(m[1]), int(m[2]), t)),
    (rf"\b{_CLEAR_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?\b",
     lambda m, t: _latest_day(_month_number(m[1]), int(m[2]), t)),
    (rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_CLEAR_MONTH}\b",
     lambda m, t: _latest_day(_month_number(m[2]), int(m[1]), t)),
    (rf"\b(?:the )?(?:past|last) {_COUNT} (day|week|month|year)s\b", lambda m, t: _past(_number(m[1]), m[2], t)),
    (rf"(?:최근|지난)\s*(\d{{1,3}})\s*(일|주|개월|달|년)(?:간|\s*동안)?{_END_KO}", lambda m, t: _past(int(m[1]), m[2], t)),
    (rf"\b{_COUNT} (day|week|month|year)s? ago\b", lambda m, t: _ago(_number(m[1]), m[2], t)),
    (rf"{_COUNT_KO}\s*(일|주일|주|개월|달|년)\s*전{_END_KO}", lambda m, t: _ago(_number(m[1]), m[2], t)),
    (rf"{_BEGIN_KO}({'|'.join(_DAYS_KO)})\s*전{_END_KO}", lambda m, t: _one(t - _DAYS_KO[m[1]] * _DAY)),
    (rf"\bday before yesterday\b|{_BEGIN_KO}(?:그저께|그제|엊그제){_END_KO}", lambda _, t: _one(t - 2 * _DAY)),
    (rf"\byesterday\b|{_BEGIN_KO}어제{_END_KO}", lambda _, t: _one(t - _DAY)),
    (rf"\btoday\b|{_BEGIN_KO}오늘{_END_KO}", lambda _, t: _one(t)),
    (r"\blast night\b|어젯밤", lambda _, t: (t - _DAY, t)),
    (rf"\b(?:last|on|this past) {_WEEKDAY}\b",
     lambda m, t: _latest_weekday(_WEEKDAYS.index(m[1].lower()), t)),
    (rf"지난\s*주\s*([{_WEEKDAYS_KO}])요일",
     lambda m, t: _one(_weeks_back(t, 1)[0] + _DAY * _WEEKDAYS_KO.index(m[1]))),
    (rf"{_PAST_KO}(?:지난\s*)?([{_WEEKDAYS_KO}])요일", lambda m, t: _latest_weekday(_WEEKDAYS_KO.index(m[1]), t)),
    (r"\blast weekend\b|지난\s*주말", lambda _, t: (_weeks_back(t, 1)[0] + 5 * _DAY, _weeks_back(t, 1)[1])),
    (rf"\bweek before last\b|(?:지지난|저저번)\s*주{_END_KO}", lambda _, t: _weeks_back(t, 2)),
    (rf"\b(?:last|previous) week\b|(?:지난|저번)\s*주{_END_KO}", lambda _, t: _weeks_back(t, 1)),
    (rf"\bthis week\b|(?:이번\s*|{_BEGIN_KO}금)주{_END_KO}", lambda _, t: _weeks_back(t, 0)),
    (rf"\b(?:last|previous) month\b|(?:지난|저번)\s*달{_END_KO}", lambda _, t: _months_back(t, 1)),
    (rf"\bthis month\b|이번\s*달{_END_KO}", lambda _, t: _months_back(t, 0)),
    (rf"\b(?:last|previous) year\b|{_BEGIN_KO}작년|지난\s*해{_END_KO}", lambda _, t: _year(t.year - 1)),
    (rf"\bthis year\b|{_BEGIN_KO}(?:올해|금년)", lambda _, t: _year(t.year)),
    (rf"\b(?:in|during|since|of|last|early|mid|late) (?:early |mid |late |mid-)?{_MONTH}\b",
     lambda m, t: _latest_month(_month_number(m[1]), t)),
    (rf"(?<!\d)(\d{{1,2}})월(?:달|분|호)?(?!\s*\d){_END_KO}", lambda m, t: _latest_month(int(m[1]), t)),
    (r"\bin (20\d\d)\b|(20\d\d)년", lambda m, _: _year(int(m[1] or m[2]))),
)  # fmt: skip
