"""Phrases generated from the grammar, each with its definition in plain calendar arithmetic, seen from days at the edges."""

import calendar
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gieok.text.dates import find_span, refused_times

_DAY = timedelta(days=1)
#: Ends of months, leap days, Mondays and Sundays, both sides of a new year, and any.
_EDGES = [
    date(2026, 11, 25), date(2024, 2, 29), date(2023, 2, 28), date(2026, 3, 31), date(2026, 11, 23), date(2026, 11, 29),
    date(2026, 12, 31), date(2027, 1, 1), date(2025, 1, 31), date(2028, 3, 1),
]  # fmt: skip
_ANCHORS = st.one_of(st.sampled_from(_EDGES), st.dates(date(2001, 1, 1), date(2090, 12, 31)))
_MONTHS = list(calendar.month_name)
_WEEKDAYS = list(calendar.day_name)
_KO_DAYS = "월화수목금토일"
_SEASONS = [("spring", "봄", 3), ("summer", "여름", 6), ("autumn", "가을", 9), ("winter", "겨울", 12)]
_COUNTS = [("two", "두", 2), ("three", "세", 3), ("4", "4", 4), ("five", "다섯", 5)]
_Case = tuple[str, date, date]


def _month(year: int, month: int) -> tuple[date, date]:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])


def _months(year: int, month: int, count: int) -> tuple[date, date]:
    return _month(year, month)[0], _month(year, month + count - 1)[1]


def _week(day: date, offset: int) -> tuple[date, date]:
    monday = day - day.weekday() * _DAY + 7 * offset * _DAY
    return monday, monday + 6 * _DAY


def _months_before(day: date, count: int) -> date:
    first, last = _month(day.year, day.month - count)
    return min(first + (day.day - 1) * _DAY, last)


