"""The days of a diary's lines, from headings and lines that name a day.

A heading that names a day is a day, or begins or ends with a day; a line that names a day consists
of the day alone. A year, a month and a day may stand in headings above each other (`# 2026년`, `##
11월`, `### 20일`), the year in the name of the file.
"""

import re
from datetime import date
from typing import NamedTuple

from gieok.text.late_pattern import defer_pattern
from gieok.text.markdown import heading_text
from gieok.text.months import MONTH, month_number
from gieok.text.written_days import WEEKDAY, YEAR, find_day

_HEADING = defer_pattern(r"(#{1,6})[ \t]+(\S.*)")
_ORG_HEADING = defer_pattern(r"(\*{1,8})[ \t]+(\S.*)")
_FENCE = defer_pattern(r" {0,3}(?:```|~~~)")
_DECORATION = defer_pattern(r"[*_\[\]<>`~\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]+")
_ENDS = " \t-–—:·|,.()"
_WEEKDAY = defer_pattern(rf"(?i)^{WEEKDAY}(?!\w)[ ,.:)]*|[ ,(]*(?<!\w){WEEKDAY}[) .]*$")
_CLOCK = defer_pattern(r"(?i)[ ,]*\d\d?:\d\d(?::\d\d)?(?: ?[ap]m)?$")
_DAY_LINE = defer_pattern(
    r"^(?:[#*]+[ \t]+(?:[^\n]{0,80}?(?:\d{4}|\d[-/.월일])|\W{0,4}\d{1,2}\b|[^\n]{0,40}?\b(?i:"
    f"{MONTH}|{WEEKDAY}"
    r")\b)"
    r"|[*_\[]{0,4}(?:\d{2,4}[^\n]{4,44}|[A-Z][a-z]{2}[^\n]{0,40}\d{4}[^\n]{0,12})$)",
    re.MULTILINE,
)
#: Level of a line that names a day without heading marks: below every heading.
_LINE_LEVEL = 9
_YEAR_ALONE = defer_pattern(rf"(?P<year>{YEAR})년?")
_MONTH_ALONE = defer_pattern(
    rf"(?i)(?:(?P<year>{YEAR})(?:년|[-./])? ?)?(?:(?P<month>\d\d?)월?|(?P<name>{MONTH})(?:,? "
    rf"(?P<later>{YEAR}))?)"
)
_DAY_ALONE = defer_pattern(
    rf"(?i)(?:(?P<month>\d\d?)(?:월 ?|[-./])|(?P<name>{MONTH})\.? )(?P<day>\d\d?)(?:일|st|nd|rd"
    r"|th)?(?![\d.:/-])"
    rf"|(?P<name_after>(?P<first>\d\d?)(?:st|nd|rd|th)? (?P<named>{MONTH}))(?!\w)"
    r"|(?P<day_only>\d\d?)(?:일|st|nd|rd|th)?$|(?P<day_korean>\d\d?)일(?!\w)"
)


_IN_NAME = defer_pattern(
    rf"(?<!\d)(?P<year>{YEAR})(?!\d)(?:(?:년 ?|[-_.])(?P<month>0\d|1[0-2]|[1-9])(?!\d))?"
)


class DaySection(NamedTuple):
    """Lines of a diary that belong to one day.

    The section is `text[start:end]`, with its first and last line and the headings above it.
    """

    day: date
    start: int
    end: int
    start_line: int
    end_line: int
    above: tuple[str, ...]


class _Open(NamedTuple):
    """A heading whose section is still open, with the parts of a date that it names."""

    level: int
    words: str
    year: int = 0
    month: int = 0
    day: date | None = None


class _DiaryLine(NamedTuple):
    """A line, and the day to which it belongs."""

    start: int
    end: int
    day: date | None
    above: tuple[str, ...]


def may_be_diary(text: str) -> bool:
    """Return whether a text may have lines that consist of a day.

    The test is cheap, because it runs for every note.
    """
    return bool(_DAY_LINE.search(text))


def split_days(
    text: str, begin: int, end: int, name: str = "", *, is_org: bool = False
) -> tuple[DaySection, ...]:
    """Return the sections of `text[begin:end]` that belong to a day, in order; () for no diary.

    `name` is the name of the file, which may hold the year or the month. A text in which a single
    heading names a day is a diary only if that heading consists of the day alone.
    """
    rows, dated = _parse_diary_lines(text, begin, end, name, is_org=is_org)
    days = [words for words, _ in dated]
    if not days or (len(days) < 2 and not dated[0][1]):
        return ()
    sections: list[DaySection] = []
    line = text.count("\n", 0, begin)
    for row in rows:
        line += 1
        if row.day is None:
            continue
        last = sections[-1] if sections else None
        if last and last.day == row.day and last.end_line == line - 1:
            sections[-1] = last._replace(end=row.end, end_line=line)
        else:
            sections.append(
                DaySection(
                    day=row.day,
                    start=row.start,
                    end=row.end,
                    start_line=line,
                    end_line=line,
                    above=row.above,
                )
            )
    return tuple(sections)


