"""Reads the times of a text: rows of words for times that stand together, understood whole or refused.

What is half understood is refused: 재작년 여름 must not answer for this summer because 여름 alone is known. `Times.refused` has
the words, so that whoever asked can be told.
"""

import re
from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from gieok.text.times import calendar
from gieok.text.times.calendar import DAY, Span
from gieok.text.times.lexicon import Token, tokens_of
from gieok.text.times.pieces import GRAINS, Piece, View, resolve
from gieok.text.times.rules import letters, parse, readings


class Time(NamedTuple):
    """Days that a text names: from where to where it stands, how fine it is (`week`), and whether it runs now.

    `looks_back`: it names what is past: last week, two days ago.
    """

    span: Span
    start: int
    end: int
    grain: str
    is_current: bool = False
    looks_back: bool = False


class Times(NamedTuple):
    """The times of a text in its order, and the words that look like a time but are understood in part only."""

    found: tuple[Time, ...] = ()
    refused: tuple[str, ...] = ()


#: A prefilter: every phrase holds one of these, and most texts none.
_HINT = re.compile(
    r"\d|[월주달해년일봄반]|요일|욜|어제|오늘|아까|방금|그저께|그제|어젯밤|간밤|하루|이틀|사흘|나흘|며칠|닷새|엿새|열흘|보름|분기|여름|가을|겨울|내일|낼|모레|글피|연초|연말"
    r"|day|week|month|year|night|morning|noon|evening|tomorrow|ago\b|quarter|q[1-4]|h[12]|spring|summer|autumn|fall\b|winter|decade|ties\b|fortnight"
    r"|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec|ju[nl]e?|march|april|august)\b|\w+ember|october|\w+uary"
    r"|\b(?:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)\b",
    re.IGNORECASE,
)
#: What may stand between the words of one time.
_GLUE = re.compile(r"\.?(?:['’]s)?[\s,]*(?:\b(?:of|the|in|on|at|for|during|back)\b\s*)*", re.IGNORECASE)
_LEAST_YEAR, _MOST_YEAR = 1900, 2100
#: Kinds that make a row of words one for a time; without any it is a number or a word of its own.
_ANCHORS = frozenset("ijSmekhsQYzrXDcTaEP")


@lru_cache(32)
def read(text: str, today: date, *, is_ahead: bool = False) -> Times:
    """Return the times of a text, seen from a day. `is_ahead`: the text tells of plans, so that a bare Friday is the next."""
    if not _HINT.search(text):
        return Times()
    view = View(today, is_ahead, is_month_first=bool(re.search(r"[가-힣~〜]", text)))
    found: list[Time] = []
    refused: list[str] = []
    for run in _runs(text):
        times = _read_run(run, text, view)
        if times is None:
            words = _lessened(_trimmed(run), text)[-1]
            refused.append(text[words[0].start : words[-1].end])
        else:
            found += times
    return Times(tuple(found), tuple(refused))


def _runs(text: str) -> list[list[Token]]:
    """Return the rows of tokens that stand together."""
    runs: list[list[Token]] = []
    for token in tokens_of(text):
        if token.text in ("back", "earlier") and not (runs and runs[-1][-1].kind in ("unit", "weekend", "half")):
            continue  # come back to
        if runs and _GLUE.fullmatch(text, runs[-1][-1].end, token.start):
            runs[-1].append(token)
        else:
            runs.append([token])
    return [_told_apart(run, text) for run in runs]


def _told_apart(run: Sequence[Token], text: str) -> list[Token]:
    """Return tokens by what they are in their place: years among numbers, running times, the last one of several."""
    made: list[Token] = []
    for at, token in enumerate(run):
        follows = run[at + 1] if at + 1 < len(run) else None
        before = text[: token.start]
        if token.kind == "number" and len(token.text) == 4 and _LEAST_YEAR <= token.value < _MOST_YEAR:
            made.append(token._replace(kind="full-year"))
        elif token.kind == "week-of" and at and run[at - 1].kind in ("qualifier", "ordinal"):
            made.append(token._replace(kind="unit", value=1))
        elif token.text == "last" and follows and at + 2 < len(run) and _is_last_of(follows, run[at + 2], text):
            made.append(token._replace(kind="ordinal", value=-1))
        elif token.kind == "qualifier" and follows and follows.kind == "unit" and _is_running(token, before):
            made.append(token._replace(kind="running"))
        else:
            made.append(token)
    return made


