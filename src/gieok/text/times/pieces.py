"""The pieces of a time phrase, which narrow each other down to days.

작년 · 3월 · 초 is a year, a month of that year, and the beginning of that month. Every piece has a
grain, and the pieces are combined from coarse to fine, in whatever order a language has them; where
a piece does not fit the others, the phrase has no meaning.
"""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from gieok.text.times import calendar
from gieok.text.times.calendar import DAY, DaySpan

#: Ranks of the grains, from coarse to fine: a piece narrows the pieces before it.
GRAINS = {
    "decade": 0, "year": 1, "half": 2, "quarter": 3, "season": 3, "month": 4, "week": 5, "part": 6,
    "weekend": 7, "date": 7, "day": 7, "holiday": 7, "weekday": 8, "widen": 9, "daytime": 10,
}  # fmt: skip
#: A day without a year that lies this many days back is this year's, told late; a day further back
#: is next year's.
_LATE_DAYS = 30
_LEAP_YEARS = 9
#: Days that are not narrowed yet: "early" alone on a Monday.
_ANY = DaySpan(date.min, date.max)


class Piece(NamedTuple):
    """A part of a time phrase: its kind, and its number.

    `offset` is the number of periods from now (None: not said); `span` holds the days where they
    are known already.
    """

    kind: str
    number: int = 0
    offset: int | None = None
    span: DaySpan | None = None
    #: Which of several periods within a longer time, from 1; -1: the last.
    ordinal: int = 0
    #: A grain other than that of the kind: "three months ago" is as fine as a month.
    grain_of: str = ""

    @property
    def grain(self) -> int:
        """Return the rank of the grain; a higher rank is finer."""
        return GRAINS[self.grain_of or self.kind]


class TimeView(NamedTuple):
    """The day from which a text is read, and whether the text speaks of the future."""

    today: date
    is_ahead: bool
    #: Whether the month stands first in 3/4, as in Korean; otherwise only unambiguous numbers are
    #: read.
    is_month_first: bool


def resolve_time_pieces(pieces: Sequence[Piece], view: TimeView) -> DaySpan | None:
    """Return the days that the pieces mean together; None where they do not fit."""
    ordered = sorted(pieces, key=lambda piece: piece.grain)
    grains = [piece.grain for piece in ordered]
    if len(set(grains)) < len(grains):
        return None
    if all(piece.kind in ("daytime", "widen") for piece in ordered):
        return None
    box: DaySpan | None = None
    try:
        for piece in _join_month_and_date(ordered, view):
            box = _narrow_by_piece(piece, box, ordered, view)
            if box is None:
                return None
    except (ValueError, OverflowError):  # 2월 31일, 999999년 전
        return None
    return None if box == _ANY else box  # early afternoon: of no day that is named


def _join_month_and_date(ordered: Sequence[Piece], view: TimeView) -> list[Piece]:
    """Return the pieces, with a month and a day without a year joined into one piece.

    2월 29일 is in the latest year that has such a day.
    """
    kinds = [piece.kind for piece in ordered]
    has_year = any(piece.grain < GRAINS["month"] for piece in ordered)
    if (
        has_year
        or kinds[:2] != ["month", "date"]
        or ordered[0].offset is not None
        or ordered[0].span
    ):
        return list(ordered)
    month, day = ordered[0].number, ordered[1].number
    named_day = (
        _day_ahead(month, day, view.today) if view.is_ahead else _latest_day(month, day, view.today)
    )
    return [Piece("day", span=calendar.build_one_day(named_day)), *ordered[2:]]


def _latest_day(month: int, day: int, today: date) -> date:
    """Return the latest such day, up to eight years back.

    Eight years are the longest gap between two 29 February.
    """
    days = (calendar.month(today.year - n, month).first.replace(day=1) for n in range(_LEAP_YEARS))
    candidates = (at.replace(day=day) for at in days if day <= calendar.months(at, 1).last.day)
    return next((at for at in candidates if at <= today), None) or date(today.year, month, 99)


def _day_ahead(month: int, day: int, today: date) -> date:
    candidate = date(today.year, month, day)
    return candidate if (today - candidate).days <= _LATE_DAYS else date(today.year + 1, month, day)


def _narrow_by_piece(
    piece: Piece, box: DaySpan | None, pieces: Sequence[Piece], view: TimeView
) -> DaySpan | None:
    """Return the days of a piece within the days of the pieces before it."""
    if piece.span is not None:
        return piece.span if box is None or box.holds(piece.span) else None
    if piece.kind in ("month", "quarter", "half", "season", "holiday"):
        return _narrow_yearly(piece, box, view)
    if piece.kind == "part":
        return _narrow_part(piece, box, pieces)
    if piece.kind == "week":
        return _narrow_week(piece, box, pieces)
    if piece.kind in _BY_DAY:
        return _BY_DAY[piece.kind](piece, box, view)
    return box  # a time of the day


def _narrow_day(piece: Piece, box: DaySpan | None, _view: TimeView) -> DaySpan | None:
    ordinal = piece.ordinal
    if box is None or not ordinal:
        return None
    at = box.first + (ordinal - 1) * DAY if ordinal > 0 else box.last + (ordinal + 1) * DAY
    return _keep_span_within(calendar.build_one_day(at), box)