def _parse_diary_lines(
    text: str, begin: int, end: int, name: str, *, is_org: bool
) -> tuple[list[_DiaryLine], list[tuple[date, bool]]]:
    """Return every line with its day, and the days of the headings in order.

    Each day of a heading comes with whether the heading consists of the day alone.
    """
    pattern = _ORG_HEADING if is_org else _HEADING
    opened = [_parse_diary_name(name)]
    rows: list[_DiaryLine] = []
    dated: list[tuple[date, bool]] = []
    is_code = False
    at = begin
    for content in text[begin:end].split("\n"):
        is_fence = bool(_FENCE.match(content))
        heading = None if is_code or is_fence else pattern.match(content)
        level, words = (
            (len(heading[1]), heading_text(heading[2])) if heading else (_LINE_LEVEL, content)
        )
        if heading or (not is_code and _may_be_day(content)):
            parsed, is_whole = _parse_heading_day(
                _clean_diary_heading(words),
                opened[-1 if heading is None else _find_parent_heading(opened, level)],
            )
            if heading or (parsed.day and is_whole):
                del opened[_find_parent_heading(opened, level) + 1 :]
                opened.append(parsed._replace(level=level, words=words))
                dated += [(parsed.day, is_whole)] if parsed.day else []
        is_code ^= is_fence
        day = next(
            (open_heading.day for open_heading in reversed(opened) if open_heading.day), None
        )
        above = tuple(open_heading.words for open_heading in opened[1:-1])
        rows.append(_DiaryLine(at, at + len(content), day, above))
        at += len(content) + 1
    return rows, dated


def _parse_diary_name(name: str) -> _Open:
    """Return the year, and the month, in the name of a file."""
    match = _IN_NAME.search(name)
    return _Open(0, "", int(match["year"]), int(match["month"] or 0)) if match else _Open(0, "")


def _find_parent_heading(opened: list[_Open], level: int) -> int:
    """Return the index of the open heading above a heading of this level."""
    return max(place for place, heading in enumerate(opened) if heading.level < level)


def _may_be_day(line: str) -> bool:
    """Return whether a line without heading marks may consist of a day; the test is cheap."""
    return (
        6 <= len(line) <= 48
        and any(map(str.isdigit, line))
        and not line.startswith((" ", "\t", "- ", "* ", "> ", "|"))
    )


def _clean_diary_heading(words: str) -> str:
    plain = _DECORATION.sub("", words).strip(_ENDS)
    return _CLOCK.sub("", plain)


def _parse_heading_day(words: str, above: _Open) -> tuple[_Open, bool]:
    """Return the date parts of a heading below another, and whether it holds nothing else."""
    bare = _WEEKDAY.sub("", words).strip(_ENDS)
    inner = above._replace(day=None)
    if written_day := find_day(bare):
        rest = (bare[: written_day.start] + bare[written_day.end :]).strip(_ENDS)
        is_whole = not rest or bool(_WEEKDAY.fullmatch(rest))
        is_edge = written_day.start == 0 or written_day.end == len(bare)
        return (inner._replace(day=written_day.day), is_whole) if is_edge else (inner, False)
    if only := _YEAR_ALONE.fullmatch(bare):
        return _Open(0, "", int(only["year"])), False
    if (only := _MONTH_ALONE.fullmatch(bare)) and (
        only["year"] or only["later"] or only["name"] or "월" in bare
    ):
        year = int(only["year"] or only["later"] or above.year or 0)
        month = month_number(only["name"]) if only["name"] else int(only["month"])
        return (_Open(0, "", year, month), False) if 1 <= month <= 12 else (inner, False)
    day = _day_below(bare, above)
    return (inner._replace(day=day[0]), day[1]) if day else (inner, False)


def _day_below(words: str, above: _Open) -> tuple[date, bool] | None:
    """Return the day in words without a year, with the year of the headings above."""
    match = _DAY_ALONE.match(words)
    if not match or not above.year:
        return None
    name = match["name"] or match["named"]
    month = month_number(name) if name else int(match["month"] or above.month or 0)
    number = int(match["day"] or match["first"] or match["day_only"] or match["day_korean"] or 0)
    try:
        return date(above.year, month, number), not words[match.end() :].strip(_ENDS)
    except ValueError:
        return None
