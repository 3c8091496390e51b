"""Reader of the times in a text: rows of adjacent time words, understood whole or refused.

A partly understood row is refused: 재작년 여름 must not answer for this summer because 여름 alone is
known. `Times.refused` has the words, so that the person can be told.
"""

import re
from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from gieok.text.late_pattern import defer_pattern
from gieok.text.times import calendar
from gieok.text.times.calendar import DAY, DaySpan
from gieok.text.times.lexicon import BEHIND_OWNER, DAY_NAMES, Token, tokens_of
from gieok.text.times.meant import is_meant
from gieok.text.times.pieces import GRAINS, Piece, TimeView, resolve_time_pieces
from gieok.text.times.rules import encode_token_kinds, parse_time_tokens, readings


class Time(NamedTuple):
    """Days that a text names, and where: `text[start:end]`.

    `grain` says how fine the time is (`week`). `is_current`: the period is the current one.
    `looks_back`: it names a past time: last week, two days ago.
    """

    span: DaySpan
    start: int
    end: int
    grain: str
    is_current: bool = False
    looks_back: bool = False


class Times(NamedTuple):
    """The times of a text in order, and the words that are only partly understood."""

    found: tuple[Time, ...] = ()
    refused: tuple[str, ...] = ()


#: A prefilter: every time phrase holds one of these, and most texts none.
_HINT = defer_pattern(
    r"\d|[월주달해년일봄반]|요일|욜|어제|오늘|아까|방금|그저께|그제|어젯밤|간밤|하루|이틀|사흘|나흘|며칠|닷새|엿새|이레|여드레|아흐레|열흘|보름|그끄저께"
    r"|그러께|엊그|분기|여름|가을|겨울|내일|낼|모레|글피|연초|연말"
    r"|day|week|month|year|night|morning|noon|evening|tomorrow|ago\b|quarter|q[1-4]|h[12]"
    r"|spring|summer|autumn|fall\b|winter|decade|ties\b|fortnight"
    r"|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec|ju[nl]e?|march|april"
    r"|august)\b|\wember|october|\wuary"
    rf"|\b(?:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)\b|{DAY_NAMES}",
    re.IGNORECASE,
)
#: Text that may stand between the words of one time.
_GLUE = defer_pattern(
    r"\.?(?:['’]s)?[\s,]*(?:\b(?:of|the|in|on|at|for|during|back)\b\s*)*", re.IGNORECASE
)
#: Words between a time and a person's day: last year on Mom's birthday, 작년 내 생일.
_OF_SOMEBODY = defer_pattern(r"\s+(?:[\w'’]+\s+){1,2}")
_LEAST_YEAR, _MOST_YEAR = 1900, 2100
#: Characters before a word that are searched for "during the" and the like.
_LONGEST_LEAD = 16
_ON_THE = defer_pattern(r"\bon the\s+$", re.IGNORECASE)
#: Before the bare number of an hour, and behind it in Korean.
_AT = defer_pattern(r"\bat (?:about |around )?$", re.IGNORECASE)
_AT_KO = defer_pattern(r"에(?![가-힣])")
_LAST_HOUR = 24
#: Longest row of words. A longer row is a list of days, not a time, and trying all its readings
#: would take too long.
_MOST_WORDS = 24
#: Kinds that make a row a time; a row without any is a number or another word.
_ANCHORS = frozenset("ijSmekhsQYzrXDcTaEP")
#: Grains as fine as a holiday: beside a time of such a grain, the name of a holiday belongs to
#: something else.
_DAYS = frozenset(("day", "date", "weekday", "weekend", "holiday", "daytime"))
#: A distance from something that is no time: the day before the meeting, the week after launch.
_LOOSE_SHIFT = defer_pattern(r"n?[ukt][bG]")


@lru_cache(32)
def read_times(text: str, today: date, *, is_ahead: bool = False) -> Times:
    """Return the times of a text, seen from a day.

    With `is_ahead` the text tells of plans, so a bare Friday is the next one.
    """
    if not _HINT.search(text):
        return Times()
    view = TimeView(today, is_ahead, is_month_first=bool(re.search(r"[가-힣~〜]", text)))
    all_times: list[Time] = []
    refused: list[str] = []
    runs = _group_token_runs(text)
    for run in runs:
        times = _read_run(run, text, view)
        if times is None and _asks_how_many_days(run):
            continue
        if times is None:
            words = _list_lessened_runs(_trim_run_links(run), text)[-1]
            refused.append(text[words[0].start : words[-1].end])
        else:
            all_times += times
    named = [
        run for run in runs if encode_token_kinds(run) in ("H", "H!", "?") and is_meant(run, text)
    ]
    if (
        named
        and not is_ahead
        and (coarse := [time for time in all_times if time.grain not in _DAYS])
    ):
        return _narrow_to_day(coarse, named, runs, text, view) or Times(
            (), (*refused, _cut_time_words(coarse, named, text))
        )
    shifts = [run for run in runs if _is_loose_shift(run, text)]
    if shifts and all_times and not is_ahead:  # 지난주 회의 전날 need not lie in last week
        first = min(shifts[0][0].start, all_times[0].start)
        last = max(shifts[-1][-1].end, all_times[-1].end)
        return Times((), (*refused, text[first:last]))
    return Times(tuple(all_times), tuple(refused))


