"""Questions about days to come list the lines that name those days, seen from 28 November 2026."""

import re
from datetime import UTC, date, datetime

import pytest

from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.model.retrieval import Filter
from gieok.ranking.coming import ASK_WORDS, AskWord, find_coming_span, list_coming_hits
from gieok.testing import MemoryStore
from gieok.text.dates import DateSpan

_TODAY = date(2026, 11, 28)
_MAIN = Scope("agent:main")
_DECEMBER = DateSpan(date(2026, 12, 1), date(2026, 12, 31), "12월")


@pytest.mark.parametrize("row", ASK_WORDS, ids=lambda row: row.example)
def test_a_pattern_takes_its_example_and_leaves_its_counter_example(row: AskWord) -> None:
    assert re.fullmatch(row.pattern, row.example)
    assert not re.fullmatch(row.pattern, row.counter_example)


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("내일 뭐 있지", date(2026, 11, 29), date(2026, 11, 29)),
        ("이번 주에 뭐 해야 하지", _TODAY, date(2026, 11, 29)),
        ("다음 주에 무슨 일정이 있어?", date(2026, 11, 30), date(2026, 12, 6)),
        ("12월 4일에 뭐 있어", date(2026, 12, 4), date(2026, 12, 4)),
        ("what's on next week", date(2026, 11, 30), date(2026, 12, 6)),
        ("What do I have on December 4?", date(2026, 12, 4), date(2026, 12, 4)),
    ],
)
def test_a_question_for_plans_names_its_days(question: str, first: date, last: date) -> None:
    span = find_coming_span(question, _TODAY)
    assert span is not None
    assert (span.first, span.last) == (first, last)


@pytest.mark.parametrize(
    "question",
    [
        "이번 주에 뭐 했지",
        "12월 4일에 뭐 했지",
        "2025년 12월 4일에 뭐 있어",
        "다음 주 배포는 누가 하지",
        "what did we do last week",
        "who deploys tomorrow",
        "뭐 해야 하지",
    ],
)
def test_another_question_asks_for_no_plans(question: str) -> None:
    assert find_coming_span(question, _TODAY) is None


def _note(key: str, text: str, *, day: date | None = None, kind: str = "memory") -> Entry:
    at = datetime(_TODAY.year, _TODAY.month, _TODAY.day, 9, tzinfo=UTC)
    document = Document(
        scope=_MAIN,
        key=key,
        kind=kind,
        text=text,
        content_hash=text,
        created_at=at,
        updated_at=at,
        valid_from=datetime(day.year, day.month, day.day, tzinfo=UTC) if day else None,
    )
    lines = text.count("\n") + 1
    return Entry(document, (Passage(0, len(text), 1, lines),))


def _list(*entries: Entry, span: DateSpan = _DECEMBER, limit: int = 12) -> list[tuple[str, int]]:
    store = MemoryStore()
    store.put(list(entries))
    hits = list_coming_hits(store, (_MAIN,), Filter(), span, limit)
    return [(hit.snippet, hit.passage.start_line) for hit in hits]


def test_the_lines_that_name_the_days_are_listed_by_day() -> None:
    note = _note("n/a.md", "# Family\n- 12월 9일: 안과\n- 12월 2일: 소독\n- 1월 5일: 방학식")
    assert _list(note) == [("- 12월 2일: 소독", 3), ("- 12월 9일: 안과", 2)]
    assert _list(note, limit=1) == [("- 12월 2일: 소독", 3)]
    assert _list(_note("n/b.md", "Dentist on December 3 at noon")) == [
        ("Dentist on December 3 at noon", 1)
    ]


def test_a_day_may_stand_before_a_colon() -> None:
    day = DateSpan(date(2026, 12, 2), date(2026, 12, 2), "2 December")
    line = "- December 2: lens cleaning"
    assert _list(_note("n/a.md", line), span=day) == [(line, 1)]


@pytest.mark.parametrize(
    "line", ["- 2 December: lens cleaning, tower closed", "- December 2: tickets needed"]
)
def test_what_is_so_on_a_day_is_no_thing_of_the_past(line: str) -> None:
    assert _list(_note("n/a.md", line)) == [(line, 1)]


@pytest.mark.parametrize(
    "line",
    [
        "- [x] 12월 2일까지 견적",
        "- 기제사: 음력 12월 2일",
        "12월 2일에 배관을 갈았다",
        "- December 2: painted the fence",
        "On December 2 we fixed the pump",
        "# 12월",
        "12월생 모임",
    ],
)
def test_a_line_that_plans_nothing_on_those_days_is_left_out(line: str) -> None:
    assert _list(_note("n/a.md", line)) == []


def test_a_calendar_of_another_year_is_not_of_the_coming_days() -> None:
    line = "- 12월 2일: 소독"
    assert _list(_note("n/2025-12 달력.md", line)) == []
    assert _list(_note("n/달력.md", f"# 2025년 12월\n{line}")) == []
    assert _list(_note("n/2026-12 달력.md", line)) == [(line, 1)]


def test_tomorrow_is_read_from_the_day_of_a_dated_note_only() -> None:
    eve = DateSpan(date(2026, 11, 29), date(2026, 11, 29), "내일")
    line = "내일 열쇠를 돌려줄 것"
    assert _list(_note("n/2026-11-28.md", line, day=_TODAY), span=eve) == [(line, 1)]
    assert _list(_note("n/2025-11-28.md", line, day=date(2025, 11, 28)), span=eve) == []
    assert _list(_note("n/a.md", line), span=eve) == []


def test_what_was_only_said_in_talk_is_no_calendar() -> None:
    assert _list(_note("sessions/x", "12월 2일에 배포", kind="turn", day=_TODAY)) == []
