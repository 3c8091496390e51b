"""Phrases generated from the grammar, each with its definition in plain calendar arithmetic, seen
from days at the edges.
"""

import calendar
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from row_tables import for_each_row

from gieok.text.dates import find_last_day, find_span, refused_times
from gieok.text.times.order import without_order

_DAY = timedelta(days=1)
#: Ends of months, leap days, Mondays and Sundays, both sides of a new year, and any.
_EDGES = [
    date(2026, 11, 25),
    date(2024, 2, 29),
    date(2023, 2, 28),
    date(2026, 3, 31),
    date(2026, 11, 23),
    date(2026, 11, 29),
    date(2026, 12, 31),
    date(2027, 1, 1),
    date(2025, 1, 31),
    date(2028, 3, 1),
]
_ANCHORS = st.one_of(st.sampled_from(_EDGES), st.dates(date(2001, 1, 1), date(2090, 12, 31)))
_MONTHS = list(calendar.month_name)
_WEEKDAYS = list(calendar.day_name)
_KO_DAYS = "월화수목금토일"
_SEASONS = [
    ("spring", "봄", 3),
    ("summer", "여름", 6),
    ("autumn", "가을", 9),
    ("winter", "겨울", 12),
]
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
    name, name_ko = draw(
        st.sampled_from([("week", "주"), ("weekend", "주말"), ("month", "달"), ("quarter", "분기")])
    )
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
    """A year and a season, a half, a quarter, a month or a part of a month of it: 재작년 여름, Q3 of
    last year.
    """
    back, en, ko = draw(
        st.sampled_from(
            [(1, "last year", "작년"), (2, "the year before last", "재작년"), (0, "", "")]
        )
    )
    year = today.year - back
    if not back:
        year = draw(st.integers(2002, 2069))
        en, ko = str(year), draw(st.sampled_from([f"{year}년", f"{year % 100:02}년"]))
    kind = draw(st.sampled_from(["season", "half", "quarter", "month", "part"]))
    if kind == "season":
        name, name_ko, start = draw(st.sampled_from(_SEASONS))
        return draw(st.sampled_from([f"the {name} of {en}", f"{ko} {name_ko}"])), *_months(
            year, start, 3
        )
    if kind == "half":
        half = draw(st.integers(1, 2))
        words = [
            f"the {('first', 'second')[half - 1]} half of {en}",
            f"{ko} {'상하'[half - 1]}반기",
        ]
        return draw(st.sampled_from(words)), *_months(year, 6 * half - 5, 6)
    if kind == "quarter":
        n = draw(st.integers(1, 4))
        return draw(st.sampled_from([f"Q{n} of {en}", f"{ko} {n}분기"])), *_months(
            year, 3 * n - 2, 3
        )
    month = draw(st.integers(1, 12))
    first, last = _month(year, month)
    if kind == "month":
        return draw(st.sampled_from([f"{_MONTHS[month]} of {en}", f"{ko} {month}월"])), first, last
    part, part_ko, start, end = draw(
        st.sampled_from(
            [("early", "초", 1, 10), ("mid", "중순", 10, 20), ("the end of", "말", 21, 31)]
        )
    )
    words = [f"{part} {_MONTHS[month]} of {en}", f"{ko} {month}월 {part_ko}"]
    return (
        draw(st.sampled_from(words)),
        date(year, month, start),
        min(last, first + (end - 1) * _DAY),
    )


@st.composite
def _ago(draw: st.DrawFn, today: date) -> _Case:
    """So many units ago: the day, or the week, the month, the year of then."""
    en, ko, n = draw(st.sampled_from(_COUNTS))
    unit = draw(st.sampled_from(["day", "week", "month", "year", "weekend", "half"]))
    if unit == "day":
        return (
            draw(st.sampled_from([f"{en} days ago", f"{n}일 전"])),
            today - n * _DAY,
            today - n * _DAY,
        )
    if unit == "week":
        return draw(st.sampled_from([f"{en} weeks ago", f"{n}주 전"])), *_week(today, -n)
    if unit == "weekend":
        monday, sunday = _week(today, -n)
        return f"{en} weekends ago", monday + 5 * _DAY, sunday
    if unit == "month":
        return draw(st.sampled_from([f"{en} months ago", f"{ko} 달 전"])), *_month(
            today.year, today.month - n
        )
    if unit == "half":
        return draw(st.sampled_from(["half a year ago", "반년 전"])), *_month(
            today.year, today.month - 6
        )
    return draw(st.sampled_from([f"{en} years ago", f"{n}년 전"])), *_months(today.year - n, 1, 12)


