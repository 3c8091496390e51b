"""Questions about days to come → the lines of memory that name those days, the nearest day first.

"내일 뭐 있지", "what's on next week": such a question shares no word with the calendar line that
answers, which names a day by its number. So the lines that name the days are listed instead.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from gieok.model.memory import Scope
from gieok.model.retrieval import Filter, FoundPassage, Hit, Line
from gieok.ports.store import Documents
from gieok.ranking import timeline
from gieok.text.appointments import PAST
from gieok.text.dates import DateSpan
from gieok.text.months import MONTH_NAMES
from gieok.text.times import ahead
from gieok.text.times.meant import asks_what_was
from gieok.text.times.reading import read_times

#: Number of passages per scope that are looked through.
_MOST = 5_000
#: Score of a line that names an asked day: it is of that day, and may still not be what is wanted.
_SCORE = 0.75
#: Kinds that are said in passing: what an agent says of tomorrow is no calendar.
_UNPLANNED_KINDS = frozenset(("turn",))
#: Time within which a note's "tomorrow" and "next month" may name an asked day.
_MOST_AHEAD = timedelta(days=62)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_HEADING = re.compile(r"^#.*$", re.MULTILINE)
#: A task that is ticked off, and a day of the lunar calendar, which is another day.
_TICKED = re.compile(r"^\s*[-*+]\s*\[[xX]\]")
_HANGUL = re.compile("[가-힣]")
#: What was done on a day, in a list of days: "3 December: painted the fence". "Tower closed" tells
#: how things are on the day.
_DONE_EN = re.compile(r"^[\W\d_]*(?!closed\b|need|red\b|bed\b)[a-z]+ed\b", re.IGNORECASE)
_LUNAR = re.compile(r"(?:음력|\blunar(?: calendar)?)\s*$", re.IGNORECASE)


class AskWord(NamedTuple):
    """Pattern of a word that only asks for plans, with a word that it is and one that it is not."""

    pattern: str
    example: str
    counter_example: str


#: Words of which a question for the plans of some days consists, beside the days.
ASK_WORDS = (
    AskWord(r"(?:뭐|뭘|뭔|무슨|무엇|어떤|모든)[가-힣]{0,2}", "뭐가", "뭉치"),
    AskWord(r"있(?:어|나|지|니|는|을|습|더|는지|어요|나요|습니까)[가-힣]{0,2}", "있지", "있었지"),
    AskWord(r"(?:해야|가야|할|하지|하나|하니|해|되는|하는|돼|되지|될)", "해야", "할인"),
    AskWord(
        r"(?:일정|약속|예정|계획|마감|기한|스케줄|할일|행사)(?:[은는이가을를도인들]{0,2}|이야|이지)",
        "일정이",
        "일정표",
    ),
    AskWord(r"(?:일|것|거|게|건|걸)(?:[은는이가을를도들]{0,2}|이야|이지)", "일이", "일꾼"),
    AskWord(
        r"(?:에|에는|엔|의|까지|은|는|날|우리|나|내|내가|나는|좀|알려|알려줘|보여|보여줘|줘|다)",
        "까지",
        "까치",
    ),
    AskWord(r"what(?:'s|s)?|which|anything|everything|something|any|all", "what's", "whatever"),
    AskWord(
        r"is|are|do|does|have|has|got|to|be|there|will|must|should|need|needs", "have", "haven"
    ),
    AskWord(
        r"i|we|my|our|me|us|the|on|in|for|at|of|by|this|show|list|tell|up|coming", "for", "fork"
    ),
    AskWord(
        r"due|planned|scheduled|plans?|schedule|agenda|calendar|deadlines?|appointments?|events?"
        r"|tasks?|todos?|happening|going",
        "deadlines",
        "dead",
    ),
)
_ASK_WORD = "|".join(row.pattern for row in ASK_WORDS)
_WORD = re.compile(r"[\w']+")


class _NamedLine(NamedTuple):
    """Line of a passage that names a day: the day, its number in the file, its text."""

    day: date
    number: int
    text: str


def find_coming_span(question: str, today: date) -> DateSpan | None:
    """Return the days from today on whose plans a question asks for; None for other questions."""
    if asks_what_was(question):
        return None
    times = read_times(question, today, is_ahead=True)
    if times.refused or len(times.found) != 1:
        return None
    asked = times.found[0]
    if asked.span.last < today:
        return None
    rest = f"{question[: asked.start]} {question[asked.end :]}"
    if not all(re.fullmatch(_ASK_WORD, word, re.IGNORECASE) for word in _WORD.findall(rest)):
        return None
    words = question[asked.start : asked.end]
    return DateSpan(max(asked.span.first, today), asked.span.last, words)


def list_coming_hits(
    store: Documents, scopes: Sequence[Scope], where: Filter, span: DateSpan, limit: int
) -> tuple[Hit, ...]:
    """Return the lines that name a day of `span`, by day, at most `limit`.

    Each hit is of one line, with the day that the line names.
    """
    found: list[tuple[_NamedLine, FoundPassage]] = []
    months = _compile_months(span)
    for scope in scopes:
        for passage in store.passages(store.within(scope, where, _MOST), scope):
            if passage.kind not in _UNPLANNED_KINDS:
                found += ((line, passage) for line in _iter_named_lines(passage, span, months))
    found.sort(key=lambda row: (row[0].day, row[1].key, row[0].number))
    return tuple(_build_line_hit(line, passage) for line, passage in found[:limit])


def _compile_months(span: DateSpan) -> re.Pattern[str]:
    """Return the pattern of the months of a span, by number or English name.

    Reading the times of every line of a large memory takes seconds; most lines name none of them.
    """
    count = (span.last.year - span.first.year) * 12 + span.last.month - span.first.month + 1
    numbers = {(span.first.month - 1 + place) % 12 + 1 for place in range(min(count, 12))}
    each = (
        rf"(?<!\d)0?{number}(?=\s*[월/.-])|\b{MONTH_NAMES[number - 1]}"
        for number in sorted(numbers)
    )
    return re.compile("|".join(each), re.IGNORECASE)


def _iter_named_lines(
    passage: FoundPassage, span: DateSpan, months: re.Pattern[str]
) -> Iterator[_NamedLine]:
    """Yield the lines of a passage that name a day of `span`, each with the first such day.

    A note that is not recent may be of any time: of its lines only numbered days count, not
    "tomorrow".
    """
    said_on = timeline.find_passage_day(passage, UTC)
    is_dated = passage.valid_from is not None
    is_recent = is_dated and span.first - _MOST_AHEAD <= said_on
    years = set[str]() if is_dated else _list_years(passage)
    for place, line in enumerate(passage.text.splitlines()):
        is_numbered = months.search(line) is not None
        if not (is_numbered or is_recent) or _TICKED.match(line) or _tells_what_was(line):
            continue
        for start, named in ahead.each(line, said_on):
            is_inside = span.first <= named.first and named.last <= span.last
            has_year = not years or str(named.first.year) in years or _YEAR.search(named.words)
            says_more = re.search(r"[^\W\d]", line.replace(named.words, "", 1))
            is_done = _DONE_EN.match(line[start + len(named.words) :])
            is_other = is_done or _LUNAR.search(line[:start])
            if is_inside and has_year and says_more and not is_other:
                yield _NamedLine(named.first, passage.start_line + place, line.strip())
                break


def _tells_what_was(line: str) -> bool:
    """Return whether a line tells what was, and so plans nothing."""
    if _HANGUL.search(line):
        return asks_what_was(line)
    return any(re.search(pattern, line) for pattern, _, _ in PAST)


def _list_years(passage: FoundPassage) -> set[str]:
    """Return the years that name and headings of an undated note tell: "2025-12 calendar.md"."""
    headings = "\n".join(_HEADING.findall(passage.text))
    return set(_YEAR.findall(f"{passage.key}\n{passage.title}\n{passage.context}\n{headings}"))


def _build_line_hit(line: _NamedLine, passage: FoundPassage) -> Hit:
    of_line = passage._replace(
        text=line.text,
        start_line=line.number,
        end_line=line.number,
        valid_from=datetime.combine(line.day, time(), UTC),
    )
    return Hit(
        passage=of_line,
        score=_SCORE,
        snippet=line.text,
        signals={},
        line=Line(line.number, line.text),
    )
