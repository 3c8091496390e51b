"""Days as people write them in file names, heads of notes and headings.

Such a day has a year and a single reading: text that may be two days (05-11-2026) is no day.
Relative words belong to questions (`text/times`). Each row is a pattern with groups for year, month
and day, an example, and a counter-example.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from typing import NamedTuple

from gieok.text.months import MONTH, month_number

#: Patterns of the years in which days are read, and of a weekday.
YEAR = r"(?:19|20)\d\d"
_ORDINAL = r"(?:st|nd|rd|th)?"
_GAP = r"[\s_,.-]{1,3}"
#: Boundaries: the match is no part of another number or word.
_BEGIN, _END = r"(?<![^\W_])(?<!\d[.,-])", r"(?!\d)(?![.,-]\d)"
WEEKDAY = (
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
    r"|[월화수목금토일](?:요일|曜日)?|[月火水木金土日](?:曜日)?)"
)
#: Largest two-digit year of this century; larger ones belong to the last century.
_LAST_SHORT_YEAR = 69
#: Days in the cache: headings of diaries are read again whenever a file is compared with the index.
_KEPT_DAYS = 8_192
_MILLISECONDS = 100_000_000_000


class DayPattern(NamedTuple):
    """A way to write a day: its pattern, a text that it matches, a text that it must not match."""

    pattern: str
    example: str
    counter_example: str


ROWS = (
    DayPattern(
        (
            rf"{_BEGIN}(?P<year>{YEAR})(?P<joint>[-_/ ]|\. "
            r")(?P<month>\d\d?)(?P=joint)(?P<day>\d\d?)(?!\d)"
        ),
        "standup 2026-11-20 notes",
        "12026-11-20",
    ),
    # Versions look the same, so both parts need two digits where a word stands before them.
    DayPattern(
        (
            rf"(?:{_BEGIN}(?P<year>{YEAR})\.(?=\d\d\.\d\d)"
            rf"|^\W*(?P<first_year>{YEAR})\.)(?P<month>\d\d?)\.(?P<day>\d\d?){_END}"
        ),
        "2026.1.2 회의록",
        "gardener 2026.1.2 upgrade",
    ),
    DayPattern(
        (
            rf"{_BEGIN}(?P<year>{YEAR})(?P<month>\d\d)(?P<day>\d\d)(?:[T_-]?\d{{4}}(?:\d\d)?)?(?:Z"
            r"|(?![^\W_]))"
        ),
        "202611201030 quay",
        "20261120abc",
    ),
    DayPattern(
        rf"{_BEGIN}(?P<year>{YEAR}|\d\d)\s?[년年]\s?(?P<month>\d\d?)\s?[월月]\s?(?P<day>\d\d?)\s?[일日]",
        "2026년 11월 20일",
        "2026년 11월",
    ),
    DayPattern(
        rf"{_BEGIN}(?P<name>{MONTH}){_GAP}(?P<day>\d\d?){_ORDINAL}{_GAP}(?P<year>{YEAR}){_END}",
        "November 24th, 2026",
        "November 2026",
    ),
    DayPattern(
        (
            rf"{_BEGIN}(?P<day>\d\d?){_ORDINAL}{_GAP}(?:of "
            rf")?(?P<name>{MONTH}){_GAP}(?P<year>{YEAR}){_END}"
        ),
        "24 Nov 2026",
        "24 lines of 2026",
    ),
    DayPattern(
        rf"{_BEGIN}(?P<year>{YEAR}){_GAP}(?P<name>{MONTH}){_GAP}(?P<day>\d\d?){_ORDINAL}(?!\w)",
        "2026-Nov-20",
        "2026 november 201",
    ),
    DayPattern(
        rf"{_BEGIN}(?P<day>\d\d?)(?P<joint>[-_./])(?P<month>\d\d?)(?P=joint)(?P<year>{YEAR}){_END}",
        "19-11-2026",
        "05-11-2026",
    ),
    DayPattern(
        rf"{_BEGIN}(?P<year>{YEAR})-?W(?P<week>\d\d)(?:-?(?P<weekday>[1-7]))?(?!\w)",
        "2026-W47",
        "2026-W60",
    ),
)
#: Days that the last folders of a path spell: `2026/11/22`, `2026/11-November/22일`, `2026/11-22`.
FOLDER_ROWS = (
    DayPattern(
        rf"(?:^|/)(?P<year>{YEAR})년?(?:/|[-_. ]+)(?P<month>\d\d?)월?(?:[-_. "
        rf"]+[^/\d]*)?/(?P<day>\d\d?)(?:일|{_ORDINAL})"
        rf"(?:[-_., (]+{WEEKDAY}\)?)?$",
        "diary/2026/11-November/22",
        "2026/11/22 ideas",
    ),
    DayPattern(
        (
            rf"(?:^|/)(?P<year>{YEAR})년?/(?:[^/]*/)?(?P<month>\d\d?)(?:[-_.]|월 "
            rf"?)(?P<day>\d\d?)일?(?:[-_., (]+{WEEKDAY}\)?)?$"
        ),
        "2026/11-22",
        "2026/11-22-33",
    ),
)
_DASHES = re.compile("[\u2010-\u2015\u2212\ufe63\uff0d]")


class WrittenDay(NamedTuple):
    """A day, and the place of its words in the text."""

    day: date
    start: int
    end: int


@cache
def _compile_day_pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


@lru_cache(_KEPT_DAYS)
def find_day(text: str) -> WrittenDay | None:
    """Return the first day that a text writes out with its year.

    None where there is none, or where it may be two days.
    """
    plain = _DASHES.sub("-", text)
    days = list(_iter_written_days(plain, ROWS))
    return min(days, key=lambda one: (one.start, -one.end)) if days else None


def _iter_written_days(text: str, rows: tuple[DayPattern, ...]) -> Iterator[WrittenDay]:
    for row in rows:
        for match in _compile_day_pattern(row.pattern).finditer(text):
            if (day := _day_of(match.groupdict())) is not None:
                yield WrittenDay(day, *match.span())
                break


def _day_of(parts: dict[str, str | None]) -> date | None:
    year = int(parts.get("year") or parts.get("first_year") or 0)
    day, month = int(parts.get("day") or 0), int(parts.get("month") or 0)
    year += 0 if year > 99 else 2000 if year <= _LAST_SHORT_YEAR else 1900
    try:
        if parts.get("week"):
            return date.fromisocalendar(
                year, int(parts["week"] or 0), int(parts.get("weekday") or 1)
            )
        if parts.get("name"):
            month = month_number(str(parts["name"]))
        elif parts.get("joint") and _is_month_unsure(parts, day, month):
            return None
        elif parts.get("joint") and month > 12:  # 11/20/2026
            day, month = month, day
        return date(year, month, day)
    except ValueError:
        return None


def _is_month_unsure(parts: dict[str, str | None], day: int, month: int) -> bool:
    """Return whether either number may be the month.

    Where full stops join the numbers, the day stands first.
    """
    is_year_last = len(parts["day"] or "") <= 2 and next(iter(parts)) == "day"
    return is_year_last and day <= 12 and month <= 12 and day != month and parts["joint"] != "."


def day_of_path(relative: str) -> date | None:
    """Return the day in a file's name, or in its last folders: `2026/11/22.md`; None for none."""
    stem = re.sub(r"\.\w+$", "", relative)
    named = find_day(stem.rpartition("/")[2])
    if named:
        return named.day
    spelt = next(_iter_written_days(_DASHES.sub("-", stem), FOLDER_ROWS), None)
    return spelt.day if spelt else None