def _is_running(token: Token, before: str) -> bool:
    return token.text in ("past", "최근") or (
        token.text == "last" and bool(re.search(r"\b(?:over|in|during|for|within) the $", before, re.IGNORECASE))
    )


def _is_last_of(named: Token, of: Token, text: str) -> bool:
    if named.kind == "week-of":
        return True
    return named.kind in ("unit", "weekend", "weekday") and bool(re.search(r"\bof\b", text[named.end : of.start]))


def _read_run(run: Sequence[Token], text: str, view: View) -> list[Time] | None:
    """Return the times of a row of tokens, none where it is no time, None where it is half understood."""
    run = _trimmed(run)
    kinds = letters(run)
    if not run or any(token.kind == "every" for token in run) or (set(kinds) <= {"E", "U", "L", "v"}):
        return []
    for tokens in _lessened(run, text):
        if (times := _understood(tokens, text, view)) is not None:
            return times
    if kinds == "l":  # 3/4: in either order
        return None if not view.is_ahead and _is_meant(run, [], text) else []
    has_anchor = bool(_ANCHORS & set(kinds)) or bool(re.search(r"[qR][uk]|[qR]n[uk]|[UbGv].*[mekhsQYD]", kinds))
    is_row = len([token for token in run if token.kind not in ("daytime", "while", "link", "number", "count")]) > 1
    return None if has_anchor and is_row and _is_no_duration(kinds) else []


def _is_no_duration(kinds: str) -> bool:
    """Say whether more is named than how long something takes, or how often."""
    return not re.fullmatch(r"[nNBydfuFkW#eoEt]+a?", kinds) or kinds.endswith("a")


def _trimmed(run: Sequence[Token]) -> list[Token]:
    """Return a row without the links at its ends: they lead to something else."""
    kept = list(run)
    while kept and kept[-1].kind in ("link", "after"):
        kept.pop()
    while kept and kept[0].kind == "link":
        kept.pop(0)
    return kept


def _lessened(run: Sequence[Token], text: str) -> list[Sequence[Token]]:
    """Return a row, and the row without numbers at its ends that count something else: yesterday 3 people."""
    rows = [run]
    if not run:
        return rows
    if (
        len(run) > 1
        and run[-1].kind in ("number", "count", "full-year")
        and re.match(r"\s+[a-z가-힣]", text[run[-1].end :])
    ):
        rows.append(run[:-1])
    if len(run) > 1 and run[0].kind in ("number", "count") and run[1].kind not in ("unit", "weekend"):
        rows.append(run[1:])
    return rows


def _understood(run: Sequence[Token], text: str, view: View) -> list[Time] | None:
    if not run:
        return None
    if view.is_ahead:
        return _ahead(run, text, view)
    if run[0].kind in ("until", "before") or run[-1].kind in ("before",):
        inner = parse([token for token in run if token.kind not in ("until", "before")], view)
        return [] if inner and (inner[0].last >= view.today or run[0].text == "by") else None
    if times := _range(run, text, view):
        return times
    if run[-1].kind == "until":
        inner = parse(run[:-1], view)
        return [] if inner and inner[0].last >= view.today else None
    if run[0].kind in ("since", "after") or run[-1].kind == "since":
        return _since(run, view)
    found = parse(run, view)
    if found is None:
        return _one_alone(run, text, view)
    if len(run) == 1 or len(found[1]) == 1 or letters(run) == "l":
        if not _is_meant(run, found[1], text):
            return []
    return [_time(found, run, view)]


def _one_alone(run: Sequence[Token], text: str, view: View) -> list[Time] | None:
    """Return no time of a token that is none by itself; None of more."""
    return [] if len(run) == 1 and letters(run) not in "l" else None


def _time(found: tuple[Span, list[Piece]], run: Sequence[Token], view: View) -> Time:
    span, pieces = found
    finest = max((piece for piece in pieces if piece.kind not in ("daytime", "widen")), key=lambda piece: piece.grain)
    return Time(
        span,
        run[0].start,
        run[-1].end,
        finest.grain_of or finest.kind,
        is_current=len(pieces) == 1 and finest.offset == 0 and span.first <= view.today <= span.last,
        looks_back=any((piece.offset or 0) < 0 for piece in pieces),
    )


def _since(run: Sequence[Token], view: View) -> list[Time] | None:
    """Return the days from one that is named until today: since A, A부터, after A."""
    is_after = run[0].kind == "after"
    found = parse(run[1:] if run[0].kind in ("since", "after") else run[:-1], view)
    if found is None:
        return None
    first = found[0].last + DAY if is_after else found[0].first
    if first > view.today:
        return []
    return [Time(Span(first, view.today), run[0].start, run[-1].end, "since")]