@st.composite
def _qualified_unit(draw: st.DrawFn, today: date) -> _Case:
    """A qualifier and a unit: last week, 지지난 분기, next month."""
    offset = draw(st.sampled_from([-2, -1, 0, 1]))
    en = {-1: "last {}", 0: "this {}", 1: "next {}", -2: "the {} before last"}[offset]
    ko = {-2: "지지난 {}", -1: "지난 {}", 0: "이번 {}", 1: "다음 {}"}[offset]
    name, name_ko = draw(st.sampled_from([("week", "주"), ("weekend", "주말"), ("month", "달"), ("quarter", "분기")]))
    first, last = _week(today, offset)
    if name == "weekend":
        first = first + 5 * _DAY
    elif name == "month":
        first, last = _month(today.year, today.month + offset)
    elif name == "quarter":
        first, last = _months(today.year, (today.month - 1) // 3 * 3 + 1 + 3 * offset, 3)
    return draw(st.sampled_from([en.format(name), ko.format(name_ko)])), first, last


@st.composite
def _part_of_a_year(draw: st.DrawFn, today: date) -> _Case:
    """A year and a season, a half, a quarter, a month or a part of a month of it: 재작년 여름, Q3 of last year."""
    back, en, ko = draw(st.sampled_from([(1, "last year", "작년"), (2, "the year before last", "재작년"), (0, "", "")]))
    year = today.year - back
    if not back:
        year = draw(st.integers(2002, 2069))
        en, ko = str(year), draw(st.sampled_from([f"{year}년", f"{year % 100:02}년"]))
    kind = draw(st.sampled_from(["season", "half", "quarter", "month", "part"]))
    if kind == "season":
        name, name_ko, start = draw(st.sampled_from(_SEASONS))
        return draw(st.sampled_from([f"the {name} of {en}", f"{ko} {name_ko}"])), *_months(year, start, 3)
    if kind == "half":
        half = draw(st.integers(1, 2))
        words = [f"the {('first', 'second')[half - 1]} half of {en}", f"{ko} {'상하'[half - 1]}반기"]
        return draw(st.sampled_from(words)), *_months(year, 6 * half - 5, 6)
    if kind == "quarter":
        n = draw(st.integers(1, 4))
        return draw(st.sampled_from([f"Q{n} of {en}", f"{ko} {n}분기"])), *_months(year, 3 * n - 2, 3)
    month = draw(st.integers(1, 12))
    first, last = _month(year, month)
    if kind == "month":
        return draw(st.sampled_from([f"{_MONTHS[month]} of {en}", f"{ko} {month}월"])), first, last
    part, part_ko, start, end = draw(
        st.sampled_from([("early", "초", 1, 10), ("mid", "중순", 10, 20), ("the end of", "말", 21, 31)])
    )
    words = [f"{part} {_MONTHS[month]} of {en}", f"{ko} {month}월 {part_ko}"]
    return draw(st.sampled_from(words)), date(year, month, start), min(last, first + (end - 1) * _DAY)


@st.composite
def _ago(draw: st.DrawFn, today: date) -> _Case:
    """So many units ago: the day, or the week, the month, the year of then."""
    en, ko, n = draw(st.sampled_from(_COUNTS))
    unit = draw(st.sampled_from(["day", "week", "month", "year", "weekend", "half"]))
    if unit == "day":
        return draw(st.sampled_from([f"{en} days ago", f"{n}일 전"])), today - n * _DAY, today - n * _DAY
    if unit == "week":
        return draw(st.sampled_from([f"{en} weeks ago", f"{n}주 전"])), *_week(today, -n)
    if unit == "weekend":
        monday, sunday = _week(today, -n)
        return f"{en} weekends ago", monday + 5 * _DAY, sunday
    if unit == "month":
        return draw(st.sampled_from([f"{en} months ago", f"{ko} 달 전"])), *_month(today.year, today.month - n)
    if unit == "half":
        return draw(st.sampled_from(["half a year ago", "반년 전"])), *_month(today.year, today.month - 6)
    return draw(st.sampled_from([f"{en} years ago", f"{n}년 전"])), *_months(today.year - n, 1, 12)


@st.composite
def _running(draw: st.DrawFn, today: date) -> _Case:
    """A time that runs until today: the past three weeks, 지난 두 달."""
    en, ko, n = draw(st.sampled_from(_COUNTS))
    unit, unit_ko = draw(st.sampled_from([("day", "일"), ("week", "주"), ("month", "달")]))
    first = _months_before(today, n) if unit == "month" else today - n * (7 if unit == "week" else 1) * _DAY
    count_ko = f"{n}일" if unit == "day" else f"{n}주" if unit == "week" else f"{ko} 달"
    del unit_ko
    return draw(st.sampled_from([f"the last {en} {unit}s", f"지난 {count_ko}", f"최근 {count_ko} 동안"])), first, today


@st.composite
def _weekday(draw: st.DrawFn, today: date) -> _Case:
    """A day of a week: Friday last week, 지난주 금요일, two weeks ago on Friday."""
    n, offset = draw(st.integers(0, 6)), draw(st.sampled_from([-2, -1, 0, 1]))
    en = {-2: "the week before last", -1: "last week", 0: "this week", 1: "next week"}[offset]
    ko = {-2: "지지난주", -1: "지난주", 0: "이번 주", 1: "다음 주"}[offset]
    day = _week(today, offset)[0] + n * _DAY
    return draw(st.sampled_from([f"{_WEEKDAYS[n]} {en}", f"{ko} {_KO_DAYS[n]}요일"])), day, day


@st.composite
def _range(draw: st.DrawFn, today: date) -> _Case:
    """A range within a year: from May to July, 3월부터 5월까지, 10월 2-5일."""
    year = draw(st.integers(2002, 2069))
    if draw(st.booleans()):
        first, last = sorted(draw(st.lists(st.integers(1, 12), min_size=2, max_size=2, unique=True)))
        words = [
            f"from {_MONTHS[first]} to {_MONTHS[last]} {year}",
            f"{year}년 {first}월부터 {last}월까지", f"{year}년 {first}~{last}월",
        ]  # fmt: skip
        return draw(st.sampled_from(words)), _month(year, first)[0], _month(year, last)[1]
    month = draw(st.integers(1, 12))
    first, last = sorted(draw(st.lists(st.integers(1, 28), min_size=2, max_size=2, unique=True)))
    words = [
        f"{_MONTHS[month]} {first} to {last}, {year}",
        f"{year}년 {month}월 {first}-{last}일",
        f"{year}년 {month}월 {first}일부터 {last}일까지",
        f"between {_MONTHS[month]} {first} and {_MONTHS[month]} {last} {year}",
    ]  # fmt: skip
    return draw(st.sampled_from(words)), date(year, month, first), date(year, month, last)


@st.composite
def _decade(draw: st.DrawFn, today: date) -> _Case:
    start = draw(st.sampled_from(range(1950, 2030, 10)))
    words = [f"in the {start}s", f"{start}년대"]
    return draw(st.sampled_from(words)), date(start, 1, 1), date(start + 9, 12, 31)


_KINDS = (_qualified_unit, _part_of_a_year, _ago, _running, _weekday, _range, _decade)


@settings(derandomize=True, deadline=None, max_examples=400)
@given(st.data(), _ANCHORS)
def test_every_phrase_of_the_grammar_means_the_days_of_its_definition(data: st.DataObject, today: date) -> None:
    phrase, first, last = data.draw(st.sampled_from(_KINDS).flatmap(lambda kind: kind(today)))
    question = data.draw(
        st.sampled_from(["{}", "what did we decide {}", "{}에 뭐 했지" if phrase[-1] > "z" else "{}?"])
    ).format(phrase)
    span = find_span(question, today)
    assert span, (question, today, refused_times(question, today))
    assert (span.first, span.last) == (first, last), (question, today)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.data(), _ANCHORS)