def _narrow_to_day(
    coarse: Sequence[Time],
    named: Sequence[Sequence[Token]],
    runs: Sequence[Sequence[Token]],
    text: str,
    view: TimeView,
) -> Times | None:
    """Return the day that is named apart from its year: 작년에 뭐 했더라 크리스마스에.

    None where day and year do not fit.
    """
    if len(coarse) > 1 or len(named) > 1:
        return None
    time, day = coarse[0], named[0]
    of = next((run for run in runs if run[0].start <= time.start < run[-1].end), [])
    times = _interpret_run([*of, *day], text, view)
    if not times:
        return None
    return Times((times[0]._replace(start=time.start, end=time.end),))


def _cut_time_words(times: Sequence[Time], named: Sequence[Sequence[Token]], text: str) -> str:
    """Return the part of a text from the first to the last of some times and names of days."""
    starts = [*(time.start for time in times), *(run[0].start for run in named)]
    ends = [*(time.end for time in times), *(run[-1].end for run in named)]
    return text[min(starts) : max(ends)]


def _asks_how_many_days(run: Sequence[Token]) -> bool:
    """Return whether a row is the question for a day or a number of days: 며칠까지, 주 며칠.

    With a word of direction it is a time: 며칠 전, 지난 며칠.
    """
    kinds = {token.kind for token in run if token.text != "며칠"}
    is_asked = any(token.text == "며칠" for token in run)
    return is_asked and kinds <= {"unit", "since", "until"}


def _is_loose_shift(run: Sequence[Token], text: str) -> bool:
    """Return whether a row names a day by its distance from something that is no time."""
    kinds = encode_token_kinds(run)
    is_before_word = _LOOSE_SHIFT.fullmatch(kinds) and re.match(
        r"\s+[a-z]", text[run[-1].end :], re.IGNORECASE
    )
    return kinds == "<" or bool(is_before_word)


def _group_token_runs(text: str) -> list[list[Token]]:
    """Return the rows of adjacent tokens."""
    runs: list[list[Token]] = []
    for token in tokens_of(text):
        if token.text in ("back", "earlier") and not (
            runs and runs[-1][-1].kind in ("unit", "weekend", "half")
        ):
            continue  # come back to
        if _is_hour(token, text):
            continue
        gap = text[runs[-1][-1].end : token.start] if runs else ""
        if token.text in BEHIND_OWNER and not re.fullmatch(r"['’]s\s+", gap):
            continue  # the project's end
        is_named_day = token.kind == "unknown" and runs and _OF_SOMEBODY.fullmatch(gap)
        if runs and (is_named_day or _GLUE.fullmatch(gap)):
            runs[-1].append(token)
        else:
            runs.append([token])
    return [_told_apart(run, text) for run in runs]


def _is_hour(token: Token, text: str) -> bool:
    """Return whether a bare number is the hour of a day: tomorrow at 9, 내일 9에."""
    if token.kind != "number" or token.value > _LAST_HOUR:
        return False
    before = text[max(0, token.start - _LONGEST_LEAD) : token.start]
    behind = text[token.end : token.end + 2]
    return bool(_AT.search(before) or _AT_KO.match(behind))


def _told_apart(run: Sequence[Token], text: str) -> list[Token]:
    """Return the tokens of a row, their kinds corrected by their neighbours.

    A number may be a year, "past" a running time, and "last" the last one of several.
    """
    tokens: list[Token] = []
    for at, token in enumerate(run):
        follows = run[at + 1] if at + 1 < len(run) else None
        before = text[max(0, token.start - _LONGEST_LEAD) : token.start]
        if (
            token.kind == "number"
            and len(token.text) == 4
            and _LEAST_YEAR <= token.value < _MOST_YEAR
        ):
            tokens.append(token._replace(kind="full-year"))
        elif token.kind == "week-of" and at and run[at - 1].kind in ("qualifier", "ordinal"):
            tokens.append(token._replace(kind="unit", value=1))
        elif (
            token.text == "last"
            and follows
            and at + 2 < len(run)
            and _is_last_of(follows, run[at + 2], text)
        ):
            tokens.append(token._replace(kind="ordinal", value=-1))
        elif (
            token.text == "last"
            and follows
            and follows.kind in ("weekday", "weekend")
            and _ON_THE.search(before)
        ):
            # "on the last Thursday": of each month or quarter, not the one before today
            tokens.append(token._replace(kind="ordinal", value=-1))
        elif (
            token.kind == "qualifier"
            and follows
            and follows.kind == "unit"
            and _is_running(token, before)
        ):
            tokens.append(token._replace(kind="running"))
        else:
            tokens.append(token)
    return tokens