def _range(run: Sequence[Token], text: str, view: View) -> list[Time] | None:
    """Return the days from one that is named to another: from A to B, between A and B, A부터 B까지, A–B."""
    for at, token in enumerate(run):
        if not 0 < at < len(run) - 1 or token.kind not in ("link", "since", "until"):
            continue
        right = [one for one in run[at + 1 :] if one.kind not in ("until", "while")]
        left = run[:at]
        if token.text in ("and", "와", "과", "랑", "이랑") and not _is_between(left, run, text):
            return _union(left, right, view)
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


def _union(left: Sequence[Token], right: Sequence[Token], view: View) -> list[Time] | None:
    """Return two times that follow each other as one: last week and this week."""
    first, last = parse(left, view), parse(right, view)
    if not first or not last:
        return None
    spans = sorted((first[0], last[0]))
    if spans[1].first > spans[0].last + DAY:
        return None
    return [Time(Span(spans[0].first, max(s.last for s in spans)), left[0].start, right[-1].end, "range")]


def _from_to(left: Sequence[Token], right: Sequence[Token], view: View) -> Span | None:
    for first in _sides(left, right, view):
        for last in _sides(right, left, view):
            filled = _filled(first, last), _filled(last, first)
            spans = resolve(filled[0], view), resolve(filled[1], view)
            if spans[0] and spans[1] and (made := _ordered(spans[0], spans[1], filled, view)):
                return made
    return None


def _sides(tokens: Sequence[Token], other: Sequence[Token], view: View) -> list[list[Piece]]:
    """Return the pieces of one side of a range; a number alone is what the other side ends with."""
    if letters(tokens) == "n":
        kind = (
            "date"
            if {"d", "n", "o", "i"} & set(letters(other)) and len(other) > 1 or "d" in letters(other)
            else "month"
        )
        return [[Piece(kind, tokens[0].value)]] if {"m", "d"} & set(letters(other)) else []
    return list(readings(tokens, view))