def test_a_phrase_with_a_part_that_does_not_fit_is_refused(data: st.DataObject, today: date) -> None:
    phrase, *_ = data.draw(st.sampled_from((_qualified_unit, _weekday, _ago)).flatmap(lambda kind: kind(today)))
    odd = data.draw(st.sampled_from(["{} {} 13일 14일", "지지난 {} {} 분기", "{} {} 작년"]))
    question = odd.format(phrase, phrase)
    assert find_span(question, today) is None
    assert refused_times(question, today)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("3월 전에 정한 것", "3월 전"),
        ("what did we do before March", "before March"),
        ("several weeks ago", "several weeks ago"),
        ("2월 31일에 뭐 했지", "2월 31일"),
        ("on 3/4 we said", "3/4"),
        ("작년 오늘", "작년 오늘"),
        ("March or April", "March or April"),
        ("작년 추석에 뭐 했지", "작년 추석"),
        ("작년에 추석에 뭐 했지", "작년에 추석"),
        ("last year what did we do on my birthday", "last year what did we do on my birthday"),
        ("fiscal Q3 last year", "fiscal Q3 last year"),
        ("작년 내 생일에 뭐라고 했지", "작년 내 생일"),
        ("last year on Mom's birthday", "last year on Mom's birthday"),
        ("during Ramadan last year", "Ramadan last year"),
        ("the first workday of last month", "first workday of last month"),
        ("지난달 첫 영업일", "지난달 첫 영업일"),
        ("지난달 말일 회의 전날", "지난달 말일 회의 전날"),
        ("지난주 회의 직후에 정한 것", "지난주 회의 직후"),
        ("the day after the release last month", "day after the release last month"),
        ("the weekend after Thanksgiving", "weekend after Thanksgiving"),
    ],
)
def test_what_is_half_understood_is_refused_by_its_words(question: str, words: str) -> None:
    assert find_span(question, date(2026, 11, 25)) is None
    assert refused_times(question, date(2026, 11, 25)) == (words,)


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("재작년 여름", "2024-06-01..2024-08-31"),
        ("작년 여름", "2025-06-01..2025-08-31"),
        ("지지난 주말", "2026-11-14..2026-11-15"),
        ("이번 주말", "2026-11-28..2026-11-29"),
        ("weekend before last", "2026-11-14..2026-11-15"),
        ("half a year ago", "2026-05-01..2026-05-31"),
        ("24년 3월", "2024-03-01..2024-03-31"),
        ("작년 하반기", "2025-07-01..2025-12-31"),
        ("올해 봄", "2026-03-01..2026-05-31"),
        ("지난 두 달", "2026-09-25..2026-11-25"),
        ("3/24", "2026-03-24..2026-03-24"),
        ("Q3", "2026-07-01..2026-09-30"),
        ("10월 2-5일", "2026-10-02..2026-10-05"),
        ("early last week", "2026-11-16..2026-11-17"),
        ("다음 분기", "2027-01-01..2027-03-31"),
        ("5월 둘째 주 화요일", "2026-05-05..2026-05-05"),
        ("the last Friday of March", "2026-03-27..2026-03-27"),
        ("last week and this week", "2026-11-16..2026-11-29"),
        ("작년 크리스마스에 뭐 했지", "2025-12-25..2025-12-25"),
        ("작년 크리스마스 이브", "2025-12-24..2025-12-24"),
        ("last year's Thanksgiving", "2025-11-27..2025-11-27"),
        ("what did we do last Easter", "2026-04-05..2026-04-05"),
        ("New Year's Eve 2025", "2025-12-31..2025-12-31"),
        ("지난해 광복절", "2025-08-15..2025-08-15"),
        ("작년에 크리스마스에 뭐 했지", "2025-12-25..2025-12-25"),
        ("last year what did we do at Christmas", "2025-12-25..2025-12-25"),
        ("작년에 크리스마스 선물로 뭐 샀지", "2025-01-01..2025-12-31"),
        ("작년 연말", "2025-10-01..2025-12-31"),
        ("지난달 말일", "2026-10-31..2026-10-31"),
        ("last quarter's end", "2026-09-01..2026-09-30"),
        ("지난주 금요일 전날", "2026-11-19..2026-11-19"),
        ("two days before Christmas 2025", "2025-12-23..2025-12-23"),
        ("어제 크리스마스 선물 뭐 샀지", "2026-11-24..2026-11-24"),
        ("last week's Christmas party", "2026-11-16..2026-11-22"),
    ],
)
def test_every_part_of_a_time_takes_part(question: str, days: str) -> None:
    span = find_span(question, date(2026, 11, 25))
    assert span
    assert f"{span.first}..{span.last}" == days