@st.composite
def _running(draw: st.DrawFn, today: date) -> _Case:
    """A time that runs until today: the past three weeks, 지난 두 달."""
    en, ko, n = draw(st.sampled_from(_COUNTS))
    unit, unit_ko = draw(st.sampled_from([("day", "일"), ("week", "주"), ("month", "달")]))
    first = (
        _months_before(today, n)
        if unit == "month"
        else today - n * (7 if unit == "week" else 1) * _DAY
    )
    count_ko = f"{n}일" if unit == "day" else f"{n}주" if unit == "week" else f"{ko} 달"
    del unit_ko
    return (
        draw(
            st.sampled_from([f"the last {en} {unit}s", f"지난 {count_ko}", f"최근 {count_ko} 동안"])
        ),
        first,
        today,
    )


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
        first, last = sorted(
            draw(st.lists(st.integers(1, 12), min_size=2, max_size=2, unique=True))
        )
        words = [
            f"from {_MONTHS[first]} to {_MONTHS[last]} {year}",
            f"{year}년 {first}월부터 {last}월까지",
            f"{year}년 {first}~{last}월",
        ]
        return draw(st.sampled_from(words)), _month(year, first)[0], _month(year, last)[1]
    month = draw(st.integers(1, 12))
    first, last = sorted(draw(st.lists(st.integers(1, 28), min_size=2, max_size=2, unique=True)))
    words = [
        f"{_MONTHS[month]} {first} to {last}, {year}",
        f"{year}년 {month}월 {first}-{last}일",
        f"{year}년 {month}월 {first}일부터 {last}일까지",
        f"between {_MONTHS[month]} {first} and {_MONTHS[month]} {last} {year}",
    ]
    return draw(st.sampled_from(words)), date(year, month, first), date(year, month, last)


@st.composite
def _decade(draw: st.DrawFn, today: date) -> _Case:
    start = draw(st.sampled_from(range(1950, 2030, 10)))
    words = [f"in the {start}s", f"{start}년대"]
    return draw(st.sampled_from(words)), date(start, 1, 1), date(start + 9, 12, 31)


_KINDS = (_qualified_unit, _part_of_a_year, _ago, _running, _weekday, _range, _decade)


@settings(derandomize=True, deadline=None, max_examples=400)
@given(st.data(), _ANCHORS)
def test_every_phrase_of_the_grammar_means_the_days_of_its_definition(
    data: st.DataObject, today: date
) -> None:
    phrase, first, last = data.draw(st.sampled_from(_KINDS).flatmap(lambda kind: kind(today)))
    question = data.draw(
        st.sampled_from(
            ["{}", "what did we decide {}", "{}에 뭐 했지" if phrase[-1] > "z" else "{}?"]
        )
    ).format(phrase)
    span = find_span(question, today)
    assert span, (question, today, refused_times(question, today))
    assert (span.first, span.last) == (first, last), (question, today)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.data(), _ANCHORS)
def test_a_phrase_with_a_part_that_does_not_fit_is_refused(
    data: st.DataObject, today: date
) -> None:
    phrase, *_ = data.draw(
        st.sampled_from((_qualified_unit, _weekday, _ago)).flatmap(lambda kind: kind(today))
    )
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
    ("text", "day"),
    [
        ("Stock counts run on the last Thursday", None),
        ("the stand-up is on the last Monday, at nine", None),
        ("We met last Thursday", date(2026, 11, 19)),
        ("We shipped it on the last Friday of October", date(2026, 10, 30)),
    ],
)
def test_on_the_last_thursday_is_a_habit_and_last_thursday_a_day(
    text: str, day: date | None
) -> None:
    span = find_span(text, date(2026, 11, 22))
    assert (span.first if span else None) == day


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
        "재택은 며칠까지 돼?",
        "재택은 주 며칠인가요",
        "휴가가 며칠부터야",
    ],
)
def test_a_day_or_a_month_as_a_topic_is_no_time(question: str) -> None:
    assert find_span(question, date(2026, 11, 25)) is None
    assert refused_times(question, date(2026, 11, 25)) == ()