def _filled(pieces: Sequence[Piece], by: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of one side with what only the other side says: the year, the month, the week."""
    coarsest = min(piece.grain for piece in pieces)
    missing = [piece for piece in by if piece.grain < coarsest and piece.kind not in ("daytime", "widen")]
    return [*missing, *pieces]


def _ordered(first: Span, last: Span, filled: tuple[list[Piece], list[Piece]], view: View) -> Span | None:
    """Return a range; one that began in the week or the year before its end is moved there."""
    if first.first <= last.last:
        return Span(first.first, last.last)
    if any(piece.grain < GRAINS["half"] or piece.offset is not None for side in filled for piece in side):
        return None
    week = first.first - 7 * DAY
    if all(piece.kind == "weekday" for side in filled for piece in side):
        return Span(week, last.last)
    return Span(calendar.months_later(first.first, -12), last.last)


_BARE_MONTHS = {
    "january",
    "february",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "sept",
    "sep",
    "oct",
    "nov",
}
_LEAD = re.compile(r"\b(?:in|during|of|back in|for|since|around|from|over|by|throughout) (?:the )?$", re.IGNORECASE)
_ON = re.compile(r"\b(?:on|since|from|of|by|before|after)(?: the)? $", re.IGNORECASE)
_COUNTED_KO = re.compile(r"[가-힣]*\s*(?:한|두|세|네|\d+)\s*(?:번|회|차례)")
_THINGS = re.compile(
    r"\s+(?:floor|try|attempt|line|commit|item|page|row|street|iteration|run|call|time|step|test|case|version)\b",
    re.IGNORECASE,
)
_UNITS_OF_DATA = re.compile(r"\s+(?:[a-z]*s|ms|mb|kb|gb|px)\b", re.IGNORECASE)
_EVENTS = re.compile(
    r"[\s(]*(?:회의|미팅|일지|회고|기록|노트|작업|배포|릴리스|대화|메모|일정|약속|출장|워크숍|스탠드업|장애|발표|meeting|stand-?up|notes?\b|call\b|retro"
    r"|release|deploy|sync\b|demo\b|incident|outage|review|decision|goals?\b|results?\b|roadmap|okrs?\b|planning|revenue|budget|sales|report|targets?\b|plans?\b)",
    re.IGNORECASE,
)
#: A day of the week may be a topic: 금요일에 배포해도 돼?, we deploy on Fridays. It is a time where a question asks what was.
_PAST = re.compile(
    r"[았었했였됐왔갔섰났렸켰쳤졌꼈뒀줬봤랐](?:어|다|음|지|고|던|는|습|네|나|니|구|군|으|더|을|$|[?.!\s])|[가-힣](?:한|된|던|긴|쓴|은|난|온|간|킨|린|친|진|꾼|뀐|눈|운)\s*(?:거|것|게|건|걸|일|내용|얘기|이야기|말|회의|결정|이유|사람|곳|데)"
    r"|\b(?:did|was|were|had|happened|said|told|went|made|came|got|left|wrote|ran|broke|met|took|gave|chose|began|saw|found|\w{2,}ed)\b"
)


def _is_meant(run: Sequence[Token], pieces: Sequence[Piece], text: str) -> bool:
    """Say whether a time that may also be another word is meant as one, by what stands around it."""
    token, kinds = run[0], letters(run)
    before, after = text[: token.start], text[run[-1].end :]
    is_korean = bool(re.search(r"[가-힣]", text))
    around = re.sub(r"\b(?:on|in|at|over|during|since|the)\b", "", before, flags=re.IGNORECASE)
    is_alone = not re.sub(r"\W", "", around + re.sub(r"^(?:에는|에|은|는|날)", "", after.strip()))
    is_past = bool(_PAST.search(text))
    match kinds:
        case "m":
            is_named = token.text in _BARE_MONTHS and text[token.start].isupper()
            is_number = bool(re.match(r"\.?\s+\d", after)) and not is_korean
            return "월" in token.text or ((is_named or bool(_LEAD.search(before))) and not is_number)
        case "e" | "et" | "te":
            return is_past or is_alone
        case "k" | "kt":
            is_that = bool(re.search(r"\b(?:over|on|at|during|this past) (?:the )?$", before, re.IGNORECASE))
            return is_alone or is_that or (is_past and "주말" in token.text)
        case "s":
            return is_past and ("에" == after[:1] or bool(re.search(r"\b(?:in|over|during) the $", before)))
        case "Q" | "h":
            is_prefixed = bool(re.search(r"\b(?:in|during|of|from|for|since)(?: the)? $", before, re.IGNORECASE))
            is_word = "분기" in token.text or "반기" in token.text
            return is_word or is_prefixed or is_alone or bool(_EVENTS.match(after)) or (is_past and kinds == "h")
        case "o" | "d":
            if "일" in token.text:
                return bool(re.match(r"에|날", after)) and not _COUNTED_KO.match(after[1:])
            return (
                bool(re.search(r"\bon the $", before, re.IGNORECASE))
                and not _THINGS.match(after)
                and "th" in token.text
                or (
                    bool(re.search(r"\bon the $", before, re.IGNORECASE))
                    and not _THINGS.match(after)
                    and token.text[0].isdigit()
                )
            )
        case "Z":
            return bool(
                re.search(r"\b(?:in|since|during|of|from|back in) $", before, re.IGNORECASE)
            ) and not _UNITS_OF_DATA.match(after)
        case "y":
            return (
                token.value > 99
                or "'" in before[-1:] + token.text
                or bool(re.match(r"에(?!\s*한)|도|의", after))
                or is_alone
            )
        case "z":
            return "년대" in token.text or bool(_LEAD.search(before)) or is_alone
        case "l":
            return _is_slash_date(before, after, is_korean=is_korean, is_alone=is_alone)
        case "ou" | "n#u" | "oe" | "w" | "u" | "t" | "W" | "p" | "O" | "o":
            return False
    return True


def _is_slash_date(before: str, after: str, *, is_korean: bool, is_alone: bool) -> bool:
    if re.search(r"\b(?:on|since|from|until|by|before|after|of) $", before, re.IGNORECASE) or is_alone:
        return True
    return bool(re.match(r"에\s|에는|에서|의\s|일|날|부터|까지|$", after) and is_korean) or bool(_EVENTS.match(after))


def _ahead(run: Sequence[Token], text: str, view: View) -> list[Time] | None:
    """Return the times of a plan: each end of a range by itself."""
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
        if letters(part) in ("nu", "nF", "fnu", "nuf") and re.search(r"\bin $", text[: part[0].start], re.IGNORECASE):
            part.append(Token("hence", 0, part[-1].end, part[-1].end, ""))  # in two weeks
        found = parse(part, view)
        if found is None and before:
            found = parse([*(token for token in before if token.kind in ("month", "years", "year")), *part], view)
        if found is None:
            return None if len(part) > 1 else times
        times.append(_time(found, part, view))
        before = part
    return times