@pytest.mark.parametrize(
    "question",
    [
        "금요일에 배포해도 돼?",
        "we deploy on Fridays",
        "매주 화요일",
        "can we ship on Friday?",
        "금요일 배포 규칙이 뭐야",
        "토요일마다 백업해?",
        "Friday deploys: are they allowed?",
        "what did we decide about Friday deploys",
        "금요일 배포에 대해 뭐라고 정했지",
        "why did we move standup to Tuesday",
        "the Sunday roast recipe Mom told me",
        "what was the name of the Friday script",
        "주말 여행지를 어디로 정했지",
        "1월 1일생 직원이 누구였지",
        "August 씨 이메일",
        "크리스마스 트리 어디 뒀지",
        "추석 선물은 뭐가 좋아",
        "Black Friday deals",
    ],
)
def test_a_day_or_a_month_as_a_topic_is_no_time(question: str) -> None:
    assert find_span(question, date(2026, 11, 25)) is None
    assert refused_times(question, date(2026, 11, 25)) == ()


@pytest.mark.parametrize(
    "question",
    ["금요일에 뭐 정했지", "what did we decide on Friday", "월요일 회의에서 뭐 정했지", "Friday we met whom?"],
)
def test_a_day_of_the_week_that_says_when_is_a_time(question: str) -> None:
    assert find_span(question, date(2026, 11, 25))


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.data(), _ANCHORS)
def test_a_name_of_a_day_beside_a_year_is_that_day_or_refused_never_the_year(data: st.DataObject, today: date) -> None:
    known = {"크리스마스": (12, 25), "어린이날": (5, 5), "Halloween": (10, 31), "New Year's Day": (1, 1)}
    name = data.draw(st.sampled_from([*known, "추석", "내 생일", "급여일", "Ramadan", "my birthday", "payday"]))
    korean = name[0] > "z"
    back, year = data.draw(
        st.sampled_from([(1, "작년" if korean else "last year"), (0, "올해" if korean else "this year")])
    )
    question = f"{year} {name}에 뭐 했지" if korean else f"what did we do on {name} {year}"
    span = find_span(question, today)
    if name in known:
        assert span
        assert span.first == span.last == date(today.year - back, *known[name])
    else:
        assert span is None
        assert len(refused_times(question, today)) == 1