def _is_running(token: Token, before: str) -> bool:
    return token.text in ("past", "최근") or (
        token.text == "last"
        and bool(re.search(r"\b(?:over|in|during|for|within) the $", before, re.IGNORECASE))
    )


def _is_last_of(named: Token, of: Token, text: str) -> bool:
    if named.kind == "week-of":
        return True
    return named.kind in ("unit", "weekend", "weekday") and bool(
        re.search(r"\bof\b", text[named.end : of.start])
    )


def _read_run(run: Sequence[Token], text: str, view: TimeView) -> list[Time] | None:
    """Return the times of a row of tokens; [] for no time, None for a partly understood row."""
    run = _trim_run_links(run)
    kinds = encode_token_kinds(run)
    if (
        not run
        or any(token.kind == "every" for token in run)
        or (set(kinds) <= {"E", "U", "L", "v"})
    ):
        return []
    if len(run) > _MOST_WORDS:
        return None
    for tokens in _list_lessened_runs(run, text):
        if (times := _interpret_run(tokens, text, view)) is not None:
            return times
    if times := _beside_topic(run, text, view):
        return times
    if kinds == "l":  # 3/4: in either order
        return None if not view.is_ahead and is_meant(run, text) else []
    has_anchor = bool(_ANCHORS & set(kinds)) or bool(
        re.search(r"[qRyZ][ukH?]|[H?][yZuq<]|[qR]n[uk]|[UbGv].*[mekhsQYD]", kinds)
    )
    is_row = (
        len(
            [
                token
                for token in run
                if token.kind not in ("daytime", "while", "link", "number", "count")
            ]
        )
        > 1
    )
    return None if has_anchor and is_row and _is_no_duration(kinds) else []


def _beside_topic(run: Sequence[Token], text: str, view: TimeView) -> list[Time]:
    """Return the time before the name of a day that belongs to another thing: 어제 크리스마스 선물.

    The name is another thing's where the time before it is too short to contain the day.
    """
    named = next((at for at, token in enumerate(run) if token.kind in ("holiday", "unknown")), 0)
    before = run[:named]
    if not before or before[-1].kind in ("ordinal", "nth", "qualifier", "count", "number"):
        return []
    times = _interpret_run(before, text, view) or []
    is_week = run[named].kind == "holiday" and all(time.span.days <= 7 for time in times)
    return times if is_week or all(time.grain in _DAYS for time in times) else []


def _is_no_duration(kinds: str) -> bool:
    """Return whether a row names more than a duration or a frequency."""
    return not re.fullmatch(r"[nNBydfuFkW#eoEt]+a?", kinds) or kinds.endswith("a")


def _trim_run_links(run: Sequence[Token]) -> list[Token]:
    """Return a row without the link words at its ends, which connect to something else."""
    trimmed = list(run)
    while trimmed and trimmed[-1].kind in ("link", "after"):
        trimmed.pop()
    while trimmed and trimmed[0].kind == "link":
        trimmed.pop(0)
    return trimmed


def _list_lessened_runs(run: Sequence[Token], text: str) -> list[Sequence[Token]]:
    """Return a row, and the row without numbers at its ends.

    Such numbers may count something else: yesterday 3 people.
    """
    rows = [run]
    if not run:
        return rows
    if len(run) > 1 and _is_of_what_follows(run[-1], run[-2], text):
        rows.append(run[:-1])
    if (
        len(run) > 1
        and run[0].kind in ("number", "count")
        and run[1].kind not in ("unit", "weekend")
    ):
        rows.append(run[1:])
    return rows


def _is_of_what_follows(last: Token, before: Token, text: str) -> bool:
    """Return whether a word belongs to the text behind a time, not to the time.

    Examples: yesterday 3 people, 어제 한 일, 어제 말 나온 것.
    """
    if last.kind in ("number", "full-year"):
        return bool(re.match(r"\s+[a-z가-힣]", text[last.end :]))
    return last.kind == "count" or (
        last.text in ("말", "초") and before.kind in ("day", "weekday", "date", "iso")
    )