def name_without_day(name: str) -> str:
    """Return a file name without the day in it, and without the weekday beside the day."""
    day = find_day(name)
    if day is None:
        return name
    rest = re.sub(rf"(?i)^[-_., (]*{WEEKDAY}(?![^\W_])\)?", "", name[day.end :])
    return " ".join(
        part for part in (name[: day.start].strip("-_. ([,"), rest.strip("-_. )],")) if part
    )


def parse_head_moment(value: str) -> datetime | None:
    """Return the moment in a field of a note's head; None for none.

    A day alone is midnight UTC, as for notes that are named by a day. A time with a zone is that
    moment, whose day depends on the reader's zone. A time without a zone counts by the writer's
    day.
    """
    value = value.strip().strip("[]<>\"'")
    if re.fullmatch(r"\d{10}|\d{13}", value):
        number = int(value)
        return datetime.fromtimestamp(number / 1000 if number > _MILLISECONDS else number, UTC)
    exact = re.fullmatch(
        r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?(?:\.\d+)?) ?(Z|UTC|[+-]\d\d:?\d\d)", value
    )
    if exact:
        zone = "+00:00" if exact[3] in ("Z", "UTC") else exact[3]
        try:
            return datetime.fromisoformat(f"{exact[1]}T{exact[2]}{zone}").astimezone(UTC)
        except (ValueError, OverflowError):
            return None
    written_day = find_day(value)
    return (
        datetime(written_day.day.year, written_day.day.month, written_day.day.day, tzinfo=UTC)
        if written_day
        else None
    )