def test_some_days_of_a_direction_that_is_not_understood_are_refused() -> None:
    for words in ("지난 며칠 동안", "며칠 뒤"):
        assert refused_times(f"{words} 무엇을 했지", date(2026, 11, 25)) == (words,)


@pytest.mark.parametrize(
    "question",
    [
        "금요일에 뭐 정했지",
        "what did we decide on Friday",
        "월요일 회의에서 뭐 정했지",
        "Friday we met whom?",
    ],
)
def test_a_day_of_the_week_that_says_when_is_a_time(question: str) -> None:
    assert find_span(question, date(2026, 11, 25))


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.data(), _ANCHORS)
def test_a_name_of_a_day_beside_a_year_is_that_day_or_refused_never_the_year(
    data: st.DataObject, today: date
) -> None:
    known = {
        "크리스마스": (12, 25),
        "어린이날": (5, 5),
        "Halloween": (10, 31),
        "New Year's Day": (1, 1),
    }
    name = data.draw(
        st.sampled_from([*known, "추석", "내 생일", "급여일", "Ramadan", "my birthday", "payday"])
    )
    korean = name[0] > "z"
    back, year = data.draw(
        st.sampled_from(
            [(1, "작년" if korean else "last year"), (0, "올해" if korean else "this year")]
        )
    )
    question = f"{year} {name}에 뭐 했지" if korean else f"what did we do on {name} {year}"
    span = find_span(question, today)
    if name in known:
        assert span
        assert span.first == span.last == date(today.year - back, *known[name])
    else:
        assert span is None
        assert len(refused_times(question, today)) == 1


@pytest.mark.parametrize(
    "part", ["a", "가", "1", "1/", " ", "- ", "last week ", "어제 ", "한 ", "1, "]
)
def test_a_long_text_is_read_in_one_pass(part: str) -> None:
    """Each of these took minutes, or more calls than Python allows, when it was read by its
    square.
    """
    text = f"what about {part * (100_000 // len(part))}"
    assert find_span(text, date(2026, 11, 25)) is None
    assert without_order(text).startswith("what about")


def test_a_day_in_slashes_may_be_of_next_year_and_no_later_one() -> None:
    assert find_span("what happened on 27/3/26", date(2026, 11, 25)) is None  # or 26/3/27
    named = find_span("what happened on 28/3/26", date(2026, 11, 25))
    assert named
    assert named.first == date(2026, 3, 28)


def test_a_row_of_days_too_long_for_one_time_is_refused() -> None:
    days = " ".join(["Monday"] * 25)
    assert refused_times(f"we met on {days}", date(2026, 11, 25)) == (days,)