def _interpret_run(run: Sequence[Token], text: str, view: TimeView) -> list[Time] | None:
    """Return the times of a row that is understood as a whole.

    [] where the row is no time; None where it is not understood.
    """
    if view.is_ahead:
        return _read_planned_times(run, text, view)
    if run[0].kind in ("until", "before") or run[-1].kind == "before":
        return _open_beginning(
            [token for token in run if token.kind not in ("until", "before")],
            view,
            run[0].text == "by",
        )
    if times := _read_time_range(run, text, view):
        return times
    if run[-1].kind == "until":
        return _open_beginning(run[:-1], view)
    if run[0].kind in ("since", "after") or run[-1].kind == "since":
        return _read_since_time(run, view)
    return _read_single_time(run, text, view)


def _is_shifted(run: Sequence[Token]) -> bool:
    return run[-1].kind == "shift" or bool(_LOOSE_SHIFT.match(encode_token_kinds(run)))


def _open_beginning(
    run: Sequence[Token], view: TimeView, is_deadline: bool = False
) -> list[Time] | None:
    """Return [] for a deadline, and for a time that lasts until a day to come.

    None otherwise: a time before a past day is not understood.
    """
    times = parse_time_tokens(run, view)
    return [] if times and (is_deadline or times[0].last >= view.today) else None


def _read_single_time(run: Sequence[Token], text: str, view: TimeView) -> list[Time] | None:
    if _is_shifted(run) and len(run) > 1:
        return _read_shift(run, view)
    parsed = parse_time_tokens(run, view)
    if parsed is None:
        return [] if len(run) == 1 and run[0].kind != "slash" else None
    is_bare = len(run) == 1 or len(parsed[1]) == 1
    return [_build_time(parsed, run, view)] if not is_bare or is_meant(run, text) else []


def _build_time(found: tuple[DaySpan, list[Piece]], run: Sequence[Token], view: TimeView) -> Time:
    span, pieces = found
    finest = max(
        (piece for piece in pieces if piece.kind not in ("daytime", "widen")),
        key=lambda piece: piece.grain,
    )
    return Time(
        span,
        run[0].start,
        run[-1].end,
        finest.grain_of or finest.kind,
        is_current=len(pieces) == 1
        and finest.offset == 0
        and span.first <= view.today <= span.last,
        looks_back=any((piece.offset or 0) < 0 for piece in pieces),
    )


def _read_shift(run: Sequence[Token], view: TimeView) -> list[Time] | None:
    """Return the day that lies some days before or after a named day.

    Examples: 크리스마스 전날, two days after last Friday.
    """
    if run[-1].kind == "shift":
        days, rest = run[-1].value, run[:-1]
    else:
        at = next(place for place, token in enumerate(run) if token.kind in ("before", "after"))
        count = run[0].value if at > 1 else 1
        is_day = run[at - 1].kind == "unit" and not run[at - 1].value
        days = (count if is_day else 0) * (1 if run[at].kind == "after" else -1)
        rest = run[at + 1 :]
    times = parse_time_tokens(rest, view) if days else None
    if times is None or times[0].days != 1:
        return None
    day = times[0].first + days * DAY
    return [
        Time(
            calendar.build_one_day(day),
            run[0].start,
            run[-1].end,
            "day",
            looks_back=day < view.today,
        )
    ]


def _read_since_time(run: Sequence[Token], view: TimeView) -> list[Time] | None:
    """Return the days from a named day until today: since A, A부터, after A."""
    is_after = run[0].kind == "after"
    parsed = parse_time_tokens(run[1:] if run[0].kind in ("since", "after") else run[:-1], view)
    if parsed is None:
        return None
    first = parsed[0].last + DAY if is_after else parsed[0].first
    if first > view.today:
        return []
    return [Time(DaySpan(first, view.today), run[0].start, run[-1].end, "since")]


def _read_time_range(run: Sequence[Token], text: str, view: TimeView) -> list[Time] | None:
    """Return the days from one named day to another.

    The forms are: from A to B, between A and B, A부터 B까지, A–B.
    """
    for at, token in enumerate(run):
        if not 0 < at < len(run) - 1 or token.kind not in ("link", "since", "until"):
            continue
        right = [
            following for following in run[at + 1 :] if following.kind not in ("until", "while")
        ]
        left = run[:at]
        if token.text in ("and", "와", "과", "랑", "이랑") and not _is_between(left, run, text):
            return _unite_adjacent_times(left, right, view)
        if token.text == "or":
            return None
        if span := _from_to(left, right, view):
            return [Time(span, left[0].start, run[-1].end, "range")]
    return None