def _keep_span_within(span: DaySpan, box: DaySpan | None) -> DaySpan | None:
    return span if box is None or box.holds(span) else None


def _narrow_yearly(piece: Piece, box: DaySpan | None, view: TimeView) -> DaySpan | None:
    if piece.ordinal:  # the last month of the quarter
        return (
            _select_nth_span(_list_periods_within(box, piece.kind), piece.ordinal) if box else None
        )
    if box is not None:
        spans = [calendar.yearly(piece.kind, piece.number, y) for y in _list_span_years(box)]
        inside = [span for span in spans if box.first <= span.first <= box.last]
        return inside[0] if len(inside) == 1 else None
    around = [calendar.yearly(piece.kind, piece.number, view.today.year + n) for n in range(-4, 5)]
    over = [span for span in around if span.last < view.today]
    begun = [span for span in around if span.first <= view.today]
    after = [span for span in around if span.first > view.today]
    if piece.offset is None:
        ahead = next(span for span in around if span.last >= view.today)
        return ahead if view.is_ahead else begun[-1]
    if piece.offset < 0:
        return over[piece.offset]
    if piece.offset > 0:
        return after[piece.offset - 1]
    current = begun[-1]
    of_year = next(span for span in around if span.first.year == view.today.year)
    return current if current.last >= view.today else of_year


def _list_span_years(box: DaySpan) -> range:
    return range(box.first.year, box.last.year + 1)


def _list_periods_within(box: DaySpan, unit: str) -> list[DaySpan]:
    """Return the periods of a unit that make up a longer time."""
    periods: list[DaySpan] = []
    at = calendar.build_calendar_period(unit, box.first, 0)
    while at.last <= box.last:
        periods += [at] if box.holds(at) else []
        at = calendar.build_calendar_period(unit, at.last + DAY, 0)
    return periods


def _select_nth_span(spans: Sequence[DaySpan], ordinal: int) -> DaySpan | None:
    at = ordinal - 1 if ordinal > 0 else len(spans) + ordinal
    return spans[at] if 0 <= at < len(spans) else None


def _narrow_part(piece: Piece, box: DaySpan | None, pieces: Sequence[Piece]) -> DaySpan | None:
    if box is None:  # early on Monday
        is_day = any(other.grain > GRAINS["part"] for other in pieces if other is not piece)
        return _ANY if is_day and piece.number in (1, 3) else None
    return calendar.select_period_part(box, piece.number)


def _narrow_week(piece: Piece, box: DaySpan | None, pieces: Sequence[Piece]) -> DaySpan | None:
    if box is None or box.days < 27:
        return None
    week = calendar.week_of(
        box, piece.ordinal, is_row=any(other.kind == "weekday" for other in pieces)
    )
    return week if week.first <= week.last and week.first <= box.last else None


def _narrow_weekend(piece: Piece, box: DaySpan | None, view: TimeView) -> DaySpan | None:
    if piece.ordinal:
        return (
            _select_nth_span(
                [DaySpan(day, day + DAY) for day in calendar.weekdays(box, 5)], piece.ordinal
            )
            if box
            else None
        )
    if box is not None:
        weekend = DaySpan(box.first + 5 * DAY, box.last)
        return weekend if box.days == 7 and not box.first.weekday() else None
    # The current weekend is not over, and a question about "the weekend" means a past one.
    return calendar.build_calendar_period("weekend", view.today, 0 if view.is_ahead else -1)


def _narrow_date(piece: Piece, box: DaySpan | None, view: TimeView) -> DaySpan | None:
    if box is None or box == _ANY:
        day = next(calendar.dates_near(view.today, piece.number, is_ahead=view.is_ahead), None)
        return calendar.build_one_day(day) if day else None
    days = calendar.days_of_month(box, piece.number) if box.days <= 31 else []
    return calendar.build_one_day(days[0]) if len(days) == 1 else None


def _widen_to_week(_piece: Piece, box: DaySpan | None, _view: TimeView) -> DaySpan | None:
    return calendar.week_with(box.first) if box and box.days == 1 else None


def _narrow_weekday(piece: Piece, box: DaySpan | None, view: TimeView) -> DaySpan | None:
    if box is not None and box != _ANY:
        days = calendar.weekdays(box, piece.number)
        if piece.ordinal:
            return _select_nth_span([calendar.build_one_day(day) for day in days], piece.ordinal)
        return calendar.build_one_day(days[0]) if len(days) == 1 and box.days <= 7 else None
    if piece.ordinal:
        return None
    back = (view.today.weekday() - piece.number) % 7 or 7
    ahead = (piece.number - view.today.weekday()) % 7 or 7
    if piece.offset is None:
        return calendar.build_one_day(view.today + (ahead if view.is_ahead else -back) * DAY)
    if piece.offset < 0:
        return calendar.build_one_day(view.today - (back + 7 * (-piece.offset - 1)) * DAY)
    return calendar.build_one_day(
        calendar.week_with(view.today + 7 * piece.offset * DAY).first + piece.number * DAY
    )


_BY_DAY = {
    "weekend": _narrow_weekend,
    "date": _narrow_date,
    "day": _narrow_day,
    "widen": _widen_to_week,
    "weekday": _narrow_weekday,
}
