"""The grammar: which tokens make a piece of a time.

A row of tokens is parsed only if each token belongs to a piece.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import cache

from gieok.text.times import calendar
from gieok.text.times.calendar import DAY, DaySpan
from gieok.text.times.lexicon import Token
from gieok.text.times.pieces import Piece, TimeView, resolve_time_pieces

#: Names of the units; a token's number is an index into them.
UNITS = ("day", "week", "month", "quarter", "year", "decade", "half")
#: Kind of token → letter, so that a rule can be a regular expression.
_LETTERS = {
    "iso": "i", "year-month": "j", "slashes": "S", "slash": "l", "ordinal": "o",
    "ordinal-week": "O", "decade": "z", "year": "y", "full-year": "Z", "number": "n", "count": "n",
    "days-count": "N", "half-year": "B", "month": "m", "date": "d", "weekday": "e", "weekdays": "E",
    "qualifier": "q", "running": "R", "postfix": "P", "unit": "u", "fortnight": "F", "weekend": "k",
    "half": "f", "halfyear": "h", "quarter": "Q", "season": "s", "ago": "a", "hence": "A",
    "part": "p", "part-of": "r", "day": "D", "span": "X", "week-of": "w", "this-time": "T",
    "daytime": "t", "near": "c", "years": "Y", "every": "V", "link": "L", "until": "U",
    "before": "b", "since": "v", "after": "G", "while": "W", "half-unit": "x", "nth": "#",
    "holiday": "H", "eve": "!", "unknown": "?", "shift": "<", "last-day": "g",
}  # fmt: skip
_DECEMBER = 12
_CHRISTMAS = 1225
_Build = Callable[[Sequence[Token], TimeView], Sequence[Piece] | None]


def encode_token_kinds(tokens: Sequence[Token]) -> str:
    """Return the kinds of tokens as a string, one letter each."""
    return "".join(_LETTERS[token.kind] for token in tokens)


def parse_time_tokens(
    tokens: Sequence[Token], view: TimeView
) -> tuple[DaySpan, list[Piece]] | None:
    """Return the days that a row of tokens means, and the pieces.

    None where a token belongs to no piece.
    """
    for pieces in readings(tokens, view):
        if pieces and (span := resolve_time_pieces(pieces, view)):
            return span, pieces
    return None


def readings(tokens: Sequence[Token], view: TimeView) -> Iterator[list[Piece]]:
    """Yield the ways to divide a row of tokens into pieces."""
    if not tokens:
        yield []
        return
    kinds = encode_token_kinds(tokens)
    for pattern, build in _compile_time_rules():
        match = pattern.match(kinds)
        if match is None:
            continue
        try:
            pieces = build(tokens[: match.end()], view)
        except (ValueError, OverflowError):
            continue
        if pieces is not None:
            for rest in readings(tokens[match.end() :], view):
                yield [*pieces, *rest]


def _find_token_unit(token: Token) -> str:
    return UNITS[token.value]


def _year_number(token: Token) -> int:
    return 2000 + token.value if token.value < 100 else token.value


def _build_period_piece(unit: str, offset: int, view: TimeView) -> list[Piece]:
    return [
        Piece(
            "span",
            grain_of=unit,
            offset=offset,
            span=calendar.build_calendar_period(unit, view.today, offset),
        )
    ]


def _named_unit(tokens: Sequence[Token], view: TimeView) -> Sequence[Piece] | None:
    qualifier, unit = tokens[0], _find_token_unit(tokens[1])
    # "the last day" and "this day" name no day.
    return None if unit == "day" else _build_period_piece(unit, qualifier.value, view)


def _build_running_piece(
    unit: str, count: int, view: TimeView, *, is_ahead: bool = False
) -> list[Piece] | None:
    """Return a time that runs from or until today: the past three weeks, the next two months.

    Today is included.
    """
    if not count:
        return None
    other = calendar.shifted(unit, view.today, count if is_ahead else -count)
    span = DaySpan(view.today, other) if is_ahead else DaySpan(other, view.today)
    return [Piece("span", grain_of="week", span=span)]


def _count_running(tokens: Sequence[Token], view: TimeView) -> Sequence[Piece] | None:
    qualifier, counted = tokens[0], tokens[1:]
    if qualifier.value not in (-1, 1):
        return None
    if counted[-1].kind == "while":
        counted = counted[:-1]
    if counted[-1].kind == "weekend":
        first = calendar.build_calendar_period(
            "weekend",
            view.today,
            qualifier.value * (counted[0].value if qualifier.value < 0 else 1),
        )
        last = calendar.build_calendar_period(
            "weekend", view.today, -1 if qualifier.value < 0 else counted[0].value
        )
        return (
            [Piece("span", grain_of="week", span=DaySpan(first.first, last.last))]
            if counted[0].value
            else None
        )
    unit, count = _read_counted_unit(counted)
    return _build_running_piece(unit, count, view, is_ahead=qualifier.value > 0) if unit else None


def _read_counted_unit(tokens: Sequence[Token]) -> tuple[str, int]:
    """Return a unit and its count: two weeks, 사흘, 반년, a year and a half."""
    first, half = tokens[0], any(token.kind == "half" for token in tokens)
    unit = next((_find_token_unit(token) for token in tokens if token.kind == "unit"), "")
    match first.kind:
        case "days-count":
            return "week" if first.value == 7 and len(tokens) > 1 else "day", first.value
        case "half-year":
            return "month", first.value
        case "year":
            unit = "year"
        case "date":
            unit = "day"
        case "half":
            return ("month", 6) if unit == "year" else ("day", 15) if unit == "month" else ("", 0)
    number = next((t.value for t in tokens if t.kind in ("count", "number", "year", "date")), 0)
    if any(token.kind == "fortnight" for token in tokens):
        return "week", 2 * (number or 1)
    if half:
        return (
            ("month", 12 * number + 6)
            if unit == "year"
            else ("day", 30 * number + 15)
            if unit == "month"
            else ("", 0)
        )
    return unit, number


def _build_ago_piece(tokens: Sequence[Token], view: TimeView) -> Sequence[Piece] | None:
    unit, count = _read_counted_unit(tokens[:-1])
    if tokens[0].kind == "days-count" and tokens[0].value == 7:
        unit, count = "week", 1
    if not unit or not count:
        return None
    if unit == "day" and any(token.text in ("few", "a few", "몇") for token in tokens):
        return _some_days_ago(view)
    return [
        Piece(
            "span",
            grain_of=unit,
            offset=-count,
            span=calendar.build_calendar_period(unit, view.today, -count),
        )
    ]


def _some_days_ago(view: TimeView) -> list[Piece]:
    return [Piece("day", span=DaySpan(view.today - 7 * DAY, view.today - 2 * DAY))]


def _build_hence_piece(tokens: Sequence[Token], view: TimeView) -> Sequence[Piece] | None:
    unit, count = _read_counted_unit(tokens[:-1])
    if not unit or not count:
        return None
    if unit in ("day", "week"):
        return [
            Piece(
                "day",
                offset=count,
                span=calendar.build_one_day(calendar.shifted(unit, view.today, count)),
            )
        ]
    return _build_period_piece(unit, count, view)


def _weekend_ago(tokens: Sequence[Token], view: TimeView) -> Sequence[Piece] | None:
    return _period_of_weekend(-tokens[0].value, view) if tokens[0].value else None


def _period_of_weekend(offset: int, view: TimeView) -> list[Piece]:
    return [
        Piece(
            "weekend",
            offset=offset,
            span=calendar.build_calendar_period("weekend", view.today, offset),
        )
    ]


def _weekday_ago(tokens: Sequence[Token], _view: TimeView) -> Sequence[Piece] | None:
    return [Piece("weekday", tokens[1].value, -tokens[0].value)] if tokens[0].value else None


def _parse_slash_date(tokens: Sequence[Token], view: TimeView) -> Sequence[Piece] | None:
    """Return the day of 3/24; that of 3/4 only where the month is known to stand first."""
    first, second = map(int, re.findall(r"\d+", tokens[0].text))
    if max(first, second) <= _DECEMBER and first != second and not view.is_month_first:
        return None
    month, day = (first, second) if first <= _DECEMBER else (second, first)
    return (
        [Piece("month", month), Piece("date", day)]
        if 1 <= month <= _DECEMBER and 1 <= day <= 31
        else None
    )


def _parse_year_slash_date(tokens: Sequence[Token], view: TimeView) -> Sequence[Piece] | None:
    """Return the day of 24/3/15 or 3/15/2024, where only one order is possible.

    03/04/2024 has none.
    """
    a, b, c = map(int, re.findall(r"\d+", tokens[0].text))
    if c > 99 or a <= 12 < b:
        orders = {(c, a, b), (c, b, a)}
    else:
        orders = (
            {(a, b, c)}
            if "." in tokens[0].text or "-" in tokens[0].text
            else {(a, b, c), (c, b, a)}
        )
    days = set[date]()
    for year, month, day in orders:
        try:
            days.add(date(year if year > 99 else 2000 + year, month, day))
        except ValueError:
            continue
    near = {day for day in days if day.year <= view.today.year + 1}
    return [Piece("day", span=calendar.build_one_day(near.pop()))] if len(near) == 1 else None


def _parse_iso_date(tokens: Sequence[Token], _view: TimeView) -> Sequence[Piece]:
    value = tokens[0].value
    return [
        Piece(
            "day",
            span=calendar.build_one_day(date(value // 10_000, value // 100 % 100, value % 100)),
        )
    ]


def _year_month(tokens: Sequence[Token], _view: TimeView) -> Sequence[Piece]:
    value = tokens[0].value
    return [Piece("span", grain_of="month", span=calendar.month(value // 100, value % 100))]


def _month_day(tokens: Sequence[Token], _view: TimeView) -> Sequence[Piece] | None:
    month, day = sorted(tokens, key=lambda token: token.kind != "month")
    is_day = day.text[0].isdigit() and 1 <= day.value <= 31
    return [Piece("month", month.value), Piece("date", day.value)] if is_day else None


def _ordinal_unit(tokens: Sequence[Token], _view: TimeView) -> Sequence[Piece] | None:
    """Return a numbered period within a longer time.

    Examples: the first quarter, the second week, the last day, the third weekend, the last Friday.
    """
    ordinal, of = tokens[0].value, tokens[-1]
    match of.kind:
        case "weekend":
            return [Piece("weekend", ordinal=ordinal)]
        case "weekday":
            return [Piece("weekday", of.value, ordinal=ordinal)]
        case "half":
            return [Piece("half", ordinal)] if ordinal in (1, 2) else None
    unit = _find_token_unit(of)
    if unit == "quarter":
        return (
            [Piece("quarter", ordinal)]
            if 1 <= ordinal <= 4
            else [Piece("quarter", ordinal=ordinal)]
        )
    return [Piece(unit, ordinal=ordinal)] if unit in ("day", "week", "month", "half") else None


def _build_relative_day(tokens: Sequence[Token], view: TimeView) -> Sequence[Piece]:
    return [
        Piece(
            "day",
            offset=tokens[0].value,
            span=calendar.build_one_day(view.today + tokens[0].value * DAY),
        )
    ]


def _loose_span(tokens: Sequence[Token], view: TimeView) -> Sequence[Piece] | None:
    """Return an approximate time: last night, the other day, a few days ago."""
    if tokens[0].value == 1:
        return [Piece("day", span=DaySpan(view.today - DAY, view.today))]
    is_days_ago = tokens[0].value == 2 or tokens[-1].kind == "ago"
    return _some_days_ago(view) if is_days_ago else None


def _this_time(tokens: Sequence[Token], view: TimeView) -> Sequence[Piece] | None:
    """Return the days around today's date in another year or month: this time last year, 작년 이맘때.

    The span begins 15 days before that date and ends 15 days after it. None where the other words
    name no year and no month.
    """
    rest = [token for token in tokens if token.kind != "this-time"]
    parsed = parse_time_tokens(rest, view)
    offset = parsed[1][0].offset if parsed and len(parsed[1]) == 1 else None
    unit = parsed[1][0].grain_of or parsed[1][0].kind if parsed else ""
    if offset is None or unit not in ("year", "month"):
        return None
    day = calendar.shifted(unit, view.today, offset)
    return [Piece("span", grain_of="month", span=DaySpan(day - 15 * DAY, day + 15 * DAY))]


def _part_of(tokens: Sequence[Token], view: TimeView) -> Sequence[Piece]:
    unit, part = (
        ("", "week", "month", "quarter", "year")[tokens[0].value // 10],
        tokens[0].value % 10,
    )
    span = calendar.select_period_part(calendar.build_calendar_period(unit, view.today, 0), part)
    if span and span.first > view.today and not view.is_ahead:
        span = calendar.select_period_part(
            calendar.build_calendar_period(unit, view.today, -1), part
        )
    return (
        [Piece("span", grain_of="month" if unit != "week" else "week", span=span)] if span else []
    )


def _part_of_named(tokens: Sequence[Token], view: TimeView) -> Sequence[Piece] | None:
    """Return the end or the beginning of a named year: 작년 연말, 2024년 연초; 지난달 연말 is none."""
    parsed = parse_time_tokens(tokens[:-1], view)
    unit = ("", "week", "month", "quarter", "year")[tokens[-1].value // 10]
    if parsed is None or (parsed[1][0].grain_of or parsed[1][0].kind) != unit:
        return None
    return [*parsed[1], Piece("part", tokens[-1].value % 10)]


def _part_of_unit(tokens: Sequence[Token], view: TimeView) -> Sequence[Piece] | None:
    """Return a part of the current period: the end of the month."""
    unit = _find_token_unit(tokens[1])
    if unit == "day":
        return None
    return [*_build_period_piece(unit, 0, view), Piece("part", tokens[0].value)]


#: (regular expression over the letters of kinds, function that makes the pieces). Longer rules are
#: tried first.
_RULES: tuple[tuple[str, _Build], ...] = (
    ("T(?:Y|qu|nua|Z|y)|(?:Y|qu|nua|Z)T", _this_time),
    ("[nydBNf]u?f?u?a|nfua|fnua|nFa|Fa|NA?a", _build_ago_piece),
    ("nF?u?f?A|[dBNy]A|fnuA", _build_hence_piece),
    ("nka", _weekend_ago),
    ("n[eE]a", _weekday_ago),
    ("[qR](?:nu|y|d|N|B|nk|nF|fnu|fu)W?", _count_running),
    ("R(?:u)W?", lambda t, v: _build_running_piece(_find_token_unit(t[1]), 1, v)),
    ("Xa?", _loose_span),
    ("i", _parse_iso_date),
    ("j", _year_month),
    ("S", _parse_year_slash_date),
    ("l", _parse_slash_date),
    ("mn|nm|mo|om", _month_day),
    ("n#[uke]", lambda t, v: _ordinal_unit([t[0], t[2]], v)),
    ("o[uekf]", _ordinal_unit),
    ("O", lambda t, v: [Piece("week", ordinal=t[0].value)]),
    ("oh", lambda t, v: None),
    ("qu", _named_unit),
    ("uP", lambda t, v: _named_unit([t[1], t[0]], v)),
    ("c", lambda t, v: _build_period_piece(UNITS[t[0].value % 10], t[0].value // 10, v)),
    ("qx", lambda t, v: _build_period_piece("half", t[0].value, v)),
    ("qk", lambda t, v: _period_of_weekend(t[0].value, v)),
    ("kP", lambda t, v: _period_of_weekend(t[1].value, v)),
    ("k", lambda t, v: [Piece("weekend")]),
    ("qe", lambda t, v: _build_qualified_piece("weekday", t[1], t[0], v)),
    ("eP", lambda t, v: _build_qualified_piece("weekday", t[0], t[1], v)),
    ("e", lambda t, v: [Piece("weekday", t[0].value)]),
    ("qm", lambda t, v: _build_qualified_piece("month", t[1], t[0], v)),
    ("mP", lambda t, v: _build_qualified_piece("month", t[0], t[1], v)),
    ("m", lambda t, v: [Piece("month", t[0].value)]),
    ("qs", lambda t, v: _build_qualified_piece("season", t[1], t[0], v)),
    ("sP", lambda t, v: _build_qualified_piece("season", t[0], t[1], v)),
    ("s", lambda t, v: [Piece("season", t[0].value)]),
    ("qh", lambda t, v: _build_qualified_piece("half", t[1], t[0], v)),
    ("h", lambda t, v: [Piece("half", t[0].value)]),
    ("qQ", lambda t, v: _build_qualified_piece("quarter", t[1], t[0], v)),
    ("Q", lambda t, v: [Piece("quarter", t[0].value)]),
    ("qH", lambda t, v: [Piece("holiday", t[1].value, t[0].value)]),
    ("HP", lambda t, v: [Piece("holiday", t[0].value, t[1].value)]),
    ("H!", lambda t, v: [Piece("holiday", t[0].value - 1)] if t[0].value == _CHRISTMAS else None),
    ("H", lambda t, v: [Piece("holiday", t[0].value)]),
    ("g", lambda t, v: [Piece("day", ordinal=-1)]),
    ("(?:qu|uP|Y|y|Z)r", _part_of_named),
    ("pu", _part_of_unit),
    ("p", lambda t, v: [Piece("part", t[0].value)] if t[0].value else None),
    ("r", _part_of),
    ("D", _build_relative_day),
    (
        "Y",
        lambda t, v: [
            Piece(
                "span",
                grain_of="year",
                offset=t[0].value,
                span=calendar.build_calendar_period("year", v.today, t[0].value),
            )
        ],
    ),
    ("y|Z", lambda t, v: [Piece("span", grain_of="year", span=calendar.year(_year_number(t[0])))]),
    (
        "z",
        lambda t, v: [
            Piece(
                "span",
                grain_of="decade",
                span=calendar.months(date(_complete_decade_year(t[0]), 1, 1), 120),
            )
        ],
    ),
    ("w", lambda t, v: [Piece("widen")]),
    ("u", lambda t, v: [Piece("widen")] if t[0].value == 1 else None),
    ("d|o", lambda t, v: [Piece("date", t[0].value)] if 1 <= t[0].value <= 31 else None),
    ("t|W", lambda t, v: [Piece("daytime")]),
)


def _complete_decade_year(token: Token) -> int:
    return token.value if token.value > 99 else (1900 if token.value >= 30 else 2000) + token.value


def _build_qualified_piece(
    kind: str, named: Token, by: Token, view: TimeView
) -> list[Piece] | None:
    if kind == "weekday" and by.text in ("this coming", "coming", "upcoming", "오는"):
        ahead = (named.value - view.today.weekday()) % 7 or 7
        return [Piece(kind, span=calendar.build_one_day(view.today + ahead * DAY))]
    return [Piece(kind, named.value, by.value)]


@cache
def _compile_time_rules() -> tuple[tuple[re.Pattern[str], _Build], ...]:
    return tuple((re.compile(expression), build) for expression, build in _RULES)