def _is_between(left: Sequence[Token], run: Sequence[Token], text: str) -> bool:
    before, after = text[: left[0].start], text[run[-1].end :]
    return (
        bool(re.search(r"\bbetween (?:the )?$", before, re.IGNORECASE))
        or run[-1].text == "사이"
        or after[:3].strip()[:2] == "사이"
    )


def _unite_adjacent_times(
    left: Sequence[Token], right: Sequence[Token], view: TimeView
) -> list[Time] | None:
    """Return two times that follow each other as one span: last week and this week."""
    first, last = parse_time_tokens(left, view), parse_time_tokens(right, view)
    if not first or not last:
        return None
    spans = sorted((first[0], last[0]))
    if spans[1].first > spans[0].last + DAY:
        return None
    return [
        Time(
            DaySpan(spans[0].first, max(s.last for s in spans)),
            left[0].start,
            right[-1].end,
            "range",
        )
    ]


def _from_to(left: Sequence[Token], right: Sequence[Token], view: TimeView) -> DaySpan | None:
    for first in _list_side_readings(left, right, view):
        for last in _list_side_readings(right, left, view):
            for filled in (
                (_fill_missing_pieces(first, last), _fill_missing_pieces(last, first)),
                (first, last),
            ):
                spans = resolve_time_pieces(filled[0], view), resolve_time_pieces(filled[1], view)
                if (
                    spans[0]
                    and spans[1]
                    and (span := _order_range_span(spans[0], spans[1], filled))
                ):
                    return span
    return None


def _list_side_readings(
    tokens: Sequence[Token], other: Sequence[Token], view: TimeView
) -> list[list[Piece]]:
    """Return the readings of one side of a range, each a list of pieces.

    A number at its end takes the unit at the end of the other side: 3~5월, May 3 to 5.
    """
    kinds, others = encode_token_kinds(tokens), encode_token_kinds(other)
    if kinds.count("n") == 1 and not re.search(r"[mu]", kinds) and {"m", "d"} & set(others):
        is_day = bool({"d", "n", "o"} & set(others))
        number = Piece("date" if is_day else "month", tokens[kinds.index("n")].value)
        rest = [token for token in tokens if token.kind not in ("number", "count")]
        return [[*pieces, number] for pieces in readings(rest, view)]
    return list(readings(tokens, view))


def _fill_missing_pieces(pieces: Sequence[Piece], by: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of one side with the year, month or week that only the other side names."""
    finest = max(piece.grain for piece in pieces)
    own = {piece.grain for piece in pieces}
    missing = [
        piece
        for piece in by
        if piece.grain < finest
        and piece.grain not in own
        and piece.kind not in ("daytime", "widen", "part")
    ]
    return [*missing, *pieces]


def _order_range_span(
    first: DaySpan, last: DaySpan, filled: tuple[list[Piece], list[Piece]]
) -> DaySpan | None:
    """Return the span of a range.

    A range whose beginning would lie after its end is moved to begin a week or a year earlier.
    """
    if first.first <= last.last:
        return DaySpan(first.first, last.last)
    if any(
        piece.grain < GRAINS["half"] or piece.offset is not None
        for side in filled
        for piece in side
    ):
        return None
    week = first.first - 7 * DAY
    if all(piece.kind == "weekday" for side in filled for piece in side):
        return DaySpan(week, last.last)
    return DaySpan(calendar.months_later(first.first, -12), last.last)


def _read_planned_times(run: Sequence[Token], text: str, view: TimeView) -> list[Time] | None:
    """Return the times of a plan; each end of a range is a time by itself."""
    cut: list[list[Token]] = [[]]
    for token in run:
        if token.kind in ("link", "since", "until", "before", "after"):
            cut.append([])
        else:
            cut[-1].append(token)
    parts = [part for part in cut if part]
    times: list[Time] = []
    before: list[Token] = []
    for part in parts:
        if encode_token_kinds(part) in ("nu", "nF", "fnu", "nuf") and re.search(
            r"\bin $", text[: part[0].start], re.IGNORECASE
        ):
            part.append(
                Token(kind="hence", value=0, start=part[-1].end, end=part[-1].end, text="")
            )  # in two weeks
        parsed = parse_time_tokens(part, view)
        if parsed is None and before:
            parsed = parse_time_tokens(
                [*(token for token in before if token.kind in ("month", "years", "year")), *part],
                view,
            )
        if parsed is None:
            return None if len(part) > 1 else times
        times.append(_build_time(parsed, part, view))
        before = part
    return times