#: Seen from Wednesday, 25 November 2026: a phrase of each word, part, count and order, and the days
#: that it names.
_PHRASES = """
    10월 마지막 주 금요일 | 2026-10-30
    today at 9 what was agreed | 2026-11-25
    four days ago | 2026-11-21
    five days ago | 2026-11-20
    the day before yesterday | 2026-11-23
    this afternoon | 2026-11-25
    this evening | 2026-11-25
    the sixties | 1960-01-01..1969-12-31
    the fifties | 1950-01-01..1959-12-31
    h2 2025 | 2025-07-01..2025-12-31
    2h 2025 | 2025-07-01..2025-12-31
    1q 2025 | 2025-01-01..2025-03-31
    q2 2025 | 2025-04-01..2025-06-30
    2q 2025 | 2025-04-01..2025-06-30
    3q 2025 | 2025-07-01..2025-09-30
    start of last month | 2026-10-01..2026-10-10
    the very end of last month | 2026-10-21..2026-10-31
    last year's start | 2025-01-01..2025-03-31
    last year's beginning | 2025-01-01..2025-03-31
    the week before the last | 2026-11-09..2026-11-15
    two quarters ago | 2026-04-01..2026-06-30
    two years ago | 2024-01-01..2024-12-31
    two decades ago | 2000-01-01..2009-12-31
    two mondays ago | 2026-11-16
    two tuesdays ago | 2026-11-17
    two wednesdays ago | 2026-11-11
    two thursdays ago | 2026-11-12
    two saturdays ago | 2026-11-14
    two sundays ago | 2026-11-15
    일 년 전 | 2025-01-01..2025-12-31
    이 년 전 | 2024-01-01..2024-12-31
    삼 년 전 | 2023-01-01..2023-12-31
    서너 달 전 | 2026-08-01..2026-08-31
    몇 주 전 | 2026-11-02..2026-11-08
    방금 | 2026-11-25
    금일 | 2026-11-25
    지난달 초반 | 2026-10-01..2026-10-10
    지난달 상순 | 2026-10-01..2026-10-10
    지난달 말경 | 2026-10-21..2026-10-31
    작년 후반 | 2025-07-01..2025-12-31
    저지난 주 | 2026-11-09..2026-11-15
    올 봄 | 2026-03-01..2026-05-31
    5일 전 | 2026-11-20
    두 주일 전 | 2026-11-09..2026-11-15
    3개월 전 | 2026-08-01..2026-08-31
    두 해 전 | 2024-01-01..2024-12-31
    지난 월욜 | 2026-11-23
    지난 화욜 | 2026-11-24
    지난 수욜 | 2026-11-18
    지난 목욜 | 2026-11-19
    지난 일요일 | 2026-11-22
    지난 일욜 | 2026-11-22
    10월 첫번째 주 | 2026-10-01..2026-10-07
    10월 두번째 주 | 2026-10-05..2026-10-14
    10월 세번째 주 | 2026-10-12..2026-10-21
    10월 네번째 주 | 2026-10-19..2026-10-28
    10월 다섯번째 주 | 2026-10-26..2026-10-31
    크리스마스 이튿날 | 2025-12-26
    2025년 상반기 | 2025-01-01..2025-06-30
    작년 전반기 | 2025-01-01..2025-06-30
    작년 후반기 | 2025-07-01..2025-12-31
    early last month | 2026-10-01..2026-10-10
    mid last month | 2026-10-10..2026-10-20
    late last month | 2026-10-20..2026-10-31
    the end of last month | 2026-10-21..2026-10-31
    beginning of last year | 2025-01-01..2025-03-31
    mid last year | 2025-05-01..2025-08-31
    late last year | 2025-10-01..2025-12-31
    end of last year | 2025-10-01..2025-12-31
    late last week | 2026-11-19..2026-11-22
    the end of last week | 2026-11-20..2026-11-22
    early last quarter | 2026-07-01..2026-07-31
    mid last quarter | 2026-08-01..2026-08-31
    late last quarter | 2026-09-01..2026-09-30
    the end of last quarter | 2026-09-01..2026-09-30
    first half of last year | 2025-01-01..2025-06-30
    second half of last year | 2025-07-01..2025-12-31
    latter half of March 2024 | 2024-03-16..2024-03-31
    early 2024 | 2024-01-01..2024-03-31
    the early nineties | 1990-01-01..1993-12-31
    the late eighties | 1986-01-01..1989-12-31
    in the mid seventies | 1973-01-01..1976-12-31
    지난달 초 | 2026-10-01..2026-10-10
    지난달 중순 | 2026-10-10..2026-10-20
    지난달 말 | 2026-10-21..2026-10-31
    지난달 하순 | 2026-10-21..2026-10-31
    작년 초 | 2025-01-01..2025-03-31
    작년 중반 | 2025-05-01..2025-08-31
    작년 후반 | 2025-07-01..2025-12-31
    작년 전반 | 2025-01-01..2025-06-30
    지난주 초 | 2026-11-16..2026-11-17
    지난주 말 | 2026-11-20..2026-11-22
    연초 | 2026-01-01..2026-03-31
    연말 | 2026-10-01..2026-12-31
    월초 | 2026-11-01..2026-11-10
    월말 | 2026-11-21..2026-11-30
    분기초 | 2026-10-01..2026-10-31
    분기말 | 2026-09-01..2026-09-30
    주초 | 2026-11-23..2026-11-24
    지난 분기 초 | 2026-07-01..2026-07-31
    하루 전 | 2026-11-24
    이틀 전 | 2026-11-23
    사흘 전 | 2026-11-22
    나흘 전 | 2026-11-21
    닷새 전 | 2026-11-20
    엿새 전 | 2026-11-19
    이레 전 | 2026-11-16..2026-11-22
    여드레 전 | 2026-11-17
    아흐레 전 | 2026-11-16
    열흘 전 | 2026-11-15
    보름 전 | 2026-11-10
    일주일 전 | 2026-11-16..2026-11-22
    반년 전 | 2026-05-01..2026-05-31
    한 달 전 | 2026-10-01..2026-10-31
    두 달 전 | 2026-09-01..2026-09-30
    세 달 전 | 2026-08-01..2026-08-31
    석 달 전 | 2026-08-01..2026-08-31
    네 달 전 | 2026-07-01..2026-07-31
    넉 달 전 | 2026-07-01..2026-07-31
    다섯 달 전 | 2026-06-01..2026-06-30
    여섯 달 전 | 2026-05-01..2026-05-31
    일곱 달 전 | 2026-04-01..2026-04-30
    여덟 달 전 | 2026-03-01..2026-03-31
    아홉 달 전 | 2026-02-01..2026-02-28
    열 달 전 | 2026-01-01..2026-01-31
    몇 달 전 | 2026-08-01..2026-08-31
    one month ago | 2026-10-01..2026-10-31
    six months ago | 2026-05-01..2026-05-31
    seven months ago | 2026-04-01..2026-04-30
    eight months ago | 2026-03-01..2026-03-31
    nine months ago | 2026-02-01..2026-02-28
    ten months ago | 2026-01-01..2026-01-31
    eleven months ago | 2025-12-01..2025-12-31
    twelve months ago | 2025-11-01..2025-11-30
    a couple of weeks ago | 2026-11-09..2026-11-15
    a few weeks ago | 2026-11-02..2026-11-08
    a few days ago | 2026-11-18..2026-11-23
    a fortnight ago | 2026-11-09..2026-11-15
    two fortnights ago | 2026-10-26..2026-11-01
    a decade ago | 2010-01-01..2019-12-31
    half a year ago | 2026-05-01..2026-05-31
    a year and a half ago | 2025-05-01..2025-05-31
    어제 | 2026-11-24
    그저께 | 2026-11-23
    그제 | 2026-11-23
    엊그제 | 2026-11-23
    그끄저께 | 2026-11-22
    재작년 | 2024-01-01..2024-12-31
    재재작년 | 2023-01-01..2023-12-31
    그러께 | 2024-01-01..2024-12-31
    작년 | 2025-01-01..2025-12-31
    the day before yesterday | 2026-11-23
    last night | 2026-11-24..2026-11-25
    어젯밤 | 2026-11-24..2026-11-25
    간밤 | 2026-11-24..2026-11-25
    며칠 전 | 2026-11-18..2026-11-23
    the other day | 2026-11-18..2026-11-23
    지지난주 | 2026-11-09..2026-11-15
    저저번 주 | 2026-11-09..2026-11-15
    지난번 주 | 2026-11-16..2026-11-22
    요번 주 | 2026-11-23..2026-11-29
    금주 | 2026-11-23..2026-11-29
    금월 | 2026-11-01..2026-11-30
    이달 | 2026-11-01..2026-11-30
    전주 | 2026-11-16..2026-11-22
    금년 3월 | 2026-03-01..2026-03-31
    H1 | 2026-01-01..2026-06-30
    in 1H last year | 2025-01-01..2025-06-30
    작년 상반기 | 2025-01-01..2025-06-30
    작년 하반기 | 2025-07-01..2025-12-31
    작년 전반기 | 2025-01-01..2025-06-30
    작년 후반기 | 2025-07-01..2025-12-31
    the first week of March | 2026-03-01..2026-03-07
    the second week of March | 2026-03-02..2026-03-14
    the fourth week of March | 2026-03-16..2026-03-28
    the last week of March | 2026-03-25..2026-03-31
    the third day of last week | 2026-11-18
    the fifth of March | 2026-03-05
    March 11th | 2026-03-11
    the final Friday of March | 2026-03-27
    3월 첫째 주 | 2026-03-01..2026-03-07
    3월 넷째 주 | 2026-03-16..2026-03-28
    3월 다섯째 주 | 2026-03-23..2026-03-31
    3월 마지막 주 | 2026-03-25..2026-03-31
    3월 둘째 주 금요일 | 2026-03-06
    the 2nd quarter of 2024 | 2024-04-01..2024-06-30
    the last month of last quarter | 2026-09-01..2026-09-30
    the last day of last month | 2026-10-31
    the first weekend of March | 2026-03-07..2026-03-08
    last spring | 2026-03-01..2026-05-31
    last summer | 2026-06-01..2026-08-31
    last fall | 2025-09-01..2025-11-30
    last winter | 2025-12-01..2026-02-28
    지난 봄 | 2026-03-01..2026-05-31
    지난 가을 | 2025-09-01..2025-11-30
    작년 겨울 | 2025-12-01..2026-02-28
    in the nineties | 1990-01-01..1999-12-31
    in the 90s | 1990-01-01..1999-12-31
    1980년대 | 1980-01-01..1989-12-31
    two weekends ago | 2026-11-14..2026-11-15
    two Fridays ago | 2026-11-13
    지난 월요일 | 2026-11-23
    last Sunday | 2026-11-22
    지난 3일 | 2026-11-22..2026-11-25
    최근 3일 | 2026-11-22..2026-11-25
    past two weeks | 2026-11-11..2026-11-25
    over the last three months | 2026-08-25..2026-11-25
    the past weekend | 2026-11-21..2026-11-22
    last two weekends | 2026-11-14..2026-11-22
    최근 두 주 | 2026-11-11..2026-11-25
    3/15/2024 | 2024-03-15
    2024.3.15 | 2024-03-15
    2024-03 | 2024-03-01..2024-03-31
    24년 3월 | 2024-03-01..2024-03-31
    '24 | 2024-01-01..2024-12-31
    2월 29일 | 2024-02-29
    작년 3월 2일 오전 | 2025-03-02
    last Tuesday morning | 2026-11-24
    week of March 9 | 2026-03-09..2026-03-15
    this time last year | 2025-11-10..2025-12-10
    작년 이맘때 | 2025-11-10..2025-12-10
    from March to May | 2026-03-01..2026-05-31
    3월부터 5월까지 | 2026-03-01..2026-05-31
    between Monday and Wednesday | 2026-11-16..2026-11-18
    since last Monday | 2026-11-23..2026-11-25
    지난 월요일부터 | 2026-11-23..2026-11-25
    after March 3 | 2026-03-04..2026-11-25
    the year before last | 2024-01-01..2024-12-31
    지난 토욜 | 2026-11-21
    March of last year | 2025-03-01..2025-03-31
    3~5일 | 2026-11-03..2026-11-05
    작년 2분기 | 2025-04-01..2025-06-30
    3분기 말 | 2026-09-01..2026-09-30
    the week before last | 2026-11-09..2026-11-15
    어제 오후 | 2026-11-24
    그끄저께 | 2026-11-22
    엊그저께 | 2026-11-23
    그러께 | 2024-01-01..2024-12-31
    in May 2024 | 2024-05-01..2024-05-31
    late March | 2026-03-20..2026-03-31
    Q1 2024 | 2024-01-01..2024-03-31
    2024 Q3 | 2024-07-01..2024-09-30
    4q last year | 2025-10-01..2025-12-31
    11월 셋째 주 | 2026-11-09..2026-11-21
    12월 3일부터 12월 5일까지 | 2025-12-03..2025-12-05
    2월 3-5일 | 2026-02-03..2026-02-05
    3월 10일~12일 | 2026-03-10..2026-03-12
    지난주 주말 | 2026-11-21..2026-11-22
    the weekend of last week | 2026-11-21..2026-11-22
    what did we do on Monday | 2026-11-23
    월요일에 뭐 했지 | 2026-11-23
    이번 주 월요일 | 2026-11-23
    다음 주 월요일 | 2026-11-30
    지지난주 화요일 | 2026-11-10
    last week on Friday | 2026-11-20
    yesterday 3 people came | 2026-11-24
    어제 3명이 왔다 | 2026-11-24
    the meeting I came back to yesterday | 2026-11-24
    2 people left last week | 2026-11-16..2026-11-22
    three people came on Monday | 2026-11-23
    지난 토요일에 뭐 했지 | 2026-11-21
    on Wednesday we met | 2026-11-18
    we met this Monday | 2026-11-23
    지난주 수요일 오후에 정한 것 | 2026-11-18
    what happened on March 5 | 2026-03-05
    3월 5일에 뭐 했지 | 2026-03-05
    5일에 뭐 했지 | 2026-11-05
    작년 3월 초 | 2025-03-01..2025-03-10
    earlier this month | 2026-11-01..2026-11-30
    the second Friday of last month | 2026-10-09
    two Fridays ago | 2026-11-13
    three weekends ago | 2026-11-07..2026-11-08
    3월 마지막 금요일 | 2026-03-27
    as of last month | 2026-10-01..2026-10-31
    this past Friday | 2026-11-20
    in the last 10 days | 2026-11-15..2026-11-25
    2 weeks back | 2026-11-09..2026-11-15
    a year earlier | 2025-01-01..2025-12-31
    first half of H1 2025 | 2025-01-01..2025-03-31
    second half of H1 2025 | 2025-04-01..2025-06-30
    what was the following week | 2026-11-30..2026-12-06
    what was the upcoming week | 2026-11-30..2026-12-06
    what was the coming week | 2026-11-30..2026-12-06
    what was this coming week | 2026-11-30..2026-12-06
    last Q3 | 2026-07-01..2026-09-30
    last Q4 | 2025-10-01..2025-12-31
    the week of March 5 | 2026-03-02..2026-03-08
    3월 5일 주 | 2026-03-02..2026-03-08
    what did we do on Mon | 2026-11-23
    what did we do on Tue | 2026-11-24
    what did we do on Tues | 2026-11-24
    what did we do on Wed | 2026-11-18
    what did we do on Thu | 2026-11-19
    what did we do on Thur | 2026-11-19
    what did we do on Thurs | 2026-11-19
    what did we do on Fri | 2026-11-20
    what did we do on Sat | 2026-11-21
    what did we do on Sun | 2026-11-22
    what was last Friday | 2026-11-20
    what was previous Friday | 2026-11-20
    what was past Friday | 2026-11-20
    what was this past Friday | 2026-11-20
    what was this last Friday | 2026-11-20
    what was this Friday | 2026-11-27
    what was current Friday | 2026-11-27
    what was this coming Friday | 2026-11-27
    what was next Friday | 2026-12-04
    what was coming Friday | 2026-11-27
    mid last week | 2026-11-17..2026-11-19
    what did we do late on Monday | 2026-11-23
    mid 2010s | 2013-01-01..2016-12-31
    first half of the nineties | 1990-01-01..1994-12-31
    second half of the nineties | 1995-01-01..1999-12-31
    the end of the nineties | 1997-01-01..1999-12-31
    late 2010s | 2016-01-01..2019-12-31
    second half of March 2024 | 2024-03-16..2024-03-31
    early in H1 2025 | 2025-01-01..2025-02-28
    2025년 상반기 초 | 2025-01-01..2025-02-28
    2025년 상반기 말 | 2025-05-01..2025-06-30
    2025년 상반기 중반 | 2025-03-01..2025-04-30
    90년대 말 | 1997-01-01..1999-12-31
    90년대 초 | 1990-01-01..1993-12-31
    90년대 중반 | 1993-01-01..1996-12-31
    90년대 후반 | 1995-01-01..1999-12-31
    지난 분기 중반 | 2026-08-01..2026-08-31
    지난 분기 말 | 2026-09-01..2026-09-30
    on christmas 2025 | 2025-12-25
    on christmas day 2025 | 2025-12-25
    on xmas 2025 | 2025-12-25
    on christmas eve 2025 | 2025-12-24
    on boxing day 2025 | 2025-12-26
    on new year's day 2025 | 2025-01-01
    on new year 2025 | 2025-01-01
    on new years 2025 | 2025-01-01
    on new year's eve 2025 | 2025-12-31
    on halloween 2025 | 2025-10-31
    on valentine's day 2025 | 2025-02-14
    on valentines day 2025 | 2025-02-14
    on independence day 2025 | 2025-07-04
    on juneteenth 2025 | 2025-06-19
    on veterans day 2025 | 2025-11-11
    on easter 2025 | 2025-04-20
    on easter sunday 2025 | 2025-04-20
    on good friday 2025 | 2025-04-18
    on thanksgiving 2025 | 2025-11-27
    on thanksgiving day 2025 | 2025-11-27
    on black friday 2025 | 2025-11-28
    2025년 크리스마스에 | 2025-12-25
    2025년 성탄절에 | 2025-12-25
    2025년 크리스마스이브에 | 2025-12-24
    2025년 신정에 | 2025-01-01
    2025년 새해에 | 2025-01-01
    2025년 삼일절에 | 2025-03-01
    2025년 어린이날에 | 2025-05-05
    2025년 어버이날에 | 2025-05-08
    2025년 스승의날에 | 2025-05-15
    2025년 현충일에 | 2025-06-06
    2025년 제헌절에 | 2025-07-17
    2025년 광복절에 | 2025-08-15
    2025년 개천절에 | 2025-10-03
    2025년 한글날에 | 2025-10-09
    2025년 핼러윈에 | 2025-10-31
    2025년 할로윈에 | 2025-10-31
    2025년 빼빼로데이에 | 2025-11-11
    2025년 발렌타인데이에 | 2025-02-14
    2025년 밸런타인데이에 | 2025-02-14
    2025년 화이트데이에 | 2025-03-14
    2025년 부활절에 | 2025-04-20
    2025년 추수감사절에 | 2025-11-27
"""
#: The last day of what is ahead.
_AHEAD = """
    next December | 2026-12-31
    next summer | 2027-08-31
    the December after next | 2027-12-31
    two weeks from now | 2026-12-09
    낼 | 2026-11-26
    낼모레 | 2026-11-27
    내일모레 | 2026-11-27
    차주 | 2026-12-06
    담 주 | 2026-12-06
    다다음 주 | 2026-12-13
    다음번 주말 | 2026-12-06
    오는 금요일 | 2026-11-27
    next month | 2026-12-31
    Friday | 2026-11-27
    next week | 2026-12-06
    the end of March | 2027-03-31
    다음 주 | 2026-12-06
    다음 달 말 | 2026-12-31
    내일 | 2026-11-26
    모레 | 2026-11-27
    글피 | 2026-11-28
    two weeks from now | 2026-12-09
    3일 뒤 | 2026-11-28
    사흘 후 | 2026-11-28
    tomorrow | 2026-11-26
    tonight | 2026-11-25
    this week | 2026-11-29
    the weekend | 2026-11-29
    next weekend | 2026-12-06
    내년 | 2027-12-31
    내후년 | 2028-12-31
    December 3 | 2026-12-03
    11월 20일 | 2026-11-20
    내달 | 2026-12-31
    내주 | 2026-12-06
    이번 달 | 2026-11-30
    금요일 | 2026-11-27
    다음 주 화요일 | 2026-12-01
    the day after tomorrow | 2026-11-27
    next Friday | 2026-12-04
    this Friday | 2026-11-27
    next quarter | 2027-03-31
    the end of the week | 2026-11-29
    the week after next | 2026-12-13
    the next two weeks | 2026-12-09
    열흘 뒤 | 2026-12-05
    한 달 뒤 | 2026-12-31
    올해 말 | 2026-12-31
    보름 뒤 | 2026-12-10
    12월 | 2026-12-31
    Q1 | 2027-03-31
    the first half of next year | 2027-06-30
    January 5 | 2027-01-05
    10월 30일 | 2026-10-30
    October 20 | 2027-10-20
    upcoming Friday | 2026-11-27
    10월 26일 | 2026-10-26
    10월 25일 | 2027-10-25
"""


def _rows(table: str) -> list[list[str]]:
    return [[part.strip() for part in row.split("|")] for row in table.strip().split("\n")]


@for_each_row(_rows(_PHRASES))
def test_a_word_for_a_time_names_its_days(phrase: str, days: str) -> None:
    span = find_span(phrase, date(2026, 11, 25))
    assert span
    assert days in (f"{span.first}..{span.last}", str(span.first))
    assert ".." in days or span.first == span.last


@pytest.mark.parametrize(("phrase", "day"), _rows(_AHEAD))
def test_a_word_for_a_time_ahead_names_its_last_day(phrase: str, day: str) -> None:
    assert str(find_last_day(phrase, date(2026, 11, 25))) == day


@pytest.mark.parametrize("phrase", ["several days from now", "many weeks from now"])
def test_a_number_that_nobody_said_names_no_day_ahead(phrase: str) -> None:
    assert find_last_day(phrase, date(2026, 11, 25)) is None


@pytest.mark.parametrize("question", ["며칠까지", "주 며칠", "주까지"])
def test_a_question_for_a_number_of_days_is_no_time_and_refuses_none(question: str) -> None:
    assert find_span(question, date(2026, 11, 25)) is None
    assert refused_times(question, date(2026, 11, 25)) == ()
