"""The phrases that name days, Korean and English, and what each means seen from a day.

A table of patterns: the phrases are few, and a general date parser takes ordinary words ("may", "sun") for dates. All
arithmetic is on calendar days of the asker's zone.
"""

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache

Found = re.Match[str]
Meaning = Callable[[Found, date], tuple[date, date]]

_DAY = timedelta(days=1)
_MONTHS = "january february march april may june july august september october november december".split()
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_WEEKDAYS_KO = "월화수목금토일"
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1}
_ORDINALS_KO = {"첫": 1, "둘": 2, "두": 2, "셋": 3, "세": 3, "넷": 4, "네": 4, "다섯": 5, "마지막": -1}
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_NUMBERS |= {"nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "couple of": 2, "couple": 2, "few": 3}
_NUMBERS_KO = {"한": 1, "두": 2, "세": 3, "석": 3, "서너": 3, "네": 4, "넉": 4, "다섯": 5, "여섯": 6, "열": 10}
_NUMBERS_KO |= {"일": 1, "이": 2, "삼": 3, "몇": 3}

_DAYS_KO = {"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "일주일": 7, "열흘": 10, "보름": 15}
#: First and last day of a part of a month; 31: its last. People round, so that the parts of English meet.
_PARTS = {"early": (1, 10), "beginning": (1, 10), "start": (1, 10), "mid": (10, 20), "middle": (10, 20)}
_PARTS |= {"late": (20, 31), "end": (21, 31), "초": (1, 10), "초순": (1, 10), "상순": (1, 10), "초반": (1, 10)}
_PARTS |= {"중순": (10, 20), "중반": (10, 20), "말": (21, 31), "하순": (21, 31), "후반": (16, 31), "말경": (21, 31)}
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
#: First month of a season, which has three; winter begins in December.
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "봄": 3, "여름": 6, "가을": 9, "겨울": 12}

_MONTH = "(" + "|".join(f"{m}|{m[:3]}" for m in _MONTHS).replace("september|sep", "september|sept|sep") + r")\.?"
#: The same without the verb "may": a month is written May, or follows in, on, of.
_CLEAR_MONTH = _MONTH.replace("may|may", r"(?-i:May|MAY)|(?<=\bin )may|(?<=\bon )may|(?<=\bof )may")
#: Months that stand for themselves without a preposition: no name of a person (April, June) and no verb (March, May).
_BARE_MONTH = "(?-i:(January|February|July|August|September|October|November|December))"
_PART = r"(early|mid|late|(?:the )?(?:beginning|start|middle|end) of)"
_PART_KO = "(초순|초반|상순|중순|중반|말경|하순|후반|초|말)"
_WEEKDAY = "(" + "|".join(_WEEKDAYS) + ")"
_COUNT = r"(\d{1,3}|" + "|".join(_NUMBERS) + ")"
_COUNT_KO = r"(?<![가-힣\d])(\d{1,3}|" + "|".join(_NUMBERS_KO) + ")"
#: A Korean time word takes particles only: 지난주에는, not 지난 주문 or 단어제한.
_BEGIN_KO = r"(?<![가-힣])"
_END_KO = (
    r"(?=(?:에|서|의|은|는|이|가|을|를|도|만|엔|부터|까지|쯤|께|경|간|초|중|말|내|동안|처럼|보다|로|과|와|랑|치|아침|오전|낮|오후|저녁|밤"
    r"|새벽|이후|이래){0,3}(?![가-힣]))"
)
#: Not a day in the past: 매주 화요일, 다음 주 화요일.
_PAST_KO = r"(?<!매주)(?<!매주\s)(?<!다음)(?<!다음\s)(?<!다음주\s)(?<!다음\s주\s)"


def _month(year: int, month: int) -> tuple[date, date]:
    next_month = date(year + month // 12, month % 12 + 1, 1)
    return date(year, month, 1), next_month - _DAY


def _latest_month(month: int, today: date) -> tuple[date, date]:
    """Return the most recent such month, the current one included: memory is about the past."""
    return _month(today.year if month <= today.month else today.year - 1, month)


def _part(month: tuple[date, date], part: str) -> tuple[date, date]:
    """Return the beginning, middle or end of a month."""
    start, end = _PARTS[part.lower().removeprefix("the ").removesuffix(" of")]
    return month[0] + (start - 1) * _DAY, min(month[0] + (end - 1) * _DAY, month[1])


def _part_of_year(year: int, part: str) -> tuple[date, date]:
    start, end = {1: (1, 3), 10: (5, 8), 20: (10, 12), 21: (10, 12), 16: (7, 12)}[_PARTS[part][0]]
    return _month(year, start)[0], _month(year, end)[1]


def _quarter(year: int, number: int) -> tuple[date, date]:
    return _month(year, 3 * number - 2)[0], _month(year, 3 * number)[1]


def _latest_quarter(number: int, today: date) -> tuple[date, date]:
    return _quarter(today.year if 3 * number - 2 <= today.month else today.year - 1, number)


def _quarters_back(today: date, count: int) -> tuple[date, date]:
    index = today.year * 4 + (today.month - 1) // 3 - count
    return _quarter(index // 4, index % 4 + 1)


def _season(name: str, today: date, *, is_over: bool) -> tuple[date, date]:
    """Return the latest such season that has begun, or of those that are over."""
    start = _SEASONS[name.lower()]

    def of(year: int) -> tuple[date, date]:
        return date(year, start, 1), _months_back(date(year, start, 1), -2)[1]

    years = (today.year, today.year - 1, today.year - 2)
    return next(found for found in map(of, years) if (found[1] if is_over else found[0]) <= today)


def _year_of(word: str, today: date) -> int:
    """Return the year that a word names: 작년, 올해, last, this."""
    return today.year - {"재작년": 2, "작년": 1, "지난해": 1, "last": 1}.get(word.replace(" ", "").lower(), 0)


def _week_with(day: date) -> tuple[date, date]:
    return _weeks_back(day, 0)


def _some_days_ago(today: date) -> tuple[date, date]:
    return today - 7 * _DAY, today - 2 * _DAY


def _latest_date(day: int, today: date) -> tuple[date, date]:
    """Return the most recent such day of a month."""
    months = (_months_back(today, count) for count in range(4))
    return _one(next(m[0] + (day - 1) * _DAY for m in months if m[0] + (day - 1) * _DAY <= min(m[1], today)))


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
HINT = re.compile(
    r"\d|월|요일|욜|주|달|해|년|일|어제|오늘|아까|방금|그저께|그제|어젯밤|하루|이틀|사흘|나흘|며칠|닷새|엿새|열흘|보름|연초|연말|분기|봄|여름|가을|겨울|days?\b"
    r"|\bweek|\bmonth|\byear|\bnight|\btonight|\bmorning|\bago\b|\bquarter|\bspring|\bsummer|\bautumn|\bfall\b|\bwinter"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|january|february|march|april|june|july|august|september"
    r"|october|november|december)\b",
    re.IGNORECASE,
)


@cache
def patterns() -> tuple[tuple[re.Pattern[str], Meaning], ...]:
    """Return the phrases, the most exact first: the first match wins."""
    return _compiled(_TABLE)


@cache
def edges() -> tuple[tuple[re.Pattern[str], Meaning], ...]:
    """Return what names days only beside another name of days."""
    return _compiled(_EDGES)


def _compiled(table: tuple[tuple[str, Meaning], ...]) -> tuple[tuple[re.Pattern[str], Meaning], ...]:
    return tuple((re.compile(expression, re.IGNORECASE), meaning) for expression, meaning in table)


#: What names days only beside another name of days: from Monday to Wednesday, March to May, 9/3~9/10.
_EDGES: tuple[tuple[str, Meaning], ...] = (
    (rf"\b{_WEEKDAY}\b", lambda m, t: _latest_weekday(_WEEKDAYS.index(m[1].lower()), t)),
    (rf"\b{_MONTH}(?![a-z])", lambda m, t: _latest_month(_month_number(m[1]), t)),
    (r"(?<![\d/.])(\d{1,2})/(\d{1,2})(?![\d/])", lambda m, t: _latest_day(int(m[1]), int(m[2]), t)),
    (r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)\b|(?<![\d월])(\d{1,2})일", lambda m, t: _latest_date(int(m[1] or m[2]), t)),
    (r"(?<!\d)(\d{1,2})월", lambda m, t: _latest_month(int(m[1]), t)),
)

#: A number of a release is no day: 2024.1.3 after one of these.
_NO_RELEASE = r"(?<![\d.v])(?<!version )(?<!release )(?<!버전 )(?<!버전)"
#: 작년, 재작년, 올해, in front of a month.
_YEAR_KO = r"(재작년|작년|지난\s*해|올해|금년)"

#: The first match wins, so exact phrases precede vague ones.
_TABLE: tuple[tuple[str, Meaning], ...] = (
    (rf"{_NO_RELEASE}(\d{{4}})[-./](\d{{1,2}})[-./](\d{{1,2}})(?!\d|\.\d)",
     lambda m, _: _one(date(int(m[1]), int(m[2]), int(m[3])))),
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
    (rf"\bweek of (?:the )?{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?\b",
     lambda m, t: _week_with(_latest_day(_month_number(m[1]), int(m[2]), t)[0])),
    (rf"(\d{{1,2}})월\s*(\d{{1,2}})일\s*(?:이\s*있던\s*)?주{_END_KO}",
     lambda m, t: _week_with(_latest_day(int(m[1]), int(m[2]), t)[0])),
    # A part of a month.
    (rf"(?:(\d{{4}})년\s*|{_YEAR_KO}\s*|지난\s*)?(?<!\d)(\d{{1,2}})월\s*{_PART_KO}{_END_KO}",
     lambda m, t: _part(_month_ko(m[1], m[2], int(m[3]), t), m[4])),
    (rf"\b{_PART}[\s-]{_MONTH}(?:,?\s+(\d{{4}}))?\b",
     lambda m, t: _part(_month(int(m[3]), _month_number(m[2])) if m[3] else _latest_month(_month_number(m[2]), t), m[1])),
    (rf"(지난\s*달|저번\s*달|이번\s*달|이달)\s*{_PART_KO}{_END_KO}",
     lambda m, t: _part(_months_back(t, int(m[1][0] in "지저")), m[2])),
    (rf"\b{_PART} (last|this) month\b", lambda m, t: _part(_months_back(t, int(m[2].lower() == "last")), m[1])),
    (rf"{_YEAR_KO}\s*(초|중반|말|초반|후반){_END_KO}", lambda m, t: _part_of_year(_year_of(m[1], t), m[2])),
    (rf"{_BEGIN_KO}연초{_END_KO}", lambda _, t: _part_of_year(t.year, "초")),
    (r"(\d{4})년\s*(\d{1,2})월", lambda m, _: _month(int(m[1]), int(m[2]))),
    (rf"\b{_CLEAR_MONTH},?\s+((?:19|20)\d\d)\b", lambda m, _: _month(int(m[2]), _month_number(m[1]))),
    (r"(?<![\d-])(20\d\d)-(0[1-9]|1[0-2])(?![\d-])", lambda m, _: _month(int(m[1]), int(m[2]))),
    # A day of a month, a month of a year.
    (rf"{_YEAR_KO}\s*(\d{{1,2}})월\s*(\d{{1,2}})일", lambda m, t: _one(date(_year_of(m[1], t), int(m[2]), int(m[3])))),
    (rf"{_YEAR_KO}\s*(\d{{1,2}})월{_END_KO}", lambda m, t: _month(_year_of(m[1], t), int(m[2]))),
    (rf"\b{_MONTH} (?:of )?(last|this) year\b|\b(last|this) year in {_MONTH}(?![a-z])",
     lambda m, t: _month(_year_of(m[2] or m[3], t), _month_number(m[1] or m[4]))),
    (r"(\d{1,2})월\s*(\d{1,2})일", lambda m, t: _latest_day(int(m[1]), int(m[2]), t)),
    (rf"\b{_CLEAR_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?![.:]\d)",
     lambda m, t: _latest_day(_month_number(m[1]), int(m[2]), t)),
    (rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_CLEAR_MONTH}\b",
     lambda m, t: _latest_day(_month_number(m[2]), int(m[1]), t)),
    (r"\bon (\d{1,2})/(\d{1,2})\b(?![/.]\d)|(?<![\d/.])(\d{1,2})/(\d{1,2})(?=에\s|에는|에서|의\s|일)",
     lambda m, t: _latest_day(int(m[1] or m[3]), int(m[2] or m[4]), t)),
    # So long until now, so long ago.
    (rf"\b(?:the )?(?:past|last) {_COUNT} (day|week|month|year)s\b", lambda m, t: _past(_number(m[1]), m[2], t)),
    (r"\b(?:over|in|during|for|within) the (?:past|last) (day|week|month|year)\b|\bthe past (week|month|year)\b",
     lambda m, t: _past(1, m[1] or m[2], t)),
    (rf"(?:최근|지난)\s*(\d{{1,3}})\s*(일|주|개월|달|년)(?:간|\s*동안)?{_END_KO}", lambda m, t: _past(int(m[1]), m[2], t)),
    (rf"(?:최근|지난)\s*(일주일|열흘|보름|이틀|사흘|나흘|닷새)(?:간|\s*동안)?{_END_KO}",
     lambda m, t: (t - _DAYS_KO[m[1]] * _DAY, t)),
    (rf"(?:최근|지난)\s*({'|'.join(w for w in _NUMBERS_KO if w not in '일이삼')})\s*(주|달|해)(?:간|\s*동안){_END_KO}",
     lambda m, t: _past(_number(m[1]), m[2], t)),
    (rf"\ba few days ago\b|\bthe other day\b|{_BEGIN_KO}(?:며칠|몇\s*일)\s*전{_END_KO}", lambda _, t: _some_days_ago(t)),
    (rf"\b{_COUNT} (day|week|month|year)s? (?:ago|back|earlier)\b", lambda m, t: _ago(_number(m[1]), m[2], t)),
    (rf"{_COUNT_KO}\s*(일|주일|주|개월|달|년|해)\s*전{_END_KO}", lambda m, t: _ago(_number(m[1]), m[2], t)),
    (rf"{_BEGIN_KO}({'|'.join(_DAYS_KO)})\s*전{_END_KO}", lambda m, t: _one(t - _DAYS_KO[m[1]] * _DAY)),
    (rf"\bday before yesterday\b|{_BEGIN_KO}(?:그저께|그제|엊그제|엊그저께){_END_KO}", lambda _, t: _one(t - 2 * _DAY)),
    (rf"\byesterday\b|{_BEGIN_KO}어제{_END_KO}", lambda _, t: _one(t - _DAY)),
    (rf"\btoday\b|\bthis (?:morning|afternoon|evening)\b|\btonight\b|{_BEGIN_KO}(?:오늘|아까|방금){_END_KO}",
     lambda _, t: _one(t)),
    (r"\blast night\b|어젯밤", lambda _, t: (t - _DAY, t)),
    # Days and weeks by name.
    (rf"\b(?:{_WEEKDAY} (?:of )?last week|last week(?:'s)?(?: on)? {_WEEKDAY})\b",
     lambda m, t: _one(_weeks_back(t, 1)[0] + _DAY * _WEEKDAYS.index((m[1] or m[2]).lower()))),
    (rf"\b(?:last|on|this past|past) {_WEEKDAY}\b",
     lambda m, t: _latest_weekday(_WEEKDAYS.index(m[1].lower()), t)),
    (rf"(?:지난|저번)\s*주\s*([{_WEEKDAYS_KO}])(?:요일|욜)",
     lambda m, t: _one(_weeks_back(t, 1)[0] + _DAY * _WEEKDAYS_KO.index(m[1]))),
    (rf"{_PAST_KO}(?:지난\s*|저번\s*)?(?<![가-힣])([{_WEEKDAYS_KO}])(?:요일|욜)(?!마다)",
     lambda m, t: _latest_weekday(_WEEKDAYS_KO.index(m[1]), t)),
    (r"\b(?:last|over the) weekend\b|(?:지난|저번)\s*주말",
     lambda _, t: (_weeks_back(t, 1)[0] + 5 * _DAY, _weeks_back(t, 1)[1])),
    (rf"\bweek before last\b|(?:지지난|저저번|저지난)\s*주{_END_KO}", lambda _, t: _weeks_back(t, 2)),
    (rf"\b(?:last|previous) week\b|(?:지난|저번)\s*주{_END_KO}", lambda _, t: _weeks_back(t, 1)),
    (rf"\bthis week\b|(?:이번\s*|{_BEGIN_KO}금)주{_END_KO}", lambda _, t: _weeks_back(t, 0)),
    (rf"\bmonth before last\b|(?:지지난|저저번)\s*달{_END_KO}", lambda _, t: _months_back(t, 2)),
    (rf"\b(?:last|previous) month\b|(?:지난|저번)\s*달{_END_KO}", lambda _, t: _months_back(t, 1)),
    (rf"\bthis month\b|이번\s*달{_END_KO}|{_BEGIN_KO}이달{_END_KO}", lambda _, t: _months_back(t, 0)),
    # Quarters, seasons, years.
    ((r"\b(?:Q([1-4])|(first|second|third|fourth) quarter)(?: of)? ((?:19|20)\d\d)\b"
     r"|((?:19|20)\d\d)년?\s*(?:Q([1-4])|([1-4])분기)"),
     lambda m, _: _quarter(int(m[3] or m[4]), int(m[1] or _QUARTERS.get((m[2] or "").lower()) or m[5] or m[6]))),
    (rf"\b(?:in|during|of|from|last)(?: the)? (?:Q([1-4])|(first|second|third|fourth) quarter)\b|(?<!\d)([1-4])분기{_END_KO}",
     lambda m, t: _latest_quarter(int(m[1] or _QUARTERS.get((m[2] or "").lower()) or m[3]), t)),
    (rf"\b(?:last|previous) quarter\b|(?:지난|저번)\s*분기{_END_KO}", lambda _, t: _quarters_back(t, 1)),
    (rf"\bthis quarter\b|이번\s*분기{_END_KO}", lambda _, t: _quarters_back(t, 0)),
    (rf"\blast (spring|summer|autumn|fall|winter)\b|(?:지난|작년)\s*(봄|여름|가을|겨울){_END_KO}",
     lambda m, t: _season(m[1] or m[2], t, is_over=True)),
    (r"\bthis (spring|summer|autumn|fall|winter)\b|(?:이번|올)\s*(봄|여름|가을|겨울)",
     lambda m, t: _season(m[1] or m[2], t, is_over=False)),
    (rf"\bthis time last year\b|{_BEGIN_KO}작년\s*이맘때",
     lambda _, t: (t - 380 * _DAY, t - 350 * _DAY)),
    (rf"\byear before last\b|{_BEGIN_KO}재작년", lambda _, t: _year(t.year - 2)),
    (rf"\b(?:last|previous) year\b|{_BEGIN_KO}작년|지난\s*해{_END_KO}", lambda _, t: _year(t.year - 1)),
    (rf"\bthis year\b|{_BEGIN_KO}(?:올해|금년)", lambda _, t: _year(t.year)),
    # A month alone.
    (rf"\b(?:in|during|of|last|this|back in|for) {_MONTH}(?![a-z])(?! \d)", lambda m, t: _latest_month(_month_number(m[1]), t)),
    (rf"\b{_BARE_MONTH}\b(?! \d)", lambda m, t: _latest_month(_month_number(m[1]), t)),
    (rf"(?<!\d)(?<!\d[~-])(\d{{1,2}})월(?:달|분|호)?(?!\s*\d){_END_KO}", lambda m, t: _latest_month(int(m[1]), t)),
    ((r"(?<![\d월년])(?<!년 )(?<!월 )(\d{1,2})일(?:에|날)(?![가-힣]*\s*(?:한|두|세|\d|번))"
     r"|\bon the (\d{1,2})(?:st|nd|rd|th)\b(?!\s+(?:floor|try|attempt|line|commit|item|page|row|street|iteration|run|call))"),
     lambda m, t: _latest_date(int(m[1] or m[2]), t)),
    (r"\bin (20\d\d)\b(?! (?:[a-z]*s|ms|mb|kb|gb|px)\b)|(20\d\d)년", lambda m, _: _year(int(m[1] or m[2]))),
)  # fmt: skip


def _month_ko(year: str | None, word: str | None, month: int, today: date) -> tuple[date, date]:
    """Return a month of the year that is written or named before it, else the latest."""
    if year or word:
        return _month(int(year) if year else _year_of(word or "", today), month)
    return _latest_month(month, today)
